package voice

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// nextDue runs a turn of a closed loop that is due at 0, and returns when the next one is: its user
// takes no time to think.
func (b *bench) nextDue(t *testing.T) time.Duration {
	t.Helper()
	b.sim.Busy(0, 0)
	due := pipeline.Unknown
	b.loop.At(0, pipeline.RankInput, func() {
		b.sim.Begin(0, 0, func(*pipeline.Trace) { due = b.loop.Now() + b.sim.Busy(0, 1) })
	})
	if err := b.loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return due
}

// TestBusy: in a closed loop the user hears the reply out, as it plays, and then speaks for 2 s.
// The reply of plain is heard at 795 and plays for 10 s, whenever its model and its voice are done.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(b *bench, k *Stack)
		want   time.Duration // ms
	}{
		{"all at once", func(*bench, *Stack) {}, 12_795},
		// The first sentence is there at 387 + 600, and all of it at 8187.
		{"a slow model", func(b *bench, _ *Stack) { b.model.next = 200 * ms }, 13_365},
		// Each sentence of a second is made in 50 ms.
		{"a quick voice", func(_ *bench, k *Stack) { k.TTS.Factor = .05 }, 12_795},
		// The first sound of each sentence comes 188 ms after the end of the one before, and its last 950
		// ms later. The tenth begins to be made at 417 + 9 · 1138, is heard 228 after that, and plays for a second.
		{"a voice that is barely quicker than speech", func(_ *bench, k *Stack) { k.TTS.Factor = .95 }, 13_887},
		{"nothing is heard", func(b *bench, _ *Stack) { b.model.fails = 1 }, 2_287},
		// 40 to the agent, 500 of silence, 300 to its audio, 150 of silence in that, and 40 to the ear.
		{"a model that hears and speaks", func(_ *bench, k *Stack) {
			k.Direct = &Direct{Silence: constant(500 * ms), FirstAudio: constant(300 * ms)}
		}, 13_030},
		{"one that was heard out in the turn", func(_ *bench, k *Stack) { k.SpeechPerToken = 0 }, 2_795},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := plain
			b := newBench(k)
			c.change(b, &k)
			b.sim.config.Stack = k
			if got := b.nextDue(t); got != c.want*ms {
				t.Errorf("the next turn is due at %s, want %s", got, c.want*ms)
			}
		})
	}
}

// TestBusyFirst: nothing was heard before the first turn, nor is that of one turn waited for twice.
func TestBusyFirst(t *testing.T) {
	b := newBench(plain)
	if got := b.sim.Busy(0, 0); got != 2*time.Second {
		t.Errorf("busy for %s before the first turn, want 2s", got)
	}
	b.nextDue(t)
	if got := b.sim.Busy(0, 2); got != 2*time.Second {
		t.Errorf("busy for %s after a turn that was asked about, want 2s", got)
	}
}

