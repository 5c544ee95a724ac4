package observe

import "fmt"

const (
	// suffixTokens is the least that is long: prompts of this many tokens take a small
	// model on a consumer card some 30 ms, a fifth of 150 ms; assumed.
	suffixTokens = 256
	suffixShare  = 0.2 // of the prompt, or more; assumed
)

// longSuffix finds much text after the cursor that stands behind it in the prompt too, and
// is computed again at every key.
func longSuffix(v *view) (Finding, bool) {
	var behind, shares []int
	for _, r := range v.reused {
		behind = append(behind, r.behind)
		shares = append(shares, 100*r.behind/max(1, r.tokens))
	}
	n, s := middle(behind), float64(middle(shares))/100
	if len(behind) < leastSeen || n < suffixTokens || s < suffixShare {
		return Finding{}, false
	}
	return Finding{
		ID: "suffix_too_long", Share: s, Title: "much text after the cursor is computed again at every key",
		Evidence: []string{fmt.Sprintf("%d tokens behind the place of the edit in the middle of %d prompts, %s of the prompt: no cache can keep what follows a change", n, len(behind), percent(s))},
		Fix:      fmt.Sprintf("send less of it (some lines tell a model where to end), put it before the text before the cursor where the model was trained for that (Codestral; --spm-infill of llama.cpp), or ask again only when the line changes; below %d tokens nothing is said", suffixTokens),
	}, true
}
