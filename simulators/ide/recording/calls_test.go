package recording_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
	"unicode/utf16"
)

const ms = time.Millisecond

// cachedWithin is how long an answer of the session takes at most that the provider's own
// cache gave: of the 1197 that came to an end 704 took so long or less, and most of these 5 to
// 15 ms.
const cachedWithin = 20 * ms

// call is a call of the completion provider in the session.
type call struct {
	document, version int
	at, took          time.Duration
	cancelled         bool
	items             int
	from, to          [2]int // what the first answer replaces: line and column, from 1 on
	text              string // by this

	agrees int  // with how many characters of it the session goes on
	known  bool // that is told by what happens next
}

// cached reports whether the provider's own cache answered.
func (c *call) cached() bool { return !c.cancelled && c.took <= cachedWithin }

// event is a line of the recording.
type event struct {
	Ev   string
	T    int
	Doc  int
	V    int
	Text string
	K    string
	Src  string
	Edit [][3]any
	Sel  [][2]int
}

func (e *event) at() time.Duration { return time.Duration(e.T) * ms }

// typing reports whether an edit is one that a key makes.
func (e *event) typing() bool {
	return e.Ev == "edit" && e.Src == "" && slices.Contains([]string{"char", "pair", "enter", "backspace", "overtype"}, e.K)
}

// goesOn reports whether an edit may go on with an answer.
func (e *event) goesOn() bool {
	return e.typing() && e.K != "backspace" || e.Src == "inlineSuggestion.accept"
}

func unzipped(t testing.TB, name string) io.Reader {
	t.Helper()
	f, err := os.Open("sessions/" + name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// events returns the lines of the recording.
func events(t testing.TB) (all []event) {
	t.Helper()
	lines := bufio.NewScanner(unzipped(t, "vscode_session1.edits.jsonl.gz"))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// calls returns the calls of the provider in order of time.
func calls(t testing.TB) (all []call) {
	t.Helper()
	rows, err := csv.NewReader(unzipped(t, "vscode_session1.fetches.csv.gz")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		n := func(column int) int {
			v, err := strconv.Atoi(row[column])
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		c := call{document: n(1), version: n(2), at: time.Duration(n(3)) * ms, took: time.Duration(n(5)) * ms, cancelled: row[6] == "canceled", items: n(7)}
		if row[8] != "" {
			if _, err := fmt.Sscanf(row[8], "[%d,%d -> %d,%d]", &c.from[0], &c.from[1], &c.to[0], &c.to[1]); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(row[9]), &c.text); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b call) int { return cmp.Compare(a.at, b.at) })
	return all
}

// text16 is a document in UTF-16, in which the recording counts.
type text16 struct {
	text    []uint16
	version int
	cursor  int
	open    []*answered // whose typing may still go on with them
}

// answered is a document as an answer would make it.
type answered struct {
	call   *call
	text   []uint16
	cursor int // when it was asked for
}

// agree finds for each answer of a server with how many characters of it the session goes on.
func agree(t testing.TB, all []event, calls []call) {
	t.Helper()
	documents := map[int]*text16{}
	next := 0
	until := func(at time.Duration) {
		for ; next < len(calls) && calls[next].at < at; next++ {
			if c := &calls[next]; c.items > 0 && !c.cached() {
				documents[c.document].answer(c)
			}
		}
	}
	for i := range all {
		e := &all[i]
		until(e.at())
		switch d := documents[e.Doc]; e.Ev {
		case "content":
			documents[e.Doc] = &text16{text: utf16.Encode([]rune(e.Text)), version: e.V}
		case "sel":
			d.cursor = e.Sel[0][1]
		case "edit":
			d.edit(e)
		}
	}
	until(1 << 62)
}

// answer begins to follow what becomes of an answer.
func (d *text16) answer(c *call) {
	from, to := d.offset(c.from), d.offset(c.to)
	if d.version != c.version || from < 0 || to < from {
		return
	}
	text := slices.Concat(d.text[:from], utf16.Encode([]rune(c.text)), d.text[to:])
	d.open = append(d.open, &answered{c, text, d.cursor})
}

// offset returns where a line and a column are, or -1.
func (d *text16) offset(p [2]int) int {
	at := 0
	for range p[0] - 1 {
		end := slices.Index(d.text[at:], '\n')
		if end < 0 {
			return -1
		}
		at += end + 1
	}
	if at += p[1] - 1; at > len(d.text) {
		return -1
	}
	return at
}

// edit makes an edit, and asks the answers that are followed whether it goes on with them.
func (d *text16) edit(e *event) {
	for i := len(e.Edit) - 1; i >= 0; i-- {
		start, end := int(e.Edit[i][0].(float64)), int(e.Edit[i][1].(float64))
		insert := utf16.Encode([]rune(e.Edit[i][2].(string)))
		d.text = slices.Concat(d.text[:start], insert, d.text[end:])
		if d.cursor = start + len(insert); e.K == "pair" {
			d.cursor--
		}
	}
	d.version = e.V
	d.open = slices.DeleteFunc(d.open, func(a *answered) bool {
		if !e.goesOn() {
			return true
		}
		a.call.known = true
		if n := d.cursor; n > len(a.text) || !slices.Equal(a.text[:n], d.text[:n]) {
			return true
		}
		a.call.agrees = max(0, d.cursor-a.cursor)
		return false
	})
}
