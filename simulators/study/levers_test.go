package study

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/quantile"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
)

func load(t *testing.T, name string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
	c, err := Levers(t.Context(), s, LeverSettings{Settings: runner.Settings{Seed: 1, N: 100}, By: quantile.P50})
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
		"stop the detector after 200 ms of silence": 996 * time.Millisecond,
		"count the wait from the end of speech":     846 * time.Millisecond, // the detector's 300 are longer
		"ask the model before the commit":           968 * time.Millisecond, // its text waits for the commit
		"trim the leading silence to 20 ms":         966 * time.Millisecond,
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
	if b == nil || !strings.HasPrefix(b.Words(), "trim the leading silence to 20 ms; ask the model before the commit") && !strings.Contains(b.Words(), "turn model") {
		t.Fatalf("best %+v", b)
	}
	if b.Would.CutIn > c.Now.CutIn || b.Would.P50 >= c.Now.P50 {
		t.Errorf("best %+v from %+v", b.Would, c.Now)
	}
}

// Where no pause is known nothing that ends turns sooner is in the best, and cut-ins are not
// known.
func TestLeversWithoutPauses(t *testing.T) {
	s := parse(t, strings.Replace(plainStack, "ending: {fixed: {wait: 250ms, from: vad_stop}}", "end_of_turn: 250ms", 1))
	c, err := Levers(t.Context(), s, LeverSettings{Settings: runner.Settings{Seed: 1, N: 100}, By: quantile.P50})
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

// The known failures that are a setting are found among the levers.
func TestLeversOfFailures(t *testing.T) {
	for name, want := range map[string]string{
		"voice-final-never-flagged": "take the final that the transcriber marks",
		"voice-look-ahead":          "hand over at the end mark",
		"voice-tts-held":            "have the voice begin with the first piece",
		"voice-new-connection":      "keep the connection to the voice open",
		"voice-leading-silence":     "trim the leading silence to 20 ms",
		"voice-filler":              "no filler before the answer",
		"voice-far-away":            "a nearer region",
		"voice-vad-behind":          "detectors in place of",
		"voice-context-growth":      "keep prompts in the engine's prefix cache",
		"preset-speech-to-speech":   "end the turn after 200 ms of silence",
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, name)
			c, err := Levers(t.Context(), s, LeverSettings{Settings: runner.Settings{Seed: s.Run.Seed, N: min(s.Run.N, 120)}, By: quantile.P50})
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, x := range c.All {
				all = append(all, x.What)
				if strings.Contains(x.What, want) {
					if x.Would.P50 >= c.Now.P50 && x.Would.P95 >= c.Now.P95 {
						t.Errorf("%s: %+v from %+v", x.What, x.Would, c.Now)
					}
					return
				}
			}
			t.Errorf("no %q in %q", want, all)
		})
	}
}

// Every example of a voice turn can be asked for, whatever its settings.
func TestLeversOfAll(t *testing.T) {
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		s := load(t, name)
		set := runner.Settings{Seed: 1, N: 20}
		_, err := Levers(t.Context(), s, LeverSettings{Settings: set, By: quantile.P95})
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

func TestLeversEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Levers(ctx, parse(t, plainStack), LeverSettings{Settings: runner.Settings{Seed: 1, N: 100}}); !errors.Is(err, context.Canceled) {
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
	c, err := Levers(context.Background(), s, LeverSettings{Settings: runner.Settings{Seed: 1, N: 100}, By: quantile.P50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range c.Ranked(quantile.P50)[:2] {
		fmt.Println(x.What, x.Would.P50)
	}
	// Output:
	// a turn model in place of a wait 793ms
	// count the wait from the end of speech 846ms
}
