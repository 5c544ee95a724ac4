package picture

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg"

	"halfsecond/budgets/grid"
	"halfsecond/budgets/report"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// bench returns a comparison of two models, three ways to serve and four lengths.
// The first model has no second way at the longest.
func bench(t *testing.T) *report.Bench {
	t.Helper()
	run := trace.Run{Header: trace.Header{Scenario: "two models", Kind: pipeline.KindGrid, Target: "sim"}}
	now := time.Duration(0)
	ask := func(model, variant string, prompt int, ttft, tpot, stall time.Duration) {
		r := pipeline.NewRequest(int64(len(run.Traces)+1), now)
		r.Sent, r.FirstOutput, r.LastOutput, r.OutputTokens = now, now+ttft, now+ttft+10*tpot, 11
		tr := pipeline.Trace{Kind: pipeline.KindBench, Session: len(run.Traces), Due: now, End: r.LastOutput, Requests: []pipeline.Request{r}, Facts: []pipeline.Fact{
			{Name: pipeline.FactModel, Value: model}, {Name: pipeline.FactVariant, Value: variant}, {Name: pipeline.FactPrompt, Value: strconv.Itoa(prompt)},
			{Name: grid.FactEngine, Value: model + " on a card by vllm"},
		}}
		switch variant {
		case "baseline":
			tr.Facts = append(tr.Facts, pipeline.Fact{Name: grid.FactChanges, Value: "chunked_prefill: false"})
		case "speculative decoding":
			tr.Facts = append(tr.Facts, pipeline.Fact{Name: grid.FactAssumed, Value: "acceptance"})
		}
		if stall > 0 {
			tr.Facts = append(tr.Facts, pipeline.Fact{Name: pipeline.FactBeside, Value: pipeline.BesideStream})
			tr.Add(pipeline.Span{Name: pipeline.SpanStall, Start: now, End: now + stall})
		}
		run.Traces = append(run.Traces, tr)
		now = r.LastOutput
	}
	for m, model := range []string{"Phi-3-mini-4k", "TinyLlama-1.1B"} {
		for _, n := range []int{128, 512, 1024, 2048} {
			for v, variant := range []string{"baseline", "chunked prefill", "speculative decoding"} {
				if m == 1 && n == 2048 {
					continue
				}
				for i := range 3 {
					wave := time.Duration(i*v) * 300 * time.Microsecond
					ttft := (12*ms + time.Duration(n)*70*time.Microsecond) / time.Duration(1+2*m)
					ask(model, variant, n, ttft+time.Duration(v)*4*ms+wave, (9*ms-time.Duration(v*v)*ms)/time.Duration(1+m)+wave/4, 0)
					ask(model, variant, n, ttft, ms, ttft/time.Duration(1+v)+10*ms+wave)
				}
			}
		}
	}
	b, err := report.NewBench(run)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNames(t *testing.T) {
	var names []string
	for _, p := range Bench(bench(t)) {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "ttft tpot stall" {
		t.Errorf("pictures %s, want ttft tpot stall", got)
	}
}

func TestPNG(t *testing.T) {
	for _, p := range Bench(bench(t)) {
		var out bytes.Buffer
		if err := p.PNG(&out); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		wide, high := img.Bounds().Dx(), img.Bounds().Dy()
		if want := int(p.width.Points() / 72 * dotsPerInch); math.Abs(float64(wide-want)) > 1 {
			t.Errorf("%s is %d dots wide, want %d", p.Name, wide, want)
		}
		// The ink of the first curve is there, and so is paper.
		ink, paper := 0, 0
		for x := range wide {
			for y := range high {
				switch r, g, b, _ := img.At(x, y).RGBA(); {
				case r>>8 == 0x00 && g>>8 == 0x72 && b>>8 == 0xb2:
					ink++
				case r>>8 == 0xff && g>>8 == 0xff && b>>8 == 0xff:
					paper++
				}
			}
		}
		if ink < 500 || paper < wide*high/2 {
			t.Errorf("%s has %d dots of the first curve's ink and %d of %d are white", p.Name, ink, paper, wide*high)
		}
	}
}

// element is a part of an SVG that stands in a place of its own.
type element struct {
	XMLName xml.Name
	Path    string    `xml:"d,attr"`
	Style   string    `xml:"style,attr"`
	X       float64   `xml:"x,attr"`
	Y       float64   `xml:"y,attr"`
	Text    string    `xml:",chardata"`
	Inner   []element `xml:",any"`
}

// parts returns all elements of a picture, with the outermost first.
func parts(t *testing.T, p Picture) []element {
	t.Helper()
	var out bytes.Buffer
	if err := p.SVG(&out); err != nil {
		t.Fatal(err)
	}
	var root element
	if err := xml.Unmarshal(out.Bytes(), &root); err != nil {
		t.Fatalf("%s is no SVG: %v", p.Name, err)
	}
	all := []element{root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].Inner...)
	}
	return all
}

