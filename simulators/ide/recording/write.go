package recording

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"halfsecond/simulators/ide/typing"
)

// Write writes what a source does, until it ends, as a recording of one document in our
// own format. Read and Replay(0) give the same steps again, but for the gap before the
// first one, which a recording does not have. A step that a recording cannot hold is an
// error: a key that adds nothing and is no backspace, or types another class of
// character than it says. The same steps give the same bytes.
func Write(w io.Writer, y typing.Source) error {
	out := bufio.NewWriter(w)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if err := each(y, func(l *line) error { return lines.Encode(l) }); err != nil {
		return err
	}
	return out.Flush()
}

// WriteTable is Write for a table in CSV, which holds neither selections nor texts with \r\n.
func WriteTable(w io.Writer, y typing.Source) error {
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	write := func(l *line) error {
		row := rowOf(l)
		if strings.Contains(row[4], "\r\n") {
			return errors.New(`a table does not hold texts with \r\n`)
		}
		return out.Write(row)
	}
	if err := each(y, write); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// rowOf returns a line as a row of a table.
func rowOf(l *line) []string {
	row := []string{l.T.String(), strconv.Itoa(*l.Doc), "0", "0", "", "", "", ""}
	switch l.Ev {
	case "content":
		row[4], row[6] = *l.Text, "open"
	case "edit":
		p := l.Edit[0]
		row[2], row[3], row[4], row[6] = strconv.Itoa(p.start), strconv.Itoa(p.end-p.start), p.text, l.K
	case "sel":
		row[5] = strconv.Itoa(l.Sel[0][1])
	}
	if l.Cursor != nil {
		row[5] = strconv.Itoa(*l.Cursor)
	}
	if l.Truth != nil {
		row[7] = *l.Truth
	}
	return row
}

// each hands every step of a source out as a line.
func each(y typing.Source, write func(*line) error) error {
	var w writing
	for n := 1; ; n++ {
		s, ok := y.Next()
		if !ok {
			return nil
		}
		l, err := w.line(&s)
		if err == nil {
			err = write(l)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", n, err)
		}
	}
}

// writing is a recording while it is written.
type writing struct {
	document page
	now      time.Duration
	begun    bool
}

// line returns a step as a line.
func (w *writing) line(s *typing.Step) (*line, error) {
	if s.Kind != typing.Open && !w.begun {
		return nil, errors.New("the first step opens no document")
	}
	if w.begun {
		w.now += s.Gap
	}
	w.begun = true
	at, id := instant(w.now), 0
	l := &line{T: &at, Doc: &id}
	var err error
	switch s.Kind {
	case typing.Open:
		l.Ev, l.Text = "content", &s.Text
		w.document.do(s)
	case typing.Move:
		l.Ev = "sel"
		w.document.do(s)
		l.Sel = [][2]int{{w.document.units(s.Cursor - s.Selected), w.document.units(s.Cursor)}}
		l.Truth = &s.Truth
		return l, nil
	default:
		err = w.edit(l, s)
	}
	cursor := w.document.units(w.document.cursor)
	l.Cursor = &cursor
	return l, err
}

// edit does an edit and fills its line.
func (w *writing) edit(l *line, s *typing.Step) (err error) {
	l.Ev = "edit"
	if l.K, err = writtenKind(s); err != nil {
		return err
	}
	e := s.Edit
	l.Edit = []part{{w.document.units(e.Offset), w.document.units(e.Offset + e.Delete), e.Insert}}
	if s.Kind == typing.Key {
		l.Class, l.Burst = s.Class.String(), s.Burst
	}
	l.Truth = &s.Truth
	w.document.do(s)
	return nil
}

// writtenKind returns the kind of a step's edit.
func writtenKind(s *typing.Step) (string, error) {
	e := s.Edit
	switch {
	case s.Kind == typing.Change && e.Delete == 0:
		return "insert", nil
	case s.Kind == typing.Change && e.Insert == "":
		return "delete", nil
	case s.Kind == typing.Change:
		return "replace", nil
	case s.Class == typing.Backspace && e.Insert == "":
		return "backspace", nil
	case e.Insert == "" || s.Class != typing.Enter && classOf(e.Insert) != s.Class:
		return "", fmt.Errorf("no recording holds a key of class %s that types %q", s.Class, e.Insert)
	case s.Class == typing.Enter:
		return "enter", nil
	case e.Cursor < e.Offset+len(e.Insert):
		return "pair", nil
	case e.Delete > 0:
		return "overtype", nil
	}
	return "char", nil
}
