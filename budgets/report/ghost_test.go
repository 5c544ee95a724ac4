package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
)

// A reason names the stage, and what would bring the budget inside; a stage of a few
// milliseconds is none.
func TestReasonWords(t *testing.T) {
	b, err := budgets.Parse("share(ttfc < 150ms) >= 90%", budgets.Metrics("ide"))
	if err != nil {
		t.Fatal(err)
	}
	failed, kept := &budgets.Judgement{Budget: b, Verdict: budgets.Fail}, &budgets.Judgement{Budget: b}
	lever := func(enough bool, limit time.Duration, stages ...string) budgets.Lever {
		return budgets.Lever{Stages: stages, Enough: enough, Cap: limit, AtZero: .7}
	}
	together := budgets.Lever{Stages: []string{"server_queue", "prefill", "send"}, Enough: true, Keep: 50}
	f := &ghost.Figures{Censored: ghost.Censored{Share: ghost.Share{N: 3, Of: 10}, Why: []ghost.Count{{Name: "not_asked", N: 2}, {Name: "refused", N: 1}}}}
	for _, c := range []struct {
		reason budgets.Reason
		want   string
	}{
		{budgets.Reason{Judgement: failed, Stage: "debounce", Takes: 350 * ms, Waited: 9, Landed: 9, Fixed: true, Alone: true, Without: .1, Levers: []budgets.Lever{lever(false, pipeline.Unknown, "debounce")}},
			"debounce 350 ms alone breaks a 150 ms budget: with nothing else to wait for, and text after every opportunity, it would be 10 %; without it, and all else as it is, it would be 70 %"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 120 * ms, Waited: 71, Landed: 998, Alone: true, Without: .1},
			"prefill (120 ms at the median of the 71 of 998 opportunities with text that wait for it) alone breaks a 150 ms budget: with nothing else to wait for, and text after every opportunity, it would be 10 %"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 100 * ms, Of: 160 * ms, Levers: []budgets.Lever{lever(true, 60*ms, "prefill")}},
			"prefill takes the most of the time to the first character, 100 ms of 160 ms on average; prefill under 60 ms would keep it"},
		{budgets.Reason{Judgement: failed, Stage: "debounce", Takes: 100 * ms, Of: 190 * ms, Outside: true, Levers: []budgets.Lever{together}},
			"debounce takes the most of the time to the first character of those outside, 100 ms of 190 ms on average; no stage breaks the budget alone; the smallest cut that is enough is of other stages: server_queue, prefill and send would keep it if each took 50 % of what it did"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 100 * ms, Of: 160 * ms},
			"prefill takes the most of the time to the first character, 100 ms of 160 ms on average; no stage breaks the budget alone, and no cut of one stage, of two, or of the whole request would bring these very keys inside"},
		{budgets.Reason{Judgement: failed, Stage: "debounce", Takes: 100 * ms, Of: 300 * ms, Levers: []budgets.Lever{{Stages: []string{"debounce", "prefill"}, Enough: true, Keep: 25}}},
			"debounce takes the most of the time to the first character, 100 ms of 300 ms on average; no stage breaks the budget alone; debounce and prefill would keep it if each took 25 % of what it did"},
		{budgets.Reason{Judgement: failed, Stage: "line_buffer", Takes: 147 * ms, Waited: 9, Landed: 9, Alone: true, Without: .783, Levers: []budgets.Lever{lever(false, pipeline.Unknown, "line_buffer")}},
			"line_buffer (147 ms at the median) alone breaks a 150 ms budget: with nothing else to wait for, and text after every opportunity, it would be 78.3 %; without it, and all else as it is, it would be 70 %; line_buffer is not the server: text had come, and the plugin's rule display.lines kept it back until its line, or the whole answer, was there"},
		{budgets.Reason{Judgement: failed, Stage: "prefill", Takes: 9 * ms, Of: 20 * ms}, "no stage is to blame: after 3 of 10 opportunities no text came, 2 not asked, 1 refused"},
		{budgets.Reason{Judgement: kept, Stage: "debounce", Takes: 75 * ms, Of: 90 * ms}, "debounce takes the most of the time to the first character, 75 ms of 90 ms on average"},
		{budgets.Reason{Judgement: kept, Stage: "debounce", Takes: 5 * ms, Of: 9 * ms}, ""},
	} {
		if got := reasonWords(&c.reason, f); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}
}

