package cases

import (
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
)

// Figures returns what is told of a case, by name: numbers (times in ms, shares in percent),
// texts, true or false, lists of those, and nil for what there is none of.
func (o *Outcome) Figures() (map[string]any, error) {
	t := &told{Outcome: o, all: map[string]any{}}
	t.find()
	t.times()
	t.waits()
	t.prefills()
	t.counts()
	t.tokens()
	t.screen()
	t.texts()
	return t.all, t.gaps()
}

// told is the figures of a case in the making.
type told struct {
	*Outcome
	all      map[string]any
	requests []request // in the order in which they were due, warm-ups aside
	warmUps  int
	lastKey  time.Duration
	typed    bool            // there was a last key
	last     *pipeline.Trace // of it
}

// request is a request and the step that led to it.
type request struct {
	*pipeline.Request
	trace *pipeline.Trace
	shown bool // its answer was, now or after trimming, and did not turn out stale
	n     int  // its place among all that were asked
}

// find sorts the traces out.
func (t *told) find() {
	t.lastKey, t.typed = t.setup.lastKey()
	used := map[int64]bool{}
	for _, x := range t.traces {
		for _, u := range x.Uses {
			used[u.Request] = true
		}
		if x.Due == t.lastKey && (x.Kind == pipeline.KindIDE || x.Fact(pipeline.FactClass) == pipeline.ClassAccept) {
			t.last = x
		}
	}
	for _, x := range t.traces {
		for i := range x.Requests {
			r := request{Request: &x.Requests[i], trace: x, n: int(x.Requests[i].ID)}
			if x.Fact(pipeline.FactClass) == pipeline.ClassFocus {
				t.warmUps++
				continue
			}
			shown := x.Mark(pipeline.MarkShown) != pipeline.Unknown || x.Mark(pipeline.MarkShownAgain) != pipeline.Unknown
			shown = shown && len(x.Uses) == 0 && !slices.Contains(stale, document.Verdict(x.Fact(pipeline.FactVerdict)))
			r.shown = shown || used[r.ID]
			t.requests = append(t.requests, r)
		}
	}
	slices.SortStableFunc(t.requests, func(a, b request) int { return int(a.ID - b.ID) })
}

// ms returns an instant or a span, nil when it is not known.
func ms(d time.Duration) any {
	if d == pipeline.Unknown {
		return nil
	}
	return float64(d) / 1e6
}

// list returns what of each request is known.
func (t *told) list(of func(r *request) time.Duration) []any {
	all := []any{}
	for i := range t.requests {
		if v := of(&t.requests[i]); v != pipeline.Unknown {
			all = append(all, ms(v))
		}
	}
	return all
}

// served returns when the server began to work on a request, and was done with it.
func (r *request) served() (from, to time.Duration) {
	if r.Scheduled == pipeline.Unknown {
		return pipeline.Unknown, pipeline.Unknown
	}
	to = r.End
	if r.Outcome == pipeline.OK {
		to -= r.Way.Back
	}
	return r.Scheduled + r.Way.Out, to
}

