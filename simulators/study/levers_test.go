package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice/ending"
)

func load(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// by are the settings of runs of n turns that are to serve some budgets, of which those that
// begin with "keep " must not be broken, and are kept.
func by(n int, texts ...string) LeverSettings {
	set := LeverSettings{Settings: runner.Settings{Seed: 1, N: n}}
	for _, text := range texts {
		expression, kept := strings.CutPrefix(text, "keep ")
		b, err := budgets.Parse(expression, budgets.Metrics(pipeline.KindVoice))
		if err != nil {
			panic(err)
		}
		if !kept {
			set.Aims = append(set.Aims, budgets.Aim{Budget: b, Limited: true})
		}
		set.Budgets = append(set.Budgets, b)
	}
	return set
}

// plainStack lands at 40 + max(300 + 250, 247) + 98 + 30 + 188 + 150 + 40 = 1,096 ms, with a
// wait of 250 ms after the detector's 300.
const plainStack = `halfsecond: 1
kind: voice
name: constants
arrivals: {process: constant, every: 5s}
voice:
  uplink: 40ms
  vad_silence: 300ms
  ending: {fixed: {wait: 250ms, from: vad_stop}}
  stt_tail: 247ms
  reply_tokens: 60
  first_sentence_tokens: 4
  llm: {ttft: 98ms, tokens_per_second: 100}
  tts_first_audio: 188ms
  leading_silence: 150ms
  playout: 40ms
run: {n: 100, seed: 1, target: sim}
`

// TestLevers: what each setting brings to a stack of constants, by hand.
func TestLevers(t *testing.T) {
	s := parse(t, plainStack)
	before := s.Hash()
	c, err := Levers(t.Context(), s, by(100, "p50(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Hash() != before {
		t.Error("the scenario was changed")
	}
	if c.Now.P50 != 1096*time.Millisecond || c.Now.P95 != c.Now.P50 || !c.Now.CutInKnown || c.Turns != 100 {
		t.Fatalf("now %+v of %d turns, want 1.096s", c.Now, c.Turns)
	}
	want := map[string]time.Duration{
		"stop the detector after 200 ms of silence":          996 * time.Millisecond,
		"count every wait from the end of speech":            846 * time.Millisecond, // the detector's 300 are longer
		"ask the model before the commit, at the final text": 968 * time.Millisecond, // its text waits for the commit
		"trim the leading silence to 20 ms":                  966 * time.Millisecond,
	}
	for _, x := range c.All {
		if at, ok := want[x.What]; ok && x.Would.P50 != at {
			t.Errorf("%s: %s, want %s", x.What, x.Would.P50, at)
		}
		delete(want, x.What)
		if x.Key == "" {
			t.Errorf("%s has no key", x.What)
		}
	}
	for what := range want {
		t.Errorf("no change %q", what)
	}
	b := c.Best
	if b == nil || !strings.HasPrefix(b.Words(), "trim the leading silence to 20 ms; ask the model before the commit, at the final text") && !strings.Contains(b.Words(), "turn model") {
		t.Fatalf("best %+v", b)
	}
	if c.Now.CutsInMore(b.Would) || b.Would.P50 >= c.Now.P50 {
		t.Errorf("best %+v from %+v", b.Would, c.Now)
	}
}

// Where no pause is known nothing that ends turns sooner is in the best, and cut-ins are not
// known.
func TestLeversWithoutPauses(t *testing.T) {
	s := parse(t, strings.Replace(plainStack, "ending: {fixed: {wait: 250ms, from: vad_stop}}", "end_of_turn: 250ms", 1))
	c, err := Levers(t.Context(), s, by(100, "p50(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	bold := 0
	for _, x := range c.All {
		if x.Bolder {
			bold++
		}
	}
	if c.Now.CutInKnown || bold < 2 || c.Best == nil {
		t.Fatalf("now %+v, %d that end turns sooner, best %+v", c.Now, bold, c.Best)
	}
	for _, p := range c.Best.Parts {
		if p.Bolder {
			t.Errorf("the best has %q, of which nobody knows how often it cuts in", p.What)
		}
	}
	// 40 + 300 + 250 + 188 + 20 + 40: the text is there before the commit.
	if c.Best.Would.P50 != 838*time.Millisecond {
		t.Errorf("best %s, want 838ms", c.Best.Would.P50)
	}
}

// asReported are the settings that a report of the scenario asks for, of n turns at most.
func asReported(t *testing.T, s *scenario.Scenario, n int) LeverSettings {
	t.Helper()
	set := LeverSettings{Settings: runner.Settings{Target: runner.Sim, Seed: s.Run.Seed, N: min(s.Run.N, n)}}
	run, err := runner.Run(t.Context(), s, set.Settings)
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	set.Aims = a.Aims()
	for _, j := range a.Judgements {
		set.Budgets = append(set.Budgets, j.Budget)
	}
	return set
}

// What cures each known failure that a setting cures is among the levers, and serves the
// budget that the example breaks.
func TestLeversOfFailures(t *testing.T) {
	for name, want := range map[string]string{
		"voice-final-never-flagged": "take the final that the transcriber marks",
		"voice-endpointing-adds-up": "count every wait from the end of speech",
		"voice-score-threshold":     "a shorter longest wait",
		"voice-look-ahead":          "hand over at the end mark",
		"voice-tts-held":            "have the voice begin with the first piece",
		"voice-double-requests":     "ask the model at the commit only",
		"voice-new-connection":      "keep the connection to the voice open",
		"voice-idle-socket":         "keep the connection to the voice open",
		"voice-playback-goes-on":    "take back what was sent ahead when the user speaks",
		"voice-leading-silence":     "trim the leading silence to 20 ms",
		"voice-filler":              "no filler before the answer",
		"voice-far-away":            "a nearer region",
		"voice-vad-behind":          "detectors in place of",
		"voice-stt-behind":          "recognizers in place of 2",
		"voice-context-growth":      "keep prompts in the engine's prefix cache",
		"prompts forgotten":         "keep prompts in the cache until their room is needed",
		"preset-tuned-cloud":        "a shorter longest wait",
		"preset-speech-to-speech":   "end the turn after 200 ms of silence",
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, cmp.Or(map[string]string{"prompts forgotten": "voice-context-growth"}[name], name))
			if name == "prompts forgotten" {
				yes := true
				s.Voice.LLM.Engine.PrefixCache, s.Voice.LLM.Engine.PrefixTTL = &yes, 5*time.Second
			}
			set := asReported(t, s, 300)
			if name == "preset-tuned-cloud" { // whose own budget is on the median, and kept
				set = by(1000, "p95(reply) < 2s")
			}
			c, err := Levers(t.Context(), s, set)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, x := range c.All {
				all = append(all, x.What)
				if strings.Contains(x.What, want) {
					if !x.Gain.Matters() || x.Gain.Value <= 0 {
						t.Errorf("%s: %+v of %s, %+v from %+v", x.What, x.Gain, c.Aims[0].Budget.Name(), x.Would, c.Now)
					}
					return
				}
			}
			t.Errorf("no %q in %q", want, all)
		})
	}
}

// The model may be asked at the final text as well as at the detector's stop, and what gains
// is shown: 287 + 553 + 60 + 288 + 150 + 40 = 1,378 ms, where the stop is the commit.
func TestLeversAskAtTheFinalText(t *testing.T) {
	c, err := Levers(t.Context(), load(t, "stack-framework-defaults"), by(40, "p50(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	early, quick := time.Duration(0), time.Duration(0)
	for _, x := range c.All {
		switch x.What {
		case "ask the model before the commit, at the final text":
			early = x.Would.P50
		case "stop the detector after 200 ms of silence":
			quick = x.Would.P50
		}
	}
	if early != 1378*time.Millisecond || quick != 1631*time.Millisecond {
		t.Errorf("asked at the final text %s, want 1.378s; with a detector that stops sooner %s, want 1.631s, since min_delay decides then", early, quick)
	}
	if b := c.Best; b == nil || !strings.Contains(b.Words(), "at the final text") || b.Would.P50 >= 1378*time.Millisecond {
		t.Errorf("best %+v", b)
	}
}

// Levers are by the budget that is broken, whichever it is. What they come to together keeps
// the budgets that are kept, and stops where a limit that is not the reply's is kept.
func TestLeversByTheBrokenBudget(t *testing.T) {
	ending := func(text string) *scenario.Scenario {
		return parse(t, strings.Replace(plainStack, "ending: {fixed: {wait: 250ms, from: vad_stop}}", text, 1))
	}
	barge := strings.Replace(plainStack, "  playout: 40ms\n", "  playout: 40ms\n  barge_in: {share: 100%, clear: false, buffer: 3s, for: 9s}\n", 1)
	for _, c := range []struct {
		name  string
		s     *scenario.Scenario
		aims  []string
		first string
		parts string
	}{
		{"barge-in", parse(t, barge), []string{"p95(barge_in_stop) < 1s"}, "take back what was sent ahead when the user speaks", "take back what was sent ahead when the user speaks"},
		{"cut-ins", ending("ending: {fixed: {wait: 400ms, from: speech}}"), []string{"mean(cut_in_share) < 30%"}, "", "in place of"},
		{"cut-ins and reply", ending("ending: {fixed: {wait: 400ms, from: speech}}"), []string{"mean(cut_in_share) < 30%", "keep p50(reply) < 1s"}, "", "a turn model in place of a wait"},
	} {
		set := by(300, c.aims...)
		changes, err := Levers(t.Context(), c.s, set)
		if err != nil {
			t.Fatal(err)
		}
		b := changes.Best
		if b == nil || !strings.Contains(b.Words(), c.parts) || len(b.Parts) != 1 {
			t.Errorf("%s: best %+v, want %q alone", c.name, b, c.parts)
			continue
		}
		if got := changes.Ranked()[0].What; c.first != "" && got != c.first {
			t.Errorf("%s: first %q, want %q", c.name, got, c.first)
		}
		if !changes.Aims[0].Inside(b.Would.Figure(0)) || changes.Now.Breaks(b.Would) != nil {
			t.Errorf("%s: the best has %+v of budgets %+v", c.name, b.Would.Figure(0), b.Would.Budgets)
		}
	}
}

// A change whose effect may be chance is not in the best, however large: of a dozen turns
// nobody knows.
func TestLeversByChance(t *testing.T) {
	s := load(t, "preset-framework-defaults")
	for _, n := range []int{12, 300} {
		c, err := Levers(t.Context(), s, by(n, "p50(reply) < 800ms"))
		if err != nil {
			t.Fatal(err)
		}
		if c.Best == nil {
			continue
		}
		for _, p := range c.Best.Parts {
			if !p.Gain.Matters() || p.Gain.Value < float64(leastGain) {
				t.Errorf("of %d turns the best has %q, whose gain is %+v", n, p.What, p.Gain)
			}
		}
	}
}

// Every example of a voice turn can be asked for, whatever its settings.
func TestLeversOfAll(t *testing.T) {
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		s := load(t, name)
		set := runner.Settings{Seed: 1, N: 20}
		_, err := Levers(t.Context(), s, by(20, "p95(reply) < 500ms"))
		if (err == nil) != (s.Voice != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if s.Voice == nil {
			continue
		}
		c, err := EndingCurve(t.Context(), s, set)
		if known := s.Voice.Ending != nil && s.Voice.Direct == nil; known != (err == nil) || !known && !errors.Is(err, ErrNoPauses) {
			t.Errorf("%s: curve %v", name, err)
		}
		if now := c.Now(); err == nil && (now == nil || now.P50 <= 0 || len(c.Points) < 5) {
			t.Errorf("%s: curve %+v", name, c)
		}
	}
}

// TestEndingCurve: a fixed wait after the detector's stop moves the reply by itself, and a
// longer one never cuts in more often.
func TestEndingCurve(t *testing.T) {
	c, err := EndingCurve(t.Context(), parse(t, plainStack), runner.Settings{Seed: 1, N: 40})
	if err != nil {
		t.Fatal(err)
	}
	if c.Setting != "wait" || c.Unit != "ms" || c.Turns == 0 || c.Pauses == 0 {
		t.Errorf("%+v", c)
	}
	last := 1.
	for _, p := range c.Points {
		if want := time.Duration(846+p.Setting) * time.Millisecond; p.P50 != want {
			t.Errorf("wait %v: %s, want %s", p.Setting, p.P50, want)
		}
		if p.CutIn.Value > last || p.Audible.Value > p.CutIn.Value || p.CutIn.Low > p.CutIn.Value || p.CutIn.High < p.CutIn.Value {
			t.Errorf("wait %v: %+v after %v", p.Setting, p, last)
		}
		last = p.CutIn.Value
	}
	if c.Now() == nil || c.Now().Setting != 250 {
		t.Errorf("now %+v", c.Now())
	}
}

// Whatever the policy waits for, the turn is committed with the final text: where that comes
// after 2 s, only who pauses for longer is cut in on, and no shorter wait is any worse.
func TestEndingCurveWaitsForTheFinalText(t *testing.T) {
	s := parse(t, strings.Replace(plainStack, "stt_tail: 247ms", "stt_tail: 2s", 1))
	c, err := EndingCurve(t.Context(), s, runner.Settings{Seed: 1, N: 200})
	if err != nil {
		t.Fatal(err)
	}
	long := 0
	for i := range 200 {
		said := ending.Pick(ending.Turns(), 1, i, 0)
		if slices.ContainsFunc(said.Pauses, func(p ending.Silence) bool { return p.Length > 2*time.Second }) {
			long++
		}
	}
	if long == 0 || long > 30 {
		t.Fatalf("%d turns have a pause of more than 2 s", long)
	}
	for _, p := range c.Points {
		if p.Setting <= 1500 && (p.CutIn.Value != float64(long)/200 || !p.Efficient || p.P50 != 2546*time.Millisecond) {
			t.Errorf("wait %v: %s, cuts in on %v, efficient %t, want 2.546s, %v, true", p.Setting, p.P50, p.CutIn.Value, p.Efficient, float64(long)/200)
		}
	}
}

// Where the detector's silence is longer than the wait, a shorter wait changes nothing, and
// the silence is varied: below the wait it changes nothing either.
func TestEndingCurveOfTheDetector(t *testing.T) {
	s := parse(t, strings.Replace(plainStack, "ending: {fixed: {wait: 250ms, from: vad_stop}}", "ending: {fixed: {wait: 250ms, from: speech}}", 1))
	c, err := EndingCurve(t.Context(), s, runner.Settings{Seed: 1, N: 40})
	if err != nil {
		t.Fatal(err)
	}
	if c.Setting != "vad_silence" || c.Unit != "ms" || c.Now() == nil || c.Now().Setting != 300 {
		t.Fatalf("%s in %s, now %+v, want the detector's 300 ms", c.Setting, c.Unit, c.Now())
	}
	for _, p := range c.Points {
		// 40 + max(silence, wait, transcript) + 98 + 30 + 188 + 150 + 40
		if want := time.Duration(546+max(p.Setting, 250)) * time.Millisecond; p.P50 != want {
			t.Errorf("silence %v: %s, want %s", p.Setting, p.P50, want)
		}
	}
}

// Head, levers and curve have one rate of cut-ins, and one interval.
func TestOneRateOfCutIns(t *testing.T) {
	s := load(t, "voice-score-threshold")
	set := asReported(t, s, 200)
	run, err := runner.Run(t.Context(), s, set.Settings)
	if err != nil {
		t.Fatal(err)
	}
	a, err := budgets.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	head, ok := a.CutIns()
	levers, err := Levers(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := EndingCurve(t.Context(), s, set.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if !ok || head.Rate.Value == 0 || head.Different >= head.N || levers.Now.CutIn != head.Rate || curve.Now().CutIn != head.Rate || curve.Different != head.Different {
		t.Errorf("head %+v, levers %+v, curve %+v of %d", head, levers.Now.CutIn, curve.Now().CutIn, curve.Different)
	}
}

// A change whose gain may be chance is not tried with others, however large it looks.
func TestHopeful(t *testing.T) {
	set := by(1, "p50(reply) < 500ms")
	state := func(v float64) budgets.State {
		return budgets.State{Figures: []budgets.Figure{{Value: v, Known: true}}}
	}
	for low, want := range map[float64]bool{-1: false, 1: true} {
		l := lever{Change: budgets.Change{Would: state(6e8), Gain: budgets.Gain{Value: 1e8, Known: true, Low: low, High: 2e8, HasInterval: true}}}
		w := leverage{Changes: budgets.Changes{Aims: set.Aims, Now: state(7e8)}, scenario: parse(t, plainStack)}
		if got := w.hopeful(&l, 0); got != want {
			t.Errorf("a gain from %v on is hopeful: %t, want %t", low, got, want)
		}
	}
}

func TestLeversEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Levers(ctx, parse(t, plainStack), by(100, "p50(reply) < 500ms")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if _, err := EndingCurve(ctx, parse(t, plainStack), runner.Settings{Seed: 1, N: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func ExampleLevers() {
	s, err := scenario.Parse("example", []byte(plainStack), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := Levers(context.Background(), s, by(100, "p50(reply) < 500ms"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range c.Ranked()[:2] {
		fmt.Println(x.What, x.Would.P50)
	}
	// Output:
	// a turn model in place of a wait 793ms
	// count every wait from the end of speech 846ms
}

// TestHookCost: what an early request goes without is said where there is something.
func TestHookCost(t *testing.T) {
	for hook, want := range map[time.Duration]bool{0: false, 300 * time.Millisecond: true} {
		s := load(t, "preset-local")
		s.Voice.Hook = constant(hook)
		for _, l := range ofGuess(s.Voice) {
			if got := strings.Contains(l.Cost, "nothing of what hook finds out"); got != want {
				t.Errorf("hook of %s: %q", hook, l.Cost)
			}
		}
	}
}

// TestNoNearerRegion: the figures of a transport are of one region, so that none is nearer; one of
// the file's own may be.
func TestNoNearerRegion(t *testing.T) {
	for keys, want := range map[string]int{"transport: telephony": 0, "transport: media-streams": 0, "transport: webrtc": 0, "transport: telephony\n  uplink: 230ms": 1, "uplink: 162ms\n  playout: 163ms": 1} {
		s := parse(t, strings.Replace(strings.Replace(plainStack, "  playout: 40ms\n", "", 1), "uplink: 40ms", keys, 1))
		if got := ofNetwork(s.Voice); len(got) != want {
			t.Errorf("%s: %d changes to a nearer region, want %d", keys, len(got), want)
		}
	}
}
