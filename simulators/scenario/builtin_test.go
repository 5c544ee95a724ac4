package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/simulators/voice/ending"
)

func TestBuiltins(t *testing.T) {
	for i, name := range Names() {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Kind != kinds[i] || len(s.Budgets) == 0 && s.Kind != "grid" {
			t.Errorf("%s is of kind %s with %d budgets, want kind %s and a budget", name, s.Kind, len(s.Budgets), kinds[i])
		}
	}
}

// landing adds up the medians of a turn's stages as Voice describes them.
func landing(v *Voice) time.Duration {
	median := func(d Delay) time.Duration { return d.Quantile(.5) }
	agent := median(v.Uplink)
	decided := agent + median(v.VADSilence) + median(v.EndOfTurn)
	if v.Ending != nil { // a wait from the end of speech, beside the detector's
		f, ok := v.Ending.Policy.(ending.Fixed)
		if !ok || f.From != ending.FromSpeech {
			panic("a stack that ends turns otherwise")
		}
		decided = agent + max(median(v.VADSilence), f.Wait)
	}
	asked := max(decided, agent+median(v.STTTail)) + median(v.LLMRoundTrip)
	afterFirst := float64(v.FirstSentenceTokens.Quantile(.5)-1) / v.LLM.TokensPerSecond
	sentence := asked + median(v.LLM.TTFT) + time.Duration(afterFirst*float64(time.Second))
	return sentence + median(v.TTSFirstAudio) + median(v.LeadingSilence) + median(v.Playout)
}

// Chains and stacks whose every stage is a constant, and that ask nothing early, are worked
// out by hand.
func TestExamplesLandWhereTheySay(t *testing.T) {
	want := map[string]time.Duration{
		"classic-chain":            300 * ms,
		"classic-chain-real":       830 * ms,
		"stack-framework-defaults": 1681 * ms,
		"stack-tuned-cloud":        793 * ms,
		"stack-local":              469 * ms,
	}
	for name, lands := range want {
		s, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := landing(s.Voice); got != lands {
			t.Errorf("%s lands at %s, want %s", name, got, lands)
		}
		if text, _ := Source(name); !strings.Contains(text, fmt.Sprintf("%d ms", lands.Milliseconds())) {
			t.Errorf("%s does not say that it lands at %s", name, lands)
		}
	}
}

func TestInit(t *testing.T) {
	for _, kind := range Names() {
		text, err := Init(kind)
		if err != nil {
			t.Fatal(err)
		}
		builtin, _ := Source(kind)
		if got, want := parse(t, text), parse(t, builtin); got.Canonical() != want.Canonical() {
			t.Errorf("Init(%s) reads as\n%s\nwant\n%s", kind, got.Canonical(), want.Canonical())
		}
		golden(t, filepath.Join("testdata", "init-"+kind+".yaml"), text)
		// With the endpoint that it shows as a comment it is a scenario as well.
		withEndpoint := strings.ReplaceAll(strings.Replace(text, "# endpoints:", "endpoints:", 1), "\n#   ", "\n  ")
		if s := parse(t, withEndpoint); s.Endpoints.LLM == nil || s.Hash() != parse(t, builtin).Hash() {
			t.Errorf("Init(%s) with its endpoint: endpoint %v", kind, s.Endpoints.LLM)
		}
	}
	if _, err := Init("voise"); err == nil || err.Error() != `no built-in scenario "voise"; nearest: voice` {
		t.Errorf("Init(voise): %v", err)
	}
}

func TestLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	text, _ := Source("load")
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	const typist = "halfsecond: 1\nkind: ide\nname: n\nide: {typist: {profile: fast, text: main.go}, llm: {ttft: 1ms, tokens_per_second: 50}}\n"
	for name, content := range map[string]string{"folder/typist.yaml": typist, "folder/main.go": "package main", "mine.yaml": text, "voice": text, "bad.yaml": "a: [", "large.yaml": strings.Repeat("#", 3<<20)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, want string }{
		{"mine.yaml", "bench"},
		{"voice", "voice"},
		{"./voice", "bench"},
		{"stack-local", "voice"},
		{"folder/typist.yaml", "ide"},
		{"voise", `no built-in scenario and no file "voise"; nearest: voice`},
		{"nothing", `no built-in scenario and no file "nothing"; want one of ` + strings.Join(slices.Concat(Names(), Examples()), ", ")},
		{"absent.yaml", "load scenario: open absent.yaml: no such file or directory"},
		{"bad.yaml", "bad.yaml:1:4: not valid YAML: sequence end token ']' not found"},
		{"large.yaml", "large.yaml:1:1: the file is larger than 1048576 bytes"},
	} {
		s, err := Load(c.name)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = s.Kind
		}
		if got != c.want {
			t.Errorf("Load(%s): %s, want %s", c.name, got, c.want)
		}
	}
}

func ExampleParse() {
	_, err := Parse("mine.yaml", []byte(`halfsecond: 1
kind: bench
name: a first try
bench:
  llm: {model: Llama-3.1-8B, hardware: L40X}
budgets:
  - p95(ttft) < 200
`), nil)
	fmt.Println(err)
	// Output:
	// mine.yaml:5:40: bench.llm.hardware: unknown hardware "L40X"; nearest: L40S, P40, A40
	// mine.yaml:7:20: budgets[0]: found the end, want a unit of time: ns, us, ms or s
}

// TestInitExample: an example is printed as it stands, comments and all, and is valid as a file.
func TestInitExample(t *testing.T) {
	for _, name := range Examples() {
		text, err := Init(name)
		want, _ := Source(name)
		if err != nil || text != want {
			t.Errorf("%s: %v, or another text", name, err)
		}
	}
	if text, err := Init("preset-local"); err != nil || !strings.HasPrefix(text, "#") {
		t.Errorf("preset-local: %.40q, %v; want its comments", text, err)
	}
	if _, err := Init("preset-locl"); err == nil || !strings.Contains(err.Error(), "nearest: preset-local") {
		t.Errorf("%v, want the nearest name", err)
	}
}
