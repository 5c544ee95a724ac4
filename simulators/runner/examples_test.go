package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/budgets/diagnosis"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/scenario"
)

// TestExamplesLand runs the voice examples, whose every stage is a constant, and
// compares each turn with the sum worked out by hand.
func TestExamplesLand(t *testing.T) {
	for name, want := range map[string]time.Duration{
		"classic-chain":            300 * ms,
		"classic-chain-real":       830 * ms,
		"stack-framework-defaults": 1681 * ms,
		"stack-tuned-cloud":        793 * ms,
		"stack-speculating":        596 * ms,
		"stack-local":              469 * ms,
	} {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range got.Traces {
			if reply := pipeline.Since(tr.Due, tr.Mark("reply_heard")); reply != want {
				t.Errorf("%s: the reply lands at %s, want %s", name, reply, want)
			}
		}
	}
}

// TestExamplesShowTheirTrap: each of these scenarios is about one thing, and is
// another matter without it.
func TestExamplesShowTheirTrap(t *testing.T) {
	for _, c := range []struct {
		name, with, without string // what the file says, and what it says without the trap
		metric              string
		q                   quantile.Q
		worse               float64 // by which factor at least
	}{
		{"prefix-cache", "prefix_cache: true", "prefix_cache: false", "llm_first_token", quantile.P50, 1 / 3.},
		{"long-prompts-beside", "background:", "# background:", "gathering", quantile.P95, 3},
		{"cold-start", "idle_unload: 5m", "idle_unload: 0s", "ttft", quantile.P95, 10},
		{"router-failure", "retries: 0", "retries: 1", "ok_share", quantile.P50, .99},
		{"streams", "slots: 4", "slots: 1", "ttft", quantile.P50, 1 / 20.},
		{"sliding-window", "prefix_tokens: 700", "prefix_tokens: 3000", "llm_first_token", quantile.P50, 1.5},
	} {
		text, ok := scenario.Source(c.name)
		if !ok || !strings.Contains(text, c.with) {
			t.Errorf("%s is no example that says %q", c.name, c.with)
			continue
		}
		with, without := value(t, text, c.metric, c.q), value(t, strings.Replace(text, c.with, c.without, 1), c.metric, c.q)
		if factor := with / without; c.worse > 1 && factor < c.worse || c.worse < 1 && factor > c.worse {
			t.Errorf("%s: %s is %.1f ms, and %.1f ms with %q: a factor of %.2f, want %.2f or more extreme", c.name, c.metric, with/1e6, without/1e6, c.without, factor, c.worse)
		}
	}
}

// value returns a percentile of a metric of the scenario on the simulator, or its mean
// where that is all.
func value(t *testing.T, text, metric string, q quantile.Q) float64 {
	t.Helper()
	s := parse(t, text)
	got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: s.Run.Seed, N: s.Run.N})
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(got)
	if err != nil {
		t.Fatal(err)
	}
	v, ok := a.Pool(metric).Quantile(q)
	if !a.Pool(metric).Percentiles() {
		v, ok = a.Pool(metric).Mean()
	}
	if !ok {
		t.Fatalf("%s has no %v", metric, q)
	}
	return v
}

