package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/budgets"
	"halfsecond/budgets/versus"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// junitFile is what a consumer reads of a JUnit file.
type junitFile struct {
	Suites []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"`
		Cases    []struct {
			Class   string   `xml:"classname,attr"`
			Name    string   `xml:"name,attr"`
			Time    string   `xml:"time,attr"`
			Failure *message `xml:"failure"`
			Error   *message `xml:"error"`
			Skipped *message `xml:"skipped"`
		} `xml:"testcase"`
		Out string `xml:"system-out"`
	} `xml:"testsuite"`
}

type message struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// parsed reads a JUnit file, and fails on one that is not well formed.
func parsed(t *testing.T, write func(io.Writer) error) junitFile {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	var d junitFile
	if err := xml.Unmarshal(b.Bytes(), &d); err != nil || len(d.Suites) == 0 {
		t.Fatalf("%v: %d suites in\n%s", err, len(d.Suites), b.String())
	}
	return d
}

func formats(t *testing.T, name string, f interface {
	Markdown(io.Writer) error
	JUnit(io.Writer) error
}) {
	t.Helper()
	var page, junit bytes.Buffer
	if err := f.Markdown(&page); err != nil {
		t.Fatal(err)
	}
	if err := f.JUnit(&junit); err != nil {
		t.Fatal(err)
	}
	golden(t, name+".md", page.Bytes())
	golden(t, name+".xml", junit.Bytes())
	rectangular(t, name, page.String())
}

// rectangular checks that every row of a Markdown table has as many cells as its header.
func rectangular(t *testing.T, name, page string) {
	t.Helper()
	columns, tables := 0, 0
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		bare := strings.NewReplacer(`\\`, "", `\|`, "").Replace(line)
		n := strings.Count(bare, "|")
		if columns == 0 {
			columns, tables = n, tables+1
		}
		if n != columns {
			t.Errorf("%s: %d cell borders in a table of %d: %s", name, n, columns, line)
		}
	}
	if tables == 0 {
		t.Errorf("%s has no table", name)
	}
}

func TestRunFormats(t *testing.T) {
	for name, run := range map[string]trace.Run{
		"endpoint":         endpointRun("p95(ttft) < 105ms", "p99(ttft) < 1s", "mean(ok_share) >= 90%", "p95(tls) < 100ms"),
		"voice_fail":       cases()["voice_fail"],
		"voice_unmeasured": cases()["voice_unmeasured"],
		"voice_cut":        cases()["voice_cut"],
	} {
		r := report(t, run)
		formats(t, name, r)
		d := parsed(t, r.JUnit).Suites[0]
		if d.Tests != len(r.Budgets)+1 || d.Tests != len(d.Cases) {
			t.Errorf("%s: %d tests for %d budgets, %d cases", name, d.Tests, len(r.Budgets), len(d.Cases))
		}
		failures, errors := 0, 0
		for i, b := range r.Budgets {
			c := d.Cases[i]
			if c.Name != b.Expression || (c.Failure != nil) != (b.Verdict == budgets.Fail) || (c.Error != nil) != (b.Verdict == budgets.Unmeasured) || c.Skipped != nil {
				t.Errorf("%s: case %+v for %s, %v", name, c, b.Expression, b.Verdict)
			}
			if c.Failure != nil {
				failures++
			}
			if c.Error != nil {
				errors++
			}
		}
		if !r.Finished {
			errors++
		}
		if d.Failures != failures || d.Errors != errors || d.Skipped != 0 {
			t.Errorf("%s: counts %d failures, %d errors, want %d and %d", name, d.Failures, d.Errors, failures, errors)
		}
	}
}

// Times are in seconds, and a failure says by how much.
func TestJUnitWords(t *testing.T) {
	d := parsed(t, report(t, voiceRun(1, 90*ms, "max(reply) < 300ms")).JUnit).Suites[0]
	if c := d.Cases[0]; c.Time != "0.358734567" || c.Failure == nil || c.Failure.Message != "the largest reply lands at 359 ms, 59 ms over 300 ms" {
		t.Errorf("%+v, %+v", c, c.Failure)
	}
	if d.Time != "0.358734567" { // from due to the end
		t.Errorf("the suite took %s s", d.Time)
	}
	const why = "send_to_text takes the most of the time to the first character of those outside, 114 ms of 164 ms on average; send_to_text under 99.6 ms would keep it"
	d = parsed(t, report(t, cases()["ide_fail"]).JUnit).Suites[0]
	if c := d.Cases[0]; c.Failure == nil || !strings.HasSuffix(c.Failure.Text, "\n"+why) || strings.Count(d.Out, why) != 1 {
		t.Errorf("%+v of %q, want why: %s", c.Failure, d.Out, why)
	}
	kept := ideRun(400, "share(ttfc < 150ms) >= 30%")
	d = parsed(t, report(t, kept).JUnit).Suites[0]
	if want := "\nWhy: send_to_text takes the most of the time to the first character, 97.5 ms of 148 ms on average."; !strings.HasSuffix(d.Out, want) {
		t.Errorf("%q, want at its end%s", d.Out, want)
	}
	d = parsed(t, report(t, cases()["voice_cut"]).JUnit).Suites[0]
	if c := d.Cases[1]; c.Name != "the run finished" || c.Error == nil || c.Error.Message != "the run did not finish (interrupted): this is 12 of 200 turns" {
		t.Errorf("%+v, %+v", c, c.Error)
	}
}

