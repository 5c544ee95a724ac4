package cache

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/document"
)

// at returns the place of the | in a text.
func at(text string) Point {
	before, after, _ := strings.Cut(text, "|")
	return Point{Before: []byte(before), After: after}
}

func build(t testing.TB, c Config) *Cache {
	t.Helper()
	cache, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return cache
}

const minute = time.Minute

// What plugins find again, and what not.
func TestRules(t *testing.T) {
	copilot := Config{Capacity: 100, Prefix: Prefix{Reach: Unlimited}}
	cont := Config{Capacity: 1000, Prefix: Prefix{Reach: Unlimited, Longest: true}}
	vscode := Config{Capacity: 250, Prefix: Prefix{Reach: Unlimited, SameLine: true}}
	vim := Config{Capacity: 250, Prefix: Prefix{Reach: 128}, Fuzzy: Fuzzy{LostLines: 3}, Empty: true}
	tabby := Config{Capacity: 100, TTL: 5 * minute, Forward: Forward{Characters: 50, NextLine: true}}
	twinny := Config{Capacity: 50, Fuzzy: Fuzzy{Spaces: true}}
	near := Config{Capacity: 50, Prefix: Prefix{Reach: Unlimited}, Fuzzy: Fuzzy{Near: Near{4, 3}}}
	cody := Config{Capacity: 250, Fuzzy: Fuzzy{Edits: Edits{Lines: 5, Base: 3, Step: 20, Most: 5}}}
	back := Config{Capacity: 50, Back: 4}
	for _, c := range []struct {
		name, asked, says, now string
		rules                  Config
		want                   string // kind, rest and bytes typed; "" for nothing
	}{
		{"same text", "con|;", "sole", "con|;", Config{Capacity: 1}, `exact "sole" 0`},
		{"no rule for typing", "con|;", "sole", "cons|;", Config{Capacity: 1}, ""},
		{"other text after", "con|;", "sole", "con|)", copilot, ""},
		{"typed as it says", "con|;", "sole.log", "consol|;", copilot, `prefix "e.log" 3`},
		{"typed all", "con|;", "sole", "console|;", copilot, ""},
		{"typed otherwise", "con|;", "sole", "conf|;", copilot, ""},
		{"typed a line", "a|", "b\nc", "ab\n|", copilot, `prefix "c" 2`},
		{"typed a line, the line only", "a|", "b\nc", "ab\n|", vscode, ""},
		{"longest prefix goes on", "con|", "sole", "cons|", cont, `prefix "ole" 1`},
		{"as far as the rule", "|", strings.Repeat("x", 200), strings.Repeat("x", 128) + "|", vim, fmt.Sprintf("prefix %q 128", strings.Repeat("x", 72))},
		{"further than the rule", "|", strings.Repeat("x", 200), strings.Repeat("x", 129) + "|", vim, ""},
		{"entered along the line", "re|", "turn x\n\ty", "return| ", tabby, ""},
		{"entered along the line", "re|", "turn x\n\ty", "return|", tabby, `forward " x\n\ty" 4`},
		{"entered at the line's end", "re|", "turn x\n\ty", "return x|", tabby, `forward "\n\ty" 6`},
		{"entered at the next line", "re|", "turn x\n\ty", "return x\n|", tabby, `forward "\ty" 7`},
		{"entered behind the indentation", "re|", "turn x\n\ty", "return x\n\t|", tabby, `forward "y" 8`},
		{"not entered further", "re|", "turn x\n\tyz", "return x\n\ty|", tabby, ""},
		{"two lines lost", "1\n2\n3\nx = |\n", "4", "3\nx = |\n", vim, `fuzzy "4" 0`},
		{"two lines lost and typed", "1\n2\n3\nx = |\n", "45", "3\nx = 4|\n", vim, `fuzzy "5" 1`},
		{"four lines lost", "1\n2\n3\n4\nx = |\n", "4", "x = |\n", vim, ""},
		{"a line gained", "3\nx = |\n", "4", "2\n3\nx = |\n", vim, ""},
		{"nothing to say is known", "x|", "", "x|", vim, `exact "" 0`},
		{"white space", "if  (a)\n\n  x =|\ny", "1", "if (a)\n\tx  =|  y", twinny, `fuzzy "1" 0`},
		{"white space where there was none", "if (a)\n x =|", "1", "if ( a)\n x =|", twinny, ""},
		{"white space at an end", "x =|", "1", "x = |", twinny, `fuzzy "1" 0`},
		{"more than white space", "if (a)\n x =|", "1", "if (b)\n x =|", twinny, ""},
		{"far text", "abc\n def|ghi jkl", "x", "ABC\n def|ghi JKL", near, `fuzzy "x" 0`},
		{"far text and typed", "abc\n def|ghi jkl", "xy", "ABC\n defx|ghi JKL", near, `fuzzy "y" 1`},
		{"near text", "abc\n def|ghi jkl", "x", "abc\n dEf|ghi jkl", near, ""},
		{"near text after", "abc\n def|ghi jkl", "x", "abc\n def|gHi jkl", near, ""},
		{"a semicolon above", "f()\ng()\n\tx = |\n\n}\n", "1", "f();\ng();\n\tx = |\n}\n", cody, `fuzzy "1" 0`},
		{"three characters above", "abcdef\nx = |", "1", "ABCdef\nx = |", cody, `fuzzy "1" 0`},
		{"four characters above", "abcdef\nx = |", "1", "ABCDef\nx = |", cody, ""},
		{"a long line may differ more", strings.Repeat("a", 40) + "\nx = |", "1", strings.Repeat("a", 35) + "bbbbb\nx = |", cody, `fuzzy "1" 0`},
		{"no line may differ by six", strings.Repeat("a", 400) + "\nx = |", "1", strings.Repeat("a", 394) + "bbbbbb\nx = |", cody, ""},
		{"a line more", "f()\nx = |", "1", "g()\nf()\nx = |", cody, ""},
		{"six lines above", "6\n5\n4\n3\n2\n1\nx = |", "1", "7\n5\n4\n3\n2\n1\nx = |", cody, ""},
		{"other current line", "f()\nx = |", "1", "f()\ny = |", cody, ""},
		{"other next line", "f()\nx = |\na", "1", "g()\nx = |\nb", cody, ""},
		{"taken back", "cons|;", "ole", "co|;", back, `back "nsole" -2`},
		{"taken back too far", "consol|;", "e", "c|;", back, ""},
		{"taken back a line", "a\nb|", "c", "a|", back, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := build(t, c.rules)
			cache.Store(at(c.asked), Answer{c.says, true, 7}, minute)
			got := ""
			if h, ok := cache.Find(at(c.now), 2*minute); ok {
				got = fmt.Sprintf("%s %q %d", h.Kind, h.Rest, h.Typed)
				if h.Request != 7 || h.Age != minute || !h.Complete {
					t.Errorf("%+v; want request 7, a minute old, complete", h)
				}
			}
			if got != c.want {
				t.Errorf("%q says %q: at %q found %s; want %s", c.asked, c.says, c.now, got, c.want)
			}
		})
	}
}

