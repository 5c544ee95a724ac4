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
	if len(v.begun) == 0 {
		return nil
	}
	r := v.begun[0]
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
		tokens, chunks, aside := sent(r)
		if chunks == 0 || 2*tokens < 3*chunks {
			continue
		}
		f.Title = "a chunk holds several tokens"
		f.Evidence = []string{fmt.Sprintf("%s: %d tokens in %d chunks%s, %.1f a chunk: a tool that counts chunks reports so many times too few tokens a second", v.which(r), tokens, chunks, aside, float64(tokens)/float64(chunks))}
		f.Fix = "count tokens by the server's usage, as Halfsecond does, and take gaps between chunks for no gaps between tokens"
		return []Finding{f}
	}
	return nil
}

// sent returns the tokens of an answer and the chunks that brought them, without reasoning
// where the server counts it: of that it may send nothing, or a summary.
func sent(r *seen.Request) (tokens, chunks int, aside string) {
	if r.Reply.Usage == nil || r.Reply.Usage.Reasoning <= 0 {
		return r.Record.OutputTokens, r.Record.Chunks, ""
	}
	for _, o := range r.Outputs() {
		if o.Kind != reply.Reasoning {
			chunks++
		}
	}
	return r.Record.OutputTokens - r.Reply.Usage.Reasoning, chunks, " (reasoning aside)"
}

// inBursts finds chunks that come several at a time though no clock or buffer holds them.
func inBursts(v *view) []Finding {
	s := &v.shape
	if s.form != bursts || splits(s) {
		return nil
	}
	return []Finding{{
		ID: "bursts", Cost: pipeline.Unknown, Title: "chunks come several at a time, and not by a clock: the engine makes several tokens in a step, as speculative decoding does",
		Evidence: []string{fmt.Sprintf("%s: %d of %d chunks did not come alone; %d deliveries, one every %s", v.which(s.request), s.together, s.chunks, s.packs, ms(s.every))},
		Fix:      "judge the pace by tpot; percentiles of gaps between chunks are half zeros here. A server that is short of processor does the same",
	}}
}

// splits reports whether the server cuts tokens into smaller chunks: there is a delivery for
// nearly every token.
func splits(s *shape) bool {
	const nearly = 0.8
	tokens := s.request.Record.OutputTokens
	return tokens != pipeline.UnknownCount && tokens < s.chunks && float64(s.packs) >= nearly*float64(tokens)
}