// times tells when things happened.
func (t *told) times() {
	refused := t.list(func(r *request) time.Duration {
		if r.Outcome == pipeline.Refused {
			return r.End
		}
		return pipeline.Unknown
	})
	t.all["sent_at"] = t.list(func(r *request) time.Duration { return r.Due })
	t.all["closed_at"] = t.list(func(r *request) time.Duration { return r.Closed })
	t.all["refused_at"] = refused
	t.all["first_refused_at"] = first(refused)
	text := pipeline.Unknown
	if t.last != nil {
		text = t.last.Mark(pipeline.MarkFirstCharacter)
	}
	t.all["first_text_at"] = ms(text)
	t.all["first_text_after_last_key"] = ms(pipeline.Since(t.lastKey, text))
	t.all["last_request_start"], t.all["last_request_end"], t.all["last_end_after_last_key"] = nil, nil, nil
	if n := len(t.requests); n > 0 {
		r := &t.requests[n-1]
		from, _ := r.served()
		t.all["last_request_start"], t.all["last_request_end"] = ms(from), ms(r.End)
		if t.typed {
			t.all["last_end_after_last_key"] = ms(pipeline.Since(t.lastKey, r.End))
		}
	}
	t.all["chat_first_token_at"], t.all["chat_last_token_at"] = nil, nil
	for i, o := range t.setup.Others {
		if o.Kind == "chat" {
			t.all["chat_first_token_at"], t.all["chat_last_token_at"] = ms(t.others[i].FirstOutput), ms(t.others[i].LastOutput)
		}
	}
	if b := t.setup.Budget; b != nil {
		after := t.all["first_text_after_last_key"]
		t.all["within_budget"] = after != nil && after.(float64) <= *b
	}
	best := t.setup.Plugin.Debounce + t.setup.Server.TTFT
	if s := &t.setup.Server; s.PrefillRate > 0 && len(t.requests) > 0 {
		r := &t.requests[len(t.requests)-1]
		best = t.setup.Plugin.Debounce + 1000*float64(evaluated(r))/s.PrefillRate
	}
	t.all["best_first_text_after_key"] = best + t.setup.Network.RTT
	if b := t.setup.Budget; b != nil {
		t.all["possible_within_budget"] = best+t.setup.Network.RTT <= *b
	}
}

