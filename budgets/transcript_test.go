package budgets

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// TestNoFinalText: where no final text came after the end of speech, the wait until the
// session ended is no latency of a transcript; one that came while the user spoke is.
func TestNoFinalText(t *testing.T) {
	heard := func(index int, end time.Duration, flags ...string) pipeline.Trace {
		x := turn(index, ms, ms) // its transcript is there at due + 67 ms
		h := pipeline.NewTranscription(int64(index+1), x.Due)
		h.Flags, h.End = flags, x.Due+end
		x.Hearings = []pipeline.Transcription{h}
		return x
	}
	run := trace.Run{Header: trace.Header{Kind: pipeline.KindVoice}, Traces: []pipeline.Trace{
		heard(0, 90*ms), heard(1, 67*ms, pipeline.FlagNoFinal), heard(2, 90*ms, pipeline.FlagNoFinal), turn(3, ms, ms),
	}}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	check(t, *a.Pool(pipeline.SpanSTTTail), 4, 47e6, 47e6, 47e6)
	if c, ok := a.Transcripts(); !ok || c != (Transcripts{N: 3, Unflagged: 1}) {
		t.Errorf("%+v, want 1 of 3", c)
	}
	run.Traces = run.Traces[3:]
	if a, err = Analyse(run); err != nil {
		t.Fatal(err)
	}
	if c, ok := a.Transcripts(); ok {
		t.Errorf("%+v of modelled transcripts", c)
	}
}

// TestStarvedPlayer: a player that begins with the first audio runs dry within a text and
// between two: of 100 ms each, the first stalls for 30 ms, so that the second, 250 ms later, is
// 120 ms late.
func TestStarvedPlayer(t *testing.T) {
	said := func(at, stalled time.Duration, n int) pipeline.Speech {
		s := pipeline.NewSpeech(1, 0)
		s.FirstAudio, s.Samples, s.Rate, s.Stalled, s.Underruns = at, 800, 8000, stalled, n
		return s
	}
	x := turn(0, ms, ms)
	x.Sayings = []pipeline.Speech{said(400*ms, 30*ms, 2), said(650*ms, 0, 0), said(700*ms, 0, 0)}
	answered := turn(1, ms, ms)
	r := pipeline.NewAnswered(1, 0)
	r.FirstAudio, r.Stalled, r.Underruns = 400*ms, 20*ms, 1
	answered.Answers = []pipeline.Answered{r}
	silent := turn(2, ms, ms)
	silent.Sayings = []pipeline.Speech{pipeline.NewSpeech(1, 0)}
	all := []pipeline.Trace{x, answered, silent}
	check(t, pool(t, "voice", "underruns", all), 2, 1, 3)
	check(t, pool(t, "voice", "stalled", all), 2, 20e6, 150e6)
}
