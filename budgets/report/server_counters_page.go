package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
)

// section lays what a server counted out as a table, with what it means below.
func (s *ServerCounters) section() section {
	const title = "What the server counted"
	if s == nil {
		return section{}
	}
	if s.Absent != nil {
		return section{title: title, notes: []string{s.absence()}}
	}
	unit := tableUnit(s.longest())
	out := section{title: fmt.Sprintf("%s (%s), %s", title, *s.Software, unit.name), rows: [][]cell{{
		left("").in(dim), right("n").in(dim), right("mean").in(dim), right("p50 is").in(dim), right("p95 is").in(dim),
		right("ours n").in(dim), right("mean").in(dim), right("apart").in(dim),
	}}}
	for _, t := range s.Times {
		out.rows = append(out.rows, []cell{
			left(t.Name), right(countOrDash(t.N)), right(unit.figure(t.Mean)), right(unit.between(t.P50)), right(unit.between(t.P95)),
			right(blankOr(t.Ours)), right(unit.blankOr(t.OursMean)), right(unit.blankOr(t.Apart)),
		})
	}
	out.notes = s.words()
	return out
}

// absence says why there are no figures.
func (s *ServerCounters) absence() string {
	return fmt.Sprintf("The server shows nothing that it counts (GET %s: %s).", s.URL, *s.Absent)
}

// longest returns the longest of the means.
func (s *ServerCounters) longest() time.Duration {
	longest := 0.0
	for _, t := range s.Times {
		for _, v := range []*float64{t.Mean, t.OursMean} {
			if v != nil {
				longest = max(longest, *v)
			}
		}
	}
	return time.Duration(longest * float64(time.Millisecond))
}

func countOrDash(n *int) string {
	if n == nil {
		return "-"
	}
	return count(*n)
}

// blankOr returns nothing for a count of which we have none of our own.
func blankOr(n *int) string {
	if n == nil {
		return ""
	}
	return count(*n)
}

func (u columnUnit) blankOr(ms *float64) string {
	if ms == nil {
		return ""
	}
	return u.figure(ms)
}

// between returns bounds without the name of the unit.
func (u columnUnit) between(b *ServerBounds) string {
	bare := func(ms float64) string {
		text := budgets.Number(ms*(float64(time.Millisecond)/float64(u.length)), u.places)
		return strings.TrimSuffix(text, "."+strings.Repeat("0", u.places))
	}
	switch {
	case b == nil:
		return "-"
	case b.Most == nil:
		return "over " + bare(b.Above)
	case b.Above == 0 || *b.Most == 0:
		return "up to " + bare(*b.Most)
	}
	return bare(b.Above) + " to " + bare(*b.Most)
}

// words say whose requests the figures are of, where the time went, and what else the
// server counted.
func (s *ServerCounters) words() (notes []string) {
	for _, words := range []string{s.whose(), s.busyBefore(), s.whereTheTimeWent(), s.inChunks(), s.work()} {
		if words != "" {
			notes = append(notes, words)
		}
	}
	return append(notes, fmt.Sprintf("From %s, looked at before the first of these requests and after the last; n and mean are what came between. A histogram says between which bounds "+
		"a percentile lies, no more. Ours: ttft from sent to the first output, decode from there to the last one, e2e from sent to the last one. "+
		"Apart: ours - its, where both are of as many: network, HTTP, and what neither its clock nor its engine sees.", s.URL))
}

