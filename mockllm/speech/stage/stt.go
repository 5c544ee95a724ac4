package stage

import (
	"strings"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
)

// STTConfig sets up an STT.
type STTConfig struct {
	Seed    uint64
	Profile speech.STT
	Script  speech.Script // what is heard in every recording
	// WordGap is the time without words after which the turn is over, too; 0 is never.
	WordGap time.Duration
	Frame   time.Duration // of audio that comes at once
	// Asked has the final text asked for when the asker's own detector has the end of speech.
	Asked bool
	Trail time.Duration // the longest silence that is heard after a recording
}

// STT writes down what it hears, as a pipeline.STT. Each Hearing has a recognizer of its own.
type STT struct {
	loop   pipeline.Scheduler
	config STTConfig
}

// NewSTT returns an STT that runs on the loop.
func NewSTT(loop pipeline.Scheduler, c STTConfig) *STT { return &STT{loop, c} }

// hearing is one recording under way.
type hearing struct {
	stt        *STT
	h          *pipeline.Hearing
	recognizer *speech.Recognizer
	begin      time.Duration // instant of the first sample
	speechEnd  time.Duration // and of the last of speech
	timer      pipeline.Timer
	next       int // frame
	texts      []string
	asked      bool // a final text, which has not come
	settled    bool
	finishing  bool
	ended      bool
}

// Start implements pipeline.STT.
func (s *STT) Start(h *pipeline.Hearing) {
	c, now := &s.config, s.loop.Now()
	x := &hearing{stt: s, h: h, begin: max(h.Begin, now)}
	h.State = x
	h.Record.Simulated, h.Record.Ready = true, now
	x.speechEnd = x.begin + h.Voice.SpeechEnd
	h.Record.SpeechEnd = x.speechEnd
	x.recognizer = speech.NewRecognizer(s.loop, speech.Hearing{
		Rate: h.Voice.Rate, Profile: c.Profile, Script: c.Script, Seed: c.Seed, Stream: h.Stream, WordGap: c.WordGap,
	}, x.tell)
	x.schedule()
	if c.Asked {
		s.loop.At(max(x.speechEnd+h.Stop, x.out()), pipeline.RankStart, x.ask)
	}
}

// Cancel implements pipeline.STT.
func (s *STT) Cancel(h *pipeline.Hearing) {
	x, ok := h.State.(*hearing)
	if !ok || x.ended || x.h != h {
		return
	}
	x.finishing = true
	x.timer.Stop()
	x.recognizer.Stop()
	s.loop.At(s.loop.Now(), pipeline.RankInput, func() { x.end(pipeline.Cancelled, "cancelled by the asker") })
}

// samples returns those of a frame.
func (x *hearing) samples() int {
	return int(x.stt.config.Frame * time.Duration(x.h.Voice.Rate) / time.Second)
}

// due returns when a frame is heard: with its last sample.
func (x *hearing) due(frame int) time.Duration {
	return x.begin + pipeline.SamplesLast(int64(frame+1)*int64(x.samples()), x.h.Voice.Rate)
}

// out returns when the frame is heard that holds the last sample of speech.
func (x *hearing) out() time.Duration {
	v, n := &x.h.Voice, x.samples()
	upTo := int((v.SpeechEnd*time.Duration(v.Rate) + time.Second - 1) / time.Second)
	return x.due(max(0, (upTo+n-1)/n-1))
}

func (x *hearing) schedule() {
	x.timer = x.stt.loop.At(x.due(x.next), pipeline.RankTimer, x.frame)
}

// frame hears the next frame: silence, once the recording is over.
func (x *hearing) frame() {
	n, all := x.samples(), x.h.Voice.Samples
	pcm := make([]int16, n)
	if from := x.next * n; from < len(all) {
		copy(pcm, all[from:])
	}
	r, now := &x.h.Record, x.stt.loop.Now()
	if x.next == 0 {
		r.FirstFrame, r.Late = now, 0
	}
	x.next++
	r.LastFrame, r.Frames = now, x.next
	x.schedule()
	x.recognizer.Feed(pcm)
	if x.over() && (x.settled || now >= x.begin+x.h.Voice.Length()+x.stt.config.Trail) {
		x.finish()
	}
}