// analysed runs a scenario on the simulator.
func analysed(t *testing.T, text string) *budgets.Analysis {
	t.Helper()
	s := parse(t, text)
	got, err := Run(t.Context(), s, Settings{Target: Sim, Seed: s.Run.Seed, N: s.Run.N})
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(got)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func diagnoses(a *budgets.Analysis) []string {
	ids := []string{}
	for _, d := range diagnosis.Diagnose(a) {
		ids = append(ids, d.ID)
	}
	return ids
}

// TestVoiceExamples: each of these scenarios has a known failure, which is in the waterfall
// and which the diagnosis names, alone; without the failure both are gone.
func TestVoiceExamples(t *testing.T) {
	for _, c := range []struct {
		name, id string
		without  []string      // what the file says, and what it says without the failure, in turn
		stages   []string      // on the critical path of the p95 turn
		least    time.Duration // that they take there, together
		metric   string        // or else, this one
		from, to float64       // has its mean in these bounds; durations in ms
	}{
		{"voice-final-never-flagged", diagnosis.FinalNeverFlagged, []string{"stt_timer: 1s", "stt_timer: 0s"}, []string{"stt_timer"}, 900 * ms, "", 0, 0},
		{"voice-endpointing-adds-up", diagnosis.EndpointingAddsUp, []string{"vad_silence: 300ms", "vad_silence: 500ms", "end_of_turn: {component: endpointing-livekit-endpointing-min-delay-max-delay}", "end_of_turn: 0ms", "stt_from: vad_stop", "stt_from: speech"},
			[]string{"vad_wait", "end_of_turn"}, 800 * ms, "", 0, 0},
		{"voice-score-threshold", diagnosis.ScoreThreshold, []string{"preset: model-300-or-2500", "preset: wait-500-from-speech"}, []string{"end_of_turn"}, 2200 * ms, "", 0, 0},
		{"voice-look-ahead", diagnosis.LookAhead, []string{"look_ahead: true", "look_ahead: false"}, []string{"look_ahead"}, 60 * ms, "", 0, 0},
		{"voice-tts-held", diagnosis.TTSHeld, []string{"tts_holds: 120", "tts_holds: 0"}, []string{"tts_held"}, 100 * ms, "", 0, 0},
		{"voice-new-connection", diagnosis.NewConnection, []string{"each: true", "each: false"}, []string{"tts_connect"}, 200 * ms, "", 0, 0},
		{"voice-idle-socket", diagnosis.IdleSocket, []string{"idle: 20s", "idle: 0s"}, []string{"tts_connect"}, 350 * ms, "", 0, 0},
		{"voice-playback-goes-on", diagnosis.PlaybackGoesOn, []string{"clear: false", "clear: true"}, nil, 0, "barge_in_stop", 2000, 6000},
		{"voice-double-requests", diagnosis.DoubleRequests, []string{"  guess: {from: vad_stop, right: 50%} # assumed\n", ""}, nil, 0, "guess_hit_share", .4, .6},
		{"voice-context-growth", diagnosis.ContextGrowth, []string{"prefix_cache: false", "prefix_cache: true"}, []string{"prefill"}, 300 * ms, "", 0, 0},
		{"voice-vad-behind", diagnosis.VADBehind, []string{"vad_workers: 1", "vad_workers: 2"}, []string{"vad_backlog"}, 2000 * ms, "", 0, 0},
		{"voice-stt-behind", diagnosis.STTBehind, []string{"stt_workers: 2", "stt_workers: 4"}, []string{"stt_queue"}, 1000 * ms, "", 0, 0},
		{"voice-far-away", diagnosis.FarAway, []string{"uplink: 229ms", "uplink: 40ms", "playout: 228ms", "playout: 40ms", "llm_round_trip: {p50: 240ms, p95: 280ms}", "llm_round_trip: 20ms"}, []string{"uplink", "playout"}, 457 * ms, "", 0, 0},
		{"voice-filler", diagnosis.FillerFlatters, []string{"share: 80%", "share: 5%"}, nil, 0, "first_sound", 400, 800},
		{"voice-leading-silence", diagnosis.LeadingSilence, []string{"leading_silence: {uniform: [150ms, 250ms]}", "leading_silence: 0ms"}, []string{"leading_silence"}, 150 * ms, "", 0, 0},
		{"voice-metric-anchor", diagnosis.MetricAnchor, []string{"p50(reply) < 500ms", "p50(reply) < 1100ms"}, []string{"vad_wait", "playout"}, 590 * ms, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, _ := scenario.Source(c.name)
			if !strings.Contains(text, c.id) {
				t.Errorf("the file does not say that its diagnosis is %s", c.id)
			}
			for i := 0; i < len(c.without); i += 2 {
				if !strings.Contains(text, c.without[i]) {
					t.Fatalf("the file does not say %q", c.without[i])
				}
			}
			a := analysed(t, text)
			if ids := diagnoses(a); !slices.Equal(ids, []string{c.id}) {
				t.Errorf("diagnosed as %v, want %s", ids, c.id)
			}
			if len(c.stages) > 0 {
				sum := time.Duration(0)
				for _, s := range a.Exemplars[1].Path {
					if slices.Contains(c.stages, s.Name) {
						sum += s.For()
					}
				}
				if sum < c.least {
					t.Errorf("%v take %s of the p95 turn, want %s at least", c.stages, sum, c.least)
				}
			}
			if c.metric != "" {
				m, ok := a.Pool(c.metric).Mean()
				if m = a.Pool(c.metric).Metric.Unit.Reported(m); !ok || m < c.from || m > c.to {
					t.Errorf("the mean of %s is %v, want %v to %v", c.metric, m, c.from, c.to)
				}
			}
			cured := analysed(t, strings.NewReplacer(c.without...).Replace(text))
			if ids := diagnoses(cured); slices.Contains(ids, c.id) {
				t.Errorf("without the failure it is diagnosed as %v", ids)
			}
			for _, j := range cured.Judgements {
				if j.Verdict == budgets.Unmeasured {
					t.Errorf("without the failure %s is unmeasured: %s", j.Budget, j.Reason)
				}
			}
		})
	}
}

