package prompt

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/given"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
)

// anyShape returns a valid shape with some of everything.
func anyShape(r *dist.Rand) Shape {
	families := []string{"", "qwen", "starcoder", "codellama", "deepseek", "codestral", "seed", "glm"}
	for {
		s := Shape{
			Layout: Layout(r.IntN(5)), Family: families[r.IntN(len(families))],
			Prefix: Size{1 + r.IntN(30), Unit(r.IntN(3))}, Suffix: Size{r.IntN(12), Unit(r.IntN(3))},
			Grid: r.IntN(2) * r.IntN(6), WholeLines: r.IntN(4) == 0,
			SkipBlank: r.IntN(4) == 0, NextLine: r.IntN(4) == 0,
			Header: []string{"", "", "# {path}\n", "<|file_sep|>{path}\n", " \n", "// a\n\n"}[r.IntN(6)],
		}
		if r.IntN(3) == 0 {
			s.Snippets = Snippets{N: 1 + r.IntN(3), Tokens: 1 + r.IntN(9), Every: r.IntN(4), Ring: r.IntN(2) == 0, After: r.IntN(2) == 0}
		}
		if r.IntN(4) == 0 {
			s.Sticky = Sticky{1 + r.IntN(8), r.IntN(100)}
		}
		if s.Validate() == nil {
			return s
		}
	}
}

