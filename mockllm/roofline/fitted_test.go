package roofline

import (
	"encoding/csv"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
)

// constantsBy returns the constants of an engine on some hardware by the values.
func constantsBy(t *testing.T, v Values, engine, device string, w Format) Constants {
	t.Helper()
	d := Deployment{Hardware: hardware(t, device), Weights: w}
	engineOf(t, engine)(&d)
	return v.Constants(d)
}

// Constants are products of the values they are made of, and values that are not
// there are their priors.
func TestConstantsOfValues(t *testing.T) {
	v := Values{"mfu.serving.8": .5, "mfu.on-cdna": .5, "mbu.serving": .5, "mbu.serving-in-8": .75, "mbu.on-cdna": .5, "layer.serving": 33.3333}
	c := constantsBy(t, v, "vllm", "MI300X", FP8)
	if c.MFU != .25 || c.MBU != .1875 || c.AttentionMBU != c.MBU || c.LayerFixed != 33_333*time.Nanosecond {
		t.Errorf("MFU %v, MBU %v, attention %v, layer %v", c.MFU, c.MBU, c.AttentionMBU, c.LayerFixed)
	}
	delete(v, "mbu.on-cdna")
	if c := constantsBy(t, v, "vllm", "MI300X", FP8); math.Abs(c.MBU-.375*.9) > 1e-12 { // its prior
		t.Errorf("MBU %v without a value for the hardware, want %v", c.MBU, .375*.9)
	}
	none := constantsBy(t, nil, "vllm", "H100-SXM", FP16)
	if none.MFU != .65 || none.MBU != .75 || none.LayerFixed != 40*time.Microsecond {
		t.Errorf("without values: MFU %v, MBU %v, layer %v; want the priors .65, .75, 40us", none.MFU, none.MBU, none.LayerFixed)
	}
}

// No code is better than the hardware, whatever a table says.
func TestConstantsHaveLimits(t *testing.T) {
	c := constantsBy(t, Values{"mfu.serving.16": 1.2, "mbu.serving": .99}, "vllm", "H100-SXM", FP16)
	if c.MFU != .9 || c.MBU != .95 || c.AttentionMBU != .95 {
		t.Errorf("MFU %v, MBU %v, attention %v; want .9, .95, .95", c.MFU, c.MBU, c.AttentionMBU)
	}
	just := constantsBy(t, Values{"mfu.serving.16": .89, "mbu.serving": .94}, "vllm", "H100-SXM", FP16)
	if just.MFU != .89 || just.MBU != .94 {
		t.Errorf("MFU %v, MBU %v; want .89, .94", just.MFU, just.MBU)
	}
}

// What is fixed beside a layer, by whose code it is.
func TestFixedCostsByKernels(t *testing.T) {
	v := Values{"layer.eager": 300, "layer.eager-on-ampere": 1.5, "sequence.eager": 200, "activations.eager": 50, "activations.transformers": 6,
		"layer.cpu": 2, "layer.serving-2023": 80}
	for _, test := range []struct {
		engine, hardware      string
		step, layer, sequence time.Duration
		activations           float64
		overlapped            bool
	}{
		{"vllm", "H100-SXM", 126_000, 40_000, 4_400, 10, false},
		{"lmdeploy", "H100-SXM", 126_000, 80_000, 4_400, 10, false},
		{"vllm-v0", "H100-SXM", 126_000, 300_000, 200_000, 50, true},
		{"vllm-v0", "A100-80GB-SXM", 126_000, 450_000, 200_000, 50, true},
		{"transformers", "H100-SXM", 0, 300_000, 0, 6, true},
		{"llama.cpp", "RTX-4090", 0, 40_000, 0, 10, false},
		{"mlx", "Apple-M4-Max-40c", 0, 40_000, 0, 10, false},
		{"autoawq", "RTX-4090", 0, 40_000, 0, 10, false},
		// Threads wait for each other: 2 us a core, of 16 cores, or of one where none is known.
		{"llama.cpp", "CPU-Ryzen-7950X-DDR5-5200", 0, 32_000, 0, 10, false},
		{"ik_llama.cpp", "CPU-EPYC-12ch-DDR5-4800", 0, 2_000, 0, 10, false},
	} {
		c := constantsBy(t, v, test.engine, test.hardware, FP16)
		if c.StepFixed != test.step || c.LayerFixed != test.layer || c.SequenceFixed != test.sequence || c.Activations != test.activations || c.Overlapped != test.overlapped {
			t.Errorf("%s on %s: %v a step, %v a layer, %v a sequence, activations %v, overlapped %v\nwant %+v",
				test.engine, test.hardware, c.StepFixed, c.LayerFixed, c.SequenceFixed, c.Activations, c.Overlapped, test)
		}
	}
}

