package prompt

import (
	"strings"
	"testing"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// types types a text at the cursor.
func types(d *document.Document, text string) {
	d.Apply(document.Edit{Offset: d.Cursor(), Insert: text, Cursor: d.Cursor() + len(text)})
}

// back takes back so many bytes before the cursor.
func back(d *document.Document, n int) {
	d.Apply(document.Edit{Offset: d.Cursor() - n, Delete: n, Cursor: d.Cursor() - n})
}

// What happens between two prompts is why the second shares no more.
func TestDriftTellsTheCause(t *testing.T) {
	const text = "one two three\nfour five six\nseven|eight\nnine\n"
	wide, narrow := Size{All, Bytes}, Size{5, Tokens}
	psm := Shape{Layout: PSM, Family: "qwen", Prefix: wide, Suffix: wide}
	sliding := Shape{Layout: PSM, Family: "qwen", Prefix: narrow, Suffix: wide}
	spm := Shape{Layout: SPM, Family: "codestral", Prefix: wide, Suffix: wide}
	line := Shape{Layout: LineAfterMiddle, Family: "qwen", Prefix: wide, Suffix: wide}
	header := Shape{Layout: PSM, Family: "qwen", Prefix: wide, Suffix: wide, Header: "# {path}\n"}
	snippets := Shape{Layout: PSM, Family: "qwen", Prefix: wide, Suffix: wide, Snippets: Snippets{N: 3, Tokens: 10, Every: 1}}
	ring := snippets
	ring.Snippets.Ring = true
	behind := snippets
	behind.Snippets.After = true
	handed := Shape{Layout: PSM, Prefix: wide, Suffix: wide}
	for _, c := range []struct {
		name   string
		shape  Shape
		does   func(b *Builder, d *document.Document)
		shared int
		cause  Cause
	}{
		{"nothing", psm, func(*Builder, *document.Document) {}, 16, Same},
		{"a key", psm, func(_ *Builder, d *document.Document) { types(d, " x") }, 10, KeyAtCursor},
		{"a key into a word", psm, func(_ *Builder, d *document.Document) { types(d, "x") }, 9, KeyAtCursor},
		{"backspace", psm, func(_ *Builder, d *document.Document) { back(d, 1) }, 9, KeyAtCursor},
		{"another word", psm, func(_ *Builder, d *document.Document) { back(d, 5); types(d, "x\n  y") }, 9, KeyAtCursor},
		{"backspace over a line", psm, func(_ *Builder, d *document.Document) { back(d, 8) }, 7, KeyAtCursor},
		{"lines replaced", psm, func(_ *Builder, d *document.Document) { back(d, 8); types(d, "x\ny") }, 7, DocumentChanged},
		{"an edit above", psm, func(_ *Builder, d *document.Document) { d.Apply(document.Edit{Offset: 4, Insert: "x", Cursor: 34}) }, 2, DocumentChanged},
		{"an edit below", psm, func(_ *Builder, d *document.Document) { d.Apply(document.Edit{Offset: 33, Delete: 1, Cursor: 33}) }, 11, SuffixMoved},
		{"cursor down", psm, func(_ *Builder, d *document.Document) { d.Move(38) }, 9, CursorMoved},
		{"cursor up", psm, func(_ *Builder, d *document.Document) { d.Move(13) }, 4, CursorMoved},
		{"a key, suffix first", spm, func(_ *Builder, d *document.Document) { types(d, " x") }, 15, KeyAtCursor},
		{"a pair, suffix first", spm, func(_ *Builder, d *document.Document) {
			d.Apply(document.Edit{Offset: 33, Insert: "()", Cursor: 34})
		}, 1, SuffixMoved},
		{"a key, line after middle", line, func(_ *Builder, d *document.Document) { types(d, " x") }, 16, KeyAtCursor},
		{"a line, line after middle", line, func(_ *Builder, d *document.Document) { types(d, "\n") }, 9, KeyAtCursor},
		{"a key, sliding", sliding, func(_ *Builder, d *document.Document) { types(d, " x") }, 1, WindowMoved},
		{"a key into a word, sliding", sliding, func(_ *Builder, d *document.Document) { types(d, "x") }, 5, KeyAtCursor},
		{"an edit above the window", sliding, func(_ *Builder, d *document.Document) { d.Apply(document.Edit{Offset: 0, Insert: "x y ", Cursor: 37}) }, 12, Same},
		{"a key, and an edit above the window", sliding, func(_ *Builder, d *document.Document) {
			d.Apply(document.Edit{Offset: 0, Insert: "x y ", Cursor: 37})
			types(d, " z")
		}, 1, WindowMoved},
		{"an edit across the start of the window", sliding, func(_ *Builder, d *document.Document) {
			d.Apply(document.Edit{Offset: 8, Delete: 10, Insert: "X", Cursor: 24})
		}, 1, DocumentChanged},
		{"an edit in the window", sliding, func(_ *Builder, d *document.Document) { d.Apply(document.Edit{Offset: 15, Insert: "x", Cursor: 34}) }, 1, DocumentChanged},
		{"another path", header, func(b *Builder, _ *document.Document) { b.Name("b.go") }, 1, HeaderChanged},
		{"a snippet", snippets, func(_ *Builder, d *document.Document) { types(d, "x") }, 4, SnippetChanged},
		{"a snippet of a ring", ring, func(_ *Builder, d *document.Document) { types(d, "x") }, 4, SnippetChanged},
		{"a snippet behind", behind, func(*Builder, *document.Document) {}, 19, SnippetChanged},
		{"a key before a snippet", behind, func(_ *Builder, d *document.Document) { types(d, " x") }, 10, KeyAtCursor},
		{"a key, handed", handed, func(_ *Builder, d *document.Document) { types(d, " x") }, 9, KeyAtCursor},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := builder(t, c.shape)
			b.Name("a.go")
			var d document.Document
			before, after, _ := strings.Cut(text, "|")
			d.Open(before+after, len(before))
			previous := b.Build(&d)
			c.does(b, &d)
			next := b.Build(&d)
			var drifts Drifts
			if _, _, ok := drifts.Next(&previous); ok {
				t.Error("the first prompt differs from one before")
			}
			if shared, cause, ok := drifts.Next(&next); shared != c.shared || cause != c.cause || !ok {
				t.Errorf("%q after %q shares %d, %s; want %d, %s", next.Text().Text, previous.Text().Text, shared, cause, c.shared, c.cause)
			}
		})
	}
}

