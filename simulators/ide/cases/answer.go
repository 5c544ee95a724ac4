package cases

import (
	"strings"

	"halfsecond/mockllm/given"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/simulators/ide"
)

// say returns what the model says to the next request; warm-ups are none of the script's.
func (w *World) say(q *ide.Question) ide.Said {
	s := &w.setup.Server
	if w.number = 0; q.Class != pipeline.ClassFocus {
		w.asked++
		w.number = w.asked
	}
	for _, a := range s.Answers {
		if a.Request == w.number {
			return spread(a.Text, s.N, s.Whole())
		}
	}
	switch {
	case s.Answer.Text != "":
		return spread(s.Answer.Text, s.N, s.Whole())
	case s.Answer.Truth:
		return spread(q.Truth, s.N, s.Whole())
	}
	return spread(unrelated(q.Truth, s.N), s.N, s.Whole())
}

// unrelated returns n words that no typing goes on with.
func unrelated(truth string, n int) string {
	sign := "¶"
	if strings.HasPrefix(truth, sign) {
		sign = "§"
	}
	if n == 1 {
		return sign
	}
	return sign + " " + token.Passage{{ID: token.Name(1, "ide/cases/nonsense"), N: n - 1}}.Text()
}

// spread has a text come with n tokens: a word of it with each, what is left with the last,
// and nothing with those for which no word is left. As a whole all of it comes with the last.
func spread(text string, n int, whole bool) ide.Said {
	s := ide.Said{Text: text, Ends: make([]int, n)}
	at := 0
	for i := range n {
		if at < len(text) && !whole {
			at += token.Next(text[at:])
		}
		s.Ends[i] = at
	}
	s.Ends[n-1] = len(text)
	return s
}

// pace is how the request is served.
func (o *Other) pace() given.Pace {
	p := given.Pace{First: -1, Next: -1}
	if o.Hold > 0 {
		p.First = span(o.Hold)
	}
	if o.TPOT != nil {
		p.Next = span(*o.TPOT)
	}
	return p
}