var (
	command = regexp.MustCompile(`[MLAZ][^MLAZ]*`)
	figure  = regexp.MustCompile(`-?[0-9.]+(e[-+]?[0-9]+)?`)
)

// figures returns the numbers of each command of a path. It fails on any other.
func figures(t *testing.T, path string) (out [][]float64) {
	t.Helper()
	if strings.Join(command.FindAllString(path, -1), "") != path || !strings.HasPrefix(path, "M") {
		t.Fatalf("path %q has other commands than M, L, A and Z", path)
	}
	for _, c := range command.FindAllString(path, -1) {
		var numbers []float64
		for _, f := range figure.FindAllString(c[1:], -1) {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				t.Fatalf("path %q: %v", path, err)
			}
			numbers = append(numbers, v)
		}
		out = append(out, numbers)
	}
	return out
}

// Every path can be read, and the marks of each baseline lie where the axis, as its
// labels divide it, has the values.
func TestSVGMarksLieAtTheirValues(t *testing.T) {
	b := bench(t)
	all := parts(t, Bench(b)[0])
	var lines [][][]float64 // the first curve of each panel, point by point
	label := map[string][]element{}
	for _, e := range all {
		switch e.XMLName.Local {
		case "path":
			points := figures(t, e.Path)
			if strings.Contains(e.Style, "stroke:#0072B2") && len(points) > 2 {
				lines = append(lines, points)
			}
		case "text":
			label[e.Text] = append(label[e.Text], e)
		}
	}
	if len(lines) != 2 {
		t.Fatalf("%d curves of the baseline, want one a panel", len(lines))
	}
	// Two labels of the y axis and two values give the scale; texts are upside down.
	at := func(text string) float64 { return -label[text][0].Y }
	unit := (at("150") - at("50")) / 100
	var x, y []float64
	for i := range b.Cells {
		if c := &b.Cells[i]; c.Variant == "baseline" && c.TTFT != nil {
			x, y = append(x, float64(c.PromptTokens)), append(y, c.TTFT.P50)
		}
	}
	got := append(append([][]float64{}, lines[0]...), lines[1]...)
	if len(got) != len(x) {
		t.Fatalf("%d marks, want %d", len(got), len(x))
	}
	for i := range got {
		if drawn := (got[i][1] - got[0][1]) / unit; math.Abs(drawn-(y[i]-y[0])) > .2 {
			t.Errorf("mark %d is %.2f ms above the first, want %.2f", i, drawn, y[i]-y[0])
		}
	}
	wide := (lines[0][3][0] - lines[0][0][0]) / (2048 - 128)
	for i, p := range lines[0] {
		if drawn := (p[0] - lines[0][0][0]) / wide; math.Abs(drawn-(x[i]-128)) > 3 {
			t.Errorf("mark %d is at %.0f tokens, want %v", i, drawn+128, x[i])
		}
	}
	for i, name := range []string{"128", "512", "1,024", "2,048"} {
		// A label of the x axis has its middle under the mark: half of some 5 points a digit.
		if off := lines[0][i][0] - label[name][0].X; off < 2.5*float64(len(name)-1) || off > 2.5*float64(len(name)+1) {
			t.Errorf("label %s begins %.1f points left of its mark", name, off)
		}
	}
}

