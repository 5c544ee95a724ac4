package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/transport"
)

// scribe writes down what is said, so long after the end of speech.
type scribe struct {
	loop    pipeline.Scheduler
	tail    time.Duration
	outcome pipeline.Outcome
	text    string
}

func (s *scribe) Start(h *pipeline.Hearing) {
	s.loop.At(h.Begin+h.Voice.SpeechEnd+s.tail, pipeline.RankInput, func() {
		if s.text != "" {
			h.Notify(pipeline.Heard{Kind: pipeline.HeardFinal, At: s.loop.Now(), Text: s.text, SoFar: s.text, TurnEnd: true, Settled: true})
		}
		s.loop.After(time.Second, pipeline.RankInput, func() {
			h.Record.Outcome, h.Record.Reason, h.Record.Text, h.Record.End = s.outcome, "gone", s.text, s.loop.Now()
			h.Done()
		})
	})
}

func (s *scribe) Cancel(*pipeline.Hearing) {}

// speaker speaks a text 100 ms after its first words, with 50 ms of silence first, and ends
// 200 ms after its end.
type speaker struct {
	loop    pipeline.Scheduler
	texts   []string
	outcome pipeline.Outcome
	over    int // texts that went on of which the end came
	rests   int // requests that go on with a reply
}

func (s *speaker) Start(x *pipeline.Saying) {
	s.texts = append(s.texts, x.Text)
	if x.Rest {
		s.rests++
	}
	n := len(s.texts) - 1
	x.State = n
	s.loop.After(100*ms, pipeline.RankInput, func() {
		at := s.loop.Now()
		x.Notify(pipeline.Sound{At: at, Samples: 100, Voiced: pipeline.Unknown})
		x.Notify(pipeline.Sound{At: at, Samples: 4000, Audible: true, Voiced: at + 50*ms})
	})
	if !x.More {
		s.end(x)
	}
}

func (s *speaker) end(x *pipeline.Saying) {
	s.loop.After(200*ms, pipeline.RankInput, func() {
		x.Record.Outcome, x.Record.Reason = s.outcome, "broken"
		x.Done()
	})
}

func (s *speaker) Say(x *pipeline.Saying, text string) { s.texts[x.State.(int)] += text }
func (s *speaker) Finish(x *pipeline.Saying)           { s.over++; s.end(x) }
func (s *speaker) Cancel(*pipeline.Saying)             {}

// liveTurn runs a turn of 2 s of speech on these services and a hosted model.
func liveTurn(t *testing.T, stt *scribe, tts *speaker, pieces bool, llm func(loop *pipeline.Virtual) pipeline.LLM) *pipeline.Trace {
	t.Helper()
	var loop pipeline.Virtual
	s := Services{Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}, Text: "hello"}}, Pieces: pieces}
	if stt != nil {
		stt.loop = &loop
		s.STT = stt
	}
	if tts != nil {
		tts.loop = &loop
		s.TTS = tts
	}
	id := int64(0)
	sim := New(Config{Loop: &loop, LLM: llm(&loop), Stack: tuned, Services: s, Seed: 1, NextRequest: func() int64 { id++; return id }})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr }) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil {
		t.Fatal("the turn left no trace")
	}
	return got
}

func hosted(loop *pipeline.Virtual) pipeline.LLM {
	return engine.NewStage(loop, engine.NewHosted(loop, engine.HostedConfig{First: func(uint64) time.Duration { return 98 * ms }, Next: 10 * ms}))
}

func spansOf(tr *pipeline.Trace) string {
	var all []string
	for _, s := range tr.Spans {
		all = append(all, fmt.Sprintf("%s %d-%d %v", s.Name, (s.Start-tr.Due)/ms, (s.End-tr.Due)/ms, s.After))
	}
	return strings.Join(all, ", ")
}

