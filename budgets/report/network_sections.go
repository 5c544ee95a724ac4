package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/quantile"
)

// networkSections are what a report of a run over sockets, or with answers of a cassette, shows
// beside its metrics.
func (r *Report) networkSections() []section {
	if r.Network == nil {
		return []section{r.Recorded.section()}
	}
	return []section{r.Recorded.section(), r.dueAndSent(), r.gaps(), r.connection(), r.serverBeside(), r.ServerCounters.section(), r.tokens(), r.endings(), r.guard()}
}

// instant is a named instant of a request, Unknown where it has none.
type instant struct {
	name string
	of   func(r *pipeline.Request) time.Duration
}

// durations returns the span of each request over a socket that ended ok and has one,
// ascending.
func (r *Report) durations(of func(r *pipeline.Request) time.Duration) (values []float64) {
	for i := range r.analysis.Run.Traces {
		t := &r.analysis.Run.Traces[i]
		for j := range t.Requests {
			if q := &t.Requests[j]; q.Outcome == pipeline.OK && !q.Simulated {
				if d := of(q); d != pipeline.Unknown {
					values = append(values, float64(d))
				}
			}
		}
	}
	slices.Sort(values)
	return values
}

var marksOfRequest = []instant{
	{"ttfb", func(r *pipeline.Request) time.Duration { return r.FirstByte }},
	{"ttft", func(r *pipeline.Request) time.Duration { return r.FirstOutput }},
	{"ttfo", func(r *pipeline.Request) time.Duration { return r.FirstText }},
	{"ttfv", func(r *pipeline.Request) time.Duration { return r.FirstSeen }},
	{"e2e", func(r *pipeline.Request) time.Duration { return r.LastOutput }},
}

// dueAndSent sets the latency that a user has beside the service time that the endpoint
// has. Where they differ, requests went out late.
func (r *Report) dueAndSent() section {
	var rows []figures
	ttft := r.analysis.Pool("ttft").Values
	for _, m := range marksOfRequest {
		due := r.durations(func(q *pipeline.Request) time.Duration { return pipeline.Since(q.Due, m.of(q)) })
		sent := r.durations(func(q *pipeline.Request) time.Duration { return pipeline.Since(q.Sent, m.of(q)) })
		again := sameAs[m.name] == "ttft" && slices.Equal(due, ttft)
		if len(due) > 0 && !again {
			rows = append(rows, figures{m.name, len(due), slices.Concat(threeOf(due), threeOf(sent))})
		}
	}
	s := inOneUnit("Latency from due, service time from sent", rows, "due p50", "p95", "p99", "sent p50", "p95", "p99")
	wait := r.durations(func(q *pipeline.Request) time.Duration { return pipeline.Since(q.Due, q.Sent) })
	if p95, ok := quantile.OfSorted(wait, quantile.P95); ok && len(rows) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("Requests went out %s after they were due at p95, %s at most.",
			budgets.Duration.Format(p95), budgets.Duration.Format(wait[len(wait)-1])))
	}
	return s
}

// figures is a row of durations, in ms, nil where one is refused or does not exist.
type figures struct {
	name string
	n    int
	ms   []*float64
}

// inOneUnit makes a section of rows whose durations are all in one unit.
func inOneUnit(title string, rows []figures, columns ...string) section {
	longest := 0.0
	for _, f := range rows {
		for _, v := range f.ms {
			if v != nil {
				longest = max(longest, *v)
			}
		}
	}
	unit := tableUnit(time.Duration(longest * float64(time.Millisecond)))
	s := section{title: title + ", " + unit.name, rows: [][]cell{{left("").in(dim), right("n").in(dim)}}}
	for _, c := range columns {
		s.rows[0] = append(s.rows[0], right(c).in(dim))
	}
	for _, f := range rows {
		row := []cell{left(f.name), right(count(f.n))}
		for _, v := range f.ms {
			row = append(row, right(unit.figure(v)))
		}
		s.rows = append(s.rows, row)
	}
	return s
}

