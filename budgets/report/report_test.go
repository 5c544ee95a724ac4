package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestCacheWords: what became of the KV cache is in the notes and in the document.
func TestCacheWords(t *testing.T) {
	c := cacheUse(&trace.Engine{Blocks: 100, Peak: 100, Held: 500, Steps: 10, Full: 2, Preemptions: 3, TokensMoved: 64})
	if *c != (Cache{.5, 1, .2, 3, 64}) {
		t.Errorf("%+v", c)
	}
	const want = "KV cache: 50 % in use on average over the steps of the engine, 100 % at most, more than 95 % in 20 % of them; requests gave way 3 times; 64 tokens moved to a memory beside it or back."
	if got := c.words(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	quiet := cacheUse(&trace.Engine{Blocks: 100, Peak: 20, Held: 100, Steps: 10})
	if got := quiet.words(); got != "KV cache: 10 % in use on average over the steps of the engine, 20 % at most." {
		t.Errorf("%q", got)
	}
	if cacheUse(nil) != nil || cacheUse(&trace.Engine{Blocks: 1}) != nil {
		t.Error("a cache that nobody knows of, or that computed nothing, has a use")
	}
}

// hosted makes two stages rest on published medians.
func hosted(run trace.Run) trace.Run {
	run.Header.Stages[4] = trace.Stage{Name: "llm_first_token", Simulated: true, Component: "acme-fast-chat", NoSpread: true}
	run.Header.Stages[6] = trace.Stage{Name: "tts_first_audio", Simulated: true, Component: "acme-voice", NoSpread: true}
	return run
}

func cases() map[string]trace.Run {
	cut := voiceRun(12, 90*ms, "p95(reply) < 500ms")
	cut.Header.N, cut.Footer.Finished, cut.Footer.Reason = 200, false, "interrupted"
	unfit := ideRun(400, "share(ttfc < 15ms) >= 90%", "mean(ok_share) >= 99%", "p50(first_line) < 30ms", "p90(first_line) < 30ms")
	reused := ideRun(1)
	reused.Traces[0] = pipeline.Trace{Kind: "ide", Due: ms, End: 2 * ms}
	reused.Traces[0].Facts = []pipeline.Fact{{Name: "opportunity", Value: "yes"}, {Name: "source", Value: "typed_as_suggested"}}
	reused.Traces[0].Marks = []pipeline.Mark{{Name: "first_character", At: ms}}
	none := voiceRun(2, 90*ms)
	none.Traces = nil
	return map[string]trace.Run{
		"voice_pass":       voiceRun(200, 90*ms, "p95(reply) < 500ms", "p95(stt_tail) <= 100ms"),
		"voice_fail":       voiceRun(200, 420*ms, "p95(reply) < 500ms", "p95(stt_tail) <= 100ms", "mean(ok_share) >= 99%"),
		"voice_far":        voiceRun(200, 420*ms, "p95(reply) < 150ms"),
		"voice_unmeasured": hosted(voiceRun(200, 420*ms, "p50(reply) < 900ms", "p95(reply) < 700ms")),
		"voice_certain":    hosted(voiceRun(200, 420*ms, "p95(reply) < 500ms")),
		"voice_cut":        cut,
		"voice_none":       none,
		"voice_shared":     shared(voiceRun(200, 20*ms, "p95(reply) < 500ms", "mean(cached_share) >= 50%")),
		"ide_fail":         ideRun(400, "share(ttfc < 150ms) >= 90%", "mean(requests_per_key) <= 1.2"),
		"ide_unfit":        unfit,
		"ide_reused":       reused,
		"endpoint":         endpointRun("p95(ttft) < 105ms", "p99(ttft) < 1s", "mean(ok_share) >= 90%", "p95(tls) < 100ms"),
	}
}

func TestGolden(t *testing.T) {
	for name, run := range cases() {
		t.Run(name, func(t *testing.T) {
			r, err := New(run)
			if err != nil {
				t.Fatal(err)
			}
			var table, document bytes.Buffer
			if err := r.Table(&table, Options{}); err != nil {
				t.Fatal(err)
			}
			if err := r.JSON(&document); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", table.Bytes())
			golden(t, name+".json", document.Bytes())
		})
	}
}

func TestGoldenColor(t *testing.T) {
	r, err := New(voiceRun(200, 420*ms, "p95(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := r.Table(&table, Options{Width: 80, Color: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "voice_color_80.txt", table.Bytes())
}

// No line is wider than the page when that has the usual width or more.
func TestWidth(t *testing.T) {
	for name, run := range cases() {
		r, err := New(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{100, 160} {
			var table bytes.Buffer
			if err := r.Table(&table, Options{Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(table.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s: %d columns on a page of %d: %s", name, n, width, line)
				}
			}
		}
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed; it would be\n%s", path, got)
	}
}

// A run that was written and read again gives the same bytes.
func TestReportOfFileIsTheSame(t *testing.T) {
	for name, run := range cases() {
		var file, first, second bytes.Buffer
		w, err := trace.NewWriter(&file, run.Header)
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Traces {
			if err := w.Write(&run.Traces[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(run.Footer); err != nil {
			t.Fatal(err)
		}
		again, err := trace.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			run trace.Run
			to  *bytes.Buffer
		}{{run, &first}, {again, &second}} {
			r, err := New(x.run)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.JSON(x.to); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: the report of the file differs:\n%s\nfrom\n%s", name, second.String(), first.String())
		}
	}
}

// The document has the fields that were promised, with null for the unknown.
func TestDocumentFields(t *testing.T) {
	r, err := New(voiceRun(12, 90*ms, "p95(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	var document bytes.Buffer
	if err := r.JSON(&document); err != nil {
		t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(document.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"verdict", "scenario", "scenario_hash", "target", "seed", "n", "version", "budgets", "metrics", "stages",
		"report_version", "outcomes", "lateness", "unfit", "levers", "formulas",
	} {
		if fields[name] == nil {
			t.Errorf("the document has no %s", name)
		}
	}
	var lists struct {
		Budgets []map[string]any
		Metrics map[string]map[string]any
		Stages  []map[string]any
	}
	if err := json.Unmarshal(document.Bytes(), &lists); err != nil {
		t.Fatal(err)
	}
	if b := lists.Budgets[0]; b["value"] != nil || b["margin"] != nil || b["limit"] != 500.0 || b["verdict"] != "unmeasured" {
		t.Errorf("budget %v, want an unmeasured one without value and margin", b)
	}
	if m := lists.Metrics["reply"]; m["n"] != 12.0 || m["p95"] != nil || m["unit"] != "ms" || m["p50"] == nil {
		t.Errorf("metric %v, want 12 values with a median and no p95", m)
	}
	if s := lists.Stages[0]; s["name"] != "uplink" || s["p50"] != 20.0 || s["share_critical"] != 1.0 {
		t.Errorf("stage %v, want uplink at 20 ms, always critical", s)
	}
	// 20 + 40 + 90 + 60 + 41.234567 + 2.5 + 80 + 25, to the nanosecond.
	first, err := New(voiceRun(1, 90*ms, "max(reply) < 500ms"))
	if err != nil {
		t.Fatal(err)
	}
	if got := *first.Budgets[0].Value; got != 358.734567 {
		t.Errorf("value = %v, want 358.734567", got)
	}
}

func TestCompare(t *testing.T) {
	a, err := New(voiceRun(50, 90*ms))
	if err != nil {
		t.Fatal(err)
	}
	run := voiceRun(50, 90*ms)
	run.Header.Target = "mock"
	run.Footer.Lateness = trace.Lateness{N: 5210, P50: 70_000, P99: 410_000, Max: 1_900_000}
	for i := range run.Traces {
		run.Traces[i].Requests[0].FirstOutput += ms
	}
	b, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	c := Compare(a, b)
	var table bytes.Buffer
	if err := c.Table(&table, Options{}); err != nil {
		t.Fatal(err)
	}
	document, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.txt", table.Bytes())
	golden(t, "comparison.json", append(document, '\n'))
}

// All durations of a table or a waterfall are in one unit, which the longest decides.
func TestTableUnit(t *testing.T) {
	figure := 12.5
	for _, c := range []struct {
		longest           time.Duration
		name, span, short string
	}{
		{10*time.Second - 1, "ms", "1,500.0 ms", "12.5"},
		{10 * time.Second, "s", "1.50 s", "0.01"},
	} {
		u := tableUnit(c.longest)
		if got := u.span(1500 * ms); u.name != c.name || got != c.span || u.figure(&figure) != c.short {
			t.Errorf("up to %s: %s, %s, %s; want %s, %s, %s", c.longest, u.name, got, u.figure(&figure), c.name, c.span, c.short)
		}
		if u.figure(nil) != "-" || u.span(pipeline.Unknown) != "open" {
			t.Errorf("unknown reads %s and %s, want - and open", u.figure(nil), u.span(pipeline.Unknown))
		}
	}
}