// TestLiveTurn: the user begins to speak at 1 s and ends at 3 s. The transcript is final
// 300 ms after the end of speech has come to the agent at 3.04 s, the service speaks
// 100 ms after its text, and the first 50 ms of that are silence.
func TestLiveTurn(t *testing.T) {
	stt, tts := &scribe{tail: 300 * ms, text: "hello"}, &speaker{}
	tr := liveTurn(t, stt, tts, false, hosted)
	want := "uplink 0-40 [], vad_wait 40-240 [0], end_of_turn 240-252 [1], stt_tail 40-340 [0], " +
		"llm_first_token 340-438 [2 3], gathering 438-468 [4], tts_first_audio 468-568 [5], leading_silence 568-618 [6], playout 618-658 [7]"
	if got := spansOf(tr); got != want || tr.Due != 3*time.Second {
		t.Errorf("due %s, spans\n%s\nwant\n%s", tr.Due, got, want)
	}
	if tr.Outcome != pipeline.OK || tr.Mark(pipeline.MarkReplyHeard) != tr.Due+658*ms || len(tr.Hearings) != 1 || len(tr.Sayings) != 1 || len(tr.Requests) != 1 {
		t.Errorf("%s %q, heard at %s, %d hearings, %d sayings", tr.Outcome, tr.Reason, tr.Mark(pipeline.MarkReplyHeard)-tr.Due, len(tr.Hearings), len(tr.Sayings))
	}
	if text := tts.texts[0]; len(tts.texts) != 1 || strings.Count(text, ".") != 10 || len(strings.Fields(strings.ReplaceAll(text, ".", " . "))) != 40 {
		t.Errorf("spoken %q, want 40 tokens in ten sentences", tts.texts)
	}
}

// TestLivePieces: a service that takes whole texts gets one sentence after the other.
func TestLivePieces(t *testing.T) {
	tts := &speaker{}
	tr := liveTurn(t, nil, tts, true, func(loop *pipeline.Virtual) pipeline.LLM {
		return &spoken{loop, []string{"One", " two.", " Three.", " Four", " five"}, pipeline.OK, ""}
	})
	if got := strings.Join(tts.texts, "|"); got != "One two.| Three.| Four five" || len(tr.Sayings) != 3 || tr.Outcome != pipeline.OK {
		t.Errorf("%q, %d sayings, %s %s", got, len(tr.Sayings), tr.Outcome, tr.Reason)
	}
	// Without speech to text the turn begins at the end of speech, 1 s. The first sentence is
	// there at 287 + 110 ms.
	if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != 287*ms+110*ms+100*ms+50*ms+40*ms {
		t.Errorf("voice to voice %s", got)
	}
}

// TestLiveModelledPieces: a modelled answer goes to the service sentence by sentence, each when
// its last token is there, as one whose text comes does.
func TestLiveModelledPieces(t *testing.T) {
	for _, pieces := range []bool{false, true} {
		tts := &speaker{}
		tr := liveTurn(t, nil, tts, pieces, hosted)
		all := strings.Join(tts.texts, "")
		if n := len(tts.texts); strings.Count(all, ".") != 10 || tts.rests != n-1 || len(tr.Sayings) != n || pieces && n != 10 || !pieces && n != 1 || tr.Outcome != pipeline.OK {
			t.Errorf("pieces %v: %q, %d sayings, %s %s", pieces, tts.texts, len(tr.Sayings), tr.Outcome, tr.Reason)
		}
	}
}

// TestLiveFailures: a service that fails ends the turn with its own word.
func TestLiveFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		stt     *scribe
		tts     *speaker
		outcome pipeline.Outcome
		reason  string
	}{
		{"nothing heard", &scribe{tail: 300 * ms}, &speaker{}, pipeline.Error, "speech to text: nothing was heard"},
		{"over before the end of speech", &scribe{tail: -1500 * ms, text: "hello"}, &speaker{}, pipeline.Error, "speech to text: its session was over before the user had finished"},
		{"refused", &scribe{tail: 300 * ms, outcome: pipeline.Refused}, &speaker{}, pipeline.Refused, "speech to text: gone"},
		{"refused before the end of speech", &scribe{tail: -1500 * ms, outcome: pipeline.Refused}, &speaker{}, pipeline.Refused, "speech to text: gone"},
		{"broken voice", &scribe{tail: 300 * ms, text: "hello"}, &speaker{outcome: pipeline.Truncated}, pipeline.Truncated, "text to speech: broken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := liveTurn(t, c.stt, c.tts, false, hosted)
			if tr.Outcome != c.outcome || tr.Reason != c.reason {
				t.Errorf("%s %q, want %s %q", tr.Outcome, tr.Reason, c.outcome, c.reason)
			}
		})
	}
}