// TestOneRegion: what the diagnosis says that a nearer region would bring is what a run with
// one brings.
func TestOneRegion(t *testing.T) {
	text, _ := scenario.Source("voice-far-away")
	far := analysed(t, text)
	near := analysed(t, strings.NewReplacer("uplink: 229ms", "uplink: 40ms", "playout: 228ms", "playout: 40ms", "llm_round_trip: {p50: 240ms, p95: 280ms}", "llm_round_trip: 20ms").Replace(text))
	was, _ := far.Landing().Mean()
	would, _ := near.Landing().Mean()
	if got, want := diagnosis.Diagnose(far)[0].Cost, time.Duration(was-would); got.Round(time.Microsecond) != want.Round(time.Microsecond) {
		t.Errorf("being far away costs %s, and a run next door gains %s", got, want)
	}
}

// TestDiagnosesAreTrue: what the other voice scenarios are diagnosed as is what they have.
func TestDiagnosesAreTrue(t *testing.T) {
	leading, anchor := diagnosis.LeadingSilence, diagnosis.MetricAnchor // stated in the file; the budget is broken only as seen from the ear
	want := map[string][]string{
		"agree-voice":                     {leading},
		"classic-chain-real":              {diagnosis.EndpointingAddsUp}, // 250 ms after 200 ms
		"stack-framework-defaults":        {leading},
		"stack-framework-defaults-spread": {leading},
		"stack-tuned-cloud":               {leading, anchor},
		"stack-tuned-cloud-spread":        {leading, anchor},
		"stack-speculating":               {anchor},
		"stack-speculating-spread":        {anchor},
		"preset-framework-defaults":       {leading, diagnosis.DoubleRequests, anchor},          // it asks at each pause that has a final
		"preset-tuned-cloud":              {diagnosis.ScoreThreshold, diagnosis.DoubleRequests}, // Flux's timeout; it asks at each likely end
		"preset-local":                    {diagnosis.ScoreThreshold},                           // the turn model's fallback
		"preset-speech-to-speech":         {anchor},
		"preset-telephony":                {diagnosis.FarAway, anchor}, // a telephone leg
	}
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		text, _ := scenario.Source(name)
		if s := parse(t, text); s.Kind != pipeline.KindVoice || strings.HasPrefix(name, "voice-") {
			continue
		}
		if ids := diagnoses(analysed(t, text)); !slices.Equal(ids, append([]string{}, want[name]...)) {
			t.Errorf("%s is diagnosed as %v, want %v", name, ids, want[name])
		}
	}
}