// whose says whether the figures are of the requests of this run.
func (s *ServerCounters) whose() string {
	run := fmt.Sprintf("this run had %s that ended ok", count(s.OK))
	if s.NotOK > 0 {
		run += fmt.Sprintf(", and %s that did not", count(s.NotOK))
	}
	switch n := s.Requests; {
	case s.Same == nil:
		return "It counts no requests, and who counted the tokens of these answers is not known: whether others used it meanwhile cannot be told."
	case *s.Same && n == nil:
		return "It counts no requests, but as many tokens of answers as came here: what it says is of the " + counted(s.OK, "request") + " of this run."
	case *s.Same:
		return "It counts " + counted(*n, "request") + " that ended, as this run does."
	case n == nil:
		return "It counts no requests, and other tokens of answers than came here: what it says is of others too, or of what was given up here, and has no mean of a request."
	case *n > s.OK+s.NotOK:
		return fmt.Sprintf("It counts %s that ended, %s: others used it too, and what it says is of all.", counted(*n, "request"), run)
	case *n > s.OK:
		return fmt.Sprintf("It counts %s that ended, %s: some of the latter came to their end there, and what it says is of those too.", counted(*n, "request"), run)
	}
	return fmt.Sprintf("It counts %s that ended, %s: not all that answered show here what they count.", counted(*s.Requests, "request"), run)
}

// busyBefore says that the server had others' requests when the run began.
func (s *ServerCounters) busyBefore() string {
	running, waiting := s.Counts["running_before"], s.Counts["waiting_before"]
	if s.From > 0 || running+waiting == 0 {
		return ""
	}
	return fmt.Sprintf("When the run began, %s of others were running there and %s waiting.", counted(running, "request"), count(waiting))
}

// whereTheTimeWent tells network, queue, prefill and decode apart.
func (s *ServerCounters) whereTheTimeWent() string {
	if s.Rest == nil {
		return ""
	}
	duration := func(ms float64) string { return budgets.Duration.Format(ms * float64(time.Millisecond)) }
	var parts []string
	whole, holds := *s.Rest, "network, HTTP, what its API does before and after, and this client"
	for _, name := range s.parts {
		mean := *s.time(name).Mean
		whole += mean
		parts = append(parts, duration(mean)+" of "+name)
	}
	if s.time("queue") == nil {
		holds = "its queue, which it does not time, " + holds
	}
	return fmt.Sprintf("Of %s from sent to the last output, on average, it counts %s; the other %s are %s.", duration(whole), listed(parts), duration(*s.Rest), holds)
}

// inChunks says why our pace is not the server's where tokens come several at a time.
func (s *ServerCounters) inChunks() string {
	ours := slices.ContainsFunc(s.Times, func(t ServerTime) bool {
		return t.Ours != nil && slices.Contains([]string{"decode", "tpot", "itl"}, t.Name)
	})
	if !ours || s.bundled.N+s.bundled.OneChunk == 0 {
		return ""
	}
	var parts []string
	if n := s.bundled.N; n > 0 {
		parts = append(parts, fmt.Sprintf("the first output of %s may be several tokens, made before ours of decode begins, and one to ours of tpot and itl", counted(n, "answer")))
	}
	if n := s.bundled.OneChunk; n > 0 {
		parts = append(parts, counted(n, "answer")+" came at one instant and had no tpot here")
	}
	return "It times tokens as they are made, and here they came in chunks: " + strings.Join(parts, "; ") + ". So ours of these are shorter than its own, and our ttft is longer."
}

// work says what else the server counted.
func (s *ServerCounters) work() string {
	var parts []string
	say := func(name, format string) {
		if n, ok := s.Counts[name]; ok {
			parts = append(parts, fmt.Sprintf(format, count(n)))
		}
	}
	say("prompt_tokens", "%s tokens of prompts")
	say("output_tokens", "%s of answers")
	if v := s.CachedShare; v != nil {
		parts = append(parts, fmt.Sprintf("%s of the tokens that it looked up in its prefix cache were there", percent(*v)))
	}
	if n := s.Counts["preemptions"]; n > 0 {
		parts = append(parts, "requests gave way "+counted(n, "time"))
	}
	if v := s.AcceptedShare; v != nil {
		parts = append(parts, fmt.Sprintf("%s of the %s that it drafted were accepted", percent(*v), counted(s.Counts["drafted_tokens"], "token")))
	}
	if len(parts) == 0 {
		return ""
	}
	return "It counts " + strings.Join(parts, "; ") + "."
}

// listed joins parts of a sentence.
func listed(parts []string) string {
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}
