package observe

import (
	"fmt"
)

const (
	// driftTokens is the least that is computed again, in tokens, for a prompt to have
	// drifted: a block of vLLM's prefix cache, which reuses whole ones.
	driftTokens = 16
	driftShare  = 0.2 // of edits at the cursor, or more; assumed
)

// drift finds prompts of which something moves that the typing did not touch, so that a
// server's prefix cache is of no use.
func drift(v *view) (Finding, bool) {
	var firsts, lost []int
	in := map[string]int{}
	moved := 0
	for _, r := range v.reused {
		if r.lost() < driftTokens {
			continue
		}
		firsts, lost = append(firsts, r.common), append(lost, r.lost())
		in[r.section]++
		if r.section == Prefix && r.slid != 0 {
			moved++
		}
	}
	s := share(len(lost), len(v.reused))
	if len(lost) < leastSeen || s < driftShare {
		return Finding{}, false
	}
	section := most(in)
	f := Finding{
		ID: "prefix_drift", Share: s, Title: "the beginning of the prompt moves: a server's prefix cache is of little use",
		Evidence: []string{
			fmt.Sprintf("%d of %d prompts after an edit at the cursor (%s) differ from the one before ahead of the edit: in the middle from token %d on, so that %d tokens are computed again that nobody touched", len(lost), len(v.reused), percent(s), middle(firsts), middle(lost)),
			fmt.Sprintf("what differs first is %s in %d of them", sectionWords[section], in[section]),
		},
		Fix: driftFixes[section],
	}
	if section == Prefix && moved > 0 {
		f.Evidence[1] += fmt.Sprintf("; its beginning was cut elsewhere in %d", moved)
	}
	return v.withCache(f), true
}

// most returns the section that is counted most often; of several the first by name.
func most(in map[string]int) (section string) {
	for _, name := range []string{Context, Line, Prefix, Suffix} {
		if in[name] > in[section] {
			section = name
		}
	}
	return section
}

// sectionWords and driftFixes say what a section is and what keeps it still.
var (
	sectionWords = map[string]string{
		Context: "what stands before the code (instructions, other files)", Prefix: "the text before the cursor", Suffix: "the text after the cursor", Line: "the line after all else",
	}
	driftFixes = map[string]string{
		Context: "put what changes often (other files, recent edits, a clock) behind the code, or keep it until it is worth a whole new prompt",
		Prefix:  "cut the text before the cursor at places that stay: at a line whose number is a multiple of 50, or in steps of a quarter of the window, not a fixed number of tokens before the cursor",
		Suffix:  "cut the text after the cursor at a place that stays, such as the end of a line on a grid, or put it behind the text before the cursor",
		Line:    "send the line that is typed as the last thing of the prompt, and nothing behind it",
	}
)

// withCache adds what the server's own cache says.
func (v *view) withCache(f Finding) Finding {
	tokens, cached, caches := 0, 0, 0
	for _, r := range v.requests {
		if r.Caches && r.PromptTokens > 0 {
			caches++
			tokens += r.PromptTokens
			cached += r.Cached
		}
	}
	if caches > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("this server found %d of %d prompt tokens in its cache (%s)", cached, tokens, percent(share(cached, tokens))))
	}
	return f
}