// The nearest place wins, with Longest it alone counts, and with MostLeft it does not.
func TestNearestPlace(t *testing.T) {
	nearest, longest, most := Prefix{Reach: Unlimited}, Prefix{Reach: Unlimited, Longest: true}, Prefix{Reach: Unlimited, MostLeft: true}
	for _, c := range []struct {
		prefix Prefix
		now    string
		want   string
	}{
		{nearest, "console|", ".log(x)"}, {longest, "console|", ".log(x)"}, {most, "console|", ".warn(x)"},
		{nearest, "const|", " = 1"}, {longest, "const|", ""}, {most, "const|", " = 1"},
	} {
		cache := build(t, Config{Capacity: 9, Prefix: c.prefix})
		cache.Store(at("con|"), Answer{Text: "st = 1", Complete: true, Request: 1}, 0)
		cache.Store(at("cons|"), Answer{Text: "ole.log(x)", Complete: true, Request: 2}, 0)
		cache.Store(at("co|"), Answer{Text: "nsole.warn(x)", Complete: true, Request: 3}, 0)
		if h, _ := cache.Find(at(c.now), 0); h.Rest != c.want {
			t.Errorf("%+v: at %q found %q, want %q", c.prefix, c.now, h.Rest, c.want)
		}
	}
}

// Other documents with the same text count where a plugin tells them apart.
func TestOtherDocument(t *testing.T) {
	cache := build(t, Config{Capacity: 9})
	p := at("a|b")
	p.Document = 1
	cache.Store(p, Answer{Text: "x", Complete: true}, 0)
	if _, ok := cache.Find(at("a|b"), 0); ok {
		t.Error("found in another document")
	}
	if _, ok := cache.Find(p, 0); !ok {
		t.Error("not found in its document")
	}
}

func TestTimeToLive(t *testing.T) {
	cache := build(t, Config{Capacity: 9, TTL: minute})
	cache.Store(at("a|"), Answer{Text: "x", Complete: true}, minute)
	if _, ok := cache.Find(at("a|"), 2*minute-1); !ok {
		t.Error("not found just before its time is over")
	}
	if _, ok := cache.Find(at("a|"), 2*minute); ok {
		t.Error("found when its time is over")
	}
	cache.Store(at("a|"), Answer{Text: "y", Complete: true}, 2*minute)
	if h, _ := cache.Find(at("a|"), 2*minute); h.Rest != "y" || cache.Len() != 1 {
		t.Errorf("found %q of %d entries, want y of 1", h.Rest, cache.Len())
	}
}

