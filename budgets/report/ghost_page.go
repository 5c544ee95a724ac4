package report

import (
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets"
	"halfsecond/budgets/ghost"
)

// ghostSections are the tables of ghost text; none of other kinds.
func (r *Report) ghostSections() []section {
	g := r.Ghost
	if g == nil {
		return nil
	}
	return []section{g.firstSection(), g.stageSection(), g.worthSection(), g.Quality.section(), g.givenUpSection(), g.promptSection()}
}

func (t GhostTimes) cells() []cell {
	return []cell{right(count(t.N)), right(ms1(t.P50)), right(ms1(t.P95)), right(ms1(t.P99))}
}

// ms1 returns a figure in ms with one decimal; "-" where it is unknown.
func ms1(v *float64) string { return columnUnit{"ms", 1e6, 1}.figure(v) }

func (s GhostShare) words() string {
	if s.Value == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%s of %s)", percent(*s.Value), count(s.N), count(s.Of))
}

// firstSection shows how soon text came, and from where.
func (g *Ghost) firstSection() section {
	s := section{title: "Time from the key to text, ms", rows: [][]cell{{
		left("").in(dim), right("n").in(dim), right("first character p50").in(dim), right("p95").in(dim), right("p99").in(dim), right("first line p50").in(dim), right("last p50").in(dim),
	}}}
	row := func(name string, first, line, last GhostTimes) {
		s.rows = append(s.rows, append(append([]cell{left(name)}, first.cells()...), right(ms1(line.P50)), right(ms1(last.P50))))
	}
	row("opportunities", g.First, g.Line, g.Last)
	for _, x := range g.BySource {
		row("all keys: "+spaced(x.Source), x.First, x.Line, x.Last)
	}
	if g.Cold.N > 0 {
		row("requests that waited for a load", g.Cold.Cold, GhostTimes{}, GhostTimes{})
		row("all other requests", g.Cold.Warm, GhostTimes{}, GhostTimes{})
	}
	s.notes = append(s.notes, "Without text: "+g.Censored.words()+" of the opportunities"+whyOf(g.Censored.Why)+".")
	return s
}

func spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

func whyOf(why []GhostCount) string {
	if len(why) == 0 {
		return ""
	}
	var words []string
	for _, c := range why {
		words = append(words, count(c.N)+" "+spaced(c.Name))
	}
	return ": " + strings.Join(words, ", ")
}

// stageSection shows where the time of opportunities went.
func (g *Ghost) stageSection() section {
	s := section{title: "Where the time goes, of opportunities with text, ms", rows: [][]cell{{
		left("").in(dim), right("n").in(dim), right("p50").in(dim), right("p95").in(dim), right("p99").in(dim), right("mean").in(dim), right("longest in").in(dim),
	}}}
	for _, x := range g.Stages {
		if x.Times.N == 0 {
			continue
		}
		s.rows = append(s.rows, append(append([]cell{left(spaced(x.Stage))}, x.Times.cells()...), right(ms1(x.Mean)), right(count(x.Longest))))
	}
	if len(s.rows) > 1 {
		s.notes = []string{"The stages of a key add up to its first character. n: keys of which the stage is told."}
	}
	if slices.ContainsFunc(g.Stages, func(x GhostStage) bool { return x.Stage == ghost.Hold.String() }) {
		s.notes = append(s.notes, "A hold is counted from the key: here it has what was left of it when the text came.")
	}
	for _, x := range g.Stages {
		if x.Untold > 0 && x.Times.N == 0 {
			s.notes = append(s.notes, "Nobody tells what happens between sending and the text: that is one stage, send to text.")
			break
		}
	}
	return s
}

// worthSection shows what answers were worth and what was seen of them.
func (g *Ghost) worthSection() section {
	s := section{title: "What became of answers", rows: [][]cell{{left("").in(dim), right("share (number)").in(dim)}}}
	row := func(name, value string) { s.rows = append(s.rows, []cell{left(name), right(value)}) }
	row("useful, of opportunities", g.Useful.OfOpportunities.words())
	row("useful, of requests", g.Useful.OfRequests.words())
	row("useful, of answers that arrived", g.Useful.OfAnswers.words())
	if g.Useful.Right.Of > 0 {
		row("right: what was then typed, of useful answers", g.Useful.Right.words())
	}
	for _, v := range g.Verdicts {
		row("  "+spaced(v.Name), partOfAll(v.N, g.Useful.OfAnswers.Of))
	}
	x := &g.Screen
	if x.Suggestions > 0 {
		row("suggestions that appeared", count(x.Suggestions))
		row("  shown: there for "+budgets.Duration.Format(x.LeastVisible*1e6)+" or more", partOfAll(x.Shown, x.Suggestions))
		row("  flashes: gone before, and not accepted", partOfAll(x.Flashes, x.Suggestions))
		row("  flickers: hidden and back", partOfAll(x.Flickers, x.Suggestions))
	}
	if x.Blanks > 0 {
		row("blank: hidden by a key until one was there again", counted(x.Blanks, "time")+", "+knownMS(&x.Blank))
	}
	if x.Accepted > 0 {
		row("accepted", counted(x.Accepted, "suggestion")+", "+counted(x.Saved, "character")+" saved")
	}
	if g.Useful.OfAnswers.Of > 0 {
		s.notes = append(s.notes, usefulNote)
	}
	return s
}

