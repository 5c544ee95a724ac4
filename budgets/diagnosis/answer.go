package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// lookAhead finds a first piece of text that is whole and is held until the next token.
func lookAhead(r *run) (Diagnosis, bool) {
	e, share := r.without(pipeline.SpanLookAhead), r.critical(pipeline.SpanLookAhead)
	const least = 5 * time.Millisecond // a token takes some ms, and it is for nothing
	if share < most || e.mean() < least {
		return Diagnosis{}, false
	}
	return Diagnosis{
		ID: LookAhead, Cost: e.mean(), Title: "the first sentence is whole, and is held until the next token comes",
		Evidence: []string{fmt.Sprintf("look_ahead is critical in %s of turns (%s)", percent(share), figures(r.lengths(pipeline.SpanLookAhead))), e.String()},
		Fix:      cureLookAhead,
	}, true
}

// ttsHeld finds text that the voice has, and waits with until more comes.
func ttsHeld(r *run) (Diagnosis, bool) {
	e, share := r.without(pipeline.SpanTTSHeld), r.critical(pipeline.SpanTTSHeld)
	if share < most || e.mean() < noticeable {
		return Diagnosis{}, false
	}
	return Diagnosis{
		ID: TTSHeld, Cost: e.mean(), Title: "the voice holds the first text back until more comes: audio begins after the second call",
		Evidence: []string{fmt.Sprintf("tts_held is critical in %s of turns (%s)", percent(share), figures(r.lengths(pipeline.SpanTTSHeld))), e.String()},
		Fix:      cureHeld,
	}, true
}

// doubleRequests finds early requests that are wrong so often that what is thrown away is a
// quarter of all tokens: with prompts that are alike, one wrong guess in three (assumed).
func doubleRequests(r *run) (Diagnosis, bool) {
	const least = 0.25
	right, wrong, wasted, all, vain, estimated := 0, 0, 0, 0, 0, 0
	for _, t := range r.all {
		switch t.Fact(pipeline.FactGuess) {
		case "right":
			right++
		case "wrong":
			wrong++
		}
		if n, err := strconv.Atoi(t.Fact(pipeline.FactWasted)); err == nil {
			wasted += n
		}
		vain += budgets.InVain(t)
		for i := range t.Requests {
			prompt, output, ours, _ := t.Requests[i].Tokens()
			all, estimated = all+prompt+output, estimated+ours
		}
	}
	if wrong+vain < fewest || all == 0 || float64(wasted) < least*float64(all) {
		return Diagnosis{}, false
	}
	early := right + wrong
	d := Diagnosis{
		ID: DoubleRequests, Cost: pipeline.Unknown, Title: "the model is asked before the turn is over, and what it makes is thrown away too often",
		Evidence: []string{
			fmt.Sprintf("%d of %d turns had an early request; %d of them were right, a hit share of %s", early, len(r.all), right, percent(float64(right)/float64(max(1, early)))),
			fmt.Sprintf("%d tokens of prompts and answers were for nothing, %s of all: %d for each turn", wasted, percent(float64(wasted)/float64(all)), wasted/len(r.all)),
		},
		Fix: cureDouble,
	}
	if estimated > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("%d of all tokens are our own count: a server does not count those of a request that is given up", estimated))
	}
	if vain > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("%d requests were made at pauses inside turns, where the user went on: %.2g for each turn", vain, float64(vain)/float64(len(r.all))))
	}
	if heads := r.headStarts(); len(heads) > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("where it was right the model began %s before the turn was committed", figures(heads)))
	}
	return d, true
}

// headStarts returns how long before the commit the right early requests were sent.
func (r *run) headStarts() []time.Duration {
	var heads []time.Duration
	for i := range r.turns {
		t := &r.turns[i]
		if t.Trace.Fact(pipeline.FactGuess) != "right" || len(t.Trace.Requests) == 0 {
			continue
		}
		commit := pipeline.Unknown
		for _, name := range []string{pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait, pipeline.SpanSTTTail, pipeline.SpanSTTTimer, pipeline.SpanHook} {
			commit = max(commit, t.end(name))
		}
		if sent := t.Trace.Requests[min(budgets.InVain(t.Trace), len(t.Trace.Requests)-1)].Due; commit != pipeline.Unknown && sent < commit {
			heads = append(heads, commit-sent)
		}
	}
	return heads
}

// prompt is what is known of the last request of a turn that landed.
type prompt struct {
	session, index int
	tokens, cached int // pipeline.UnknownCount where nobody said
	prefill        time.Duration
}

// modelled reports whether the language model is a simulated engine, of which all is known.
func (r *run) modelled() bool {
	return slices.ContainsFunc(r.Run.Header.Stages, func(s trace.Stage) bool { return s.Name == pipeline.SpanLLMPrefill && s.Simulated })
}