// drawn is a key of a timeline by hand.
func drawn(typed string, fill func(m *ghost.Moment)) ghost.Moment {
	t := &pipeline.Trace{Kind: "ide", Due: 1000 * ms, Facts: []pipeline.Fact{{Name: "typed", Value: typed}}}
	m := ghost.Moment{Trace: t, Next: 1100 * ms, Waited: 1100 * ms, Text: pipeline.Unknown}
	if fill != nil {
		fill(&m)
	}
	return m
}

func TestBars(t *testing.T) {
	asks := func(text, last, closed time.Duration) func(m *ghost.Moment) {
		return func(m *ghost.Moment) {
			r := pipeline.NewRequest(1, 1060*ms)
			r.LastOutput, r.Closed = last, closed
			m.Request, m.Waited, m.Text = &r, 1060*ms, text
		}
	}
	for _, c := range []struct {
		name string
		m    ghost.Moment
		want string
	}{
		{"overtaken", drawn("a", nil), "░░░░░░░░░░     ┊                    "},
		{"answered", drawn("a", asks(1120*ms, 1400*ms, pipeline.Unknown)), "░░░░░░▓▓▓▓▓▓●──┊────────────────────"},
		{"closed", drawn("a", asks(pipeline.Unknown, pipeline.Unknown, 1100*ms)), "░░░░░░▓▓▓▓×    ┊                    "},
		{"there before", drawn("a", func(m *ghost.Moment) { m.Waited, m.Text = m.Due, m.Due }), "●              ┊                    "},
	} {
		if got := barOf(&c.m, 150*ms, 360*ms); got != c.want {
			t.Errorf("%s:\n%q\n%q", c.name, got, c.want)
		}
	}
}

// A page for a browser is well formed whatever was typed, and has every budget, section and key.
func TestHTML(t *testing.T) {
	run := ideRun(400, "share(ttfc < 150ms) >= 90%")
	for i := range run.Traces {
		run.Traces[i].Facts = append(run.Traces[i].Facts, pipeline.Fact{Name: "typed", Value: "<b>&\x1b"})
	}
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, svg := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("the picture is not well formed: %v", err)
			}
		}
	}
	for text, n := range map[string]int{"<svg": 4, "&lt;b&gt;&amp;": 32, "<b>": 0, "\x1b": 0, "share(ttfc &lt; 150ms)": 3, "<h2>Where the time goes": 1, "<h2>Requests given up": 1} {
		if got := strings.Count(page, text); got != n {
			t.Errorf("%q is there %d times, want %d", text, got, n)
		}
	}
}

