package voice

import (
	"fmt"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// line is a voice that takes a second to open, and then speaks 100 ms after its first text. One
// that breaks is gone after that long.
type line struct {
	loop   pipeline.Scheduler
	breaks time.Duration
	told   []string
}

type lineState struct {
	opens time.Duration
	over  bool
}

func (l *line) say(format string, a ...any) {
	l.told = append(l.told, fmt.Sprintf("%d ", l.loop.Now()/ms)+fmt.Sprintf(format, a...))
}

func (l *line) Start(x *pipeline.Saying) {
	x.State = &lineState{opens: l.loop.Now() + time.Second}
	l.say("opens, due %d", x.Record.Due/ms)
	if l.breaks > 0 && x.Text == "" {
		l.loop.After(l.breaks, pipeline.RankInput, func() { l.end(x, pipeline.Timeout) })
	}
	if x.Text != "" {
		l.Say(x, x.Text)
	}
}

func (l *line) end(x *pipeline.Saying, o pipeline.Outcome) {
	if s := x.State.(*lineState); !s.over {
		s.over, x.Record.Outcome = true, o
		x.Done()
	}
}

func (l *line) Say(x *pipeline.Saying, text string) {
	at := max(l.loop.Now(), x.State.(*lineState).opens) + 100*ms
	l.loop.At(at, pipeline.RankInput, func() {
		x.Notify(pipeline.Sound{At: at, Samples: 4000, Audible: true, Voiced: at})
	})
}

func (l *line) Finish(x *pipeline.Saying) {
	l.loop.After(3*time.Second, pipeline.RankInput, func() { l.end(x, pipeline.OK) })
}

func (l *line) Cancel(x *pipeline.Saying) {
	l.say("given up")
	l.loop.After(0, pipeline.RankOutput, func() { l.end(x, pipeline.Cancelled) })
}

// TestAhead: a connection that is opened while the user speaks costs the reply nothing. One that
// is gone by then is opened again, and one for which there is no reply is given up. The user
// speaks from 1 s to 3 s, and the reply is to be spoken from 3428 on.
func TestAhead(t *testing.T) {
	for name, tt := range map[string]struct {
		ahead  bool
		breaks time.Duration
		heard  string
		want   string
	}{
		"at once":  {false, 0, "hello", "[3428 opens, due 3428] tts_first_audio 1.1s, 1 sayings, ok"},
		"ahead":    {true, 0, "hello", "[1000 opens, due 3000] tts_first_audio 100ms, 1 sayings, ok"},
		"gone":     {true, time.Second, "hello", "[1000 opens, due 3000 3428 opens, due 3428] tts_first_audio 1.1s, 1 sayings, ok"},
		"no reply": {true, 0, "", "[1000 opens, due 3000 4300 given up] tts_first_audio 0s, 0 sayings, error"},
	} {
		var loop pipeline.Virtual
		tts := &line{loop: &loop, breaks: tt.breaks}
		s := Services{STT: &scribe{loop: &loop, tail: 260 * ms, text: tt.heard}, TTS: tts, Ahead: tt.ahead}
		s.Voices = []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}}
		id := int64(0)
		sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: tuned, Services: s, Seed: 1, NextRequest: func() int64 { id++; return id }})
		var tr *pipeline.Trace
		loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(0, 0, func(got *pipeline.Trace) { tr = got }) })
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := time.Duration(0)
		for _, x := range tr.Spans {
			if x.Name == pipeline.SpanTTSFirstAudio {
				first = x.For()
			}
		}
		if got := fmt.Sprintf("%v tts_first_audio %s, %d sayings, %s", tts.told, first, len(tr.Sayings), tr.Outcome); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", name, got, tt.want)
		}
	}
}
