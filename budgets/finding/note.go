package finding

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
)

// notes finds what is good to know for who measures here.
func notes(v *view) []Finding {
	var found []Finding
	for _, check := range []func(*view) []Finding{firstByte, manyTokens, inBursts, prefixCache, nearLimit} {
		for _, f := range check(v) {
			f.Severity = Note
			found = append(found, f)
		}
	}
	return found
}

// firstByte finds streams that begin before the answer does, which fools those who stop
// their clock too early.
func firstByte(v *view) []Finding {
	const least, share = 20 * time.Millisecond, 0.1
	if len(v.ok) == 0 {
		return nil
	}
	r := v.ok[0]
	ttfb, ttfv := r.Since(r.Record.FirstByte), r.Since(r.Record.FirstSeen)
	if ttfb == pipeline.Unknown || ttfv == pipeline.Unknown || ttfv-ttfb < least || float64(ttfv-ttfb) < share*float64(ttfv) {
		return nil
	}
	f := Finding{
		ID: "first_byte", Cost: pipeline.Unknown, Title: "the stream begins before the answer does",
		Evidence: []string{fmt.Sprintf("%s: a clock that stops at the first byte says %s, at the first output %s; the first character that can be seen came after %s", v.which(r), ms(ttfb), ms(ttft(r)), ms(ttfv))},
		Fix:      "compare with other tools only where both stop at the same event",
	}
	if len(r.Events) > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the first event is of kind %s", r.Events[0].Kind))
	}
	return []Finding{f}
}

// manyTokens finds chunks that hold several tokens.
func manyTokens(v *view) []Finding {
	f, ok := v.flagged(reply.FlagTokensExceed)
	if !ok {
		return nil
	}
	for _, r := range v.ok {
		if tokens, chunks := r.Record.OutputTokens, r.Record.Chunks; chunks > 0 && 2*tokens >= 3*chunks {
			f.Title = "a chunk holds several tokens"
			f.Evidence = []string{fmt.Sprintf("%s: %d tokens in %d chunks, %.1f a chunk: a tool that counts chunks reports so many times too few tokens a second", v.which(r), tokens, chunks, float64(tokens)/float64(chunks))}
			f.Fix = "count tokens by the server's usage, as Halfsecond does, and take gaps between chunks for no gaps between tokens"
			return []Finding{f}
		}
	}
	return nil
}

// inBursts finds chunks that come several at a time though no clock or buffer holds them.
func inBursts(v *view) []Finding {
	s := &v.shape
	if s.form != bursts {
		return nil
	}
	return []Finding{{
		ID: "bursts", Cost: pipeline.Unknown, Title: "chunks come several at a time, and not by a clock: the engine makes several tokens in a step, as speculative decoding does",
		Evidence: []string{fmt.Sprintf("%s: %d of %d chunks did not come alone; %d deliveries, one every %s", v.which(s.request), s.together, s.chunks, s.packs, ms(s.every))},
		Fix:      "judge the pace by tpot; percentiles of gaps between chunks are half zeros here. A server that is short of processor does the same",
	}}
}

// prefixCache finds prompts that go faster the second time.
func prefixCache(v *view) []Finding {
	const share, least = 0.5, 50 * time.Millisecond
	var pairs, faster, counted int
	var example [2]*seen.Request
	for i, r := range v.ok {
		if i == 0 || r.Prompt != seen.Again || v.ok[i-1].Record.ID+1 != r.Record.ID {
			continue
		}
		before := v.ok[i-1]
		pairs++
		new, again := ttft(before), ttft(r)
		if new != pipeline.Unknown && again != pipeline.Unknown && float64(again) <= share*float64(new) && new-again >= least {
			faster++
		}
		if r.Record.CachedTokens > max(0, before.Record.CachedTokens) {
			counted++
		}
		example = [2]*seen.Request{before, r}
	}
	if pairs == 0 || counted == 0 && faster < pairs {
		return nil
	}
	return []Finding{v.cached(example)}
}

func (v *view) cached(pair [2]*seen.Request) Finding {
	new, again := pair[0], pair[1]
	f := Finding{
		ID: "prefix_cache", Cost: pipeline.Unknown, Title: "the server keeps prompts: one that it has seen goes faster",
		Evidence: []string{fmt.Sprintf("first output after %s with a new prompt (%s), after %s with the same once more (%s)", ms(ttft(new)), v.which(new), ms(ttft(again)), v.which(again))},
		Fix:      "when you measure, begin each prompt differently, or it is the cache that is measured; in production keep what prompts share at their beginning",
	}
	if c := again.Record.CachedTokens; c > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the server counts %d of %d prompt tokens as cached, %d the first time", c, again.Record.PromptTokens, max(0, new.Record.CachedTokens)))
	}
	if a, b := new.Record.Server.Prefill, again.Record.Server.Prefill; a != pipeline.Unknown && b != pipeline.Unknown {
		f.Evidence = append(f.Evidence, fmt.Sprintf("it says that the prompt took %s, then %s", ms(a), ms(b)))
	}
	return f
}