func TestNoteOfConstants(t *testing.T) {
	all := Values{"mfu.serving.16": .6, "mbu.serving": .8, "layer.serving": 40}
	for _, test := range []struct {
		hardware string
		v        Values
		want     string
	}{
		{"H100-SXM", all, ""},
		{"H100-SXM", Values{"mbu.serving": .8}, "some constants are assumed, for no measurement that depends on them was read: mfu.serving.16, layer.serving"},
		{"TPU-v6e", all, "efficiencies of this kind of hardware are assumed: no measurement of an engine on it was read"},
	} {
		if got := constantsBy(t, test.v, "vllm", test.hardware, FP16).Note; got != test.want {
			t.Errorf("%s by %v: note %q, want %q", test.hardware, test.v, got, test.want)
		}
	}
	if c := all.Constants(Deployment{Hardware: catalog.Hardware{Bandwidth: 1}}); !strings.HasPrefix(c.Note, "efficiencies of this kind") {
		t.Errorf("a user's hardware of no family has the note %q", c.Note)
	}
}

// Every name that a deployment of the catalogue can use has a prior.
func TestEveryNameHasAPrior(t *testing.T) {
	seen := map[string]bool{}
	everyDeployment(func(d Deployment) {
		for _, name := range Uses(d) {
			if p := PriorOf(name); !(p.Value > 0) || !(p.Spread > 0) {
				t.Errorf("%s: %+v", name, p)
			}
			seen[name] = true
		}
	})
	if len(seen) < len(fittedTable()) {
		t.Errorf("deployments use %d names, and %d are fitted", len(seen), len(fittedTable()))
	}
	for name := range priors {
		if !seen[name] {
			t.Errorf("no deployment uses %s, which has a prior", name)
		}
	}
}

func TestPriorOf(t *testing.T) {
	for name, want := range map[string]Prior{
		"mfu.serving.16":        {.65, .5, .9},
		"mfu.serving.q":         {.4225, .5, .9},
		"mfu.llama.cpp.16":      {.35, .5, .9}, // of what portable instructions allow
		"mfu.on-cdna":           {.6, .5, 0},
		"mfu.on-blackwell":      {1, .5, 0},
		"mbu.serving":           {.75, .5, .95},
		"mbu.serving-in-8":      {1, .5, 0},
		"mbu.portable-on-hbm":   {1, .5, 0},
		"layer.serving":         {40, 1, 0},
		"layer.eager":           {300, 1, 0},
		"layer.eager-on-ampere": {1, 1, 0},
		"layer.autoawq":         {1, 1, 0},
		"layer.cpu":             {3, 1, 0},
		"sequence.eager":        {100, 1, 0},
		"activations.eager":     {40, 1, 0},
	} {
		if got := PriorOf(name); got.Spread != want.Spread || got.Most != want.Most || math.Abs(got.Value-want.Value) > 1e-12 {
			t.Errorf("PriorOf(%s) = %+v, want %+v", name, got, want)
		}
	}
	for _, name := range []string{"", "mfu", "mfu.serving", "mfu.serving.12", "speed.serving", "sequence.serving", "activations.serving-in-8"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("PriorOf(%q) has a value", name)
				}
			}()
			PriorOf(name)
		}()
	}
}

// Every constant of the table is one that some deployment uses, and its prior is what
// the table says.
func TestFittedConstantsAreUsed(t *testing.T) {
	used := map[string]bool{}
	everyDeployment(func(d Deployment) {
		for _, name := range Uses(d) {
			used[name] = true
		}
	})
	lines, err := csv.NewReader(strings.NewReader(fittedCSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range lines[1:] {
		if !used[cells[0]] {
			t.Errorf("no deployment uses %s", cells[0])
			continue
		}
		if want := fmt.Sprintf("%.3g", PriorOf(cells[0]).Value); cells[2] != want {
			t.Errorf("%s: prior %s in the table, want %s", cells[0], cells[2], want)
		}
	}
	if n := len(fittedTable()); n != len(lines)-1 || n < 1 || n > 60 {
		t.Errorf("%d constants in %d lines, want 1 to 60, one a line", n, len(lines)-1)
	}
}

func TestFittedIsACopy(t *testing.T) {
	v := Fitted()
	before := v["mbu.serving"]
	v["mbu.serving"] = 0
	if after := Fitted()["mbu.serving"]; after != before || !(after > 0) {
		t.Errorf("changing the copy changed the table: %v, then %v", before, after)
	}
}

func TestReadFittedRefuses(t *testing.T) {
	const header = "name,value,prior,rows\n"
	table, err := readFitted(header + "mbu.serving,.8,.75,12\n")
	if err != nil || len(table) != 1 || table["mbu.serving"] != (fittedConstant{.8, 12}) {
		t.Fatalf("%v, %v", table, err)
	}
	for name, text := range map[string]string{
		"nothing":        "",
		"another header": "name,value,rows\n",
		"no number":      header + "a,x,1,1\n",
		"zero":           header + "a,0,1,1\n",
		"not a number":   header + "a,NaN,1,1\n",
		"no rows":        header + "a,1,1,0\n",
		"half a row":     header + "a,1,1,.5\n",
		"a name twice":   header + "a,1,1,1\na,1,1,1\n",
		"too few cells":  header + "a,1\n",
	} {
		if table, err := readFitted(text); err == nil {
			t.Errorf("%s: read as %v", name, table)
		}
	}
}