// A run whose only request is of a step has requests and no key: how many a key has is not
// known then.
func TestRequestsWithoutKeys(t *testing.T) {
	r := pipeline.NewRequest(1, 0)
	r.Sent, r.End = 0, 100*ms
	counted := r
	counted.PromptTokens, counted.OutputTokens = 40, 5
	for _, r := range []pipeline.Request{r, counted} {
		run := ideRun(0, "share(ttfc < 150ms) >= 90%")
		run.Traces = []pipeline.Trace{{Kind: pipeline.KindStep, Facts: []pipeline.Fact{{Name: "class", Value: "move"}}, Requests: []pipeline.Request{r}}}
		report, err := New(run)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, write := range []func(io.Writer) error{func(w io.Writer) error { return report.Table(w, Options{}) }, report.Markdown, report.HTML} {
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(b.String(), "1 request for 0 keys, - a key"); n != 3 {
			t.Errorf("%d of 3 pages say that no number is known:\n%s", n, b.String())
		}
	}
}

// Every label of a picture is inside it whatever font a browser takes, also a long one, and the
// strip between them stays.
func TestPictureLabelsFit(t *testing.T) {
	run := ideRun(400, "share(ttfc < 150ms) >= 90%")
	for i := range run.Traces {
		run.Traces[i].Facts = append(run.Traces[i].Facts, pipeline.Fact{Name: pipeline.FactTyped, Value: "WWWWWWWWWWWW"}, pipeline.Fact{Name: pipeline.FactHeld, Value: "a_rule_of_the_plugin_with_a_long_name"})
	}
	var b strings.Builder
	if err := report(t, run).HTML(&b); err != nil {
		t.Fatal(err)
	}
	texts := regexp.MustCompile(`<text (?:class="dim" )?x="([0-9.-]+)" y="[0-9.]+" text-anchor="(start|middle|end)">([^<]*)<`).FindAllStringSubmatch(b.String(), -1)
	if all := strings.Count(b.String(), "<text "); len(texts) != all || all < 40 {
		t.Fatalf("%d of %d labels read", len(texts), all)
	}
	for _, m := range texts {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		text := html.UnescapeString(m[3])
		wide := 7.8 * float64(utf8.RuneCountInString(text))
		from := x - map[string]float64{"start": 0, "middle": wide / 2, "end": wide}[m[2]]
		if from < 0 || from+wide > wholeWidth {
			t.Errorf("%q goes from %.1f to %.1f, out of the picture", text, from, from+wide)
		}
	}
}

// The page for a browser says what the terminal page says: the model, the waterfalls, the
// levers, what was diagnosed and the notes.
func TestHTMLHasWhatTheTerminalHas(t *testing.T) {
	run := ideRun(400, "share(ttfc < 150ms) >= 90%")
	run.Header.Stages[1].Engine = "Qwen2.5-7B on 1 x L40S"
	r := report(t, run)
	r.Diagnoses = []Diagnosis{{ID: "held", Title: "a rule holds keys", Evidence: []string{"3 of 4 keys"}, Fix: "shorten it"}}
	var page, table strings.Builder
	if err := errors.Join(r.HTML(&page), r.Table(&table, Options{Width: 10_000})); err != nil {
		t.Fatal(err)
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page.String(), ""))
	headings := regexp.MustCompile(`(?m)^\n([A-Z].*)$`).FindAllStringSubmatch(table.String(), -1)
	if len(headings) < 10 {
		t.Fatalf("%d headings on the terminal page", len(headings))
	}
	want := []string{"language model: Qwen2.5-7B on 1 x L40S", "held: a rule holds keys", "3 of 4 keys", "Fix: shorten it", "llm_first_token"}
	for _, h := range headings {
		want = append(want, h[1])
	}
	want = append(want, "exact, the document was as it had been asked about")
	for _, w := range append(want, r.noteLines()...) {
		if !strings.Contains(text, w) {
			t.Errorf("the page for a browser does not have %q", w)
		}
	}
}

// Requests of steps that are no keys are among those that the document and the notes count.
func TestRequestsOfSteps(t *testing.T) {
	run := ideRun(4)
	step := pipeline.Trace{Kind: pipeline.KindStep, Requests: []pipeline.Request{pipeline.NewRequest(900, 0), pipeline.NewRequest(901, 0)}}
	step.Requests[0].Outcome, step.Requests[0].Reason = pipeline.Error, "HTTP 500"
	keys, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	run.Traces = append(run.Traces, step)
	for i := range run.Traces {
		for j := range run.Traces[i].Requests {
			run.Traces[i].Requests[j].Simulated = true // of others the network's section tells
		}
	}
	r, err := New(run)
	if err != nil {
		t.Fatal(err)
	}
	if r.RequestOutcomes["error"] != 1 || r.RequestOutcomes["ok"] != keys.RequestOutcomes["ok"]+1 || r.Outcomes["ok"] != keys.Outcomes["ok"] {
		t.Errorf("%v of %v, want one error and one more ok than %v", r.RequestOutcomes, r.Outcomes, keys.RequestOutcomes)
	}
	var page bytes.Buffer
	if err := r.Table(&page, Options{}); err != nil {
		t.Fatal(err)
	}
	if want := "1 error (HTTP 500)"; !strings.Contains(page.String(), want) {
		t.Errorf("the page does not say %q", want)
	}
}