// threeOf returns p50, p95 and p99 of ascending durations, in ms.
func threeOf(values []float64) (ms []*float64) {
	for _, q := range []quantile.Q{quantile.P50, quantile.P95, quantile.P99} {
		v, ok := quantile.OfSorted(values, q)
		ms = append(ms, number(budgets.Duration, v, ok))
	}
	return ms
}

// connection shows what connections cost those that waited for one.
func (r *Report) connection() section {
	n := r.Network
	if r.LanguageServer != nil { // which is asked over no connection
		return section{}
	}
	var rows []figures
	for _, name := range []string{"dns", "connect", "tls"} {
		if p := r.analysis.Pool(name); len(p.Values) > 0 {
			most := number(budgets.Duration, p.Values[len(p.Values)-1], true)
			rows = append(rows, figures{name, len(p.Values), append(threeOf(p.Values), most)})
		}
	}
	s := inOneUnit("Connections that a request waited for", rows, "p50", "p95", "p99", "most")
	if n.Responses == 0 {
		s.notes = append(s.notes, fmt.Sprintf("None of %s got a response.", counted(n.Requests, "request")))
		return s
	}
	words := fmt.Sprintf("%s of %s came on a connection that was open before (%s)", count(n.Reused), counted(n.Responses, "response"), percent(float64(n.Reused)/float64(n.Responses)))
	if others := n.Responses - n.Reused; others > len(r.analysis.Pool("connect").Values) {
		words += fmt.Sprintf(", %s on a new one (above is only what requests waited for that ended ok)", count(others))
	}
	for _, version := range sortedKeys(n.HTTP) {
		words += fmt.Sprintf(", %s by HTTP/%s", count(n.HTTP[version]), version)
	}
	for _, coding := range sortedKeys(n.Encodings) {
		words += fmt.Sprintf(", %s coded as %s", count(n.Encodings[coding]), coding)
	}
	s.notes = append(s.notes, words+".")
	if n.Bursts > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s came in one read: something between holds the stream back, and their pace is not told.", counted(n.Bursts, "answer")))
	}
	if n.Untimed > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s of %s that ended ok came as one JSON text where a stream was asked for: of those there is neither ttft nor tpot; what they took is llm_whole.",
			count(n.Untimed), counted(n.answered(), "answer")))
	}
	s.notes = append(s.notes, n.Paces.words()...)
	if n.Empty > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s of %s that ended ok had nothing in them, no text, no reasoning and no call of a tool: of those there is neither ttft nor tpot.",
			count(n.Empty), counted(n.answered(), "answer")))
	}
	return s
}

// besides are the server's own times with those of ours that hold the same work.
var besides = []struct {
	name         string
	server, ours func(r *pipeline.Request) time.Duration
}{
	{"queue", func(r *pipeline.Request) time.Duration { return r.Server.Queue }, nil},
	{"load", func(r *pipeline.Request) time.Duration { return r.Server.Load }, nil},
	{"prefill", func(r *pipeline.Request) time.Duration { return r.Server.Prefill },
		func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Sent, r.FirstOutput) }},
	{"decode", func(r *pipeline.Request) time.Duration { return r.Server.Decode },
		func(r *pipeline.Request) time.Duration { return pipeline.Since(r.FirstOutput, r.LastOutput) }},
	{"total", func(r *pipeline.Request) time.Duration { return r.Server.Total },
		func(r *pipeline.Request) time.Duration { return pipeline.Since(r.Sent, r.LastOutput) }},
	{restName, restOfTotal, nil},
}

