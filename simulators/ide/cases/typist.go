package cases

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"halfsecond/mockllm/token"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

// act is one thing that happens in the editor.
type act struct {
	at   time.Duration
	kind typing.Kind
	text string // that is typed, or selected
	back bool
	move int          // lines
	step *typing.Step // of a recording, which says all
}

// types reports whether an act is a key, an acceptance included.
func (a *act) types() bool { return a.kind == typing.Key || a.kind == typing.Accept }

// acts returns what the keys and the requests of a case are.
func (s *Setup) acts() (all []act, err error) {
	unimportant := s.unimportant()
	for i := range s.Keys {
		k := &s.Keys[i]
		if all = append(all, k.acts(unimportant)...); k.Trace == "" {
			continue
		}
		recorded, err := s.recorded(i)
		if err != nil {
			return nil, err
		}
		all = append(all, recorded...)
	}
	for _, a := range s.Requests {
		at := span(a.At)
		for _, c := range a.Text {
			all = append(all, act{at: at, kind: typing.Invoke, text: string(c)})
		}
		if a.Text == "" {
			all = append(all, act{at: at, kind: typing.Invoke})
		}
	}
	slices.SortStableFunc(all, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return all, nil
}

// acts returns the steps of one entry.
func (k *Keys) acts(unimportant func() string) (all []act) {
	at := span(k.At)
	add := func(a act) {
		a.at = at
		all = append(all, a)
		at += span(k.Gap)
	}
	for range k.Count {
		add(act{kind: typing.Key, text: unimportant()})
	}
	for _, c := range k.Type {
		add(act{kind: typing.Key, text: string(c)})
	}
	for range k.Backspace {
		add(act{kind: typing.Key, back: true})
	}
	if k.Move != 0 {
		add(act{kind: typing.Move, move: k.Move})
	}
	if k.Accept {
		add(act{kind: typing.Accept})
	}
	if k.Focus {
		add(act{kind: typing.Focus})
	}
	if k.Popup != nil {
		add(act{kind: typing.Popup, text: *k.Popup})
	}
	return all
}

// edits reports whether an entry changes the document or moves the cursor.
func (k *Keys) edits() bool {
	return k.Count > 0 || k.Type != "" || k.Backspace > 0 || k.Move != 0 || k.Accept
}

// recorded returns what was done in a recording, in all of its documents. Nothing else can be
// typed beside it, for it knows nothing of that.
func (s *Setup) recorded(entry int) (all []act, err error) {
	k := &s.Keys[entry]
	for i, o := range s.Keys {
		if o.edits() || o.Trace != "" && i != entry {
			return nil, fmt.Errorf("%s: keys: the trace %s stands beside other keys, want none", s.ID, k.Trace)
		}
	}
	session, err := s.session(k.Trace)
	if err != nil {
		return nil, err
	}
	source, at := session.Whole(), span(k.At)
	for step, ok := source.Next(); ok; step, ok = source.Next() {
		at += step.Gap
		all = append(all, act{at: at, kind: step.Kind, step: &step})
	}
	return all, nil
}

// session reads a recording.
func (s *Setup) session(path string) (*recording.Session, error) {
	data, err := s.folder(path)
	if err != nil {
		return nil, err
	}
	return recording.Read(path, bytes.NewReader(data))
}

// unimportant returns characters of no importance, one after the other: where prompts are made
// of tokens, each is one that no other key types; else letters that no text of the case has, so
// that nothing goes on with them by chance.
func (s *Setup) unimportant() func() string {
	n, letters := 0, s.lettersApart()
	return func() string {
		n++
		if s.Plugin.Prompt == nil {
			return string(letters[n%len(letters)])
		}
		return " " + token.Passage{{ID: token.Name(1, "ide/cases/key", n), N: 1}}.Text()
	}
}

// alphabet is how many letters are typed in turn.
const alphabet = 26

// lettersApart returns letters that stand in no text that a case names.
func (s *Setup) lettersApart() (letters []rune) {
	texts := s.Server.Answer.Text + s.Document.Ghost + s.Document.Before + s.Document.After
	if s.Document.Truth != nil {
		texts += *s.Document.Truth
	}
	for _, a := range s.Server.Answers {
		texts += a.Text
	}
	for _, k := range s.Keys {
		texts += k.Type
		if k.Popup != nil {
			texts += *k.Popup
		}
	}
	for c := 'a'; len(letters) < alphabet; c++ {
		if unicode.IsLetter(c) && !strings.ContainsRune(texts, c) {
			letters = append(letters, c)
		}
	}
	return letters
}

// span returns milliseconds as a duration.
func span(ms float64) time.Duration { return time.Duration(ms*1e6 + .5) }