func builder(t testing.TB, s Shape) *Builder {
	t.Helper()
	b, err := NewBuilder(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Counts that follow the edits are those of a server that is sent the text.
func TestTokensAreThoseOfTheText(t *testing.T) {
	for seed := range uint64(200) {
		r := dist.Stream(seed, "shape")
		s := anyShape(&r)
		b := builder(t, s)
		b.Name("a b/c.go")
		var d document.Document
		for step := range 60 {
			edit(&d, &r)
			if r.IntN(3) == 0 {
				continue // several edits may lie between two prompts
			}
			p := b.Build(&d)
			sent := p.Text()
			want := token.Count(fim.Mark(sent.Text)) + token.Count(fim.Mark(sent.Suffix))
			if s.Family == "" && s.Layout == LineAfterMiddle {
				_, _, typed := p.Parts() // which is a text of its own
				head := strings.TrimSuffix(sent.Text, typed)
				want = token.Count(fim.Mark(head)) + token.Count(typed) + token.Count(fim.Mark(sent.Suffix))
			}
			if p.Tokens() != want {
				t.Fatalf("seed %d, step %d, %+v: %d tokens in %q and %q, want %d", seed, step, s, p.Tokens(), sent.Text, sent.Suffix, want)
			}
			if n := len(p.Blocks(nil, 1, "")); n != want {
				t.Fatalf("seed %d, step %d, %+v: %d hashes of %d tokens", seed, step, s, n, want)
			}
		}
	}
}

// What is supposed to be typed gives the prompt that it gives when it is typed.
func TestSuppose(t *testing.T) {
	for seed := range uint64(200) {
		r := dist.Stream(seed, "shape")
		s := anyShape(&r)
		s.Snippets.Every = 0
		b := builder(t, s)
		var d document.Document
		for range 20 {
			edit(&d, &r)
			b.Build(&d)
			text := []string{"x", " ", "\n\t", "é = 1\n"}[r.IntN(4)]
			supposed := b.Suppose(&d, document.Edit{Offset: d.Cursor(), Insert: text, Cursor: d.Cursor() + len(text)})
			types(&d, text)
			built := b.Build(&d)
			if shared, cause := plainDrift(&built, &supposed); cause != Same || shared != built.Tokens() || supposed.Text() != built.Text() {
				t.Fatalf("seed %d, %+v: supposed %q, built %q", seed, s, supposed.Text().Text, built.Text().Text)
			}
		}
	}
}

// window returns what goes in, found by looking at each character.
func window(before, after string, s *Shape) (prefix, suffix string) {
	from, grid := 0, max(1, s.Grid)
	starts := []int{0} // where the prefix may begin, in units
	for i := 0; i < len(before); i++ {
		switch {
		case s.Prefix.Unit == Bytes, s.Prefix.Unit == Lines && before[i] == '\n':
			starts = append(starts, i+1)
		case s.Prefix.Unit == Tokens:
			i += token.Next(before[i:]) - 1
			starts = append(starts, i+1)
		}
	}
	if first := len(starts) - 1 - s.Prefix.N; first > 0 {
		from = starts[first/grid*grid]
	}
	for from < len(before) && !utf8.RuneStart(before[from]) {
		from++
	}
	if typed := before[strings.LastIndexByte(before, '\n')+1:]; s.SkipBlank && strings.TrimSpace(typed) == "" {
		defer func() { prefix = strings.TrimSuffix(prefix, typed[max(0, len(typed)-len(prefix)):]) }()
	}
	if s.NextLine {
		_, after, _ = strings.Cut(after, "\n")
		after = strings.TrimLeft(after, " \t\n")
	}
	for s.WholeLines && from > 0 && before[from-1] != '\n' && strings.Contains(before[from:], "\n") {
		from++
	}
	suffix = token.Prefix(after, s.Suffix.N)
	switch lines := strings.SplitAfter(after, "\n"); s.Suffix.Unit {
	case Lines:
		suffix = strings.Join(lines[:min(len(lines), s.Suffix.N+1)], "")
	case Bytes:
		suffix = strings.ToValidUTF8(after[:min(len(after), s.Suffix.N)], "")
	}
	if i := strings.LastIndex(suffix, "\n"); s.WholeLines && suffix != after && i >= 0 {
		suffix = suffix[:i+1]
	}
	if s.Layout == PrefixOnly {
		suffix = ""
	}
	return before[from:], suffix
}

func TestWindowIsWhatTheShapeSays(t *testing.T) {
	for seed := range uint64(200) {
		r := dist.Stream(seed, "shape")
		s := anyShape(&r)
		b := builder(t, s)
		var d document.Document
		for range 60 {
			edit(&d, &r)
			p := b.Build(&d)
			prefix, suffix, typed := p.Parts()
			wantPrefix, wantSuffix := window(string(d.Before()), d.After(), &s)
			if s.Sticky.Tokens > 0 {
				wantSuffix = suffix // is tested by itself
			}
			if prefix+typed != wantPrefix || suffix != wantSuffix {
				t.Fatalf("seed %d, %+v: of %q|%q got %q, %q; want %q, %q", seed, s, d.Before(), d.After(), prefix+typed, suffix, wantPrefix, wantSuffix)
			}
			if strings.Contains(typed, "\n") || typed != "" && s.Layout != LineAfterMiddle {
				t.Fatalf("seed %d: typed of the line is %q", seed, typed)
			}
			if from, rest := p.Window(); !strings.HasPrefix(string(d.Before()[from:]), wantPrefix) || rest != wantSuffix {
				t.Fatalf("seed %d: window is from %d, %q", seed, from, rest)
			}
		}
	}
}

// A suffix stays while the new one is like it.
func TestStickySuffix(t *testing.T) {
	s := Shape{Layout: PSM, Prefix: Size{All, Bytes}, Suffix: Size{All, Bytes}, NextLine: true, Sticky: Sticky{Tokens: 10, Percent: 30}}
	const below = "\n\n  a b c d e f g h i j\n"
	for _, c := range []struct {
		name, after, want string
	}{
		{"rest of the line", "(x)" + below, "a b c d e f g h i j\n"},
		{"two of ten tokens", "\na B c D e f g h i j k\n", "a b c d e f g h i j\n"},
		{"three of ten tokens", "\na B C D e f g h i j k\n", "a B C D e f g h i j k\n"},
		{"another first token", "\nA b c d e f g h i j\n", "A b c d e f g h i j\n"},
		{"beyond the tokens that count", below + "more", "a b c d e f g h i j\n"},
		{"nothing below", "(x)", ""},
	} {
		b := builder(t, s)
		var d document.Document
		for _, after := range []string{below, c.after} {
			d.Open("x"+after, 1)
			p := b.Build(&d)
			if got := p.Text().Suffix; after == c.after && got != c.want {
				t.Errorf("%s: suffix is %q, want %q", c.name, got, c.want)
			}
		}
	}
}

// What is sent reads as the layouts and the families have it.
func TestText(t *testing.T) {
	one := Snippets{N: 1, Tokens: 1}
	name := newSnippet(&Shape{Snippets: one}, "", 0).words
	word := token.Passage{name}.Text()
	for _, c := range []struct {
		name  string
		shape Shape
		want  string
	}{
		{"prefix only", Shape{Layout: PrefixOnly, Family: "qwen"}, "a\n  b "},
		{"white space skipped", Shape{Layout: LineAfterMiddle, Family: "qwen", SkipBlank: true}, "<|fim_prefix|>a\n<|fim_suffix|> c\nd<|fim_middle|>  b "},
		{"psm", Shape{Layout: PSM, Family: "qwen"}, "<|fim_prefix|>a\n  b <|fim_suffix|> c\nd<|fim_middle|>"},
		{"spm with middle", Shape{Layout: SPMMiddle, Family: "starcoder"}, "<fim_suffix> c\nd<fim_prefix>a\n  b <fim_middle>"},
		{"line after middle", Shape{Layout: LineAfterMiddle, Family: "qwen"}, "<|fim_prefix|>a\n<|fim_suffix|> c\nd<|fim_middle|>  b "},
		{"spaced", Shape{Layout: PSM, Family: "codellama"}, "<PRE> a\n  b  <SUF> c\nd <MID>"},
		{"spaced, suffix first", Shape{Layout: SPM, Family: "codellama"}, "<PRE> <SUF> c\nd <MID> a\n  b "},
		{"DeepSeek", Shape{Layout: PSM, Family: "deepseek"}, "<｜fim▁begin｜>a\n  b <｜fim▁hole｜> c\nd<｜fim▁end｜>"},
		{"Codestral", Shape{Layout: SPM, Family: "codestral", Header: "+++++ {path}\n"}, "[SUFFIX] c\nd[PREFIX]+++++ x.go\na\n  b "},
		{"GLM", Shape{Layout: PSM, Family: "glm"}, "<|code_prefix|>a\n  b <|code_suffix|> c\nd<|code_middle|>"},
		{"Seed", Shape{Layout: PSM, Family: "seed"}, "<[fim-prefix]>a\n  b <[fim-suffix]> c\nd<[fim-middle]>"},
		{
			"other files", Shape{Layout: PSM, Family: "qwen", Header: "<|file_sep|>{path}\n", Snippets: one},
			"<|file_sep|>snippets/0\n" + word + "\n<|file_sep|>x.go\n<|fim_prefix|>a\n  b <|fim_suffix|> c\nd<|fim_middle|>",
		},
		{
			"other files behind", Shape{Layout: PSM, Family: "seed", Snippets: Snippets{N: 1, Tokens: 1, After: true}},
			"<[fim-prefix]>a\n  b <[fim-suffix]> c\nd// snippets/0\n" + word + "\n<[fim-middle]>",
		},
	} {
		for unit := range Unit(len(unitNames)) { // all of the text, by any unit
			c.shape.Prefix, c.shape.Suffix = Size{All, unit}, Size{All, unit}
			b := builder(t, c.shape)
			b.Name("x.go")
			var d document.Document
			d.Open("a\n  b  c\nd", 6)
			p := b.Build(&d)
			got := p.Text()
			if got.Text != c.want || got.Suffix != "" {
				t.Errorf("%s, %s: %q, %q; want %q", c.name, unit, got.Text, got.Suffix, c.want)
			}
			if h, ok := fim.Find(got.Text); c.shape.Layout != PrefixOnly && (!ok || h.Before != "a\n  b " || !strings.HasPrefix(h.After, " c\nd")) {
				t.Errorf("%s: a server finds the hole %+v, %t", c.name, h, ok)
			}
		}
	}
}

// White space of a line on which nothing else is typed is not sent.
func TestBlankLine(t *testing.T) {
	for _, c := range []struct {
		layout Layout
		want   string
	}{
		{LineAfterMiddle, "<|fim_prefix|>f {\n<|fim_suffix|>\n}<|fim_middle|>"},
		{PSM, "<|fim_prefix|>f {\n<|fim_suffix|>\n}<|fim_middle|>"},
		{PrefixOnly, "f {\n"},
	} {
		b := builder(t, Shape{Layout: c.layout, Family: "qwen", Prefix: Size{All, Lines}, Suffix: Size{All, Bytes}, SkipBlank: true})
		var d document.Document
		d.Open("f {\n\t\n}", 5)
		p := b.Build(&d)
		if got := p.Text().Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.layout, got, c.want)
		}
	}
}

