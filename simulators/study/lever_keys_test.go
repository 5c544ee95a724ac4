package study

import (
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"halfsecond/budgets"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice/ending"
)

// pasted returns the text of a scenario with what a change's key says in its section voice: each
// of its keys takes the place of what stands there, and one that is left out goes.
func pasted(t *testing.T, text, key string) string {
	t.Helper()
	var file, change yaml.MapSlice
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte("{"+key+"}"), &change); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	at := slices.IndexFunc(file, func(x yaml.MapItem) bool { return x.Key == "voice" })
	section, ok := file[at].Value.(yaml.MapSlice)
	if !ok {
		m := file[at].Value.(map[string]any)
		for k, v := range m {
			section = append(section, yaml.MapItem{Key: k, Value: v})
		}
	}
	for _, x := range change {
		section = slices.DeleteFunc(slices.Clone(section), func(y yaml.MapItem) bool { return y.Key == x.Key })
		if x.Value != "left out" {
			section = append(section, x)
		}
	}
	file[at].Value = section
	data, err := yaml.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// keepsItsPromise runs a scenario with what a change says, and compares what comes of it.
func keepsItsPromise(t *testing.T, text string, x budgets.Change, set LeverSettings) string {
	t.Helper()
	text = pasted(t, text, x.Key)
	s, err := scenario.Parse("pasted", []byte(text), nil)
	if err != nil {
		t.Errorf("%s: %s: %v", x.What, x.Key, err)
		return text
	}
	a, err := simulate(t.Context(), s, s.Voice, set.Settings)
	if err != nil {
		t.Fatal(err)
	}
	is := budgets.StateOf(a, set.Aims, set.Budgets)
	if is.P50 != x.Would.P50 || is.P95 != x.Would.P95 || is.CutIn != x.Would.CutIn || is.CutInKnown != x.Would.CutInKnown {
		t.Errorf("%s: %s: lands at %s and %s and cuts in on %v, and promised %s, %s and %v", x.What, x.Key, is.P50, is.P95, is.CutIn.Value, x.Would.P50, x.Would.P95, x.Would.CutIn.Value)
	}
	return text
}

// leversKeep looks at every change that is shown of a scenario, and at the best of them together.
func leversKeep(t *testing.T, text string) (n int) {
	t.Helper()
	s := parse(t, text)
	set := by(60, "p50(reply) < 300ms")
	c, err := Levers(t.Context(), s, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range c.All {
		if x.Key == "" {
			t.Errorf("%s has no key", x.What)
		}
		keepsItsPromise(t, text, x, set)
	}
	if c.Best != nil {
		all := text
		for _, x := range c.Best.Parts {
			all = keepsItsPromise(t, all, x, set)
		}
	}
	return len(c.All)
}

// TestLeverKeys: what a change of a scenario that comes with the program says to write brings
// what it promises, to the nanosecond and the turn.
func TestLeverKeys(t *testing.T) {
	all := 0
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		text, _ := scenario.Source(name)
		if s := load(t, name); s.Voice == nil {
			continue
		}
		t.Run(name, func(t *testing.T) { all += leversKeep(t, text) })
	}
	if all < 100 {
		t.Errorf("only %d changes were looked at", all)
	}
}

// TestLeverKeysOfPresets: the same with every end-of-turn preset, whose scores and silence go
// along, and with values that vary.
func TestLeverKeysOfPresets(t *testing.T) {
	for name, keys := range endings() {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(plainStack, "  vad_silence: 300ms\n  ending: {fixed: {wait: 250ms, from: vad_stop}}\n", keys, 1)
			leversKeep(t, text)
		})
	}
}

// endings are ways to find the end of a turn, by their names.
func endings() map[string]string {
	all := map[string]string{
		"a silence that varies": "  vad_silence: {p50: 300ms, p95: 900ms}\n  end_of_turn: 120ms\n",
		"a wait that varies":    "  vad_silence: 100ms\n  end_of_turn: {uniform: [200ms, 900ms]}\n  stt_from: vad_stop\n",
		"a turn model":          "  vad_silence: {p50: 250ms, p95: 400ms}\n  ending: {turn_model: {threshold: 0.7, compute: {uniform: [5ms, 30ms]}, min: 100ms, max: 2s, eager: 0.3, once: true}, scores: deepgram-flux, turns: [digits, plain]}\n  guess: {from: early_end, right: 80%, tts: true}\n",
		"rules":                 "  ending: {rules: {neither: 1s, punctuation: 200ms}, turns: [list]}\n  policy_wait: 100ms\n",
		"calls":                 "  vad_silence: 300ms\n  end_of_turn: 250ms\n  barge_in: {share: 50%, guard: 100ms, mistaken: 20%, clear: false, buffer: 2s}\n  llm_connect: {takes: 80ms, each: true}\n  tts_connect: {takes: 90ms, each: true}\n  filler: {share: 50%}\n  stt_timer: 700ms\n",
	}
	for _, p := range ending.Presets() {
		all[p.Name] = "  ending: {preset: " + p.Name + "}\n"
	}
	return all
}
