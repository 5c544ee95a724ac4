package phone

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/twilio"
)

type sids struct{ account, call, stream string }

type mark struct {
	name  string
	timer pipeline.Timer
}

// say sends a message; one with audio, or of its time, has a due instant.
func (c *Call) say(m any, due time.Duration) {
	b, err := json.Marshal(m)
	if err != nil {
		panic("phone: " + err.Error()) // our own types always encode
	}
	c.line.Send(talk.Frame{Data: b, Payload: due != pipeline.Unknown, Due: due})
}

// send sends a message with its number.
func (c *Call) send(m twilio.Message, due time.Duration) {
	c.number++
	m.SequenceNumber, m.StreamSid = strconv.Itoa(c.number), c.sids.stream
	c.say(m, due)
}

// frame takes a frame of the microphone.
func (c *Call) frame(pcm []byte, due time.Duration) {
	c.frames++
	n, codes := c.frames, muLaw(pcm)
	work := func() { c.media(n, codes, due+c.client.config.Uplink) }
	if c.client.config.Uplink == 0 {
		work()
		return
	}
	c.loop().At(max(due+c.client.config.Uplink, c.loop().Now()), pipeline.RankTimer, work)
}

// media sends frame n of those from 1.
func (c *Call) media(n int, codes []byte, due time.Duration) {
	if c.over {
		return
	}
	c.send(twilio.Message{Event: twilio.EventMedia, Media: &twilio.Media{
		Track: twilio.Inbound, Chunk: strconv.Itoa(n), Timestamp: strconv.FormatInt((time.Duration(n) * span).Milliseconds(), 10),
		Payload: base64.StdEncoding.EncodeToString(codes),
	}}, due)
}

// mark has a mark go back when what is queued has been played.
func (c *Call) mark(name string, at time.Duration) {
	if len(c.marks) >= mostMarks {
		c.story.now.fault(FaultMark, "more than "+strconv.Itoa(mostMarks)+" marks wait for audio to be played", at)
		return
	}
	m := &mark{name: name}
	m.timer = c.loop().At(max(c.story.queue.end, c.loop().Now()), pipeline.RankOutput, func() { c.pass(1) })
	c.marks = append(c.marks, m)
}

// pass sends the first n marks back.
func (c *Call) pass(n int) {
	gone := c.marks[:n]
	c.marks = slices.Clone(c.marks[n:])
	for _, m := range gone {
		m.timer.Stop()
		c.send(twilio.Message{Event: twilio.EventMark, Mark: &twilio.Mark{Name: m.name}}, pipeline.Unknown)
	}
}
