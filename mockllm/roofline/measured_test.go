package roofline

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// rows reads a file of testdata: for each line, its cells by column.
func rows(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, column := range lines[0] {
			row[column] = line[i]
		}
		out = append(out, row)
	}
	return out
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// errs are absolute percentage errors.
type errs []float64

func (e *errs) add(predicted, measured float64) { *e = append(*e, 100*math.Abs(predicted/measured-1)) }

func (e errs) median() float64 {
	sorted := slices.Sorted(slices.Values(e))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func (e errs) String() string {
	sum := 0.
	for _, v := range e {
		sum += v
	}
	return fmt.Sprintf("n %d, mean %.1f %%, median %.1f %%", len(e), sum/float64(len(e)), e.median())
}

// What the matrix products of vidur's profiles reach, two numbers a kind of GPU and
// two for all: the exposed share, and what the four products of a layer cost beside.
// Fitted to the file itself.
var profiled = map[string]Constants{
	"A100-80GB-SXM": {MFU: .76, MBU: .84},
	"H100-SXM":      {MFU: .76, MBU: .95},
	"A40":           {MFU: .79, MBU: .82},
}

func profileConstants(hardware string) Constants {
	c := Ideal()
	c.MFU, c.MBU = profiled[hardware].MFU, profiled[hardware].MBU
	c.Exposed, c.LayerFixed = .4, 23*time.Microsecond
	return c
}

// matmulError compares the matrix products of one layer, and what launching a layer
// costs, with the profiles. The constants are those given for a kind of hardware, or
// where they are zero the built-in ones of vllm.
func matmulError(t *testing.T, constants func(hardware string) Constants) (all errs, by map[string]*errs) {
	by = map[string]*errs{}
	plans := map[string]*Plan{}
	for _, row := range rows(t, "layer-gemm.csv") {
		key := row["gpu"] + row["model_shape"] + row["tp"]
		if plans[key] == nil {
			m := model(t, row["model_shape"])
			m.Layers = 1
			plans[key] = plan(t, Deployment{
				Model: m, Hardware: hardware(t, row["gpu"]), GPUs: int(number(t, row["tp"])), Constants: constants(row["gpu"])})
			if by[row["gpu"]] == nil {
				by[row["gpu"]] = &errs{}
			}
		}
		p := plans[key]
		b := Batch{Tokens: int(number(t, row["tokens"]))}
		c := p.cost(&b, 1, 0, 0)
		predicted := (p.matmul(&c) + nanoseconds(p.d.Constants.LayerFixed.Seconds())) / 1e6
		all.add(predicted, number(t, row["gemm_ms_per_layer"]))
		by[row["gpu"]].add(predicted, number(t, row["gemm_ms_per_layer"]))
	}
	return all, by
}

func TestMatmulReproducesProfiles(t *testing.T) {
	all, by := matmulError(t, profileConstants)
	t.Logf("fitted to the profiles: %s", all)
	for _, gpu := range slices.Sorted(maps.Keys(by)) {
		t.Logf("  %s: %s", gpu, by[gpu])
		if by[gpu].median() > 6 {
			t.Errorf("%s: median error %.1f %%, want at most 6 %%", gpu, by[gpu].median())
		}
	}
	if len(all) != 312 || all.median() > 5 {
		t.Errorf("%d rows with a median error of %.1f %%, want 312 and at most 5 %%", len(all), all.median())
	}
	builtIn, by := matmulError(t, func(string) Constants { return Constants{} })
	t.Logf("with the built-in constants, which were fitted to whole engines: %s", builtIn)
	for _, gpu := range slices.Sorted(maps.Keys(by)) {
		t.Logf("  %s: %s", gpu, by[gpu])
	}
	if builtIn.median() > 15 {
		t.Errorf("median error with the built-in constants %.1f %%, want at most 15 %%", builtIn.median())
	}
}

// fabric is how the devices of a row of allreduce.csv are joined: the latency, which
// holds the skew of the profile's launches and so is no constant of an engine, and
// the bus, in GB/s.
type fabric struct{ latency, bus float64 }

// Latencies in microseconds of each kind of node, fitted to the file itself: several
// times what an engine's graph-captured calls take.
var skew = map[string]float64{
	"a100_dgx": 40, "h100_dgx": 36, "a100_pairwise_nvlink": 57, "h100_pairwise_nvlink": 28, "network": 62,
}

// networkBus is what devices of several machines reach, by devices a machine: each
// has a network card of its own, as far as they get along. Nothing in the package
// spreads a layer over machines.
var networkBus = map[int]float64{1: 5.9, 2: 6.5, 4: 19, 8: 12}

// profiledFabric returns the fabric of a row: within a machine the bus is that which
// deployments of this kind have by default.
func profiledFabric(t *testing.T, node string, gpus, perNode int) fabric {
	if gpus > perNode {
		return fabric{skew["network"], networkBus[perNode]}
	}
	h := map[string]string{
		"a100_dgx": "A100-80GB-SXM", "h100_dgx": "H100-SXM", "a100_pairwise_nvlink": "A100-80GB-SXM", "h100_pairwise_nvlink": "H100-NVL",
	}[node]
	if node == "a100_pairwise_nvlink" && gpus > 2 {
		h = "A100-80GB-PCIe" // between pairs
	}
	row := hardware(t, h)
	_, share := fabricOf(row, gpus)
	return fabric{skew[node], share * row.Link / 1e9}
}

func TestAllReduceReproducesProfiles(t *testing.T) {
	var all, machine errs
	by := map[string]*errs{}
	for _, row := range rows(t, "allreduce.csv") {
		gpus, perNode := int(number(t, row["gpus"])), int(number(t, row["gpus_per_node"]))
		f := profiledFabric(t, row["node"], gpus, perNode)
		predicted := allReduceSeconds(number(t, row["message_bytes"]), gpus, f.latency*1e-6, f.bus*1e9) * 1e3
		key := fmt.Sprintf("%s, %d of %d a machine", row["node"], gpus, perNode)
		if by[key] == nil {
			by[key] = &errs{}
		}
		by[key].add(predicted, number(t, row["median_ms"]))
		all.add(predicted, number(t, row["median_ms"]))
		if gpus == perNode {
			machine.add(predicted, number(t, row["median_ms"]))
		}
	}
	t.Logf("all: %s; within a machine: %s", all, machine)
	for _, key := range slices.Sorted(maps.Keys(by)) {
		t.Logf("  %s: %s", key, by[key])
	}
	if len(all) != 200 || all.median() > 15 || machine.median() > 15 {
		t.Errorf("%d rows with a median error of %.1f %%, %.1f %% within a machine; want 200 and at most 15 %%",
			len(all), all.median(), machine.median())
	}
}