// plainDrift is what Drifts tells by its definition: what a cache of prefixes finds of the second
// prompt, and the cause from both of them written anew.
func plainDrift(previous, next *Prompt) (shared int, cause Cause) {
	a, b := previous.write(marks), next.write(marks)
	x, y := token.Blocks(nil, 1, a.split()...), token.Blocks(nil, 1, b.split()...)
	for shared < min(len(x), len(y)) && x[shared] == y[shared] {
		shared++
	}
	if same(previous, next) {
		return shared, Same
	}
	return shared, why(previous, next, a, b)
}

// Whatever an editor sends, what is told of it is what the definition says.
func TestDriftIsWhatACacheFinds(t *testing.T) {
	causes := map[Cause]int{}
	for seed := range uint64(200) {
		r := dist.Stream(seed, "shape")
		b := builder(t, anyShape(&r))
		var d document.Document
		d.Open(strings.Repeat("ab cd(1);\n", 5), 20)
		previous := b.Build(&d)
		var drifts Drifts
		drifts.Next(&previous)
		for step := range 40 {
			switch r.IntN(4) {
			case 0:
				edit(&d, &r)
			case 1:
				b.Name([]string{"a", "b"}[r.IntN(2)])
			default:
				types(&d, "x")
			}
			next := b.Build(&d)
			shared, cause, _ := drifts.Next(&next)
			if n, by := plainDrift(&previous, &next); shared != n || cause != by {
				t.Fatalf("seed %d, step %d: %q after %q shares %d, %s; want %d, %s", seed, step, next.Text().Text, previous.Text().Text, shared, cause, n, by)
			}
			causes[cause]++
			previous = next
		}
	}
	for _, c := range []Cause{Same, KeyAtCursor, CursorMoved, WindowMoved, SuffixMoved, SnippetChanged, HeaderChanged, DocumentChanged} {
		if causes[c] < 20 {
			t.Errorf("%s came %d times: too few to tell", c, causes[c])
		}
	}
}

// same reports whether two prompts are the same in each of their texts.
func same(a, b *Prompt) bool {
	x, y, z := a.Parts()
	u, v, w := b.Parts()
	return a.Text() == b.Text() && x == u && y == v && z == w
}

// BenchmarkDrifts types at a long document.
func BenchmarkDrifts(b *testing.B) {
	b.ReportAllocs()
	w := builder(b, Shape{Layout: PSM, Family: "qwen", Prefix: Size{1500, Tokens}, Suffix: Size{500, Tokens}, Grid: 256})
	var d document.Document
	text := strings.Repeat("func add(a, b int) int {\n\treturn a + b // the sum\n}\n\n", 400)
	d.Open(text[:8000]+text[:8000], 8000)
	var sent []Prompt
	for i := range 100 {
		key(&d, i)
		sent = append(sent, w.Build(&d))
		sent[i].mark()
	}
	for b.Loop() {
		var drifts Drifts
		for i := range sent {
			drifts.Next(&sent[i])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(sent)), "ns/prompt")
}

// What prompts share is told without a byte of memory for each: the text of a prompt is written
// once, for a cache as well.
func TestDriftsAllocate(t *testing.T) {
	w := builder(t, Shape{Layout: PSM, Family: "qwen", Prefix: Size{1500, Tokens}, Suffix: Size{500, Tokens}})
	var d document.Document
	d.Open(strings.Repeat("x := f(a, b)\n", 2000), 13*1000)
	var sent []Prompt
	for i := range 300 {
		key(&d, i)
		sent = append(sent, w.Build(&d))
		sent[i].Blocks(nil, 16, "")
	}
	var drifts Drifts
	i := 0
	next := func() { drifts.Next(&sent[i]); i++ }
	for range 100 {
		next()
	}
	if n := testing.AllocsPerRun(150, next); n != 0 {
		t.Errorf("%v allocations a prompt, want none", n)
	}
}
