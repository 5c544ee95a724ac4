package observe

import (
	"bufio"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/pipeline/document"
)

// usualGap is how far apart the keys between two requests are taken to be where there is
// room: 60 words a minute, at five characters a word.
const usualGap = 200 * time.Millisecond

// event is one line of a recording, in the format that the simulator of editors replays: a
// JSON object with t in ms and positions in UTF-16 code units.
type event struct {
	Kind string `json:"ev"` // content, edit or sel
	T    int64  `json:"t"`
	// Earliest is when a key may have been pressed at first; T is within these bounds.
	Earliest *int64   `json:"earliest,omitempty"`
	Doc      int      `json:"doc"`
	Path     string   `json:"path,omitempty"`
	Text     *string  `json:"text,omitempty"`
	K        string   `json:"k,omitempty"`
	Src      string   `json:"src,omitempty"`
	Edit     [][3]any `json:"edit,omitempty"`
	Sel      [][2]int `json:"sel,omitempty"`
}

// WriteKeys writes the typing as a recording, one JSON object a line. Instants of keys are
// guesses between two requests: the last one as the request came, the others before it.
func (o *Observer) WriteKeys(w io.Writer) error {
	_, requests := o.look()
	var all []event
	for _, t := range group(requests) {
		all = append(all, t.recorder(requests[0].Arrived).events...)
	}
	slices.SortStableFunc(all, func(a, b event) int { return int(a.T - b.T) })
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for i := range all {
		if err := e.Encode(&all[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// recorder writes the events of one document.
type recorder struct {
	id     int
	began  time.Duration // instant zero of the recording
	d      document.Document
	events []event
}

// recorder returns what wrote the events of a document.
func (t *text) recorder(began time.Duration) *recorder {
	r := &recorder{id: t.id, began: began}
	first := &t.visits[0]
	r.d.Open(t.opening, 0)
	r.add(first.Arrived, event{Kind: "content", Text: &t.opening})
	r.move(first.Arrived, first.edit.Cursor)
	for i := 1; i < len(t.visits); i++ {
		r.visit(&t.visits[i], t.since(i))
	}
	return r
}

func (r *recorder) add(at time.Duration, e event) {
	e.Doc, e.T = r.id, r.ms(at)
	r.events = append(r.events, e)
}

func (r *recorder) ms(at time.Duration) int64 { return (at - r.began).Milliseconds() }

// visit adds what was done before a request.
func (r *recorder) visit(v *visit, since time.Duration) {
	switch v.step.kind {
	case Same:
	case Moved:
		r.move(v.Arrived, v.edit.Cursor)
	case Typed:
		r.typed(v, since)
	case Erased:
		r.erased(v, since)
	case Accepted:
		r.edit(v.Arrived, event{K: "insert", Src: "inlineSuggestion.accept"}, v.edit)
	case Inserted:
		r.edit(v.Arrived, event{K: "insert"}, v.edit)
	default:
		r.edit(v.Arrived, event{K: "replace"}, v.edit)
	}
}

// typed adds the keys of a text. What the editor added behind the cursor came with the last
// key that opens something, or with the last of all.
func (r *recorder) typed(v *visit, since time.Duration) {
	keys := v.step.keys
	closed := v.edit.Insert[v.edit.Cursor-v.edit.Offset:]
	opens := len(keys) - 1
	for i, key := range keys {
		if strings.ContainsAny(key, "([{\"'`<") {
			opens = i
		}
	}
	for i, key := range keys {
		at := r.d.Cursor()
		e, kind := document.Edit{Offset: at, Insert: key, Cursor: at + len(key)}, "char"
		if i == opens && closed != "" {
			e.Insert += closed
			kind = "pair"
		}
		if key[0] == '\n' {
			kind = "enter"
		}
		r.key(v, since, i, kind, e)
	}
}

// erased adds backspaces. What follows the cursor and went too was closed by the editor, and
// goes with what it closes.
func (r *recorder) erased(v *visit, since time.Duration) {
	closed := v.edit.Offset + v.edit.Delete - v.step.from
	for i, key := range v.step.keys {
		at := r.d.Cursor() - len(key)
		e := document.Edit{Offset: at, Delete: len(key), Cursor: at}
		if i < closed {
			e.Delete++
		}
		r.key(v, since, i, "backspace", e)
	}
}

// key adds the i-th key before a request.
func (r *recorder) key(v *visit, since time.Duration, i int, kind string, e document.Edit) {
	behind := len(v.step.keys) - 1 - i
	gap := min(usualGap, (v.Arrived-since)/time.Duration(len(v.step.keys)))
	earliest := r.ms(since)
	r.edit(v.Arrived-time.Duration(behind)*gap, event{K: kind, Earliest: &earliest}, e)
}

// edit adds an edit, and where it leaves the cursor if that is not its end.
func (r *recorder) edit(at time.Duration, line event, e document.Edit) {
	text := r.d.Text()
	line.Kind = "edit"
	line.Edit = [][3]any{{units(text[:e.Offset]), units(text[:e.Offset+e.Delete]), e.Insert}}
	r.add(at, line)
	r.d.Apply(e)
	if e.Cursor != e.Offset+len(e.Insert) {
		r.selection(at)
	}
}

// move puts the cursor somewhere else.
func (r *recorder) move(at time.Duration, cursor int) {
	r.d.Move(cursor)
	r.selection(at)
}

// selection adds where the cursor is.
func (r *recorder) selection(at time.Duration) {
	cursor := units(string(r.d.Before()))
	r.add(at, event{Kind: "sel", Sel: [][2]int{{cursor, cursor}}})
}

// units returns the length of a text in UTF-16 code units.
func units(text string) (n int) {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if i += size; c > 0xffff {
			n++
		}
		n++
	}
	return n
}