// liveStack runs a turn of 2 s of speech on a service that writes it down, on a stack.
func liveStack(t *testing.T, k Stack, tail time.Duration, tts *speaker) *pipeline.Trace {
	t.Helper()
	var loop pipeline.Virtual
	s := Services{STT: &scribe{loop: &loop, tail: tail, text: "hello"}, Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}}}
	if tts != nil {
		tts.loop = &loop
		s.TTS = tts
	}
	sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: s, Seed: 1, NextRequest: counter()})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr }) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Outcome != pipeline.OK {
		t.Fatalf("the turn left %+v", got)
	}
	return got
}

// TestLiveStages: the transcript is final 300 ms after the end of speech has come to the
// agent, at 340, which nobody knows before.
func TestLiveStages(t *testing.T) {
	const begin = "uplink 0-40 [], vad_wait 40-240 [0], "
	for _, c := range []struct {
		name   string
		change func(k *Stack)
		tail   time.Duration // ms
		spans  string        // up to the gathering
	}{
		{"the final and the decision at one instant", func(k *Stack) { k.EndOfTurn = constant(100 * ms) }, 300,
			begin + "end_of_turn 240-340 [1], stt_tail 40-340 [0], llm_first_token 340-438 [2 3], "},
		{"a hook", func(k *Stack) { k.Hook = constant(20 * ms) }, 300,
			begin + "end_of_turn 240-252 [1], stt_tail 40-340 [0], hook 340-360 [2 3], llm_first_token 360-458 [4], "},
		{"a policy that waits for it", func(k *Stack) { k.Ending = judge(ending.Fixed{Wait: 300 * ms, From: ending.FromFinal}) }, 300,
			begin + "stt_tail 40-340 [0], end_of_turn 340-640 [1 2], llm_first_token 640-738 [2 3], "},
		{"a guess at the stop", func(k *Stack) { k.Guess = &Guess{From: OnStop, Right: 1} }, 300,
			begin + "end_of_turn 240-252 [1], stt_tail 40-340 [0], llm_first_token 240-338 [1 0], "},
		{"a wrong guess at the stop", func(k *Stack) { k.Guess = &Guess{From: OnStop} }, 300,
			begin + "end_of_turn 240-252 [1], stt_tail 40-340 [0], wrong_guess 240-340 [1 0], llm_first_token 340-438 [2 3], "},
		{"a guess at the final", func(k *Stack) { k.Guess, k.EndOfTurn = &Guess{From: OnFinal, Right: 1}, constant(400*ms) }, 300,
			begin + "end_of_turn 240-640 [1], stt_tail 40-340 [0], llm_first_token 340-438 [3], "},
		{"a guess at a final that commits", func(k *Stack) { k.Guess = &Guess{From: OnFinal, Right: 1} }, 300,
			begin + "end_of_turn 240-252 [1], stt_tail 40-340 [0], llm_first_token 340-438 [2 3], "},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := tuned
			c.change(&k)
			got := spansOf(liveStack(t, k, c.tail*ms, nil))
			if !strings.HasPrefix(got, c.spans+"gathering") {
				t.Errorf("spans\n%s\nwant\n%s", got, c.spans)
			}
		})
	}
}

// TestLiveGuess: what was asked early is spoken when the turn is committed, and of a wrong
// one no word is.
func TestLiveGuess(t *testing.T) {
	for right, want := range map[float64]time.Duration{1: 640*ms + 100*ms + 50*ms + 40*ms, 0: 640*ms + 128*ms + 100*ms + 50*ms + 40*ms} {
		k := tuned
		k.EndOfTurn, k.Guess = constant(400*ms), &Guess{From: OnStop, Right: right, TTS: true}
		tts := &speaker{}
		tr := liveStack(t, k, 300*ms, tts)
		if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != want || len(tts.texts) != 1 || tts.over != 1 || strings.Count(tts.texts[0], ".") != 10 {
			t.Errorf("right %v: heard after %s, want %s; said %q, ended %d times", right, got, want, tts.texts, tts.over)
		}
	}
}

