package observe

import (
	"slices"
	"strings"

	"halfsecond/mockllm/token"
)

// reuse is what a prompt has in common with the one before it of its document: what a
// server that keeps the beginning of prompts need not compute again.
type reuse struct {
	tokens int // of the prompt
	common int // of them, at its beginning, that the prompt before has too
	// possible is how many stand before the place of the edit: common, had nothing else
	// changed.
	possible int
	section  string // in which the first other token stands
	behind   int    // tokens of text after the cursor that stand behind the edit
	slid     int    // bytes that the beginning of the text before the cursor was cut by more than before
}

// lost returns the tokens that an edit did not touch and that are computed again for all
// that.
func (r *reuse) lost() int { return max(0, r.possible-r.common) }

// reuseOf compares a visit with the one before, from which it differs by an edit at the
// cursor.
func reuseOf(before, v *visit) reuse {
	a, b := joined(before.Prompt.Sections), joined(v.Prompt.Sections)
	same := prefixed(a, b)
	r := reuse{common: min(tokensIn(a, same), tokensIn(b, same)), slid: v.start - before.start}
	at, touched := 0, v.edit.Offset-v.start // the place of the edit in the text before the cursor
	for _, s := range v.Prompt.Sections {
		n := token.Count(s.Text)
		if r.section == "" && at+len(s.Text) > same {
			r.section = s.Name
		}
		if s.Name == Prefix || s.Name == Line {
			if touched >= 0 && touched <= len(s.Text) {
				r.possible = r.tokens + tokensIn(s.Text, touched)
				touched = -1
			} else if touched >= 0 {
				touched -= len(s.Text)
			}
		}
		if s.Name == Suffix && touched < 0 {
			r.behind += n
		}
		r.tokens += n
		at += len(s.Text)
	}
	return r
}

// joined returns the text of sections.
func joined(all []Section) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.Text)
	}
	return b.String()
}

// tokensIn counts the tokens that end within the first n bytes of a text.
func tokensIn(text string, n int) (count int) {
	for at := 0; at < len(text); count++ {
		at += token.Next(text[at:])
		if at > n {
			break
		}
	}
	return count
}

// reused returns what each request that followed an edit at the cursor has in common with
// the one before.
func (t *text) reused() []reuse {
	var all []reuse
	for i := 1; i < len(t.visits); i++ {
		v := &t.visits[i]
		if slices.Contains([]Kind{Typed, Erased, Accepted, Inserted}, v.step.kind) {
			all = append(all, reuseOf(&t.visits[i-1], v))
		}
	}
	return all
}
