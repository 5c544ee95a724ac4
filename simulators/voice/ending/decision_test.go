package ending

import (
	"testing"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// parts is a Decision in ms; early -1 is none.
type parts struct {
	vad, final, end, policy, early int
	why                            Reason
}

func inMS(d Decision) parts {
	early := -1
	if d.Early != pipeline.Unknown {
		early = int(d.Early / ms)
	}
	return parts{int(d.VADWait / ms), int(d.FinalWait / ms), int(d.EndOfTurn / ms), int(d.PolicyWait / ms), early, d.Why}
}

// Each row by hand: the detector stops at stop, the transcript is there at final.
func TestDecide(t *testing.T) {
	c := func(n time.Duration) dist.Dist { return dist.Constant(n * ms) }
	audio := TurnModel{Threshold: .5, Compute: c(12), Min: 300 * ms, Max: 2500 * ms}
	text := audio
	text.AfterFinal = true
	afterVAD, afterFinal, once, eager := audio, text, audio, audio
	afterVAD.From, afterFinal.From, once.Once, eager.Eager = FromVADStop, FromFinal, true, .4
	assembly := Endpointing{Silence: 400 * ms, Unsure: 1280 * ms, Threshold: .4, Eager: 200 * ms, Report: c(30), Wait: 50 * ms}
	flux := Confidence{Threshold: .7, Eager: .5, Timeout: 5 * time.Second}
	vapi := Rules{Punctuation: 100 * ms, Number: 500 * ms, Neither: 1500 * ms, From: FromFinal}
	pause := func(stop, final time.Duration, score float64) Pause {
		return Pause{Score: score, Stop: stop * ms, Final: final * ms}
	}
	ends := func(e Ends, p Pause) Pause { p.Ends = e; return p }
	again := func(p Pause) Pause { p.Again = true; return p }
	for _, row := range []struct {
		name   string
		policy Policy
		pause  Pause
		want   parts
	}{
		{"from speech, inside the detector's silence", Fixed{Wait: 500 * ms}, pause(550, 247, 0), parts{550, 0, 0, 0, -1, Waited}},
		{"from speech, beyond it", Fixed{Wait: 500 * ms}, pause(200, 247, 0), parts{200, 0, 300, 0, -1, Waited}},
		{"from VAD stop adds up", Fixed{600 * ms, FromVADStop}, pause(200, 247, 0), parts{200, 0, 600, 0, -1, Waited}},
		{"from final adds up", Fixed{600 * ms, FromFinal}, pause(200, 247, 0), parts{200, 47, 600, 0, -1, Waited}},
		{"from a final that is there at the stop", Fixed{600 * ms, FromFinal}, pause(550, 247, 0), parts{550, 0, 600, 0, -1, Waited}},
		{"zero", Fixed{}, pause(200, 247, 0), parts{200, 0, 0, 0, -1, Waited}},

		{"sure: min runs beside stop and model", audio, pause(200, 247, .9), parts{200, 0, 12, 88, -1, Sure}},
		{"at the threshold is sure", audio, pause(200, 247, .5), parts{200, 0, 12, 88, -1, Sure}},
		{"sure, min is over", audio, pause(550, 247, .9), parts{550, 0, 12, 0, -1, Sure}},
		{"unsure: max from speech", audio, pause(200, 247, .4), parts{200, 0, 2300, 0, -1, Fallback}},
		{"unsure: max is over before the answer", TurnModel{Threshold: .5, Compute: c(12), Max: 100 * ms}, pause(200, 0, .4), parts{200, 0, 12, 0, -1, Fallback}},
		{"from VAD stop, sure", afterVAD, pause(200, 247, .9), parts{200, 0, 12, 288, -1, Sure}},
		{"from VAD stop, unsure", afterVAD, pause(200, 247, .4), parts{200, 0, 2500, 0, -1, Fallback}},
		{"asked of the text", text, pause(200, 247, .9), parts{200, 47, 12, 41, -1, Sure}},
		{"asked of the text, unsure", text, pause(200, 247, .1), parts{200, 47, 2253, 0, -1, Fallback}},
		{"asked of the text, from final", afterFinal, pause(200, 247, .9), parts{200, 47, 12, 288, -1, Sure}},
		{"asked once: first pause", once, pause(200, 247, .9), parts{200, 0, 12, 88, -1, Sure}},
		{"asked once: later pause", once, again(pause(200, 247, .9)), parts{200, 0, 2300, 0, -1, Fallback}},
		{"early without being sure", eager, pause(200, 247, .45), parts{200, 0, 2300, 0, 212, Fallback}},
		{"not even early", eager, pause(200, 247, .39), parts{200, 0, 2300, 0, -1, Fallback}},

		{"provider's silence alone", Endpointing{Silence: 300 * ms, Report: c(20)}, pause(550, 800, 0), parts{0, 0, 320, 0, -1, Sure}},
		{"provider is sure", assembly, pause(550, 247, .4), parts{0, 0, 430, 50, 230, Sure}},
		{"provider is not", assembly, pause(550, 247, .39), parts{0, 0, 1310, 50, -1, Fallback}},

		{"confidence .7 takes 260 ms", flux, pause(550, 247, 1), parts{0, 0, 260, 0, 149, Sure}},
		{"half of it never gets there, nor above .5", flux, pause(550, 247, 0), parts{0, 0, 5000, 0, -1, Timeout}},
		// most is .8: .5 is .625 of it, and .7 is .875; T is 215.95 ms.
		{"a score between", flux, pause(550, 247, .6), parts{0, 0, 449, 0, 211, Sure}},

		{"punctuation", vapi, ends(WithPunctuation, pause(0, 247, 0)), parts{0, 247, 100, 0, -1, Punctuation}},
		{"number", vapi, ends(WithNumber, pause(0, 247, 0)), parts{0, 247, 500, 0, -1, Number}},
		{"neither", vapi, pause(0, 247, 0), parts{0, 247, 1500, 0, -1, Unfinished}},
	} {
		if err := row.policy.Validate(); err != nil {
			t.Errorf("%s: %v", row.name, err)
		}
		r := dist.Stream(1, "decide")
		got := row.policy.Decide(row.pause, &r)
		if inMS(got) != row.want {
			t.Errorf("%s: %+v, want %+v", row.name, inMS(got), row.want)
		}
		if once := dist.Stream(1, "decide"); once.Uint64() == 0 || r.Uint64() != once.Uint64() {
			t.Errorf("%s: did not take one number", row.name)
		}
	}
}

// The same decisions as the mock's recognizer makes at a given silence.
func TestAgreesWithTheMock(t *testing.T) {
	for _, timeout := range []time.Duration{500 * ms, 5 * time.Second} {
		for _, threshold := range []float64{.5, .7, .9, 1} {
			mock := speech.FluxTurn(threshold, .3, timeout)
			r := dist.Stream(1, "mock")
			d := Confidence{Threshold: threshold, Eager: .3, Timeout: timeout}.Decide(Pause{Score: 1}, &r)
			if d.At() != mock.Silence || d.Early != mock.Eager {
				t.Errorf("confidence %v: at %s, early %s; the mock %s, %s", threshold, d.At(), d.Early, mock.Silence, mock.Eager)
			}
		}
	}
	for _, eagerness := range []string{"low", "medium", "high"} {
		mock, err := speech.SemanticVAD(eagerness)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Find("semantic-" + eagerness)
		if err != nil {
			t.Fatal(err)
		}
		r := dist.Stream(1, "mock")
		sure, unsure := p.Policy.Decide(Pause{Score: .9}, &r), p.Policy.Decide(Pause{Score: .1}, &r)
		if sure.At() != mock.Silence || unsure.At() != mock.Unfinished {
			t.Errorf("semantic-%s: %s or %s; the mock %s or %s", eagerness, sure.At(), unsure.At(), mock.Silence, mock.Unfinished)
		}
	}
}

// The commit of the four reference stacks: speech at the agent at 40 ms.
func TestReferenceStacks(t *testing.T) {
	for _, row := range []struct {
		name        string
		policy      Policy
		stop, final time.Duration
		commit      time.Duration
	}{
		{"framework defaults", Fixed{Wait: 500 * ms}, 550, 247, 590},
		{"tuned cloud", TurnModel{Compute: dist.Constant(12 * ms), From: FromVADStop}, 200, 247, 287},
		{"local", Fixed{From: FromVADStop}, 200, 221, 261},
	} {
		r := dist.Stream(1, "stacks")
		d := row.policy.Decide(Pause{Stop: row.stop * ms, Final: row.final * ms}, &r)
		if got := 40*ms + max(d.At(), row.final*ms); got != row.commit*ms {
			t.Errorf("%s: committed at %s, want %s", row.name, got, row.commit*ms)
		}
	}
}

func policies() []Policy {
	var all []Policy
	for _, p := range Presets() {
		all = append(all, p.Policy)
	}
	return append(all, Fixed{400 * ms, FromFinal}, Rules{From: FromSpeech, Neither: 900 * ms},
		TurnModel{Threshold: .6, Eager: .3, Compute: dist.Exponential(40 * ms), AfterFinal: true, From: FromFinal, Min: 100 * ms, Max: time.Second, Once: true},
		Endpointing{Silence: 300 * ms, Unsure: 900 * ms, Threshold: .5, Eager: 100 * ms, Report: dist.Exponential(30 * ms), Wait: 200 * ms},
		Confidence{Threshold: .8, Eager: .3, Timeout: 2 * time.Second, Report: dist.Exponential(30 * ms)})
}

func TestDecideProperties(t *testing.T) {
	r := dist.Stream(1, "pauses")
	for _, policy := range policies() {
		for range 2000 {
			p := Pause{Score: r.Float64(), Ends: Ends(r.IntN(3)), Again: r.IntN(2) == 1, Stop: time.Duration(r.IntN(800)) * ms, Final: time.Duration(r.IntN(1500)) * ms}
			draws := r
			d := policy.Decide(p, &r)
			if min(d.VADWait, d.FinalWait, d.EndOfTurn, d.PolicyWait) < 0 {
				t.Fatalf("%v at %+v: a negative part in %+v", policy, p, d)
			}
			if d.VADWait != 0 && d.VADWait != p.Stop || d.FinalWait != 0 && d.VADWait+d.FinalWait != p.Final {
				t.Fatalf("%v at %+v: waits %+v are not those for stop and final", policy, p, d)
			}
			if d.Early != pipeline.Unknown && (d.Early < 0 || d.Early > d.At()) {
				t.Fatalf("%v at %+v: early %s is not before %s", policy, p, d.Early, d.At())
			}
			// Neither a later stop or transcript nor a lower score makes it quicker.
			for _, later := range []Pause{
				{p.Score, p.Ends, p.Again, p.Stop + 50*ms, p.Final}, {p.Score, p.Ends, p.Again, p.Stop, p.Final + 50*ms},
				{p.Score / 2, p.Ends, p.Again, p.Stop, p.Final},
			} {
				again := draws
				if l := policy.Decide(later, &again); l.At() < d.At() {
					t.Fatalf("%v: %s at %+v but %s at %+v", policy, d.At(), p, l.At(), later)
				}
			}
		}
	}
}

// More of the main setting is never quicker.
func TestMainSetting(t *testing.T) {
	r := dist.Stream(1, "settings")
	for _, policy := range policies() {
		s := policy.Settings()[0]
		values := Grid(s)
		for range 200 {
			p := Pause{Score: r.Float64(), Stop: 200 * ms, Final: 250 * ms}
			before := time.Duration(-1)
			for _, v := range values {
				set, err := policy.With(s.Name, v)
				if err != nil {
					t.Fatalf("%v with %s %v: %v", policy, s.Name, v, err)
				}
				draws := dist.Stream(7, "settings")
				d := set.Decide(p, &draws)
				if d.At() < before {
					t.Fatalf("%v: %s %v decides at %s, less at %s", set, s.Name, v, d.At(), before)
				}
				before = d.At()
			}
		}
	}
}

// TestWaits: a decision depends on what the policy says that it waits for, and on nothing
// else.
func TestWaits(t *testing.T) {
	r := dist.Stream(1, "waits")
	for _, policy := range append(policies(), TurnModel{Threshold: .5, Min: 100 * ms, Max: 900 * ms, From: FromFinal}, Rules{Neither: 900 * ms, From: FromFinal}) {
		stop, final := policy.Waits()
		stopMatters, finalMatters := false, false
		for range 500 {
			p := Pause{Score: r.Float64(), Ends: Ends(r.IntN(3)), Stop: time.Duration(r.IntN(800)) * ms, Final: time.Duration(r.IntN(1500)) * ms}
			decide := func(p Pause) Decision {
				draws := dist.Stream(7, "waits")
				return policy.Decide(p, &draws)
			}
			was := decide(p)
			other := p
			other.Stop += 3 * time.Second
			stopMatters = stopMatters || decide(other) != was
			other = p
			other.Final += 3 * time.Second
			finalMatters = finalMatters || decide(other) != was
		}
		if stop != stopMatters || final != finalMatters {
			t.Errorf("%v waits for stop %v, final %v; they matter %v, %v", policy, stop, final, stopMatters, finalMatters)
		}
	}
}
