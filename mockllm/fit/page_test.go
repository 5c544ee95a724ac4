package fit

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

const pageFile = "../../docs/model.md"

// generated are the parts of the page that follow from code and measurements. Each
// stands between two comments that name it.
var generated = []struct {
	name string
	text func(t *testing.T) string
}{
	{"formats", formatsPart},
	{"cache formats", cacheFormatsPart},
	{"engines", enginesPart},
	{"chunks", chunksPart},
	{"fitted constants", fittedPart},
	{"other constants", otherPart},
	{"errors", errorsPart},
	{"errors by engine", func(*testing.T) string {
		return errorsBy("engine family", func(j Judged) string { return j.Family })
	}},
	{"errors by hardware", func(*testing.T) string { return errorsBy("hardware family", hardwareFamily) }},
	{"errors by metric", metricsPart},
	{"worst rows", worstPart},
	{"all-reduces", allReducesPart},
	{"recorded runs", recordedPart},
	{"full cache", fullCachePart},
}

// TestPage: what the page says of code and measurements is so.
func TestPage(t *testing.T) {
	data, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	if n := strings.Count(page, "<!-- generated: "); n != len(generated) {
		t.Errorf("%s has %d generated parts, want %d", pageFile, n, len(generated))
	}
	for _, g := range generated {
		begin, end := "<!-- generated: "+g.name+" -->\n", "<!-- end of "+g.name+" -->\n"
		before, rest, ok1 := strings.Cut(page, begin)
		old, after, ok2 := strings.Cut(rest, end)
		if !ok1 || !ok2 {
			t.Fatalf("%s lacks %sand, behind it, %s", pageFile, begin, end)
		}
		text := g.text(t)
		if text != old && !*update {
			t.Errorf("%s: part %q is not what the code gives: run go test ./mockllm/fit -run TestPage -update and look at the difference", pageFile, g.name)
		}
		page = before + begin + text + end + after
	}
	if *update && !t.Failed() {
		if err := os.WriteFile(pageFile, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// markdown returns a table. A cell of the header that ends with a colon stands over
// numbers.
func markdown(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	var names, rules []string
	for _, h := range header {
		name, number := strings.CutSuffix(h, ":")
		names, rules = append(names, name), append(rules, map[bool]string{false: "---", true: "---:"}[number])
	}
	line(names)
	line(rules)
	for _, r := range rows {
		line(r)
	}
	return b.String()
}

// percent returns a share as a percentage; no sign tells a zero from another.
func percent(format string, share float64) string {
	switch s := fmt.Sprintf(format, 100*share); s {
	case "-0", "+0":
		return "0 %"
	case "-0.0", "+0.0":
		return "0.0 %"
	default:
		return s + " %"
	}
}

// judgement is the published measurements, judged by constants that saw all of them,
// or all but those of the same device or model, or none.
type judgement struct {
	in, gpu, model Result
	priors         []Judged
}

var published = sync.OnceValue(func() judgement {
	all, _ := samples(catalog.Builtin(), Published())
	return judgement{Validate(catalog.Builtin(), Published()), crossGPUs(), crossModels(), judge(all, roofline.Values{})}
})

func errorsPart(*testing.T) string {
	p := published()
	var rows [][]string
	add := func(name string, judged []Judged) {
		s := Summarise(judged)
		rows = append(rows, []string{
			name, fmt.Sprint(s.N), percent("%.1f", s.MeanAPE), percent("%.1f", s.MedianAPE), percent("%.1f", s.P90APE), percent("%+.1f", s.Bias),
			percent("%.0f", Within(judged, .2)), fmt.Sprint(s.Pooled),
		})
	}
	add("nothing: priors alone", p.priors)
	add("all rows (in-sample)", p.in.Rows)
	add(fmt.Sprintf("all but those of the same GPU (%d of them)", p.gpu.Groups), p.gpu.Rows)
	add(fmt.Sprintf("all but those of the same model (%d)", p.model.Groups), p.model.Rows)
	return markdown([]string{"fitted on", "rows:", "mean:", "median:", "p90:", "bias:", "within 20 %:", "with a prior:"}, rows)
}

// errorsBy sets the errors of rows that share a key beside each other.
func errorsBy(what string, key func(Judged) string) string {
	p := published()
	in, gpu, model := By(p.in.Rows, key), By(p.gpu.Rows, key), By(p.model.Rows, key)
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(in)) {
		cells := []string{k, fmt.Sprint(in[k].N)}
		for _, s := range []Summary{in[k], gpu[k], model[k]} {
			cells = append(cells, percent("%.0f", s.MeanAPE), percent("%+.0f", s.Bias))
		}
		rows = append(rows, cells)
	}
	return markdown([]string{what, "rows:", "in-sample:", "bias:", "GPU left out:", "bias:", "model left out:", "bias:"}, rows)
}

// metricsPart sets the errors of the metrics beside each other. Those of TTFT come
// together too, for that is what a budget is mostly about.
func metricsPart(*testing.T) string {
	p := published()
	by := func(rows []Judged) map[string]Summary {
		out := By(rows, metricOf)
		out["ttft_ms, all"] = By(rows, func(j Judged) string { return string(j.Row.Metric) })[string(TTFT)]
		out["all rows"] = Summarise(rows)
		return out
	}
	in, gpu, model := by(p.in.Rows), by(p.gpu.Rows), by(p.model.Rows)
	var rows [][]string
	for _, k := range slices.Sorted(maps.Keys(in)) {
		cells := []string{k, fmt.Sprint(in[k].N)}
		for _, s := range []Summary{in[k], gpu[k], model[k]} {
			p90 := "-"
			if !math.IsNaN(s.P90APE) {
				p90 = percent("%.0f", s.P90APE)
			}
			cells = append(cells, percent("%.1f", s.MeanAPE), p90, percent("%+.0f", s.Bias))
		}
		rows = append(rows, cells)
	}
	return markdown([]string{"metric", "rows:", "in-sample:", "p90:", "bias:", "GPU left out:", "p90:", "bias:", "model left out:", "p90:", "bias:"}, rows)
}

func hardwareFamily(j Judged) string {
	h, err := catalog.FindHardware(j.Row.GPU)
	if err != nil {
		panic(err)
	}
	return h.Family
}

func metricOf(j Judged) string {
	if j.Row.ClosedLoop() {
		return string(j.Row.Metric) + ", closed loop"
	}
	return string(j.Row.Metric)
}

// worstPart lists the rows that are predicted worst by constants that saw no row of
// the same device.
func worstPart(*testing.T) string {
	p := published()
	seen := map[int]float64{}
	for _, j := range p.in.Rows {
		seen[j.Row.Line] = j.Error()
	}
	var rows [][]string
	for _, j := range Worst(p.gpu.Rows, 10) {
		r := j.Row
		rows = append(rows, []string{
			r.ID, r.Engine, r.Model + ", " + r.WeightFormat, fmt.Sprintf("%d x %s", r.GPUs, r.GPU),
			statedCell(r.Prompt), statedCell(r.Generated), statedCell(r.Batch), string(r.Metric),
			number(r.Value), number(j.Predicted), percent("%+.0f", j.Error()), percent("%+.0f", seen[r.Line]),
		})
	}
	return markdown([]string{"row", "engine", "model", "hardware", "prompt:", "output:", "batch:", "metric", "measured:", "predicted:", "error:", "in-sample:"}, rows)
}

// number returns about three digits.
func number(v float64) string {
	if v < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func statedCell(n int) string {
	if n == Unstated {
		return ""
	}
	return fmt.Sprint(n)
}

// otherBandwidth is what another source has for the PRO 6000, in GB/s: aiconfigurator's.
const otherBandwidth = 1792

// recordedPart sets the means of recorded runs beside those of their replays, by
// constants that were fitted to no run; the last one once more, with the bandwidth of
// another source.
func recordedPart(t *testing.T) string {
	var rows [][]string
	add := func(name string, rec recorded, r engine.Replica) {
		run := rec.read(t)
		got, err := Replay(t.Context(), r, run)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range Compare(run, got.Run) {
			_, median, worst := c.Errors()
			rows = append(rows, []string{
				name, c.Name, seconds(c.Measured.Mean), seconds(c.Simulated.Mean), percent("%+.1f", c.MeanError()),
				percent("%.0f", median), percent("%.0f", worst),
			})
		}
	}
	for _, rec := range recordings {
		add(rec.hardware, rec, rec.replica(t, roofline.Constants{}))
	}
	pro := recordings[1]
	faster := pro.replica(t, roofline.Constants{})
	faster.Plan = llama(t, pro.hardware, func(d *roofline.Deployment) { d.Hardware.Bandwidth = otherBandwidth * 1e9 })
	add(fmt.Sprintf("the same at %d GB/s", otherBandwidth), pro, faster)
	return markdown([]string{"run", "time", "measured mean:", "simulated mean:", "error:", "of single requests, median:", "p90:"}, rows)
}

// seconds returns a span in ms below a second, in s from there.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", milliseconds(d))
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// fullCachePart is what equal streams of 500 tokens in and 500 out see when they begin
// together and the cache has room for 320 of them to their ends.
func fullCachePart(t *testing.T) string {
	const streamBlocks, fits = 63, 320
	plan := llama(t, "H100-SXM", func(d *roofline.Deployment) { d.KVTokens = streamBlocks * fits * engine.BlockTokens })
	var rows [][]string
	for _, p := range []engine.Policy{engine.Recompute, engine.Swap, engine.Spill, engine.Reserve} {
		var tpot, slowest, ttft []string
		for _, use := range []int{95, 105, 150, 200} {
			r := engine.Replica{Plan: plan, OnFull: p, OverflowBytes: 1 << 40}
			got, err := Replay(t.Context(), r, slices.Repeat([]Timed{{Queued: pipeline.Unknown, Prompt: 500, Output: 500}}, fits*use/100))
			if err != nil {
				t.Fatal(err)
			}
			tpots := spans(got.Run, Timed.TPOT)
			tpot, slowest = append(tpot, seconds(timesOf(tpots).Mean)), append(slowest, seconds(slices.Max(tpots)))
			ttft = append(ttft, seconds(slices.Max(spans(got.Run, Timed.TTFT))))
		}
		rows = append(rows, slices.Concat([]string{string(p)}, tpot, slowest[3:], ttft[:1], ttft[3:]))
	}
	return markdown([]string{"policy", "mean TPOT at 95 %:", "105 %:", "150 %:", "200 %:", "slowest stream's at 200 %:", "slowest TTFT at 95 %:", "200 %:"}, rows)
}

func spans(run []Timed, of func(Timed) time.Duration) (out []time.Duration) {
	for _, t := range run {
		out = append(out, of(t))
	}
	return out
}

// llama returns the plan of Llama-3.1-8B on some hardware.
func llama(t *testing.T, hardware string, change func(*roofline.Deployment)) *roofline.Plan {
	t.Helper()
	d := roofline.Deployment{Model: model(t, "Llama-3.1-8B"), Hardware: device(t, hardware)}
	change(&d)
	p, err := roofline.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
