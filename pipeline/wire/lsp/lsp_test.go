package lsp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"
)

func TestItemAt(t *testing.T) {
	on := func(line, from, to int) *Range { return &Range{Position{line, from}, Position{line, to}} }
	line := Line{Number: 3, Before: "x = fo", After: ")", Encoding: UTF16}
	wide := Line{Number: 3, Before: "😀é = fo", Encoding: UTF16}
	for _, c := range []struct {
		name string
		line Line
		item Item
		want string
		err  error
	}{
		{"at the cursor", line, Item{Insert: Insert{Text: "o()"}}, "o()", nil},
		{"the word", line, Item{Insert: Insert{Text: "foo(1"}, Range: on(3, 4, 6)}, "o(1", nil},
		{"the line", line, Item{Insert: Insert{Text: "x = foo(1)"}, Range: on(3, 0, 7)}, "o(1", nil},
		{"the line, far beyond its end", line, Item{Insert: Insert{Text: "x = foo(1)"}, Range: on(3, 0, 1000)}, "o(1", nil},
		{"more behind what it replaces", line, Item{Insert: Insert{Text: "foo(1);"}, Range: on(3, 4, 7)}, "o(1);", nil},
		{"another word", line, Item{Insert: Insert{Text: "bar"}, Range: on(3, 4, 6)}, "", ErrPrefix},
		{"a filter that does not fit", line, Item{Insert: Insert{Text: "foo"}, Filter: "bar", Range: on(3, 4, 6)}, "", ErrPrefix},
		{"a filter that fits alone", line, Item{Insert: Insert{Text: "bar"}, Filter: "foo", Range: on(3, 4, 6)}, "", ErrPrefix},
		{"both fit", line, Item{Insert: Insert{Text: "foo"}, Filter: "fo", Range: on(3, 4, 6)}, "o", nil},
		{"loses what is behind", line, Item{Insert: Insert{Text: "foo"}, Range: on(3, 4, 7)}, "", ErrSuffix},
		{"two lines", line, Item{Insert: Insert{Text: "foo"}, Range: &Range{Position{3, 4}, Position{4, 0}}}, "", ErrLines},
		{"another line", line, Item{Insert: Insert{Text: "foo"}, Range: on(2, 4, 6)}, "", ErrLines},
		{"before the cursor", line, Item{Insert: Insert{Text: "foo"}, Range: on(3, 4, 5)}, "", ErrCursor},
		{"behind the cursor", line, Item{Insert: Insert{Text: "foo"}, Range: on(3, 7, 7)}, "", ErrCursor},
		{"wide characters", wide, Item{Insert: Insert{Text: "😀é = foo"}, Range: on(3, 0, 8)}, "o", nil},
		{"half of one", wide, Item{Insert: Insert{Text: "foo"}, Range: on(3, 1, 8)}, "", ErrCharacter},
		{"in bytes", Line{3, "é = fo", "", UTF8}, Item{Insert: Insert{Text: "foo"}, Range: on(3, 5, 7)}, "o", nil},
		{"a template", line, Item{Insert: Insert{"foo(${1:a}, $1)$0", true}, Range: on(3, 4, 7)}, "o(a, a", nil},
		{"several lines", line, Item{Insert: Insert{Text: "foo(\n)"}, Range: on(3, 4, 7)}, "o(\n", nil},
		{"nothing", line, Item{Range: on(3, 6, 6)}, "", nil},
	} {
		if got, err := c.item.At(c.line); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: At() = %q, %v; want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

func TestFill(t *testing.T) {
	for _, c := range []struct{ template, want string }{
		{"plain }", "plain }"},
		{"$1 ${2:two} $1 ${1:one}$0", "one two one one"},
		{"${1:a ${2:b} $2}", "a b b"},
		{`\$1 \} \\ \n`, `$1 } \ \n`},
		{"${1|a,b,c|}.", "a."},
		{`${1|a\,b,c\|d|}.`, "a,b."},
		{"$TM_FILENAME ${TM_SELECTED_TEXT:none}", " none"},
		{`${TM_FILENAME/(.*)\..+$/$1/} ${1/(a)/${1:/upcase}/g}.`, " ."},
		{"${1:unclosed", "${1:unclosed"},
		{"${1", "${1"},
		{"cost $ 5 ${}", "cost $ 5 ${}"},
		{"${1:é😀}", "é😀"},
		{"${1}", ""},
	} {
		if got := Fill(c.template); got != c.want {
			t.Errorf("Fill(%q) = %q, want %q", c.template, got, c.want)
		}
	}
}

// What is never closed is read again and again, and not for ever.
func TestFillEnds(t *testing.T) {
	began := strings.Repeat("${1:", 20_000)
	if got := Fill(began); got != began {
		t.Errorf("Fill of 20000 placeholders that are not closed has %d bytes, want them as they stand", len(got))
	}
}

func FuzzFill(f *testing.F) {
	f.Add("${1:a ${2:b} $2}${3|a,b|}${TM/(.*)/${1:/up}/g}")
	f.Fuzz(func(t *testing.T, template string) {
		got := Fill(template)
		if !strings.ContainsAny(template, `$\`) && got != template {
			t.Errorf("Fill(%q) = %q, want it as it stands", template, got)
		}
	})
}

func TestUnits(t *testing.T) {
	for _, s := range []string{"", "a", "é", "😀", "a😀\u2028é", "\xff\xfe", "日本"} {
		sent := []rune(s)
		if got, want := UTF16.Units(s), len(utf16.Encode(sent)); got != want {
			t.Errorf("UTF16.Units(%q) = %d, want %d", s, got, want)
		}
		if got, want := UTF8.Units(s), len(string(sent)); got != want {
			t.Errorf("UTF8.Units(%q) = %d, want %d", s, got, want)
		}
	}
	for _, c := range []struct {
		e     Encoding
		units int
		want  int
		ok    bool
	}{{UTF16, 0, 0, true}, {UTF16, 1, 1, true}, {UTF16, 2, 5, false}, {UTF16, 3, 5, true}, {UTF16, 9, 5, true}, {UTF16, -1, 0, false}, {UTF8, 5, 5, true}, {UTF8, 2, 5, false}} {
		const text = "a😀"
		if n, ok := c.e.Bytes(text, c.units); n != c.want || ok != c.ok {
			t.Errorf("%s: Bytes(%q, %d) = %d, %t; want %d, %t", c.e, text, c.units, n, ok, c.want, c.ok)
		}
	}
}

func TestItems(t *testing.T) {
	one := []Item{{Insert: Insert{Text: "a"}}}
	for _, c := range []struct {
		result string
		want   []Item
		err    bool
	}{
		{`null`, nil, false},
		{`[]`, []Item{}, false},
		{`[{"insertText":"a"}]`, one, false},
		{`{"items":[{"insertText":"a","command":{"title":"t","command":"c"}}]}`, one, false},
		{`{"items":[{"insertText":{"kind":"snippet","value":"$1"},"filterText":"f","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":3}}}]}`,
			[]Item{{Insert{"$1", true}, "f", &Range{Position{1, 2}, Position{1, 3}}}}, false},
		{`{}`, nil, true},
		{`5`, nil, true},
		{`[{"insertText":{"kind":"other","value":"a"}}]`, nil, true},
		{`[{"insertText":5}]`, nil, true},
	} {
		got, err := Items(json.RawMessage(c.result))
		if (err != nil) != c.err || err == nil && !reflect.DeepEqual(got, c.want) {
			t.Errorf("Items(%s) = %+v, %v; want %+v", c.result, got, err, c.want)
		}
	}
}

func TestServerCapabilities(t *testing.T) {
	for _, c := range []struct {
		text string
		want ServerCapabilities
		err  bool
	}{
		{`{}`, ServerCapabilities{}, false},
		{`{"textDocumentSync":2,"inlineCompletionProvider":{}}`, ServerCapabilities{Sync: Sync{true, Incremental}, Inline: true}, false},
		{`{"textDocumentSync":1,"inlineCompletionProvider":true,"positionEncoding":"utf-8"}`, ServerCapabilities{UTF8, Sync{true, FullText}, true}, false},
		{`{"textDocumentSync":0,"inlineCompletionProvider":false}`, ServerCapabilities{}, false},
		{`{"textDocumentSync":{"openClose":true},"inlineCompletionProvider":null}`, ServerCapabilities{Sync: Sync{true, NoChanges}}, false},
		{`{"textDocumentSync":{"openClose":false,"change":2}}`, ServerCapabilities{Sync: Sync{false, Incremental}}, false},
		{`{"textDocumentSync":3}`, ServerCapabilities{}, true},
	} {
		var got ServerCapabilities
		err := json.Unmarshal([]byte(c.text), &got)
		if (err != nil) != c.err || err == nil && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

// Whatever a server answers, what is shown at the cursor is in it, and nothing panics.
func FuzzItems(f *testing.F) {
	f.Add([]byte(`{"items":[{"insertText":"x = foo(1)","range":{"start":{"line":1,"character":0},"end":{"line":1,"character":9}}}]}`), "x = fo", ")")
	f.Add([]byte(`[{"insertText":{"kind":"snippet","value":"${1:a}"},"range":{"start":{"line":1,"character":-1},"end":{"line":1,"character":99999999999}}}]`), "😀", "\xff")
	f.Fuzz(func(t *testing.T, result []byte, before, after string) {
		items, err := Items(result)
		if err != nil {
			return
		}
		for i := range items {
			for _, e := range []Encoding{UTF16, UTF8} {
				got, err := items[i].At(Line{1, before, after, e})
				if err == nil && !items[i].Insert.Snippet && !strings.Contains(items[i].Insert.Text, got) {
					t.Errorf("%q shows %q", items[i].Insert.Text, got)
				}
			}
		}
	})
}