// over reports whether all of the recording was heard.
func (x *hearing) over() bool { return x.next*x.samples() >= len(x.h.Voice.Samples) }

// ask asks for the final text.
func (x *hearing) ask() {
	if !x.finishing {
		x.asked = true
		x.recognizer.Finalize()
	}
}

// finish says that no more is said.
func (x *hearing) finish() {
	if !x.finishing {
		x.finishing = true
		x.timer.Stop()
		x.recognizer.Close()
	}
}

// tell passes on what the recognizer says.
func (x *hearing) tell(e speech.Event) {
	switch e.Kind {
	case speech.SpeechStarted:
		x.say(pipeline.Heard{Kind: pipeline.HeardEvent, Name: "SpeechStarted"})
	case speech.Interim:
		x.say(pipeline.Heard{Kind: pipeline.HeardPartial, Text: e.Text()})
	case speech.Final:
		x.final(e)
	case speech.UtteranceEnd:
		x.say(pipeline.Heard{Kind: pipeline.HeardEvent, Name: "UtteranceEnd", TurnEnd: true, Settled: true})
	case speech.Closed:
		x.later(func() { x.end(pipeline.OK, "") })
	}
}

// final passes on text that will not change. It is known to be the last of the turn where
// the service has ended the utterance, or was asked for it.
func (x *hearing) final(e speech.Event) {
	asked := x.asked && e.Cause == speech.ByRequest
	settled := e.Endpoint || asked
	x.say(pipeline.Heard{Kind: pipeline.HeardFinal, Text: e.Text(), TurnEnd: settled, Settled: settled})
	switch {
	case e.Endpoint:
		x.say(pipeline.Heard{Kind: pipeline.HeardEvent, Name: "speech_final", TurnEnd: true, Settled: true})
	case asked:
		x.asked = false
		x.say(pipeline.Heard{Kind: pipeline.HeardEvent, Name: "from_finalize", TurnEnd: true, Settled: true})
	}
}

// later does something as an input of this instant, as a client does what it reads.
func (x *hearing) later(f func()) { x.stt.loop.At(x.stt.loop.Now(), pipeline.RankInput, f) }

// say tells the asker, and notes what was heard. A text without words is not told; that it
// was the last is.
func (x *hearing) say(h pipeline.Heard) {
	r := &x.h.Record
	h.At = x.stt.loop.Now()
	empty := h.Kind != pipeline.HeardEvent && h.Text == ""
	if !empty {
		x.note(h)
	}
	if h.Settled || h.Kind == pipeline.HeardFinal {
		h.SoFar = strings.Join(x.texts, " ")
	}
	if h.TurnEnd {
		r.TurnEnd = h.At
	}
	x.later(func() {
		if x.h.Notify != nil && !empty && !x.ended {
			x.h.Notify(h)
		}
		if h.Settled {
			x.settle(h.At)
		}
	})
}

// note has the record count what was heard.
func (x *hearing) note(h pipeline.Heard) {
	r := &x.h.Record
	switch h.Kind {
	case pipeline.HeardPartial:
		r.Partials++
		first(&r.FirstPartial, h.At)
	case pipeline.HeardFinal:
		r.Finals++
		first(&r.FirstFinal, h.At)
		r.LastFinal = h.At
		x.texts = append(x.texts, h.Text)
	case pipeline.HeardEvent:
		r.Events = append(r.Events, pipeline.Mark{Name: h.Name, At: h.At})
	}
}

// settle ends the session once all text of the turn is there.
func (x *hearing) settle(at time.Duration) {
	if at < x.speechEnd || x.settled {
		return
	}
	x.settled = true
	if x.over() {
		x.finish()
	}
}

// end completes the record.
func (x *hearing) end(o pipeline.Outcome, reason string) {
	if x.ended {
		return
	}
	x.ended = true
	r := &x.h.Record
	r.Text, r.Outcome, r.Reason, r.End, r.Flags = strings.Join(x.texts, " "), o, reason, x.stt.loop.Now(), []string{}
	if o == pipeline.OK && r.TTFS() == pipeline.Unknown {
		r.Flags = append(r.Flags, pipeline.FlagNoFinal)
	}
	x.h.Done()
}

func first(into *time.Duration, at time.Duration) {
	if *into == pipeline.Unknown {
		*into = at
	}
}
