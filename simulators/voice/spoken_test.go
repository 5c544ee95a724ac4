package voice

import (
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/ending"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/utterance"
)

// recordedTurn runs a turn of 2 s of speech that a detector hears, whose silence ends it, and
// returns its trace and what the service that writes it down, so long after its end, was told of
// the detector.
func recordedTurn(t *testing.T, k Stack, tail time.Duration, pauses ...utterance.Pause) (*pipeline.Trace, time.Duration) {
	t.Helper()
	var loop pipeline.Virtual
	stt := &scribe{loop: &loop, tail: tail, text: "hello"}
	var stop time.Duration
	said := Said{Voice: pipeline.Voice{Rate: 1000, Samples: make([]int16, 2500), SpeechEnd: 2 * time.Second}}
	said.Detect = func(silence time.Duration) utterance.Detection {
		return utterance.Detection{Stop: 2010*ms + silence, Pauses: pauses}
	}
	sim := New(Config{Loop: &loop, LLM: hosted(&loop), Stack: k, Services: Services{STT: listener{stt, &stop}, Voices: []Said{said}}, Seed: 1, NextRequest: counter()})
	var got *pipeline.Trace
	loop.At(time.Second, pipeline.RankInput, func() { sim.Begin(0, 0, func(tr *pipeline.Trace) { got = tr }) })
	if err := loop.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Outcome != pipeline.OK {
		t.Fatalf("the turn left %+v", got)
	}
	return got, stop
}

// listener notes when a service is told that the detector has the end of speech.
type listener struct {
	*scribe
	stop *time.Duration
}

func (l listener) Start(h *pipeline.Hearing) {
	*l.stop = h.Stop
	l.scribe.Start(h)
}

// TestRecordedStop: the detector of a recording has the end of speech when it has heard its
// silence there, at the end of a frame of its own, which also the service is told.
func TestRecordedStop(t *testing.T) {
	for _, c := range []struct {
		frame, compute time.Duration
		want           string
		stop           time.Duration
	}{
		{0, 0, "vad_wait 40-250 [0], end_of_turn 250-262 [1], ", 210 * ms},
		{0, 3 * ms, "vad_wait 40-253 [0], end_of_turn 253-265 [1], ", 213 * ms},
		{32 * ms, 3 * ms, "vad_wait 40-283 [0], end_of_turn 283-295 [1], ", 243 * ms}, // 2210 ms lie in the 70th frame
	} {
		k := tuned
		k.VADFrame, k.VADCompute = c.frame, constant(c.compute)
		tr, stop := recordedTurn(t, k, 300*ms)
		if got := spansOf(tr); !strings.HasPrefix(got, "uplink 0-40 [], "+c.want) || stop != c.stop {
			t.Errorf("frames of %s: the service is told %s, want %s; spans\n%s\nwant\n%s", c.frame, stop, c.stop, got, c.want)
		}
	}
}

// TestRecordedCutIn: the agent speaks into a pause that lasts until it has committed the turn:
// 12 ms after the detector's word, which comes 210 ms after the end of speech, or when the final
// text is there, whose lag behind that word is the same as at the end, or the timer's that
// stands for it.
func TestRecordedCutIn(t *testing.T) {
	for _, c := range []struct {
		tail, timer, resume time.Duration
		want                string
	}{
		{150, 0, 912, "no"}, {150, 0, 913, "yes"}, {300, 0, 990, "no"}, {300, 0, 991, "yes"}, {3000, 0, 3690, "no"}, {3000, 0, 3691, "yes"},
		{150, 500, 1400, "no"}, {150, 500, 1401, "yes"},
	} {
		k := tuned
		k.STTTimer = c.timer * ms
		tr, _ := recordedTurn(t, k, c.tail*ms, utterance.Pause{Stop: 900 * ms, Resume: c.resume * ms})
		if got := tr.Fact(pipeline.FactCutIn); got != c.want {
			t.Errorf("final text at %d ms, timer %d, speech that goes on at %d: cut in %q, want %q", c.tail, c.timer, c.resume, got, c.want)
		}
		if got := tr.Fact(pipeline.FactRecording); got != "0" {
			t.Errorf("recording %q, want 0", got)
		}
	}
}