func first(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// waits tells what the last request waited for, and how late keys were handled.
func (t *told) waits() {
	t.all["last_request_wait"], t.all["wait_behind_closed"] = nil, nil
	if n := len(t.requests); n > 0 {
		last := &t.requests[n-1]
		if start, _ := last.served(); start != pipeline.Unknown {
			came := last.Sent + last.Way.Out
			t.all["last_request_wait"] = ms(start - came)
			t.all["wait_behind_closed"] = ms(t.behindClosed(came, start))
		}
	}
	worst := time.Duration(0)
	for _, x := range t.traces {
		for _, s := range x.Spans {
			if s.Name == pipeline.SpanKeyWait {
				worst = max(worst, s.For())
			}
		}
	}
	t.all["worst_key_delay"] = ms(worst)
}

// behindClosed returns for how long of a wait a closed request was being served.
func (t *told) behindClosed(from, to time.Duration) (sum time.Duration) {
	type span struct{ from, to time.Duration }
	var dead []span
	for i := range t.requests {
		r := &t.requests[i]
		start, end := r.served()
		if r.Closed == pipeline.Unknown || start == pipeline.Unknown {
			continue
		}
		if s := (span{max(from, start, r.Closed+r.Way.Out), min(to, end)}); s.to > s.from {
			dead = append(dead, s)
		}
	}
	slices.SortFunc(dead, func(a, b span) int { return int(a.from - b.from) })
	at := from
	for _, s := range dead {
		if begin := max(at, s.from); s.to > begin {
			sum, at = sum+s.to-begin, s.to
		}
	}
	return sum
}

// evaluated returns the tokens of a prompt that were computed for a request that was served.
func evaluated(r *request) int { return r.PromptTokens - max(0, r.CachedTokens) }

// prefills tells of how prompts were evaluated, key by key.
func (t *told) prefills() {
	var spans []time.Duration
	var differ []any
	cached, prompts, whole := 0, 0, 0
	fewest, most := -1, -1
	t.all["prefill_of_last_request"], t.all["decode_step"] = nil, nil
	for i := range t.requests {
		r := &t.requests[i]
		differ = append(differ, float64(t.differs(r)))
		if r.FirstOutput == pipeline.Unknown {
			continue
		}
		prefill := r.FirstOutput - r.Way.Back - r.Scheduled - r.Way.Out
		t.all["prefill_of_last_request"] = ms(prefill)
		if r.OutputTokens > 1 {
			t.all["decode_step"] = ms((r.LastOutput - r.FirstOutput) / time.Duration(r.OutputTokens-1))
		}
		spans = append(spans, prefill)
		n := evaluated(r)
		if fewest < 0 || n < fewest {
			fewest = n
		}
		most = max(most, n)
		cached, prompts = cached+max(0, r.CachedTokens), prompts+r.PromptTokens
		if n == r.PromptTokens {
			whole++
		}
	}
	t.all["first_differing_token"] = differ
	t.all["keys_with_full_prefill"] = float64(whole)
	t.all["prompt_cache_hit_share"] = share(cached, prompts)
	for _, name := range []string{"prefill_min", "prefill_max", "prefill_mean", "evaluated_tokens_min", "evaluated_tokens_max"} {
		t.all[name] = nil
	}
	if len(spans) == 0 {
		return
	}
	sum := time.Duration(0)
	for _, s := range spans {
		sum += s
	}
	t.all["prefill_min"], t.all["prefill_max"] = ms(slices.Min(spans)), ms(slices.Max(spans))
	t.all["prefill_mean"] = float64(sum) / float64(len(spans)) / 1e6
	t.all["evaluated_tokens_min"], t.all["evaluated_tokens_max"] = float64(fewest), float64(most)
}

// differs returns where a prompt first differs from the one before.
func (t *told) differs(r *request) int {
	ahead := len(t.prompts) - len(t.requests) - t.warmUps // what the server held before
	i := r.n - 1 + ahead
	if i < 1 || i >= len(t.prompts) {
		return 0
	}
	a, b := t.prompts[i-1], t.prompts[i]
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func share(part, of int) any {
	if of == 0 {
		return nil
	}
	return 100 * float64(part) / float64(of)
}

// stale are the verdicts of answers that do not fit any more.
var stale = []document.Verdict{document.Diverged, document.Moved, document.Undone, document.Dropped}

// counts counts requests and answers.
func (t *told) counts() {
	n := map[string]int{"requests": len(t.requests), "warm_ups": t.warmUps, "loads": t.loads, "dials": t.dials}
	cold, warm := []float64{}, []float64{}
	for _, name := range countedOfRequests {
		n[name] += 0
	}
	for i := range t.requests {
		r := &t.requests[i]
		r.count(n)
		first := pipeline.Since(r.trace.Due, r.trace.Mark(pipeline.MarkFirstCharacter))
		switch {
		case r.Loading > 0:
			n["cold_requests"]++
			if first != pipeline.Unknown {
				cold = append(cold, float64(first)/1e6)
			}
		case first != pipeline.Unknown:
			warm = append(warm, float64(first)/1e6)
		}
	}
	if t.setup.Plugin.Protocol != "lsp" {
		n["late_answers_to_cancelled"], n["cancelled_answers"], n["unanswered"] = 0, 0, 0
	}
	limited, keys := 0, 0
	for _, x := range t.traces {
		if x.Kind != pipeline.KindIDE {
			continue
		}
		keys++
		switch x.Fact(pipeline.FactSource) {
		case pipeline.SourceReuse:
			n["typed_as_suggested"]++
		case pipeline.SourceCache:
			n["cache_hits"]++
		}
		if x.Fact(pipeline.FactHeld) == "limit" || x.Outcome == pipeline.Refused {
			limited++
		}
	}
	for name, count := range n {
		t.all[name] = float64(count)
	}
	t.all["limited_keys_share"] = share(limited, keys)
	t.all["max_in_flight"] = float64(t.mostInFlight())
	t.all["cold_first_text_min"], t.all["warm_first_text_p99"] = nil, nil
	if len(cold) > 0 {
		t.all["cold_first_text_min"] = slices.Min(cold)
	}
	if len(warm) > 0 {
		slices.Sort(warm)
		t.all["warm_first_text_p99"] = warm[(99*len(warm)+99)/100-1] // the nearest rank
	}
}

// countedOfRequests are the counts that count adds to.
var countedOfRequests = []string{
	"closed_on_wire", "closed_by_editor", "closed_by_served", "cancelled_in_editor", "stale_answers", "wasted_answers", "wasted_prefills",
	"refused", "cold_requests", "late_answers_to_cancelled", "cancelled_answers", "protocol_errors", "unanswered", "typed_as_suggested", "cache_hits",
	"stored_answers",
}

// count adds a request to the counts.
func (r *request) count(n map[string]int) {
	add := func(name string, on bool) {
		if on {
			n[name]++
		}
	}
	by := r.trace.Fact(pipeline.FactGivenUp)
	closed := r.Closed != pipeline.Unknown
	add("closed_on_wire", closed)
	add("closed_by_editor", by == pipeline.ClosedByEditor)
	add("closed_by_served", by == pipeline.ClosedByServed)
	add("cancelled_in_editor", by != "")
	add("stale_answers", slices.Contains(stale, document.Verdict(r.trace.Fact(pipeline.FactVerdict))))
	add("wasted_answers", r.OutputTokens > 0 && !r.shown)
	add("wasted_prefills", closed && r.Scheduled != pipeline.Unknown && r.Scheduled <= r.Closed && r.AtClose.Output == 0)
	add("refused", r.Outcome == pipeline.Refused)
	add("unanswered", r.End == pipeline.Unknown)
	add("late_answers_to_cancelled", closed && r.Finish != "")
	add("cancelled_answers", closed && r.Finish == "" && r.End != pipeline.Unknown)
	add("stored_answers", r.trace.Fact(pipeline.FactStored) != "")
}

// mostInFlight returns the most requests that were sent, not answered and not closed at one
// time.
func (t *told) mostInFlight() (most int) {
	for i := range t.requests {
		at := t.requests[i].Due
		n := 0
		for j := range t.requests {
			r := &t.requests[j]
			end := r.End
			if r.Closed != pipeline.Unknown {
				end = r.Closed
			}
			if r.Due <= at && (end == pipeline.Unknown || end > at) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// tokens tells what was computed, and for whom.
func (t *told) tokens() {
	var generated, useful, before, evaluatedBefore, evaluatedAfter int
	for i := range t.requests {
		r := &t.requests[i]
		made := max(0, r.OutputTokens)
		generated += made
		if r.shown {
			useful += made
		}
		if r.Closed != pipeline.Unknown && r.AtClose.Prompt >= 0 {
			before += r.AtClose.Output
			evaluatedBefore += r.AtClose.Prompt
			evaluatedAfter += max(0, r.AtEnd.Prompt-r.AtClose.Prompt)
		}
	}
	t.all["generated_tokens"], t.all["useful_tokens"] = float64(generated), float64(useful)
	t.all["wasted_tokens"] = float64(generated - useful)
	t.all["useful_share"] = share(useful, generated)
	t.all["tokens_before_close"] = float64(before)
	t.all["evaluated_before_close"], t.all["evaluated_after_close"] = float64(evaluatedBefore), float64(evaluatedAfter)
}

// texts tells what stands on the line, and what the answers were worth.
func (t *told) texts() {
	before, after := string(t.document.Before()), t.document.After()
	line := before[strings.LastIndexByte(before, '\n')+1:]
	rest, _, _ := strings.Cut(after, "\n")
	accepted := line + t.shown
	if t.setup.Plugin.Accept == "replace_line" && t.shown != "" {
		rest = ""
	}
	t.all["verdict"] = nil
	if len(t.requests) > 0 {
		t.all["verdict"] = t.requests[0].trace.Fact(pipeline.FactVerdict)
	}
	t.all["shown_text"] = t.shown
	t.all["text_after_accept"], t.all["line_after_accept"] = accepted, accepted+rest
}