// An answer that fits nowhere lets nothing go.
func TestTooLongToKeep(t *testing.T) {
	cache := build(t, Config{Capacity: 9, Bytes: 4})
	cache.Store(at("a|"), Answer{Text: "xyz", Complete: true}, 0)
	cache.Store(at("b|"), Answer{Text: "vwxyz", Complete: true}, 0)
	if _, ok := cache.Find(at("a|"), 0); !ok || cache.Len() != 1 {
		t.Errorf("the short answer is there: %t, among %d", ok, cache.Len())
	}
}

func TestConfigRefuses(t *testing.T) {
	_, err := New(Config{Prefix: Prefix{Longest: true, MostLeft: true}, TTL: -1, Bytes: -1, Fuzzy: Fuzzy{LostLines: -2}})
	want := "capacity is 0 entries, must be from 1 to 1048576\ntime to live is -1ns, must not be negative\nprefix takes the longest place only, and the answer with most left of all: want one of them\nbytes is -1, must not be negative\nlost lines is -2, must not be negative"
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

// Ten thousand keys in a text of 8 KB, each looked up, every fourth answered.
func BenchmarkKeys(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules Config
	}{
		{"exact", Config{Capacity: 250}},
		{"prefix", Config{Capacity: 100, Prefix: Prefix{Reach: Unlimited}}},
		{"forward", Config{Capacity: 100, TTL: 5 * minute, Forward: Forward{Characters: 50, NextLine: true}}},
		{"lost lines", Config{Capacity: 250, Prefix: Prefix{Reach: 128}, Fuzzy: Fuzzy{LostLines: 3}}},
		{"edits", Config{Capacity: 250, Fuzzy: Fuzzy{Edits: Edits{5, 3, 20, 5}}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			text := strings.Repeat("func add(a, b int) int {\n\treturn a + b // the sum\n}\n\n", 350)
			for b.Loop() {
				cache := build(b, c.rules)
				var d document.Document
				d.Open(text[:8000], 8000)
				found := 0
				for i := range 10_000 {
					e := document.Edit{Offset: d.Cursor(), Insert: text[8000+i : 8001+i], Cursor: d.Cursor() + 1}
					d.Apply(e)
					if _, ok := cache.Find(Point{Before: d.Before(), After: d.After(), Document: 1}, time.Duration(i)*time.Millisecond); ok {
						found++
					} else if i%4 == 0 {
						s := d.Snapshot()
						cache.Store(Of(&s, 1), Answer{text[8001+i : 8040+i], true, int64(i)}, time.Duration(i)*time.Millisecond)
					}
				}
				b.ReportMetric(float64(found), "hits")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/key")
		})
	}
}

// TestOf: the same text in another document is another place.
func TestOf(t *testing.T) {
	c, err := New(Config{Capacity: 10})
	if err != nil {
		t.Fatal(err)
	}
	var d document.Document
	d.Open("con", 3)
	s := d.Snapshot()
	c.Store(Of(&s, 1), Answer{Text: "sole", Complete: true}, 0)
	_, same := c.Find(Of(&s, 1), 0)
	if _, other := c.Find(Of(&s, 2), 0); !same || other {
		t.Errorf("found in the document: %t, and in another with that text: %t", same, other)
	}
}

// TestStore: an answer that the rules do not keep is not stored.
func TestStore(t *testing.T) {
	c, err := New(Config{Capacity: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []Answer{{Text: "x", Complete: true}, {Text: "x"}, {Complete: true}} {
		if kept := c.Store(Point{Before: []byte("a")}, a, 0); kept != (a.Complete && a.Text != "") {
			t.Errorf("%+v is kept: %t", a, kept)
		}
	}
}

func ExampleCache() {
	c, err := New(Config{Capacity: 100, Prefix: Prefix{Reach: Unlimited}})
	if err != nil {
		panic(err)
	}
	var d document.Document
	d.Open("con", 3)
	asked := d.Snapshot()
	d.Apply(document.Edit{Offset: 3, Insert: "sole", Cursor: 7})
	c.Store(Of(&asked, 1), Answer{Text: "sole.log(x)", Complete: true, Request: 1}, 2*time.Second)
	now := d.Snapshot()
	h, ok := c.Find(Of(&now, 1), 5*time.Second)
	fmt.Println(ok, h.Kind, h.Rest, h.Age)
	// Output: true prefix .log(x) 3s
}
