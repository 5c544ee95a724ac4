package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/runner/checker"
	"halfsecond/simulators/scenario"
)

// completing is somebody who types Go beside a model of which a share of the answers is broken.
const completing = `halfsecond: 1
kind: ide
name: completing
arrivals: {process: closed, users: 2}
ide:
  typist: {profile: average, text: TEXT, max_pause: 2s}
  plugin: {debounce: 50ms, max_tokens: 24}
  llm: {ttft: 60ms, tokens_per_second: 200}
  answer: {truth: 70%, broken: 30%}
`

func completed(t *testing.T, text, keys string, set Settings) (trace.Run, error) {
	t.Helper()
	file := strings.ReplaceAll(completing, "TEXT", text) + keys
	if set.N < 0 { // without broken answers
		file = strings.Replace(file, "broken: 30%", "broken: 0%", 1)
	}
	s, err := scenario.Parse("f", []byte(file), nil)
	if err != nil {
		t.Fatal(err)
	}
	set.Target, set.Seed = Sim, 3
	if set.N < 1 {
		set.N = 1500
	}
	return Run(t.Context(), s, set)
}

// verdicts counts what the traces of a run say of answers.
func verdicts(run trace.Run) map[string]int {
	n := map[string]int{}
	for i := range run.Traces {
		if v := run.Traces[i].Fact(pipeline.FactSyntax); v != "" {
			n[v]++
		}
	}
	return n
}

// command returns a checker that runs a line.
func command(t *testing.T, line string, limit time.Duration) *checker.Command {
	t.Helper()
	c, err := checker.New(line, checker.Limits{For: limit})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The share of answers that break the syntax is the one that the model is set to have, every
// answer that came whole has a verdict, and the check moves nothing else.
func TestAnswersAreChecked(t *testing.T) {
	plain, err := completed(t, "go-handler", "", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if n := verdicts(plain); len(n) != 0 || plain.Header.Quality != (trace.Quality{}) {
		t.Errorf("without a check: %v, %+v", n, plain.Header.Quality)
	}
	run, err := completed(t, "go-handler", "  quality: {repair: 7s}\n", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if want := (trace.Quality{Language: "go", Checker: "go/parser", Repair: 7 * time.Second}); run.Header.Quality != want {
		t.Errorf("header %+v, want %+v", run.Header.Quality, want)
	}
	if len(plain.Traces) != 1500 || len(run.Traces) != 1500 {
		t.Fatalf("%d and %d traces", len(plain.Traces), len(run.Traces))
	}
	n, answers := verdicts(run), 0
	for i := range run.Traces {
		a, b := &run.Traces[i], &plain.Traces[i]
		for _, r := range a.Requests {
			if r.Outcome == pipeline.OK {
				answers++
			}
		}
		if a.Due != b.Due || a.End != b.End || !slices.Equal(a.Marks, b.Marks) || !slices.Equal(a.Facts[:len(b.Facts)], b.Facts) {
			t.Fatalf("trace %d is %+v, without the check %+v", i, a, b)
		}
	}
	told := n[pipeline.SyntaxParses] + n[pipeline.SyntaxBreaks]
	if all := told + n[pipeline.SyntaxUnfinished] + n[pipeline.SyntaxUnknown]; all != answers {
		t.Errorf("%d verdicts of %d answers", all, answers)
	}
	if told < 100 || n[pipeline.SyntaxBreaks] == 0 || float64(n[pipeline.SyntaxBreaks]) > .35*float64(told) {
		t.Errorf("%v: want at most 30 %% broken (in comments nothing breaks), and some", n)
	}
	if s, err := completed(t, "go-handler", "  quality: {}\n", Settings{N: -1}); err != nil || verdicts(s)[pipeline.SyntaxBreaks] != 0 {
		t.Errorf("of a model without broken answers: %v, %v", verdicts(s), err)
	}
	again, err := completed(t, "go-handler", "  quality: {repair: 7s}\n", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range again.Traces {
		if !slices.Equal(again.Traces[i].Facts, run.Traces[i].Facts) {
			t.Fatalf("trace %d: %v, then %v", i, run.Traces[i].Facts, again.Traces[i].Facts)
		}
	}
}

// A checker that says no to what stands there in the end, that cannot run, or that is for
// something else is refused before the run.
func TestCheckersThatTellNothing(t *testing.T) {
	for name, c := range map[string]struct {
		text, keys string
		checking   *Checking
		want       string
	}{
		"none":          {"python-report", "  quality: {}\n", nil, "there is no built-in checker for python, those are go and json: name a program that reads the text on its standard input, --checker 'python=COMMAND'"},
		"another":       {"go-handler", "", &Checking{Language: "python"}, "the checker is for python, and what is typed is go"},
		"no to all":     {"go-handler", "", &Checking{"go", command(t, "sh -c 'cat >&2; exit 3'", 0)}, "the checker sh says that even the text as it will be in the end does not parse (// Package orders"},
		"not there":     {"go-handler", "", &Checking{"go", command(t, "sh -c 'exit 127'", 0)}, "the checker sh tells nothing: exit status 127"},
		"hangs":         {"go-handler", "", &Checking{"go", command(t, "sleep 60", 50*time.Millisecond)}, "the checker sleep tells nothing: it took longer than 50ms"},
		"of other kind": {"", "", &Checking{Language: "go"}, "it is for kind ide, not for kind voice"},
	} {
		var err error
		if c.text == "" {
			var s *scenario.Scenario
			if s, err = scenario.Load("voice"); err == nil {
				_, err = Run(t.Context(), s, Settings{Target: Sim, N: 1, Checking: c.checking})
			}
		} else {
			_, err = completed(t, c.text, c.keys, Settings{Checking: c.checking})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A checker that fails on some answers is told of, a no that rests on a failure is none, and
// of what a program said nothing is kept where texts are not.
func TestCheckersThatFail(t *testing.T) {
	for _, hashed := range []bool{false, true} {
		run, err := completed(t, "python-report", "", Settings{N: 40, HashTexts: hashed, Checking: &Checking{
			"python", command(t, "sh -c 'if grep -q \"^$\"; then exit 0; fi; echo secret words; exit 126'", time.Second),
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range run.Traces {
			tr := &run.Traces[i]
			v, failed := tr.Fact(pipeline.FactSyntax), tr.Fact(pipeline.FactSyntaxFailed)
			if v == pipeline.SyntaxBreaks || (v == pipeline.SyntaxUnknown) != (failed != "") && v != pipeline.SyntaxUnknown {
				t.Errorf("key %d: %q, %q", i, v, failed)
			}
			if hashed && strings.Contains(fmt.Sprint(tr.Facts), "secret") {
				t.Errorf("key %d: %v", i, tr.Facts)
			}
		}
	}
}