// TestLiveCutIn: a policy's turn is committed in a pause of a second where the text of a
// service is final within it, if it is as late there as at the end.
func TestLiveCutIn(t *testing.T) {
	for _, c := range []struct {
		policy ending.Policy
		tail   time.Duration
		want   string
	}{
		{ending.Fixed{Wait: 500 * ms}, 300, "yes"}, {ending.Fixed{Wait: 500 * ms}, 999, "yes"}, {ending.Fixed{Wait: 500 * ms}, 1000, "no"},
		{ending.Fixed{Wait: 500 * ms, From: ending.FromFinal}, 499, "yes"}, {ending.Fixed{Wait: 500 * ms, From: ending.FromFinal}, 500, "no"},
		{ending.Endpointing{Silence: 10 * ms}, 1000, "no"}, {ending.Endpointing{Silence: 10 * ms}, 20, "yes"},
	} {
		k, j := tuned, judge(c.policy)
		j.Turns = []ending.Turn{{ID: 1, Kind: ending.Plain, Text: "a b", Pauses: []ending.Silence{{Words: 1, Length: time.Second, After: "a"}}}}
		k.Ending = j
		if got := liveStack(t, k, c.tail*ms, nil).Fact(pipeline.FactCutIn); got != c.want {
			t.Errorf("%v, final text at %d ms: cut in %q, want %q", c.policy, c.tail, got, c.want)
		}
	}
}

// TestSpokenPieces: text and modelled answers go to a service in the same pieces.
func TestSpokenPieces(t *testing.T) {
	for name, rule := range map[string]gather.Rule{
		"sentence": {}, "clause": {By: gather.Clause}, "ahead": {LookAhead: true}, "clause, ahead": {By: gather.Clause, LookAhead: true}, "characters": {By: gather.Characters, Characters: 30},
	} {
		k := tuned
		k.Gather = rule
		said := func(llm func(loop *pipeline.Virtual) pipeline.LLM) string {
			var loop pipeline.Virtual
			tts := &speaker{loop: &loop}
			sim := New(Config{Loop: &loop, LLM: llm(&loop), Stack: k, Services: Services{TTS: tts, Pieces: true}, Seed: 1, NextRequest: counter()})
			ended := false
			sim.Begin(0, 0, func(tr *pipeline.Trace) { ended = tr.Outcome == pipeline.OK })
			if err := loop.Run(t.Context()); err != nil || !ended {
				t.Fatalf("%s: ended well: %v, %v", name, ended, err)
			}
			return strings.Join(tts.texts, "|")
		}
		staging := staged{queue: 20 * ms, prefill: 80 * ms, next: 10 * ms}
		modelled := said(func(loop *pipeline.Virtual) pipeline.LLM { m := staging; m.loop = loop; return &m })
		text := said(func(loop *pipeline.Virtual) pipeline.LLM { m := staging; m.loop = loop; return &teller{m} })
		if modelled != text || strings.Count(text, "|") < 3 || strings.Contains(text, "||") {
			t.Errorf("%s:\n%s\nas text\n%s", name, modelled, text)
		}
	}
}

// TestAllRecordingsAreSaid: one after the other by a user, and by sessions of one turn.
func TestAllRecordingsAreSaid(t *testing.T) {
	for n := 1; n <= 29; n++ {
		sim := New(Config{Loop: &pipeline.Virtual{}, LLM: hosted(&pipeline.Virtual{}), Stack: tuned, Services: Services{Voices: make([]Said, n)}, Seed: 1, NextRequest: counter()})
		said := func(session, index int) *Said { return sim.turn(session, index).utterance() }
		byTurn, bySession := map[*Said]bool{}, map[*Said]bool{}
		for i := range n {
			byTurn[said(3, i)], bySession[said(i, 0)] = true, true
		}
		if len(byTurn) != n || len(bySession) != n {
			t.Errorf("%d recordings: %d are said in as many turns, %d in as many sessions", n, len(byTurn), len(bySession))
		}
	}
}
