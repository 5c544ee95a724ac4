package ending

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

func read(t *testing.T, lines ...string) []Turn {
	t.Helper()
	turns, err := ReadTurns("test", strings.NewReader("turn,kind,text\n"+strings.Join(lines, "\n")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return turns
}

// fixed is a setup whose scores and timing do not vary.
func fixed(p Policy) Setup {
	return Setup{Policy: p, Scores: Scores{Threshold: .5, End: Odds{Mean: 2}, Inner: Odds{Mean: -2}},
		Stop: dist.Constant(200 * ms), Final: dist.Constant(250 * ms), Reply: dist.Constant(400 * ms)}
}

// Two turns, pauses of 300 and 1000 and of 600 ms; 500 ms of wait cut in at the last two,
// and the reply is heard after 900.
func TestMeasureByHand(t *testing.T) {
	turns := read(t, "1,plain,a {300}b {1000}c", "2,digits,1 {600}2", "3,plain,d")
	all, kinds, err := fixed(Fixed{Wait: 500 * ms}).Measure(turns, Run{})
	if err != nil {
		t.Fatal(err)
	}
	if all.Turns != 3 || all.Pauses != 3 || all.Repeats != 1 {
		t.Errorf("counted %+v", all)
	}
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"cut in", all.CutIn.Value, 2. / 3}, {"audible", all.Audible.Value, 1. / 3}, {"cut", all.Cut.Value, 2. / 3},
		{"sure", all.Sure, 1}, {"early", all.Early, 0},
		{"plain", kinds[0].CutIn.Value, .5}, {"digits", kinds[1].CutIn.Value, 1}, {"digits, audible", kinds[1].Audible.Value, 0},
		// Wilson of 2 of 3: (2/3 + z2/6 -+ z sqrt(2/27 + z2/36)) / (1 + z2/3), z2 = 3.841459.
		{"low", all.CutIn.Low, .207655}, {"high", all.CutIn.High, .938508},
	} {
		if math.Abs(c.got-c.want) > 1e-5 {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
	if all.Mean != 500*ms || all.P50 != 500*ms || all.P95 != pipeline.Unknown {
		t.Errorf("delay mean %s, p50 %s, p95 %s; want 500ms, 500ms and too few", all.Mean, all.P50, all.P95)
	}
	if len(kinds) != 2 || kinds[0].Kind != Plain || kinds[1].Kind != Digits {
		t.Errorf("kinds %+v", kinds)
	}
}

// The user speaks again at the very instant at which the policy decides: no cut-in.
func TestPauseAsLongAsTheWait(t *testing.T) {
	turns := read(t, "1,plain,a {500}b")
	for wait, want := range map[time.Duration]bool{499: true, 500: false, 501: false} {
		trial := fixed(Fixed{Wait: wait * ms}).Try(&turns[0], 1, 0, 0)
		if trial.CutIn != want {
			t.Errorf("a pause of 500 ms and a wait of %d: cut in %t", wait, trial.CutIn)
		}
	}
	trial := fixed(Fixed{}).Try(&turns[0], 1, 0, 0)
	if trial.Cut.Pause != 0 || trial.Cut.Decision.At() != 200*ms || trial.Audible {
		t.Errorf("at the stop of 200 ms: %+v; the reply at 600 is too late to be heard", trial)
	}
	if trial.Stop != 200*ms || trial.Final != 250*ms {
		t.Errorf("stop %s, final %s at the end", trial.Stop, trial.Final)
	}
}

// Inner pauses score .12: early at .1 and for the end at the fallback only.
func TestFalseStarts(t *testing.T) {
	turns := read(t, "1,plain,a {150}b {300}c {900}d")
	trial := fixed(TurnModel{Threshold: .5, Eager: .1, Max: 800 * ms}).Try(&turns[0], 1, 0, 0)
	if trial.FalseStarts != 2 || trial.Cuts != 1 || trial.Cut.Pause != 2 || trial.Cut.Decision.Why != Fallback {
		t.Errorf("%+v, want two replies on trial, at 200 ms, and one cut", trial)
	}
	if trial.End.At() != 200*ms || trial.End.Early != 200*ms || trial.End.Why != Sure {
		t.Errorf("at the end: %+v", trial.End)
	}
	r, _, err := fixed(Confidence{Threshold: .7, Eager: .5, Timeout: time.Second}).Measure(turns, Run{Repeats: 3})
	// Their confidence is at most .56: .5 takes 483 ms, which one pause has, and .7 never comes.
	if err != nil || r.Early != 1 || r.FalseStarts != 1 || r.Lead <= 0 || r.Cut.Value != 0 {
		t.Errorf("%+v, %v: want early ends, one in vain a turn", r, err)
	}
}

func TestMeasureRepeats(t *testing.T) {
	p, err := Find("model-300-or-2500")
	if err != nil {
		t.Fatal(err)
	}
	s := p.Setup(dist.Constant(247*ms), dist.Constant(600*ms))
	run := Run{Seed: 3, Repeats: 20}
	first, _, _ := s.Measure(Turns(), run)
	second, _, _ := s.Measure(Turns(), run)
	if !reflect.DeepEqual(first, second) {
		t.Error("the same seed gave other rates")
	}
	run.Seed = 4
	if other, _, _ := s.Measure(Turns(), run); reflect.DeepEqual(first, other) {
		t.Error("another seed gave the same rates")
	}
	// Half of the one-word answers wait for 2.5 s, and nearly all others for .3.
	_, kinds, _ := s.Measure(Turns(), Run{Seed: 1, Repeats: 200})
	for _, k := range kinds {
		want := .95
		if k.Kind == Affirmation {
			want = .5
		}
		if math.Abs(k.Sure-want) > .04 {
			t.Errorf("%s: %.3f of ends are sure, want about %v", k.Kind, k.Sure, want)
		}
		if k.Kind == Affirmation && k.P95 != 2500*ms {
			t.Errorf("one-word answers: p95 %s", k.P95)
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	good := fixed(Fixed{})
	none, bad, scores := good, good, good
	none.Policy, bad.Policy, scores.Scores = nil, Fixed{Wait: -1}, Scores{}
	for _, c := range []struct {
		setup Setup
		turns []Turn
		run   Run
		want  string
	}{
		{none, Turns(), Run{}, "no policy"}, {bad, Turns(), Run{}, "wait is -1ns"}, {scores, Turns(), Run{}, "threshold"},
		{good, nil, Run{}, "no turns"}, {good, Turns(), Run{Repeats: -1}, "repeats"},
	} {
		if _, _, err := c.setup.Measure(c.turns, c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
		if _, err := c.setup.Curve(c.turns, c.run, []float64{1}); err == nil {
			t.Errorf("no error from Curve, want %q", c.want)
		}
	}
}

// The rates of the turns here beside those that eot-bench measured on its own: false
// cutoffs and true ends found, and the mean delay.
func TestEOTBench(t *testing.T) {
	var others []Kind
	for _, k := range Kinds() {
		if k != Affirmation { // whose scores were published apart
			others = append(others, k)
		}
	}
	turns := Of(Turns(), others...)
	for _, c := range []struct {
		scores         Scores
		threshold      float64
		delay, timeout time.Duration
		cut, found     float64
		latency        time.Duration
	}{
		{Scores{Threshold: .5, Inner: Odds{Mean: 9}, End: Odds{Mean: 9}}, .5, 300, 300, .556, 1, 300},
		{Scores{Threshold: .5, Inner: Odds{Mean: 9}, End: Odds{Mean: 9}}, .5, 600, 600, .217, 1, 600},
		{liveKit, .57, 200, 2000, .099, .948, 295},
		{liveKit, .42, 200, 1500, .139, .968, 242},
		{liveKit, .58, 300, 2500, .070, .940, 432},
		{liveKit, .72, 300, 3000, .050, .910, 543},
		{liveKit, .63, 600, 3500, .030, .933, 796},
		{liveKit, .81, 600, 3500, .018, .865, 992},
		{smartTurn, .05, 200, 1000, .352, .882, 294},
		{smartTurn, .21, 500, 1000, .148, .802, 599},
		{smartTurn, .01, 700, 2000, .096, .970, 739},
		{smartTurn, .09, 700, 3000, .048, .848, 1051},
		{assemblyAI, .56, 900, 3000, .047, .935, 1049},
		{assemblyAI, .21, 600, 2500, .098, .963, 713},
		{assemblyAI, .02, 500, 2000, .146, .970, 595},
	} {
		s := Setup{Policy: TurnModel{Threshold: c.threshold, Min: c.delay * ms, Max: c.timeout * ms}, Scores: c.scores, Stop: dist.Constant(200 * ms)}
		r, _, err := s.Measure(turns, Run{Seed: 2, Repeats: 200})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Cut.Value-c.cut) > .04 || math.Abs(r.Sure-c.found) > .04 || (r.Mean-c.latency*ms).Abs() > 80*ms {
			t.Errorf("%s at %v, %d, %d: cut %.3f, found %.3f, mean %s; eot-bench has %.3f, %.3f, %s",
				c.scores.Name, c.threshold, c.delay, c.timeout, r.Cut.Value, r.Sure, r.Mean, c.cut, c.found, c.latency*ms)
		}
	}
	s := Setup{Policy: Confidence{Threshold: .7, Timeout: 2500 * ms}, Scores: flux}
	r, _, err := s.Measure(turns, Run{Seed: 2, Repeats: 200})
	if err != nil || math.Abs(r.Cut.Value-.129) > .04 || math.Abs(r.Sure-.988) > .02 || (r.Mean-298*ms).Abs() > 50*ms {
		t.Errorf("Flux: cut %.3f, found %.3f, mean %s, %v; eot-bench has .129, .988, 298ms", r.Cut.Value, r.Sure, r.Mean, err)
	}
}

func TestOdds(t *testing.T) {
	r := dist.Stream(1, "odds")
	for _, o := range []Odds{{}, {Mean: 2}, {Mean: 1, SD: 2}, affirmed, {SD: .1, Share: .3, Other: -5}} {
		const n = 20_000
		above := 0
		for range n {
			p := o.Draw(&r)
			if p <= 0 || p >= 1 {
				t.Fatalf("%+v drew %v", o, p)
			}
			above += count(p >= .6)
		}
		if got, want := float64(above)/n, o.Above(.6); math.Abs(got-want) > .015 {
			t.Errorf("%+v: %.3f of scores reach .6, Above says %.3f", o, got, want)
		}
	}
	if got := (Odds{}).Draw(&r); got != .5 {
		t.Errorf("the zero Odds drew %v", got)
	}
	for _, m := range Models() {
		if got := m.At(Affirmation, false).Above(m.Threshold); math.Abs(got-.5) > .02 {
			t.Errorf("%s: %.3f of one-word answers reach its threshold, want half", m.Name, got)
		}
	}
}

func BenchmarkTry(b *testing.B) {
	p, err := Find("model-300-or-2500")
	if err != nil {
		b.Fatal(err)
	}
	s, turns := p.Setup(dist.Constant(247*ms), dist.Exponential(600*ms)), Turns()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		s.Try(&turns[i%len(turns)], 1, 0, i)
		i++
	}
}

// TestTryAt: what is known of the true end is used there, and the pauses inside the turn are
// judged as ever.
func TestTryAt(t *testing.T) {
	s := Setup{Policy: Fixed{Wait: 300 * ms, From: FromFinal}, Scores: Models()[0], Stop: dist.Exponential(200 * ms), Final: dist.Exponential(300 * ms)}
	for i := range 200 {
		turn := Pick(Turns(), 1, 0, i)
		drawn, known := s.Try(&turn, 1, 0, i), s.TryAt(&turn, 1, 0, i, 250*ms, 400*ms)
		if known.End.At() != 700*ms || known.Stop != 250*ms || known.Final != 400*ms {
			t.Fatalf("turn %d ends at %s, want 700ms", i, known.End.At())
		}
		if drawn.CutIn != known.CutIn || drawn.Cuts != known.Cuts || drawn.Cut != known.Cut {
			t.Fatalf("turn %d: %+v, want %+v", i, known, drawn)
		}
	}
}

// TestPauseParts: the detector's frame and its work, and what the transcript counts from,
// are in the instants of each pause.
func TestPauseParts(t *testing.T) {
	turn := Turn{ID: 1, Kind: Plain, Text: "x"}
	s := Setup{Policy: Fixed{}, Scores: Models()[0], Stop: dist.Constant(200 * ms), Final: dist.Constant(60 * ms), Compute: dist.Constant(5 * ms), FromStop: true}
	if got := s.Try(&turn, 1, 0, 0); got.Stop != 205*ms || got.Final != 265*ms {
		t.Errorf("stop %s, final %s, want 205ms and 265ms", got.Stop, got.Final)
	}
	s.Timer = 500 * ms
	if got := s.Try(&turn, 1, 0, 0); got.Final != 705*ms {
		t.Errorf("final %s, want the timer's 705ms", got.Final)
	}
	s.Frame = 32 * ms
	seen := map[bool]int{}
	for i := range 200 {
		got := s.Try(&turn, 1, 0, i)
		if got.Stop < 205*ms || got.Stop >= 237*ms || got.Final != got.Stop+500*ms {
			t.Fatalf("stop %s, final %s, want 205 to 237 ms and 500 more", got.Stop, got.Final)
		}
		seen[got.Stop < 221*ms]++
	}
	if seen[true] < 70 || seen[false] < 70 {
		t.Errorf("%v: want both halves of the frame alike", seen)
	}
}

func TestFindScores(t *testing.T) {
	for _, m := range Models() {
		if got, err := FindScores(m.Slug()); err != nil || got != m {
			t.Errorf("FindScores(%s) = %s, %v", m.Slug(), got.Name, err)
		}
	}
	if _, err := FindScores("x"); err == nil || err.Error() != `no scores of a turn model "x": want one of livekit-turn-detector-v1, smart-turn-v3.2, assemblyai-universal-streaming, deepgram-flux` {
		t.Error(err)
	}
}

// TestCommitWaitsForTheFinalText: whatever a policy waits for, nobody is cut in on before the
// final text is there, which the commit waits for, nor before the agent's own wait is over.
func TestCommitWaitsForTheFinalText(t *testing.T) {
	turns := read(t, "1,plain,a {1900}b {2100}c {3100}d")
	for _, p := range []Policy{
		Fixed{Wait: 500 * ms}, Fixed{Wait: 300 * ms, From: FromVADStop}, TurnModel{Threshold: .05, Max: 600 * ms},
		Endpointing{Silence: 300 * ms}, Confidence{Threshold: .3, Timeout: 500 * ms}, Rules{Neither: 500 * ms},
	} {
		s := fixed(p)
		for _, c := range []struct {
			final, wait, reply time.Duration
			cuts               int
			audible            bool
			commit             time.Duration
		}{
			{10, 0, 0, 3, true, 0}, {2000, 0, 1000, 2, true, 2000}, {2000, 0, 1100, 2, false, 2000}, {3000, 0, 0, 1, true, 3000}, {3100, 0, 0, 0, false, 3100}, {10, 3000, 0, 0, false, 0},
		} {
			s.Final, s.Wait, s.Reply = dist.Constant(c.final*ms), dist.Constant(c.wait*ms), dist.Constant(c.reply*ms)
			trial := s.Try(&turns[0], 1, 0, 0)
			want := c.commit * ms
			if want == 0 {
				want = trial.End.At() + c.wait*ms
			}
			if trial.Cuts != c.cuts || trial.CutIn != (c.cuts > 0) || trial.Audible != c.audible || trial.Commit != want {
				t.Errorf("%T, final text at %d ms, %d of own wait: %d cuts, heard %t, committed at %s; want %d, %t, %s", p, c.final, c.wait, trial.Cuts, trial.Audible, trial.Commit, c.cuts, c.audible, want)
			}
			if r, _, err := s.Measure(turns, Run{}); err != nil || r.Mean != want {
				t.Errorf("%T, final text at %d ms: the mean delay is %s, want %s (%v)", p, c.final, r.Mean, want, err)
			}
		}
	}
}

// TestDrawsStay: what is set of one part of a pause leaves what is drawn of all others.
func TestDrawsStay(t *testing.T) {
	p, err := Find("model-0-or-3000-after-vad")
	if err != nil {
		t.Fatal(err)
	}
	s := p.Setup(dist.Exponential(100*ms), dist.Constant(0))
	for name, set := range map[string]func(*Setup){
		"frame": func(s *Setup) { s.Frame = ms }, "compute": func(s *Setup) { s.Compute = dist.Exponential(ms) },
		"wait": func(s *Setup) { s.Wait = dist.Exponential(ms) }, "reply": func(s *Setup) { s.Reply = dist.Exponential(ms) },
		"timer": func(s *Setup) { s.Timer = ms }, "stop": func(s *Setup) { s.Stop = dist.Exponential(ms) },
		"scores": func(s *Setup) { s.Policy = TurnModel{Threshold: .5, Max: 3 * time.Second, Once: true} },
	} {
		other := s
		set(&other)
		for i, turn := range Turns() {
			was, is := s.Inners(&turn, 1, 0, i), other.Inners(&turn, 1, 0, i)
			for k := range was {
				drawn := func(x Inner) time.Duration { return x.Final }
				if name == "timer" {
					drawn = func(x Inner) time.Duration { return x.Stop }
				}
				if name != "scores" && was[k].Decision.Why != is[k].Decision.Why || drawn(was[k]) != drawn(is[k]) {
					t.Fatalf("another %s: turn %d, pause %d is %+v, and was %+v", name, i, k, is[k], was[k])
				}
			}
			x, y := s.Try(&turn, 1, 0, i), other.Try(&turn, 1, 0, i)
			if name != "scores" && x.End.Why != y.End.Why {
				t.Fatalf("another %s: turn %d ends by %s, and by %s before", name, i, y.End.Why, x.End.Why)
			}
		}
	}
}