// usefulNote says what the table's first word does not.
const usefulNote = "Useful on arrival: it fitted where the cursor then was, and was shown, now or to another step. One that fitted and was held back, or that stood there already, is not. That says nothing of being right, which an answer to a mistyped key cannot be."

func partOfAll(n, of int) string {
	if of == 0 {
		return count(n)
	}
	return fmt.Sprintf("%s (%s)", percent(float64(n)/float64(of)), count(n))
}

// givenUpSection shows who gave requests up, and what that left to be done for nobody.
func (g *Ghost) givenUpSection() section {
	s := section{title: "Requests given up", rows: [][]cell{{
		left("by").in(dim), right("requests").in(dim), right("on the wire").in(dim), right("work known of").in(dim), right("prompt tokens by then").in(dim), right("after").in(dim), right("answer tokens after").in(dim),
	}}}
	for _, e := range g.Ledger {
		s.rows = append(s.rows, []cell{
			left(spaced(e.By)), right(count(e.Requests)), right(count(e.OnWire)), right(count(e.Known)), right(count(e.PromptBefore)), right(count(e.PromptAfter)), right(count(e.OutputAfter)),
		})
	}
	s.notes = append(s.notes, g.wasteWords())
	if g.Edges.N > 0 {
		s.notes = append(s.notes, fmt.Sprintf("The last key of a burst got neither a suggestion nor a request in %s of bursts%s.", g.Edges.words(), whyOf(g.Edges.Why)))
	}
	s.notes = append(s.notes, g.regretWords())
	if g.Cold.N > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s of requests waited for the model to be loaded.", g.Cold.words()))
	}
	return s
}

func (g *Ghost) wasteWords() string {
	w := &g.Waste
	if g.Requests == 0 {
		return "Nothing was asked."
	}
	words := fmt.Sprintf("%s for %s, %s a key", counted(g.Requests, "request"), counted(g.Keys, "key"), known(budgets.Count, g.PerKey))
	if w.Unknown == g.Requests {
		return words + "; what was computed for them nobody says."
	}
	words += fmt.Sprintf(". For answers that were not useful%s %s of prompts were evaluated and %s generated", orWrong(g.Useful.Right), counted(w.WastedPrompt, "token"), count(w.WastedOutput))
	if w.PromptPerUseful != nil {
		words += fmt.Sprintf(": %s and %s for each useful one", budgets.Number(*w.PromptPerUseful, 0), budgets.Number(*w.OutputPerUseful, 1))
	}
	if w.Estimated > 0 {
		words += fmt.Sprintf("; %s of them are estimates", count(w.Estimated))
	}
	if w.Unknown > 0 {
		words += fmt.Sprintf("; of %s nothing is known", counted(w.Unknown, "request"))
	}
	return words + "."
}

// orWrong names the useful answers that are wasted all the same, where that is known.
func orWrong(right GhostShare) string {
	if right.Of == 0 {
		return ""
	}
	return ", or were wrong,"
}

func (g *Ghost) regretWords() string {
	x := &g.Regret
	if x.Late.N == 0 {
		return ""
	}
	words := fmt.Sprintf("Debounce regret: after %s of keys a request sent at once had brought the same useful answer, sooner by %s at the median", x.Late.words(), orDash(x.Waited.P50))
	if x.Missed.N > 0 {
		words += fmt.Sprintf("; another %s were overtaken before the debounce was over, although text would have come before the next step", x.Missed.words())
	}
	return words + "."
}

// promptSection shows where prompts differ from those before them, and why.
func (g *Ghost) promptSection() section {
	s := section{title: "Prompts beside the one before", rows: [][]cell{{
		left("differs by").in(dim), right("requests").in(dim), right("first differing token, p50").in(dim), right("tokens in common").in(dim),
	}}}
	for _, c := range g.Prefix.Causes {
		s.rows = append(s.rows, []cell{left(spaced(c.Cause)), right(count(c.Requests)), right(count(c.First)), right(share(c.Shared.Value))})
	}
	if g.Prefix.Cached.Value != nil {
		s.notes = []string{fmt.Sprintf("The server had %s of the prompts' tokens in its cache, of requests with an answer.", percent(*g.Prefix.Cached.Value))}
	}
	return s
}

// known returns a figure in its unit; "-" where it is unknown.
func known(u budgets.Unit, v *float64) string {
	if v == nil {
		return "-"
	}
	return u.Format(*v)
}
