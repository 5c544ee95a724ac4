package finding

import (
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// pair is a request with a new prompt and the one behind it, with the same once more.
type pair struct {
	new, again *seen.Request
	timed      bool // the clock tells when their first outputs came
}

// pairs returns the pairs among the answers.
func (v *view) pairs() []pair {
	var all []pair
	for i := 1; i < len(v.begun); i++ {
		new, again := v.begun[i-1], v.begun[i]
		if again.Prompt == seen.Again && new.Record.ID+1 == again.Record.ID {
			all = append(all, pair{new, again, !v.shape.held() && !atOnce(new) && !atOnce(again)})
		}
	}
	return all
}

// faster reports whether the second time took half as long until the first output, or less.
func (p pair) faster() bool {
	const share, least = 0.5, 50 * time.Millisecond
	new, again := ttft(p.new), ttft(p.again)
	return p.timed && new != pipeline.Unknown && again != pipeline.Unknown && float64(again) <= share*float64(new) && new-again >= least
}

// counted reports whether the server counts more cached tokens the second time.
func (p pair) counted() bool {
	return p.again.Record.CachedTokens > max(0, p.new.Record.CachedTokens)
}

// prefixCache finds prompts that are kept: counted so once, or faster each time.
func prefixCache(v *view) []Finding {
	pairs, faster, counted := v.pairs(), 0, 0
	for _, p := range pairs {
		if p.faster() {
			faster++
		}
		if p.counted() {
			counted++
		}
	}
	if len(pairs) == 0 || counted == 0 && faster < len(pairs) {
		return nil
	}
	shows := pairs[len(pairs)-1]
	for _, p := range pairs {
		if p.counted() {
			shows = p
		}
	}
	return []Finding{v.cached(shows)}
}

func (v *view) cached(p pair) Finding {
	new, again := p.new, p.again
	f := Finding{
		ID: "prefix_cache", Cost: pipeline.Unknown, Title: "the server keeps prompts: one that it has seen goes faster",
		Fix: "when you measure, begin each prompt differently, or it is the cache that is measured; in production keep what prompts share at their beginning",
	}
	if p.timed {
		if !p.faster() {
			f.Title = "the server keeps prompts, though this one did not go much faster for it"
		}
		f.Evidence = []string{fmt.Sprintf("first output after %s with a new prompt (%s), after %s with the same once more (%s)", ms(ttft(new)), v.which(new), ms(ttft(again)), v.which(again))}
	} else {
		f.Title = "the server keeps prompts; how much faster that makes them cannot be told, since the answers are held back"
	}
	if c := again.Record.CachedTokens; c > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("the server counts %d of %d prompt tokens as cached, %d the first time", c, again.Record.PromptTokens, max(0, new.Record.CachedTokens)))
	}
	if a, b := new.Record.Server.Prefill, again.Record.Server.Prefill; a != pipeline.Unknown && b != pipeline.Unknown {
		f.Evidence = append(f.Evidence, fmt.Sprintf("it says that the prompt took %s, then %s", ms(a), ms(b)))
	}
	return f
}
