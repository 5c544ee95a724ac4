package phone

import (
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

// caller is the person in a call. It says its texts one after the other, each when the
// answer to the one before has been heard and it has been quiet for a while; then it
// hangs up. It runs on the loop.
type caller struct {
	lines []line
	turns []*turn
	line  *playout
	since time.Duration // instant from which on there can have been quiet
	left  []int16       // of what is being said
	done  bool
}

// line is a text and how it sounds.
type line struct {
	text    string
	samples []int16
}

// turn is what the caller said and what was heard after it. Instants are of the
// loop; those that never came are pipeline.Unknown.
type turn struct {
	text       string
	start, end time.Duration // first and last sample of speech, as it left the mouth
	first      time.Duration // first audible sample of the answer, as it reached the ear
	over       time.Duration // the answer had played
}

// What a caller does: how long it must be quiet before it speaks, and how long it waits
// for an answer. Both are assumed: the pause is well above the gaps between the
// sentences of an answer.
const (
	callerPause    = time.Second
	callerPatience = 15 * time.Second
)

// greeting is what a caller says that has no text.
const greeting = "Hello, what can you do for me today?"

// callerFrame is the audio of one message of a stream.
const callerFrame = 20 * time.Millisecond

// sayLines returns how texts sound, those that sound at all. It takes a while, and all
// calls share the samples.
func (s *Service) sayLines() []line {
	texts := s.config.Transcript
	if len(texts) == 0 {
		texts = []string{greeting}
	}
	voice := s.config.TTS(speech.DefaultTTS)
	voice.Lead, voice.Tail = 0, 0
	var lines []line
	for _, text := range texts {
		if said := speech.Say(text, voice, twilio.SampleRate); lastAudible(said.Samples) >= 0 {
			lines = append(lines, line{text, said.Samples})
		}
	}
	return lines
}

// attach puts the caller through: it hears that line from now on.
func (c *caller) attach(p *playout, now time.Duration) { c.line, c.since = p, now }

// frame returns what the caller says in the frame that begins now.
func (c *caller) frame(now time.Duration) []int16 {
	n := audio.Samples(callerFrame, twilio.SampleRate)
	if len(c.left) == 0 && c.ready(now) {
		c.begin(now)
	}
	samples := make([]int16, n)
	c.left = c.left[copy(samples, c.left):]
	return samples
}

// ready reports whether the caller would say something.
func (c *caller) ready(now time.Duration) bool {
	if t := c.last(); t != nil && t.first == pipeline.Unknown && now < t.end+callerPatience {
		return false
	}
	return !c.done && now-max(c.since, c.line.end) >= callerPause
}

// begin begins the next text, or ends the call when there is none.
func (c *caller) begin(now time.Duration) {
	c.settle(now)
	next := len(c.turns)
	if next == len(c.lines) {
		c.done = true
		return
	}
	l, rate := c.lines[next], twilio.SampleRate
	c.left = l.samples
	c.since = now + audio.Duration(len(l.samples), rate)
	c.turns = append(c.turns, &turn{
		text:  l.text,
		start: now + audio.Duration(firstAudible(l.samples), rate), end: now + audio.Duration(lastAudible(l.samples), rate),
		first: pipeline.Unknown, over: pipeline.Unknown,
	})
}

// last returns the turn that came last, or nil.
func (c *caller) last() *turn {
	if len(c.turns) == 0 {
		return nil
	}
	return c.turns[len(c.turns)-1]
}

// hear notes that something audible is heard. What begins before the caller has finished
// counts as an answer too: it came too early.
func (c *caller) hear(at time.Duration) {
	if t := c.last(); t != nil && t.first == pipeline.Unknown && at >= t.start {
		t.first = at
	}
}

// settle notes until when the answer to the last turn has played.
func (c *caller) settle(now time.Duration) {
	if t := c.last(); t != nil && t.first != pipeline.Unknown && t.over == pipeline.Unknown {
		t.over = min(c.line.end, now)
	}
}