func TestSVGSaysWhatItShows(t *testing.T) {
	for _, p := range Bench(bench(t)) {
		said := map[string]bool{}
		for _, e := range parts(t, p) {
			said[e.Text] = true
		}
		for _, want := range []string{
			"two models, on sim; Phi-3-mini-4k on a card by vllm; TinyLlama-1.1B on a card by vllm; baseline with chunked_prefill: false", "Phi-3-mini-4k", "TinyLlama-1.1B", "prompt (tokens)", "baseline", "chunked prefill", "speculative decoding (acceptance assumed)",
			map[string]string{"ttft": "TTFT (ms)", "tpot": "TPOT (ms)", "stall": "longest gap (ms)"}[p.Name],
		} {
			if !said[want] {
				t.Errorf("%s does not say %q", p.Name, want)
			}
		}
		if p.Name == "ttft" && !(said["155 ms"] && said["baseline: linear, 70 ms for 1,000 tokens"]) {
			t.Error("ttft has no label at the end of a curve, or no note of the fit")
		}
	}
}

// A picture of one panel is as wide as its title and as any word below it, and that
// many lines higher than one with a single line.
func TestHeadFits(t *testing.T) {
	lineOf := map[string]vg.Length{}
	for _, c := range []chart{
		{title: "How long a running stream stops while a prompt comes in", subtitle: "one, on sim"},
		{title: "short", subtitle: "one, on sim"},
		{title: "short", subtitle: strings.Repeat("a long name of a scenario ", 5)},
		{title: "short", subtitle: "one " + strings.Repeat("word", 30) + " here"},
	} {
		c.names, c.panels = []string{"baseline"}, []panel{{curves: []curve{{points: []point{{128, 9, 9, 9}}}}}}
		p := c.picture("one")
		room := p.width - 2*margin
		below := lines(c.subtitle, subtitleStyle, room)
		for _, line := range append(below, "") {
			if room < titleStyle.Width(c.title) || room < subtitleStyle.Width(line) || room < panelWidth {
				t.Errorf("%q over %q has %.0f points: that cuts it off", c.title, line, room)
			}
		}
		if got, want := strings.Join(below, " "), strings.TrimSpace(c.subtitle); got != want {
			t.Errorf("lines say %q, want %q", got, want)
		}
		lineOf[c.subtitle] = p.height - lineHeight*vg.Length(len(below))
		var out bytes.Buffer
		if err := p.SVG(&out); err != nil {
			t.Error(err)
		}
	}
	for subtitle, rest := range lineOf {
		if rest != lineOf["one, on sim"] {
			t.Errorf("below %q there are %.0f points, want %.0f", subtitle, rest, lineOf["one, on sim"])
		}
	}
}

func TestSpread(t *testing.T) {
	got := spread([]label{{y: 30, text: "c"}, {y: 2, text: "a"}, {y: 9, text: "b"}, {y: 60, text: "d"}}, 11, 5)
	words := ""
	for _, l := range got {
		words += l.text + strconv.Itoa(int(l.y)) + " "
	}
	if words != "a5 b16 c30 d60 " {
		t.Errorf("labels at %s, want a5 b16 c30 d60", words)
	}
}

func TestTicks(t *testing.T) {
	for high, want := range map[float64]string{
		170: "0 20 40 60 80 100 120 140 160", 9.6: "0 1 2 3 4 5 6 7 8 9", 1.2: "0.0 0.2 0.4 0.6 0.8 1.0 1.2", 4100: "0 1,000 2,000 3,000 4,000",
		.031: "0.000 0.005 0.010 0.015 0.020 0.025 0.030",
	} {
		var labels []string
		for _, tick := range (valueTicks{1}).Ticks(0, high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("ticks up to %v are %s, want %s", high, got, want)
		}
	}
	seconds := (valueTicks{1000}).Ticks(0, 12_500)
	if last := seconds[len(seconds)-1]; len(seconds) != 7 || last.Label != "12" || last.Value != 12_000 {
		t.Errorf("ticks up to 12.5 s are %v, want every 2 s", seconds)
	}
	p := panel{curves: []curve{{points: []point{{x: 128}, {x: 1024}, {x: 32768}}}, {points: []point{{x: 100_000}}}}}
	var labels []string
	for _, tick := range lengthTicks(&p, 100_000) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels, "|"); got != "|100,000|32,768||" {
		t.Errorf("lengths are labelled %s: want those that have room, all marked", got)
	}
}
