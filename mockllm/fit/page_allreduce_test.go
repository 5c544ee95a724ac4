package fit

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

	"halfsecond/mockllm/roofline"
)

// allReduceFile has times of all-reduces as others profiled them.
const allReduceFile = "../roofline/testdata/allreduce.csv"

// profiledMachine is a kind of machine in that file: the device that stands for it, and
// the latency that fits the file best, as in roofline's TestAllReduceReproducesProfiles.
type profiledMachine struct {
	name, device string
	gpus         int
	fitted       time.Duration
}

var profiledMachines = []profiledMachine{
	{"a100_dgx", "A100-80GB-SXM", 2, 40 * time.Microsecond},
	{"a100_dgx", "A100-80GB-SXM", 4, 40 * time.Microsecond},
	{"a100_dgx", "A100-80GB-SXM", 8, 40 * time.Microsecond},
	{"a100_pairwise_nvlink", "A100-80GB-SXM", 2, 57 * time.Microsecond},
	{"a100_pairwise_nvlink", "A100-80GB-PCIe", 4, 57 * time.Microsecond},
	{"h100_dgx", "H100-SXM", 2, 36 * time.Microsecond},
	{"h100_dgx", "H100-SXM", 4, 36 * time.Microsecond},
	{"h100_dgx", "H100-SXM", 8, 36 * time.Microsecond},
	{"h100_pairwise_nvlink", "H100-NVL", 2, 28 * time.Microsecond},
	{"h100_pairwise_nvlink", "H100-NVL", 4, 28 * time.Microsecond},
}

// allReducesPart sets profiled all-reduces within a machine beside those by latencies
// fitted to them, and by the latencies that predictions have.
func allReducesPart(t *testing.T) string {
	measured := profiledAllReduces(t)
	var rows [][]string
	var fitted, builtIn []Judged
	add := func(name, gpus, latencies string, f, b []Judged) {
		row := []string{name, gpus, fmt.Sprint(len(f))}
		for _, s := range []Summary{Summarise(f), Summarise(b)} {
			row = append(row, percent("%.0f", s.MedianAPE), percent("%.0f", s.MeanAPE))
		}
		rows = append(rows, append(row, latencies))
	}
	for _, m := range profiledMachines {
		own := m.plan(t, 2, 0).Deployment().Constants.AllReduceLatency
		var f, b []Judged
		of := measured[machineKey(m.name, m.gpus)]
		for _, bytes := range slices.Sorted(maps.Keys(of)) {
			f = append(f, Judged{Row: Row{Value: of[bytes]}, Predicted: m.milliseconds(t, bytes, m.fitted)})
			b = append(b, Judged{Row: Row{Value: of[bytes]}, Predicted: m.milliseconds(t, bytes, 0)})
		}
		add("`"+m.name+"`", fmt.Sprint(m.gpus), fmt.Sprintf("%g, %g us", micros(m.fitted), micros(own)), f, b)
		fitted, builtIn = append(fitted, f...), append(builtIn, b...)
	}
	add("all", "", "", fitted, builtIn)
	return markdown([]string{"machine", "devices:", "cases:", "latency fitted, median error:", "mean:", "built-in latency, median error:", "mean:", "the two latencies:"}, rows)
}

// machineKey names a kind of machine and how many of its devices take part.
func machineKey(name string, gpus int) string { return fmt.Sprint(name, " ", gpus) }

// profiledAllReduces returns the milliseconds of all-reduces within a machine by the bytes
// of the message.
func profiledAllReduces(t *testing.T) map[string]map[int]float64 {
	f, err := os.Open(allReduceFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[int]float64{}
	for _, cells := range lines[1:] { // node, gpus, gpus_per_node, message_bytes, median_ms
		var n [4]float64
		for i, cell := range cells[1:] {
			if n[i], err = strconv.ParseFloat(cell, 64); err != nil {
				t.Fatal(err)
			}
		}
		if n[0] != n[1] {
			continue // over several machines
		}
		key := machineKey(cells[0], int(n[0]))
		if out[key] == nil {
			out[key] = map[int]float64{}
		}
		out[key][int(n[2])] = n[3]
	}
	return out
}

// plan returns that of a layer whose all-reduces for one token are of some bytes, with a
// latency of its own unless that is 0.
func (m profiledMachine) plan(t *testing.T, bytes int, latency time.Duration) *roofline.Plan {
	t.Helper()
	return llama(t, m.device, func(d *roofline.Deployment) {
		d.GPUs, d.Model.Layers, d.Model.Hidden = m.gpus, 1, bytes/2
		if latency > 0 {
			d.Constants = roofline.Defaults(*d)
			d.Constants.AllReduceLatency = latency
		}
	})
}

// milliseconds returns what one all-reduce takes; a layer has two.
func (m profiledMachine) milliseconds(t *testing.T, bytes int, latency time.Duration) float64 {
	p := m.plan(t, bytes, latency)
	b := p.Batch()
	b.Add(1, 0, 0)
	return milliseconds(p.Explain(b).Communication) / 2
}

// With the fitted latencies, plans have the errors that roofline's own test reports.
func TestAllReducesOfPage(t *testing.T) {
	m := profiledMachine{"a100_pairwise_nvlink", "A100-80GB-PCIe", 4, 57 * time.Microsecond}
	var all []Judged
	for bytes, value := range profiledAllReduces(t)[machineKey(m.name, m.gpus)] {
		all = append(all, Judged{Row: Row{Value: value}, Predicted: m.milliseconds(t, bytes, m.fitted)})
	}
	if s := Summarise(all); s.N != 16 || math.Abs(s.MeanAPE-.111) > .0006 {
		t.Errorf("%d cases with a mean error of %.4f, want 16 and .111", s.N, s.MeanAPE)
	}
}
