package scenario

import (
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"time"
)

// calibratedL40S is a profile of two models on an L40S.
const calibratedL40S = `halfsecond_profile: 1
name: ours
engine: vllm
hardware: L40S
gpus: 1
weights: fp16
models: Llama-3.1-8B, Llama-3.2-1B
mfu: 0.5
step_us: 900
data: ours.csv
data_sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
measured: 2026-04-12
measurements: 30
mean_error: 0.03
`

// holding opens these files beside a scenario.
func holding(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return []byte(text), nil
	}
}

// TestProfile: the constants of a profile reach the engine, and the canonical text
// names the file and its content.
func TestProfile(t *testing.T) {
	open := holding(map[string]string{"ours.profile": calibratedL40S})
	read := func(text string) *Scenario {
		t.Helper()
		s, err := Parse("f", []byte(text), open)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const llm = "{model: Llama-3.1-8B, hardware: L40S, speculation: {draft: Llama-3.2-1B}"
	plain, s := read(served(llm+"}")), read(served(llm+", profile: ours.profile}"))
	built, err := plain.Bench.LLM.Engine.Replica()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Bench.LLM.Engine.Replica()
	if err != nil {
		t.Fatal(err)
	}
	want := built.Plan.Deployment().Constants
	want.MFU, want.StepFixed = .5, 900*time.Microsecond
	got := r.Plan.Deployment().Constants
	if want.Note = "mfu, step_us calibrated by profile ours, from 30 measurements"; got != want {
		t.Errorf("constants\n%+v\nwant\n%+v", got, want)
	}
	if draft := r.Drafting.Model.Deployment().Constants; draft.MFU != .5 {
		t.Errorf("the draft model, which the profile is of as well, has an MFU of %g, want 0.5", draft.MFU)
	}
	if line := "\n    profile: ours.profile # " + digest([]byte(calibratedL40S)) + "\n"; !strings.Contains(s.Canonical(), line) {
		t.Errorf("want the line %q in\n%s", line, s.Canonical())
	}
	if again := read(s.Canonical()); !reflect.DeepEqual(again, s) || again.Hash() != s.Hash() {
		t.Errorf("the canonical text\n%s\nreads as another scenario", s.Canonical())
	}
	other, err := Parse("f", []byte(served(llm+", profile: ours.profile}")),
		holding(map[string]string{"ours.profile": strings.Replace(calibratedL40S, "mfu: 0.5", "mfu: 0.51", 1)}))
	if err != nil || other.Hash() == s.Hash() {
		t.Errorf("a profile of other constants: %v, same hash %v", err, other.Hash() == s.Hash())
	}
}

// Constants are an engine's on a machine, so they hold for a model that was not
// measured too, and the note says which was.
func TestProfileOfAnotherModel(t *testing.T) {
	one := strings.Replace(calibratedL40S, ", Llama-3.2-1B", "", 1)
	s, err := Parse("f", []byte(served("{model: Llama-3.1-8B, hardware: L40S, profile: p, speculation: {draft: Llama-3.2-1B}}")), holding(map[string]string{"p": one}))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Bench.LLM.Engine.Replica()
	if err != nil {
		t.Fatal(err)
	}
	target, draft := r.Plan.Deployment().Constants, r.Drafting.Model.Deployment().Constants
	if target.MFU != .5 || draft.MFU != .5 {
		t.Errorf("MFU of the model %g and of its draft %g, want 0.5 for both", target.MFU, draft.MFU)
	}
	if strings.Contains(target.Note, "of Llama-3.1-8B") || !strings.Contains(draft.Note, "of Llama-3.1-8B") {
		t.Errorf("notes %q and %q: want the measured model in that of the draft alone", target.Note, draft.Note)
	}
}

func TestImplausibleProfile(t *testing.T) {
	_, err := ReadProfile("p", []byte(strings.Replace(calibratedL40S, "mfu: 0.5", "mfu: 0.005\nlayer_us: 50000", 1)))
	want := "p:8: mfu: share of the peak compute rate that large matrix products reach: want 0.01 to 1: no engine is beyond, so check the unit, and what was measured\n" +
		"p:9: layer_us: fixed cost of a layer in a step, in microseconds: want 0.001 to 20000: no engine is beyond, so check the unit, and what was measured"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestProfileProblems(t *testing.T) {
	open := holding(map[string]string{
		"ours.profile": calibratedL40S,
		"bad.profile":  strings.Replace(calibratedL40S, "mfu: 0.5", "mfu: 5\ncolour: red", 1),
	})
	const served = "halfsecond: 1\nkind: bench\nname: n\nbench:\n  llm: {model: %s, hardware: %s, engine: %s, profile: %s}\n"
	for _, c := range []struct{ model, hardware, engine, profile, want string }{
		{"Llama-3.1-8B", "L40S", "vllm", "none", "f:5:69: bench.llm.profile: file does not exist"},
		{"Llama-3.1-8B", "L40S", "vllm", "bad.profile", `f:5:69: bench.llm.profile: bad.profile:8: mfu: share of the peak compute rate that large matrix products reach: want 0.01 to 1: no engine is beyond, so check the unit, and what was measured; ` +
			`bad.profile:9: unknown key "colour": want one of `},
		{"Llama-3.1-8B", "H100-SXM", "sglang", "ours.profile", "f:5:75: bench.llm.profile: profile ours is of the engine vllm, not of sglang; profile ours is of the machine L40S, not of H100-SXM"},
	} {
		_, err := Parse("f", []byte(fmt.Sprintf(served, c.model, c.hardware, c.engine, c.profile)), open)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v:\n%v, want\n%s", c, err, c.want)
		}
	}
}
