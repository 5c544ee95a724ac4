package cases

import (
	"slices"
	"time"

	"halfsecond/budgets/ghost"
	"halfsecond/pipeline"
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

// told is the figures of a case in the making. What follows from traces alone is computed by
// package ghost.
type told struct {
	*Outcome
	*ghost.Run
	all     map[string]any
	lastKey time.Duration
	typed   bool // there was a last key
	// latest are the traces of the last version: of the last step that changed the text, and
	// of what was asked for by hand since.
	latest []*pipeline.Trace
}

// find sorts the traces out.
func (t *told) find() {
	t.Run = ghost.Of(t.traces, ghost.Options{LeastVisible: span(t.setup.Plugin.MinVisible), End: t.at})
	t.lastKey, t.typed = t.script.lastKey()
	for _, x := range t.traces {
		if t.begins(x) {
			t.latest = nil
		}
		if t.begins(x) || x.Fact(pipeline.FactClass) == pipeline.ClassInvoke {
			t.latest = append(t.latest, x)
		}
	}
}

// begins reports whether a trace is of a step that changed the text.
func (t *told) begins(x *pipeline.Trace) bool {
	switch x.Fact(pipeline.FactClass) {
	case pipeline.ClassAccept:
		return true
	case pipeline.ClassInvoke:
		types := func(a Asked) bool { return a.Text != "" && span(a.At) == x.Due }
		return slices.ContainsFunc(t.setup.Requests, types)
	}
	return x.Kind == pipeline.KindIDE
}

// firstText returns when there was the first character to show for the last version.
func (t *told) firstText() time.Duration {
	text := pipeline.Unknown
	for _, x := range t.latest {
		if at := x.Mark(pipeline.MarkFirstCharacter); at != pipeline.Unknown && (text == pipeline.Unknown || at < text) {
			text = at
		}
	}
	return text
}

// ms returns an instant or a span, nil when it is not known.
func ms(d time.Duration) any {
	if d == pipeline.Unknown {
		return nil
	}
	return float64(d) / 1e6
}

// list returns what of each request is known.
func (t *told) list(of func(r *ghost.Request) time.Duration) []any {
	all := []any{}
	for i := range t.Requests {
		if v := of(&t.Requests[i]); v != pipeline.Unknown {
			all = append(all, ms(v))
		}
	}
	return all
}

// times tells when things happened.
func (t *told) times() {
	refused := t.list(func(r *ghost.Request) time.Duration {
		if r.Outcome == pipeline.Refused {
			return r.End
		}
		return pipeline.Unknown
	})
	t.all["sent_at"] = t.list(func(r *ghost.Request) time.Duration { return r.Due })
	t.all["closed_at"] = t.list(func(r *ghost.Request) time.Duration { return r.Closed })
	t.all["refused_at"] = refused
	t.all["first_refused_at"] = first(refused)
	text := t.firstText()
	t.all["first_text_at"], t.all["first_text_after_last_key"] = ms(text), nil
	if t.typed {
		t.all["first_text_after_last_key"] = ms(pipeline.Since(t.lastKey, text))
	}
	t.all["last_request_start"], t.all["last_request_end"], t.all["last_end_after_last_key"] = nil, nil, nil
	if n := len(t.Requests); n > 0 {
		r := &t.Requests[n-1]
		from, _ := r.Served()
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
	if s := &t.setup.Server; s.PrefillRate > 0 && len(t.Requests) > 0 {
		r := &t.Requests[len(t.Requests)-1]
		best = t.setup.Plugin.Debounce + 1000*float64(evaluated(r))/s.PrefillRate
	}
	t.all["best_first_text_after_key"] = best
	if b := t.setup.Budget; b != nil {
		t.all["possible_within_budget"] = best <= *b
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
	if n := len(t.Requests); n > 0 {
		last := &t.Requests[n-1]
		if start, _ := last.Served(); start != pipeline.Unknown {
			came := last.Sent + last.Way.Out
			t.all["last_request_wait"] = ms(start - came)
			t.all["wait_behind_closed"] = ms(t.BehindClosed(came, start))
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

// evaluated returns the tokens of a prompt that were computed for a request that was served.
func evaluated(r *ghost.Request) int { return r.PromptTokens - max(0, r.CachedTokens) }

// prefills tells of how prompts were evaluated, key by key.
func (t *told) prefills() {
	var spans []time.Duration
	var differ []any
	cached, prompts, whole := 0, 0, 0
	fewest, most := -1, -1
	t.all["prefill_of_last_request"], t.all["decode_step"] = nil, nil
	for i := range t.Requests {
		r := &t.Requests[i]
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
func (t *told) differs(r *ghost.Request) int {
	ahead := len(t.prompts) - len(t.Requests) - t.WarmUps // what the server held before
	i := int(r.ID) - 1 + ahead
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

// tokens tells what was computed, and for whom.
func (t *told) tokens() {
	w := t.WasteOf(wasted)
	t.all["generated_tokens"], t.all["wasted_tokens"] = float64(w.Output), float64(w.WastedOutput)
	t.all["useful_tokens"], t.all["useful_share"] = float64(w.Output-w.WastedOutput), share(w.Output-w.WastedOutput, w.Output)
	var before, after pipeline.Work
	for _, e := range t.Ledger() {
		before.Prompt, before.Output = before.Prompt+e.Before.Prompt, before.Output+e.Before.Output
		after.Prompt += e.After.Prompt
	}
	t.all["tokens_before_close"] = float64(before.Output)
	t.all["evaluated_before_close"], t.all["evaluated_after_close"] = float64(before.Prompt), float64(after.Prompt)
}

// wasted reports whether the tokens of an answer are wasted in the sense of the cases, which hold
// one against it that stopped to fit once it was shown: it is stale, unless it was drawn on.
func wasted(r *ghost.Request) bool {
	return !r.Useful || !r.Drawn && ghost.Stale(ghost.Last(r.Trace))
}

// texts tells what stands on the line once a suggestion is accepted, the last that was or the
// one that is shown, and what the answers were worth.
func (t *told) texts() {
	shown := &taken{before: lineBefore(t.document) + t.shown, after: t.document.RestOfLine()}
	if t.setup.Plugin.Accept == "replace_line" && t.shown != "" {
		shown.after = ""
	}
	if t.script.taken != nil {
		shown = t.script.taken
	}
	t.all["verdict"] = nil
	if len(t.Requests) > 0 {
		t.all["verdict"] = t.Requests[0].Trace.Fact(pipeline.FactVerdict)
	}
	t.all["shown_text"] = t.shown
	t.all["text_after_accept"], t.all["line_after_accept"] = shown.before, shown.before+shown.after
}
