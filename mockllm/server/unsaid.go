package server

import (
	"fmt"
	"sync"

	"halfsecond/mockllm/answer"
)

// teller is a source of answers whose user is told once of each reason why it has had
// nothing to say.
type teller struct {
	answer.Source
	warn func(text string)

	mu   sync.Mutex // guards what follows
	told map[string]bool
}

// Answer implements answer.Source.
func (t *teller) Answer(a *answer.Asked) (text string, ok bool) {
	text, ok = t.Source.Answer(a)
	if !ok && a.Unsaid != "" && t.first(a.Unsaid) {
		t.warn(fmt.Sprintf("an answer is the mock's own words: %s (said once; each such request has it as \"unsaid\" in /v1/halfsecond/requests)", a.Unsaid))
	}
	return text, ok
}

// first reports whether a reason is new.
func (t *teller) first(why string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.told[why] {
		return false
	}
	t.told[why] = true
	return true
}