// What stands in for a report is well formed, and says why there is none.
func TestNothing(t *testing.T) {
	n := Nothing{Command: "compare", Why: "a | <b> & \"c\"\nsecond line"}
	d := parsed(t, n.JUnit).Suites[0]
	if c := d.Cases[0]; d.Tests != 1 || d.Errors != 1 || c.Name != "the run finished" || c.Class != "halfsecond.compare" || c.Error.Message != `a | <b> & "c"` {
		t.Errorf("%+v, %+v", d, c.Error)
	}
	var page bytes.Buffer
	if err := n.Markdown(&page); err != nil {
		t.Fatal(err)
	}
	if want := "### ⚠️ halfsecond compare: no report\n\na \\| \\<b\\> \\& \"c\"\n\nsecond line\n"; page.String() != want {
		t.Errorf("%q, want %q", page.String(), want)
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"a | b":            `a \| b`,
		`a \| b`:           `a \\\| b`,
		"two\nlines\r\n":   "two lines",
		"<b>*x*</b> `y`":   "\\<b\\>\\*x\\*\\</b\\> \\`y\\`",
		"p95(ttft) < 1s":   `p95(ttft) \< 1s`,
		"[link](http://x)": `\[link\](http://x)`,
		"12 % & more":      `12 % \& more`,
	} {
		if got := escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever a server writes, a table stays a table and XML stays XML.
func FuzzForeignText(f *testing.F) {
	for _, s := range []string{"a|b", `\|`, "\\", "]]>", "\x00\x01\xff", "<!--", "```\n| x |", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		run := endpointRun("p95(ttft) < 105ms")
		run.Header.Scenario = s
		run.Traces = run.Traces[:60]
		run.Traces[50].Requests[0].Reason = s
		r := report(t, run)
		var page bytes.Buffer
		if err := r.Markdown(&page); err != nil {
			t.Fatal(err)
		}
		rectangular(t, s, page.String())
		parsed(t, r.JUnit)
	})
}

func versusOf(t *testing.T, a, b trace.Run) *Versus {
	t.Helper()
	side := func(run trace.Run) *versus.Run {
		analysis, err := budgets.Analyse(run)
		if err != nil {
			t.Fatal(err)
		}
		return versus.Of(analysis)
	}
	c, err := versus.Compare(side(a), side(b), versus.Settings{Seed: 1, Anyway: true})
	if err != nil {
		t.Fatal(err)
	}
	return NewVersus(c)
}

// slower makes every answer later.
func slower(run trace.Run, by time.Duration) trace.Run {
	for i := range run.Traces {
		t := &run.Traces[i]
		r := &t.Requests[0]
		if r.Outcome != pipeline.OK {
			continue
		}
		for _, at := range []*time.Duration{&r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput, &r.End, &t.End, &t.Spans[0].End, &t.Spans[1].Start, &t.Spans[1].End} {
			*at += by
		}
	}
	return run
}

// otherSeed makes a run one that is not paired.
func otherSeed(run trace.Run) trace.Run {
	run.Header.Seed++
	return run
}

// few leaves a run of 30, of which no p95 has an interval.
func few(run trace.Run) trace.Run {
	run.Traces, run.Header.N = run.Traces[:30], 30
	return run
}

func versusCases(t *testing.T) map[string]*Versus {
	budget := "p95(ttft) < 140ms"
	cut := slower(endpointRun(budget), 50*ms)
	cut.Footer.Finished, cut.Footer.Reason, cut.Header.N = false, "interrupted | by hand", 300
	return map[string]*Versus{
		"versus_worse":  versusOf(t, endpointRun(budget), slower(endpointRun(budget), 50*ms)),
		"versus_better": versusOf(t, slower(endpointRun(budget), 50*ms), endpointRun(budget)),
		"versus_same":   versusOf(t, endpointRun(budget), endpointRun(budget)),
		"versus_cut":    versusOf(t, endpointRun(budget), cut),
		"versus_seeds":  versusOf(t, endpointRun(budget), otherSeed(slower(endpointRun(budget), 1))),
		"versus_few":    versusOf(t, few(endpointRun(budget)), few(slower(endpointRun(budget), ms))),
	}
}

func TestVersusFormats(t *testing.T) {
	for name, v := range versusCases(t) {
		var table, doc bytes.Buffer
		if err := v.Table(&table, Options{}); err != nil {
			t.Fatal(err)
		}
		if err := v.JSON(&doc); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", table.Bytes())
		golden(t, name+".json", doc.Bytes())
		formats(t, name, v)
		for line := range strings.Lines(table.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > 120 {
				t.Errorf("%s: %d columns: %s", name, n, line)
			}
		}
	}
}

// A case is a failure where a figure is worse, skipped where nothing can be told of it,
// and an error where nothing can be told of any.
func TestVersusJUnit(t *testing.T) {
	all := versusCases(t)
	for name, want := range map[string][4]int{ // tests, failures, errors, skipped
		"versus_worse": {10, 7, 0, 3}, "versus_better": {10, 0, 0, 3}, "versus_same": {10, 0, 0, 4}, "versus_cut": {10, 0, 10, 0},
	} {
		d := parsed(t, all[name].JUnit).Suites[0]
		if got := [4]int{d.Tests, d.Failures, d.Errors, d.Skipped}; got != want {
			t.Errorf("%s: tests, failures, errors, skipped %v, want %v", name, got, want)
		}
	}
	if got := all["versus_worse"].Verdict; got != versus.Regression {
		t.Errorf("verdict %v, want worse", got)
	}
}