// TestLiveGuessHeldBack: an answer that is over before the turn is committed is said as a
// whole then, and its end with it. It is over at 240 + 98 + 390 ms.
func TestLiveGuessHeldBack(t *testing.T) {
	k := tuned
	k.EndOfTurn, k.Guess = constant(700*ms), &Guess{From: OnStop, Right: 1}
	tts := &speaker{}
	tr := liveStack(t, k, 300*ms, tts)
	if got := tr.Mark(pipeline.MarkReplyHeard) - tr.Due; got != 940*ms+100*ms+50*ms+40*ms || tts.over != 1 || strings.Count(tts.texts[0], ".") != 10 {
		t.Errorf("heard after %s; said %q, ended %d times", got, tts.texts, tts.over)
	}
}

// hushed is a speaker that goes on until it is told to stop.
type hushed struct {
	speaker
	cancelled time.Duration
}

func (s *hushed) Finish(*pipeline.Saying) {}

func (s *hushed) Cancel(x *pipeline.Saying) {
	s.cancelled = s.loop.Now()
	x.Record.Outcome = pipeline.Cancelled
	s.loop.After(0, pipeline.RankInput, x.Done)
}

// TestLiveBargeIn: a service that speaks is stopped when the agent notices that the user
// does, and the turn has ended well.
func TestLiveBargeIn(t *testing.T) {
	var loop pipeline.Virtual
	tts := &hushed{speaker: speaker{loop: &loop}}
	k := tuned
	k.BargeIn = &BargeIn{Share: 1, After: constant(time.Second), Start: constant(200 * ms), For: constant(2 * time.Second), Clear: true}
	sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: Services{TTS: tts}, Seed: 1, NextRequest: counter()})
	var got *pipeline.Trace
	sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The text is there at 415, audible at 565 and at the ear at 605; noticed 1240 later.
	if got == nil || got.Outcome != pipeline.OK || tts.cancelled != 1845*ms || marksOf(got) != "reply_heard 605, barge_in 1605, noticed 1845, silence 1885" {
		t.Errorf("stopped at %s: %s", tts.cancelled, marksOf(got))
	}
}

// rated is a speaker whose sound has a rate: 100 ms of it, silent for 50, and then 4 s at once.
type rated struct{ speaker }

func (s *rated) Start(x *pipeline.Saying) {
	notify := x.Notify
	x.Notify = func(sound pipeline.Sound) { sound.Rate = 1000; notify(sound) }
	s.speaker.Start(x)
}

// TestLiveHeardTokens: the sound of a service tells how long a reply is, whatever a token takes
// otherwise. Its 40 tokens are 4.05 s from the first that can be heard on, and those heard are
// that part of them.
func TestLiveHeardTokens(t *testing.T) {
	for _, c := range []struct {
		after  time.Duration
		marks  string
		tokens string
	}{
		{1000, "reply_heard 605, barge_in 1605, noticed 1645, silence 1685", "10"}, // 1.08 s of 4.05
		{4000, "reply_heard 605, barge_in 4605, noticed 4645, silence 4655", "40"},
		{4050, "reply_heard 605", ""},
		{9000, "reply_heard 605", ""},
	} {
		var loop pipeline.Virtual
		tts := &rated{speaker{loop: &loop}}
		k := tuned
		k.BargeIn = &BargeIn{Share: 1, After: constant(c.after * ms), For: constant(2 * time.Second), Clear: true}
		sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: Services{TTS: tts}, Seed: 1, NextRequest: counter()})
		var got *pipeline.Trace
		sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
		if err := loop.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got == nil || got.Outcome != pipeline.OK || marksOf(got) != c.marks || got.Fact(pipeline.FactHeardTokens) != c.tokens {
			t.Errorf("after %d ms: %s, heard %q; want %s, %q", c.after, marksOf(got), got.Fact(pipeline.FactHeardTokens), c.marks, c.tokens)
		}
	}
}

// hearsAndSpeaks answers 600 ms after the end of speech is there, 50 ms of it silence.
type hearsAndSpeaks struct{ loop pipeline.Scheduler }