// serverBeside sets what the server says of its time beside what was seen here, over
// the requests of which it says it.
func (r *Report) serverBeside() section {
	var rows []figures
	for _, b := range besides {
		its := r.durations(b.server)
		if len(its) == 0 {
			continue
		}
		row := figures{b.name, len(its), threeOf(its)[:2]}
		if b.ours != nil {
			ours := r.durations(func(q *pipeline.Request) time.Duration {
				if b.server(q) == pipeline.Unknown {
					return pipeline.Unknown
				}
				return b.ours(q)
			})
			apart := r.durations(func(q *pipeline.Request) time.Duration { return pipeline.Since(b.server(q), b.ours(q)) })
			row.ms = slices.Concat(row.ms, threeOf(ours)[:2], threeOf(apart)[:2])
		}
		rows = append(rows, row)
	}
	asked := r.analysis.Run.Header.Endpoints
	switch {
	case r.Network.answered() == 0, r.LanguageServer != nil: // a protocol that has no such times
		return section{}
	case len(rows) == 0:
		return section{title: besideTitle, notes: unsaid(asked)}
	}
	s := inOneUnit(besideTitle, rows, "its p50", "p95", "ours p50", "p95", "apart p50", "p95")
	s.notes = []string{"Ours: beside its prefill service_ttft, which holds its queue and load too; beside its decode first to last output; beside its total service_e2e. " +
		"Apart: ours - its, request by request: network, proxies, and what the server's clock leaves out."}
	if slices.ContainsFunc(rows, func(f figures) bool { return f.name == restName }) {
		s.notes = append(s.notes, restWords)
	}
	s.notes = append(s.notes, ownClocks(asked)...)
	return s
}

// sources say in words who counted the tokens of a request.
var sources = map[string]string{
	"usage": "the server's usage", "timings": "the server's timings", "engine": "the engine", "tokenizer": "a tokenizer here, an estimate",
	"estimate": "an estimate here", "none": "nobody",
}

// tokens says where the counts of tokens are from.
func (r *Report) tokens() section {
	var words []string
	for _, source := range sortedKeys(r.Network.TokenSources) {
		by := source
		if known := sources[source]; known != "" {
			by = known
		}
		words = append(words, fmt.Sprintf("%s by %s", count(r.Network.TokenSources[source]), by))
	}
	s := section{title: "Who counted the tokens"}
	if len(words) > 0 {
		s.notes = []string{"Requests that ended ok: " + strings.Join(words, ", ") + ". What nobody counted has neither tpot nor tps."}
	}
	s.notes = append(s.notes, r.Network.counts()...)
	if words := r.Network.Unread.words(); words != "" {
		s.notes = append(s.notes, words)
	}
	return s
}

// reasonsShown is how many reasons of an outcome the page lists; the document has all.
const reasonsShown = 3

// endings says how requests ended and why, unless all ended ok. What was given up is no
// failure, and has a row of its own.
func (r *Report) endings() section {
	n := r.Network
	s := section{title: "How requests ended", rows: [][]cell{{left("").in(dim), right("n").in(dim), right("share").in(dim), left("why").in(dim)}}}
	ok := n.answered()
	if ok > 0 && len(n.Failures) > 0 {
		s.rows = append(s.rows, []cell{left("ok"), right(count(ok)), right(percent(float64(ok) / float64(n.Requests))), left("")})
	}
	shown := map[string]int{}
	for _, f := range n.Failures {
		first := shown[f.Outcome] == 0
		if shown[f.Outcome]++; shown[f.Outcome] > reasonsShown {
			continue
		}
		name := ""
		if first {
			name = f.Outcome
		}
		s.rows = append(s.rows, []cell{left(name), right(count(f.N)), right(percent(float64(f.N) / float64(n.Requests))), left(f.Reason)})
	}
	for _, o := range sortedKeys(shown) {
		if more := shown[o] - reasonsShown; more > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s: %s more.", o, counted(more, "reason")))
		}
	}
	if n.RetryAfter > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%s asked to be tried again later (Retry-After), after %s at most; nothing was tried again.",
			counted(n.RetryAfter, "response"), budgets.Duration.Format(*n.LongestRetry*float64(time.Millisecond))))
		if n.RetryByOurs > 0 {
			s.notes = append(s.notes, fmt.Sprintf("%s of them by a date, without a Date of its own: it counts from the clock of this machine.", counted(n.RetryByOurs, "response")))
		}
	}
	if len(n.Failures) > 0 {
		s.notes = append(s.notes, "Only ok requests have a latency. All count for goodput; what was cancelled is no failure, and is not inside either.")
	}
	return s
}