// TestBusyLive: where a service speaks, its own audio is heard out. Its two sentences come at once at
// their ends, a second of each with 50 ms of silence first; the second one plays behind the first.
func TestBusyLive(t *testing.T) {
	k := tuned
	k.ReplyTokens = dist.ConstantCount(8)
	var loop pipeline.Virtual
	tts := &sounding{speaker{loop: &loop}}
	sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: Services{TTS: tts, Pieces: true}, Seed: 1, NextRequest: counter()})
	sim.Busy(0, 0)
	var next, heard time.Duration
	sim.Begin(0, 0, func(tr *pipeline.Trace) { heard, next = tr.Mark(pipeline.MarkReplyHeard), loop.Now()+sim.Busy(0, 1) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The first 50 ms have passed when it is heard.
	if want := heard + 1950*ms + 2*time.Second; next != want || len(tts.texts) != 2 {
		t.Errorf("heard at %s, the next turn is due at %s, want %s; spoken %q", heard, next, want, tts.texts)
	}
}

// sounding is a speaker whose records have a second of sound.
type sounding struct{ speaker }

func (s *sounding) Start(x *pipeline.Saying) {
	at := s.loop.Now() + 100*ms
	x.Record.FirstAudio, x.Record.Voiced, x.Record.Rate, x.Record.Samples = at, at+50*ms, 16_000, 16_000
	s.speaker.Start(x)
}

// parrot answers what is said, or what of it was said by an instant.
type parrot struct {
	loop   pipeline.Scheduler
	answer func(r *pipeline.Answered)
}

func (p *parrot) Start(x *pipeline.Turn) {
	r := &x.Record
	r.SpeechEnd = x.Begin + x.Voice.SpeechEnd
	p.answer(r)
	p.loop.At(r.End, pipeline.RankInput, x.Done)
}

func (p *parrot) Cancel(*pipeline.Turn) {}

// directly runs a turn of 2 s of speech with a parrot, which is due at 2 s, and returns when the next
// one begins.
func directly(t *testing.T, k Stack, answer func(r *pipeline.Answered)) (*pipeline.Trace, time.Duration) {
	t.Helper()
	var loop pipeline.Virtual
	s := Services{Direct: &parrot{&loop, answer}, Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}}}
	sim := New(Config{Loop: &loop, Stack: k, Services: s, Seed: 1, NextRequest: counter()})
	sim.Busy(0, 0)
	var got *pipeline.Trace
	next := pipeline.Unknown
	sim.Begin(0, 0, func(tr *pipeline.Trace) { got, next = tr, loop.Now()+sim.Busy(0, 1) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return got, next
}

// TestDirect: a model that hears and speaks has answered when its first sound is heard. What began
// before the end of speech is no answer, and the trace says whether it spoke into a pause. Speech
// ends at the agent at 2040.
func TestDirect(t *testing.T) {
	at := func(audio, voiced time.Duration) func(r *pipeline.Answered) {
		return func(r *pipeline.Answered) {
			r.Committed, r.FirstAudio, r.Voiced, r.End, r.CutIns = 2040*ms+200*ms, audio, voiced, 3*time.Second, 0
			r.Rate, r.Samples = 24_000, 72_000 // 3 s
		}
	}
	tr, next := directly(t, tuned, at(2540*ms, 2640*ms))
	if got := tr.Mark(pipeline.MarkReplyHeard); tr.Outcome != pipeline.OK || tr.Due != 2*time.Second || got != 2680*ms || tr.Fact(pipeline.FactCutIn) != "no" || next != 5580*ms {
		t.Errorf("%s %q, due %s, heard at %s, cut in: %q, next at %s", tr.Outcome, tr.Reason, tr.Due, got, tr.Fact(pipeline.FactCutIn), next)
	}
	k := tuned
	k.PostWait, k.PreBuffer = constant(70*ms), constant(30*ms)
	if tr, next = directly(t, k, at(2540*ms, 2640*ms)); tr.Mark(pipeline.MarkReplyHeard) != 2780*ms || next != 5680*ms {
		t.Errorf("behind a wait and a buffer heard at %s, next at %s", tr.Mark(pipeline.MarkReplyHeard), next)
	}
	tr, next = directly(t, tuned, at(900*ms, time.Second))
	if tr.Outcome != pipeline.Truncated || tr.Reason != "the answer was heard 1.04s before the end of speech: it is none to all that was said" || tr.Mark(pipeline.MarkReplyHeard) != pipeline.Unknown || tr.Fact(pipeline.FactCutIn) != "yes" || next != 3*time.Second {
		t.Errorf("%s %q, heard at %s, cut in: %q, next at %s", tr.Outcome, tr.Reason, tr.Mark(pipeline.MarkReplyHeard), tr.Fact(pipeline.FactCutIn), next)
	}
	tr, _ = directly(t, tuned, func(r *pipeline.Answered) { at(2540*ms, 2640*ms)(r); r.CutIns = 2 })
	if tr.Outcome != pipeline.OK || tr.Fact(pipeline.FactCutIn) != "yes" {
		t.Errorf("%s %q, cut in: %q", tr.Outcome, tr.Reason, tr.Fact(pipeline.FactCutIn))
	}
	tr, _ = directly(t, tuned, func(r *pipeline.Answered) { r.Outcome, r.Reason, r.End = pipeline.Refused, "no", 100*ms })
	if tr.Outcome != pipeline.Refused || tr.Fact(pipeline.FactCutIn) != "" {
		t.Errorf("%s %q, cut in: %q", tr.Outcome, tr.Reason, tr.Fact(pipeline.FactCutIn))
	}
}