func (c hearsAndSpeaks) Start(x *pipeline.Turn) {
	end := x.Begin + x.Voice.SpeechEnd
	c.loop.At(end+650*ms, pipeline.RankInput, func() {
		r := &x.Record
		r.SpeechEnd, r.Committed, r.FirstAudio, r.Voiced, r.End = end, end+500*ms, end+600*ms, end+650*ms, c.loop.Now()
		x.Done()
	})
}

func (c hearsAndSpeaks) Cancel(*pipeline.Turn) {}

// TestLiveDirect: what the agent waits and gathers, and what its way loses, comes between a real
// answer and the ear as it does between a modelled one.
func TestLiveDirect(t *testing.T) {
	var loop pipeline.Virtual
	k := tuned
	k.Direct = &Direct{}
	k.PostWait, k.PreBuffer, k.Egress = constant(100*ms), constant(200*ms), constant(10*ms)
	k.Line = &transport.Line{Frame: 20 * ms, Loss: transport.Loss{Share: .9999, Burst: 10000, Repair: transport.Resent, RoundTrip: constant(40 * ms)}}
	s := Services{Direct: hearsAndSpeaks{&loop}, Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}}}
	sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: s, Seed: 1, NextRequest: counter()})
	var got *pipeline.Trace
	sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr })
	if err := loop.Run(t.Context()); err != nil || got == nil {
		t.Fatal(err, got)
	}
	want := "uplink 0-40 [], end_of_turn 40-540 [0], model_first_audio 540-640 [1], leading_silence 640-690 [2], post_wait 690-790 [3], pre_buffer 790-990 [4], egress 990-1000 [5], playout 1000-1040 [6], playout_loss 1040-1090 [7]"
	if spans := spansOf(got); spans != want || heardAfter(got) != 1090*ms || got.Fact(pipeline.FactReplyClipped) == "" {
		t.Errorf("heard after %s, spans\n%s\nwant\n%s", heardAfter(got), spans, want)
	}
}

// failing is a model that hears and speaks and fails at an instant, when it knows the end of speech
// to be at another: Unknown where nothing was spoken.
type failing struct {
	loop          pipeline.Scheduler
	at, speechEnd time.Duration
}

func (c failing) Start(x *pipeline.Turn) {
	c.loop.At(c.at, pipeline.RankInput, func() {
		x.Record.Outcome, x.Record.Reason, x.Record.SpeechEnd, x.Record.End = pipeline.Error, "no", c.speechEnd, c.at
		x.Done()
	})
}

func (c failing) Cancel(*pipeline.Turn) {}

// TestLiveDirectFails: a turn is over when the user has finished, however soon the model fails. Speech is
// 2 s long and 40 ms on its way.
func TestLiveDirectFails(t *testing.T) {
	for _, tt := range []struct{ at, speechEnd, due, end time.Duration }{
		{500 * ms, 2040 * ms, 2000 * ms, 2000 * ms},
		{500 * ms, pipeline.Unknown, 2000 * ms, 2000 * ms},
		{3500 * ms, 5040 * ms, 5000 * ms, 5000 * ms}, // the user waited for a greeting
		{6000 * ms, 5040 * ms, 5000 * ms, 6000 * ms},
	} {
		var loop pipeline.Virtual
		k := tuned
		k.Direct = &Direct{}
		s := Services{Direct: failing{&loop, tt.at, tt.speechEnd}, Voices: []Said{{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}}}
		sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: s, Seed: 1, NextRequest: counter()})
		var got *pipeline.Trace
		var done time.Duration
		sim.Begin(0, 0, func(tr *pipeline.Trace) { got, done = tr, loop.Now() })
		if err := loop.Run(t.Context()); err != nil || got == nil {
			t.Fatal(err, got)
		}
		if got.Outcome != pipeline.Error || got.Due != tt.due || got.End != tt.end || done != tt.end {
			t.Errorf("fails at %s: %s, due %s, end %s, over at %s; want error, %s, %s", tt.at, got.Outcome, got.Due, got.End, done, tt.due, tt.end)
		}
	}
}