// A server that joins the texts itself is handed them.
func TestHandedTexts(t *testing.T) {
	b := builder(t, Shape{Layout: PSM, Prefix: Size{All, Bytes}, Suffix: Size{3, Bytes}, Header: "# {path}\n"})
	b.Name("x.go")
	var d document.Document
	d.Open("a\n  b  c\nd", 6)
	p := b.Build(&d)
	if got, want := p.Text(), (pipeline.Prompt{Text: "# x.go\na\n  b ", Suffix: " c\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// passage returns so many words, each one token.
func passage(name string, n int) string {
	return token.Passage{{ID: token.Name(1, name), N: n}}.Text()
}

// key types one more word at the cursor.
func key(d *document.Document, i int) {
	word := fmt.Sprintf(" k%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	d.Apply(document.Edit{Offset: d.Cursor(), Insert: word, Cursor: d.Cursor() + len(word)})
}

// evaluated types keys in a document, sends a prompt before them and after each to a server
// with one slot that keeps the last prompt, and returns how many tokens it evaluates for
// each key, and the first token that differs.
func evaluated(t *testing.T, s Shape, d *document.Document, keys int) (tokens, first []int) {
	t.Helper()
	server := given.Default()
	server.PromptCache, server.PrefillRate = "prefix", 1000
	var loop pipeline.Virtual
	e := server.Build(&loop)
	b := builder(t, s)
	var previous Prompt
	for i := range keys + 1 {
		if i > 0 {
			key(d, i)
		}
		p := b.Build(d)
		r := &engine.Request{Prompt: p.Tokens(), Output: 1, Done: func(pipeline.Outcome) {}}
		r.Blocks = func(dst []uint64, size int) []uint64 { return p.Blocks(dst, size, "") }
		loop.At(loop.Now(), pipeline.RankInput, func() { e.Submit(r) })
		loop.RunUntil(pipeline.LastInstant)
		if i > 0 {
			shared, _ := plainDrift(&previous, &p)
			tokens, first = append(tokens, p.Tokens()-r.CachedTokens), append(first, shared)
		}
		previous = p
	}
	return tokens, first
}

// A key at the cursor has the suffix evaluated again, unless the layout spares it: the
// complaint of ggml-org/llama.cpp PR 9787 and of sourcegraph/cody's experimental Ollama
// provider, read 2026-11-29. A prefix of 3000 tokens, three tokens of the family.
func TestSuffixIsEvaluatedAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		layout Layout
		suffix int
		want   int
	}{
		{"prefix, suffix, middle", PSM, 800, 803},
		{"suffix cut to 100", PSM, 100, 103},
		{"line after the middle token", LineAfterMiddle, 800, 1},
		{"suffix first, with middle token", SPMMiddle, 800, 2},
		{"suffix first, no middle token", SPM, 800, 1},
	} {
		var d document.Document
		before := passage("before", 2990) + "\n" + passage("line", 9)
		d.Open(before+"\n"+passage("after", 900), len(before))
		s := Shape{Layout: c.layout, Family: "qwen", Prefix: Size{All, Tokens}, Suffix: Size{c.suffix, Tokens}}
		if got, _ := evaluated(t, s, &d, 3); !slices.Equal(got, []int{c.want, c.want, c.want}) {
			t.Errorf("%s: %d tokens evaluated a key, want %d", c.name, got, c.want)
		}
	}
}

// A window that slides with each key shares nothing; on a grid it shares all but the key,
// until it moves on: TabbyML/tabby's clip_prompt (the last 1536 bytes) and
// anomalyco/opencode issue 23595, read 2026-11-29. The last 2000 of 6000 tokens.
func TestWindowOnAGrid(t *testing.T) {
	shape := func(grid int) Shape {
		return Shape{Layout: PrefixOnly, Prefix: Size{2000, Tokens}, Grid: grid}
	}
	open := func() *document.Document {
		var d document.Document
		text := passage("file", 6000)
		d.Open(text, len(text))
		return &d
	}
	tokens, first := evaluated(t, shape(1), open(), 256)
	if slices.Min(tokens) != 2000 || slices.Max(tokens) != 2000 || slices.Max(first) != 0 {
		t.Errorf("sliding: %d to %d tokens evaluated, at most %d shared; want 2000 and 0", slices.Min(tokens), slices.Max(tokens), slices.Max(first))
	}
	tokens, first = evaluated(t, shape(256), open(), 256)
	full, sum := 0, 0
	for i, n := range tokens {
		sum += n
		if n == 2000 && first[i] == 0 {
			full++
		} else if n != 1 || first[i] < 2000 {
			t.Errorf("grid: key %d has %d tokens evaluated, the first that differs is %d", i+1, n, first[i])
		}
	}
	if full != 1 || sum != 255+2000 {
		t.Errorf("grid: %d keys with a full prefill, %d tokens in all; want 1, 2255", full, sum)
	}
}

// A prompt is not written out when nobody asks for its text.
func TestPromptsAreNotWritten(t *testing.T) {
	var d document.Document
	text := strings.Repeat("x := f(a, b)\n", 20_000)
	d.Open(text+text, len(text))
	b := builder(t, Shape{Layout: PSM, Family: "qwen", Prefix: Size{All, Bytes}, Suffix: Size{All, Bytes}, Snippets: Snippets{N: 9, Tokens: 9999, Every: 1}})
	b.Build(&d)
	key(&d, 0) // room for more keys
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range 100 {
		key(&d, i)
		b.Build(&d)
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / 100; got > 10_000 {
		t.Errorf("%d bytes a prompt of %d", got, 2*len(text))
	}
}

func TestShapeRefuses(t *testing.T) {
	for _, c := range []struct {
		shape Shape
		want  string
	}{
		{Shape{Prefix: Size{0, Tokens}, Suffix: Size{-1, Lines}}, "prefix is 0, must be at least 1, or 0 lines\nsuffix is -1, must not be negative"},
		{Shape{Prefix: Size{1, Bytes}, Grid: -1, Header: "a"}, "grid is -1, must not be negative\nheader is \"a\", must end with a line break"},
		{Shape{Prefix: Size{1, Bytes}, Snippets: Snippets{After: true}}, "snippets stand behind the suffix, and layout prefix_only has none"},
		{Shape{Prefix: Size{1, Bytes}, Snippets: Snippets{N: 1}}, "snippets are 1 of 0 tokens, must be 0 or more of at least 1"},
		{Shape{Prefix: Size{1, Bytes}, Family: "codestral", Layout: LineAfterMiddle}, "layout is line_after_middle, and family codestral has no middle token"},
		{Shape{Prefix: Size{1, Bytes}, Family: "codellama", Layout: SPMMiddle}, "layout is spm_middle, and family codellama is asked suffix first by spm"},
	} {
		if _, err := NewBuilder(c.shape); err == nil || err.Error() != c.want {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for i := range layoutNames {
		if got, err := ParseLayout(Layout(i).String()); err != nil || got != Layout(i) {
			t.Errorf("layout %d reads as %d, %v", i, got, err)
		}
	}
	for i := range unitNames {
		if got, err := ParseUnit(Unit(i).String()); err != nil || got != Unit(i) {
			t.Errorf("unit %d reads as %d, %v", i, got, err)
		}
	}
	if _, err := ParseLayout("psn"); err == nil || !strings.Contains(err.Error(), "psm") {
		t.Errorf("error is %v, want the nearest name", err)
	}
}

// Ten thousand keys, a prompt after each.
func BenchmarkBuild(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape Shape
	}{
		{"tokens, psm", Shape{Layout: PSM, Family: "qwen", Prefix: Size{1500, Tokens}, Suffix: Size{500, Tokens}}},
		{"lines, line after middle", Shape{Layout: LineAfterMiddle, Family: "qwen", Prefix: Size{256, Lines}, Suffix: Size{64, Lines}}},
		{"bytes, handed", Shape{Layout: PSM, Prefix: Size{1536, Bytes}, Suffix: Size{1000, Bytes}}},
		{"codellama, snippets", Shape{Layout: PSM, Family: "codellama", Prefix: Size{1500, Tokens}, Suffix: Size{500, Tokens}, Header: "# {path}\n", Snippets: Snippets{N: 4, Tokens: 100, Every: 100}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			text := strings.Repeat("func add(a, b int) int {\n\treturn a + b // the sum\n}\n\n", 400)
			for b.Loop() {
				w := builder(b, c.shape)
				var d document.Document
				d.Open(text[:8000]+text[:8000], 8000)
				for i := range 10_000 {
					d.Apply(document.Edit{Offset: d.Cursor(), Insert: text[8000+i : 8001+i], Cursor: d.Cursor() + 1})
					w.Build(&d)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/key")
		})
	}
}

func ExampleBuilder() {
	b, err := NewBuilder(Shape{Layout: LineAfterMiddle, Family: "qwen", Prefix: Size{256, Lines}, Suffix: Size{64, Lines}})
	if err != nil {
		panic(err)
	}
	var d document.Document
	d.Open("package a\n\nvar x = 1\n", 19)
	previous := b.Build(&d)
	d.Apply(document.Edit{Offset: 19, Insert: "0", Cursor: 20})
	p := b.Build(&d)
	fmt.Printf("%q\n", p.Text().Text)
	fmt.Println(p.Tokens())
	var drifts Drifts
	drifts.Next(&previous)
	shared, cause, _ := drifts.Next(&p)
	fmt.Println(shared, cause)
	// Output:
	// "<|fim_prefix|>package a\n\n<|fim_suffix|>1\n<|fim_middle|>var x = 0"
	// 13
	// 12 key_at_cursor
}