// TestSpreadStacks: with the published spread the reference stacks land where max and plus
// over independent draws of the same distributions put them, and their medians near the
// sums of medians: a transcript and a decision that race make it later, by less than they
// spread.
func TestSpreadStacks(t *testing.T) {
	drawn := func(p50, p95 time.Duration) dist.Dist {
		d, err := dist.FromQuantiles(p50, p95)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	nova := drawn(247*ms, 298*ms)
	for _, c := range []struct {
		name        string
		stt, llm    dist.Dist
		stop, turn  time.Duration
		early       bool // the model is asked at the detector's stop
		chunk, tts  time.Duration
		after, want time.Duration // leading silence and playout; the sum of medians
	}{
		{"stack-framework-defaults-spread", nova, drawn(553*ms, 1947*ms), 550 * ms, 0, false, 60 * ms, 288 * ms, 190 * ms, 1681 * ms},
		{"stack-tuned-cloud-spread", nova, drawn(98*ms, 217*ms), 200 * ms, 12 * ms, false, 30 * ms, 188 * ms, 190 * ms, 793 * ms},
		{"stack-speculating-spread", nova, drawn(98*ms, 217*ms), 200 * ms, 12 * ms, true, 30 * ms, 188 * ms, 40 * ms, 596 * ms},
		{"stack-local-spread", drawn(221*ms, 238*ms), drawn(101*ms, 318*ms), 200 * ms, 0, false, 30 * ms, 37 * ms, 40 * ms, 469 * ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 200_000
			r := dist.Stream(99, "test/"+c.name)
			values := make([]time.Duration, n)
			for i := range values {
				commit := max(c.stop+c.turn, c.stt.Draw(&r))
				asked := commit
				if c.early {
					asked = c.stop
				}
				values[i] = 40*ms + max(commit, asked+c.llm.Draw(&r)+c.chunk) + c.tts + c.after
			}
			slices.Sort(values)
			text, _ := scenario.Source(c.name)
			a := analysed(t, text)
			got := a.Landing().Values
			for _, q := range []quantile.Q{quantile.P50, quantile.P95} {
				low, high, _ := quantile.Interval(len(got), q, .999)
				v, _ := quantile.OfSorted(values, q)
				if float64(v) < got[low-1] || float64(v) > got[high-1] {
					t.Errorf("%v is %s to %s, want %s", q, time.Duration(got[low-1]), time.Duration(got[high-1]), v)
				}
			}
			v, _ := quantile.OfSorted(got, quantile.P50)
			if median := time.Duration(v); median < c.want-20*ms || median > c.want+20*ms {
				t.Errorf("the median is %s, far from %s", median, c.want)
			}
			if !strings.Contains(text, strings.TrimSuffix(c.name, "-spread")) {
				t.Errorf("the file does not say what it is the spread of")
			}
		})
	}
}

// TestPresets: the published figure of a whole turn comes out where there is one.
func TestPresets(t *testing.T) {
	text, _ := scenario.Source("preset-speech-to-speech")
	if v, _ := analysed(t, text).Landing().Quantile(quantile.P50); time.Duration(v) != 1152*ms {
		t.Errorf("speech to speech lands at %s, want 1.152s", time.Duration(v))
	}
	for name, component := range map[string]string{"preset-framework-defaults": "llm-gpt-4o-mini-aiewf-eval", "preset-tuned-cloud": "tts-cartesia-sonic-3", "preset-local": "stt-nvidia-nemotron-3-0-asr-en"} {
		text, _ := scenario.Source(name)
		if !strings.Contains(text, fmt.Sprintf("{component: %s", component)) {
			t.Errorf("%s does not name %s", name, component)
		}
	}
}