// contextGrowth finds calls whose prompts grow, and whose first tokens come the later.
func contextGrowth(r *run) (Diagnosis, bool) {
	// A prompt half as long again, a first token a quarter and 30 ms later, and less than
	// half of the prompt in the cache: assumed.
	const longer, slower, least, kept = 1.5, 1.25, 30 * time.Millisecond, 0.5
	prompts := r.prompts()
	third := len(prompts) / 3
	if third < fewest || !grow(prompts) {
		return Diagnosis{}, false
	}
	slices.SortStableFunc(prompts, func(x, y prompt) int { return cmp.Compare(x.tokens, y.tokens) })
	short, long := prompts[:third], prompts[len(prompts)-third:]
	from, to := tokensOf(short), tokensOf(long)
	quick, slow := prefillOf(short), prefillOf(long)
	cached, known := cachedShare(long)
	if float64(to) < longer*float64(from) || slow-quick < least || float64(slow) < slower*float64(quick) || known && cached >= kept {
		return Diagnosis{}, false
	}
	e := r.with(func(t *turn, id pipeline.SpanID, took time.Duration) time.Duration {
		if s := t.Trace.Spans[id].Name; s == pipeline.SpanLLMPrefill || s == pipeline.SpanLLMFirstToken {
			return min(took, quick)
		}
		return took
	})
	d := Diagnosis{
		ID: ContextGrowth, Cost: e.mean(), Title: "each turn sends the whole call again and has it prefilled again: replies come later the longer a call lasts",
		Evidence: []string{fmt.Sprintf("prompts grow from %d tokens to %d (medians of the shortest third and the longest), and the first token comes after %s and %s: %s for each 1000 tokens",
			from, to, ms(quick), ms(slow), ms((slow-quick)*1000/time.Duration(to-from)))},
		Fix: cureContext,
	}
	switch {
	case known:
		d.Evidence = append(d.Evidence, fmt.Sprintf("of the long prompts %s were in the model's cache", percent(cached)))
	case r.modelled():
		d.Evidence = append(d.Evidence, "the model that is simulated keeps no prompts, so none of them was in a cache")
	default:
		d.Evidence = append(d.Evidence, "nobody said how much of them was in a cache")
	}
	switch broken, gaps := r.broken(), r.askedAgo(); {
	case broken != "":
		d.Evidence = append(d.Evidence, "what keeps a cache from knowing a prompt: "+broken)
	case known && len(gaps) > 0:
		d.Fix = cureForgotten
		d.Evidence = append(d.Evidence, fmt.Sprintf("nothing made the beginning of a prompt another, and the call had last asked %s before: a cache that is on had forgotten it by then, or needed its room", figures(gaps)))
	}
	d.Evidence = append(d.Evidence, fmt.Sprintf("replies land at %s; if all prompts took as long as the short ones they would at %s", figures(e.was), figures(e.would)))
	return d, true
}

// askedAgo returns how long before a turn's request the call had asked, a turn each.
func (r *run) askedAgo() (gaps []time.Duration) {
	for i := 1; i < len(r.all); i++ {
		before, t := r.all[i-1], r.all[i]
		if before.Session != t.Session || len(before.Requests) == 0 || len(t.Requests) == 0 {
			continue
		}
		if gap := t.Requests[0].Due - before.Requests[len(before.Requests)-1].Due; gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	return gaps
}

// broken says in how many turns the beginning of the prompt was made another, and by what.
func (r *run) broken() string {
	var parts []string
	for _, by := range []struct{ name, what string }{
		{pipeline.CacheTimeStamp, "the time in the system prompt"}, {pipeline.CacheToolOrder, "tools in another order"}, {pipeline.CacheRewrite, "history told in other words"},
	} {
		n := 0
		for _, t := range r.all {
			if slices.Contains(strings.Split(t.Fact(pipeline.FactCache), ","), by.name) {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %s", by.what, ofTurns(n, len(r.all))))
		}
	}
	return strings.Join(parts, "; ")
}

// prompts returns what is known of the turns' last requests, by session and index.
func (r *run) prompts() []prompt {
	var all []prompt
	for i := range r.turns {
		t := &r.turns[i]
		if len(t.Trace.Requests) == 0 {
			continue
		}
		q := &t.Trace.Requests[len(t.Trace.Requests)-1]
		prefill, ok := t.took(pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken)
		if ok && q.PromptTokens != pipeline.UnknownCount {
			all = append(all, prompt{t.Trace.Session, t.Trace.Index, q.PromptTokens, q.CachedTokens, prefill})
		}
	}
	slices.SortStableFunc(all, func(x, y prompt) int {
		return cmp.Or(cmp.Compare(x.session, y.session), cmp.Compare(x.index, y.index))
	})
	return all
}

// grow reports whether prompts are longer than the one before, nearly always: a call may
// end, and another begin, in one session.
func grow(prompts []prompt) bool {
	const nearly = 0.7
	pairs, longer := 0, 0
	for i := 1; i < len(prompts); i++ {
		if x, y := &prompts[i-1], &prompts[i]; x.session == y.session {
			pairs++
			if y.tokens > x.tokens {
				longer++
			}
		}
	}
	return pairs >= fewest && float64(longer) >= nearly*float64(pairs)
}

func tokensOf(prompts []prompt) int {
	tokens := make([]int, len(prompts))
	for i := range prompts {
		tokens[i] = prompts[i].tokens
	}
	return median(tokens)
}

func prefillOf(prompts []prompt) time.Duration {
	prefills := make([]time.Duration, len(prompts))
	for i := range prompts {
		prefills[i] = prompts[i].prefill
	}
	return median(prefills)
}

// cachedShare returns how much of the prompts was in a cache; known is false where that was
// not said of each.
func cachedShare(prompts []prompt) (share float64, known bool) {
	cached, all := 0, 0
	for i := range prompts {
		if prompts[i].cached == pipeline.UnknownCount {
			return 0, false
		}
		cached, all = cached+prompts[i].cached, all+prompts[i].tokens
	}
	return float64(cached) / float64(all), true
}
