package observe

import (
	"strings"
	"testing"
	"unicode/utf8"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// lines is a text of n lines that differ.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("line " + strings.Repeat(string(rune('a'+i%26)), 1+i/26) + " of it\n")
	}
	return b.String()
}

// apply returns the known text after a match, and the cursor in it.
func (m *match) apply(known string) (string, int) {
	e := m.edit
	text := known[:e.Offset] + e.Insert + known[e.Offset+e.Delete:]
	return m.left + text + m.right, e.Cursor + len(m.left)
}

func TestFind(t *testing.T) {
	long := lines(60)
	for _, c := range []struct {
		name          string
		known         string // | is the cursor, ^ the start of the latest prompt, else 0
		before, after string
		want          match // without same and cost
	}{
		{"nothing happened", "a b|c", "a b", "c", match{edit: document.Edit{Offset: 3, Cursor: 3}}},
		{"a letter", "a b|c", "a bx", "c", match{edit: document.Edit{Offset: 3, Insert: "x", Cursor: 4}}},
		{"the same letter again", "hel|", "hell", "", match{edit: document.Edit{Offset: 3, Insert: "l", Cursor: 4}}},
		{"the letter that follows anyway", "hel|lo", "hell", "lo", match{edit: document.Edit{Offset: 3, Insert: "l", Cursor: 4}}},
		{"backspace", "hell|o", "hel", "o", match{edit: document.Edit{Offset: 3, Delete: 1, Cursor: 3}}},
		{"backspace among equals", "aaa|a", "aa", "a", match{edit: document.Edit{Offset: 2, Delete: 1, Cursor: 2}}},
		{"delete", "hel|lo", "hel", "o", match{edit: document.Edit{Offset: 3, Delete: 1, Cursor: 3}}},
		{"a pair", "f|;", "f(", ");", match{edit: document.Edit{Offset: 1, Insert: "()", Cursor: 2}}},
		{"the cursor went back", "one two| three", "one", " two three", match{edit: document.Edit{Offset: 3, Cursor: 3}}},
		{"a character of several bytes", "é|", "éè", "", match{edit: document.Edit{Offset: 2, Insert: "è", Cursor: 4}}},
		{"an import was added", "x\nuse y\nz.|", "x\nuse w\nuse y\nz.", "", match{edit: document.Edit{Offset: 6, Insert: "w\nuse ", Cursor: 16}}},
		{"the window slid on", "^" + long + "x|", long[20:] + "xy", "", match{start: 20, edit: document.Edit{Offset: len(long) + 1, Insert: "y", Cursor: len(long) + 2}}},
		{"the window slid back", long[:20] + "^" + long[20:] + "x|", long[19:], "", match{start: 19, edit: document.Edit{Offset: len(long), Delete: 1, Cursor: len(long)}}},
		{"it shows what came before", long[30:] + "|", long, "", match{start: -30, left: long[:30], edit: document.Edit{Offset: len(long) - 30, Cursor: len(long) - 30}}},
		{
			"it shows what comes after", long[:200] + "|" + long[200:300], long[:210], long[210:400],
			match{right: long[300:400], edit: document.Edit{Offset: 200, Cursor: 210}},
		},
		{
			"it shows less of what comes after, and a letter more", long[:200] + "|" + long[200:300], long[:200] + "Q", long[200:250],
			match{edit: document.Edit{Offset: 200, Insert: "Q", Cursor: 201}},
		},
	} {
		known, from := c.known, max(0, strings.IndexByte(c.known, '^'))
		known = strings.Replace(known, "^", "", 1)
		cursor := strings.IndexByte(known, '|')
		known = strings.Replace(known, "|", "", 1)
		got, ok := find(known, from, cursor, &Prompt{Before: c.before, After: c.after})
		got.same, got.cost = 0, 0
		if got.edit.Delete == 0 && got.edit.Insert == "" {
			got.edit.Offset = c.want.edit.Offset // of no edit
		}
		if !ok || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
	}
	for _, c := range []struct{ name, known, before, after string }{
		{"another text", long, "package main\n\nfunc main() {\n", "}\n"},
		{"less than half is known", long, long[:100], strings.Repeat("z", 140)},
		{"a text where there was none", "", "a text that nobody has typed that fast", ""},
	} {
		if got, ok := find(c.known, 0, len(c.known), &Prompt{Before: c.before, After: c.after}); ok {
			t.Errorf("%s: %+v, want no match", c.name, got)
		}
	}
}

// Whatever is done between two prompts of everything, the match makes the second of the
// first.
func FuzzFind(f *testing.F) {
	f.Add("a b", 2, "a bx", 3)
	f.Add("ééé", 2, "éé", 4)
	f.Add(lines(20), 50, lines(21), 60)
	f.Add(lines(20)[30:], 50, lines(20)+"x", 60)
	f.Fuzz(func(t *testing.T, known string, cursor int, now string, at int) {
		if !utf8.ValidString(known) || !utf8.ValidString(now) {
			return
		}
		cursor, at = place(known, cursor), place(now, at)
		m, ok := find(known, 0, cursor, &Prompt{Before: now[:at], After: now[at:]})
		if !ok {
			return
		}
		text, c := m.apply(known)
		begins := max(0, m.start)
		if !strings.HasPrefix(text[begins:], now) || c != begins+at {
			t.Fatalf("%q with cursor at %d, then %q at %d: %+v makes %q, cursor at %d", known, cursor, now, at, m, text, c)
		}
		if !utf8.ValidString(m.edit.Insert) || !utf8.ValidString(text) {
			t.Fatalf("%q, then %q: %+v cuts a character", known, now, m)
		}
	})
}

// place returns a place in a text between characters.
func place(text string, at int) int {
	at = int(uint(at) % uint(len(text)+1))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// TestFindWindows: of prompts that show a window of a text which is typed, the edit is
// always found exactly.
func TestFindWindows(t *testing.T) {
	r := dist.Stream(1, "windows")
	for range 300 {
		text := lines(80)
		cursor := 400 + r.IntN(200)
		window := func() (before, after string) {
			return text[max(0, cursor-150-r.IntN(100)):cursor], text[cursor:min(len(text), cursor+100+r.IntN(50))]
		}
		before, after := window()
		known, start := before+after, 0
		at := len(before)
		for range 20 {
			want := document.Edit{Offset: at}
			switch r.IntN(3) {
			case 0:
				text, want.Delete = text[:cursor-1]+text[cursor:], 1
				cursor--
				want.Offset--
			default:
				key := string(rune('A' + r.IntN(26)))
				text, want.Insert = text[:cursor]+key+text[cursor:], key
				cursor++
			}
			want.Cursor = want.Offset + len(want.Insert)
			before, after = window()
			m, ok := find(known, start, at, &Prompt{Before: before, After: after})
			if !ok || m.edit != want {
				t.Fatalf("%q, cursor at %d, then %q and %q: %+v, %v; want %+v", known, at, before, after, m, ok, want)
			}
			known, at = m.apply(known)
			start = max(0, m.start)
		}
	}
}
