package observe

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const key = 150 * time.Millisecond // between keys

// code is a text to type.
const code = "if err != nil {\treturn fmt.Errorf(\"read it: %w\", err) }"

// numbered is a text of n lines of about 8 tokens.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\tvalue" + strings.Repeat("x", i%7) + " := call(a, b)\n")
	}
	return b.String()
}

// habits are plugins with one habit each, and what is found of it.
var habits = []struct {
	name string
	do   func(d *desk)
	want []string // ids
}{
	{"none: a request a key, answered before the next", func(d *desk) { d.typing(code, key, 40*time.Millisecond, "x y") }, nil},
	{"given up at each key, before any text", func(d *desk) {
		d.template.Streams, d.template.CanStream = true, true
		for i, c := range code {
			d.put(string(c))
			switch n := d.ask(key); i % 5 {
			case 0: // a long thought, and the answer is there
				d.answered(n, 60*time.Millisecond, "x y")
				d.now += time.Second
			default:
				d.left(n, key+time.Millisecond)
			}
		}
	}, []string{"flood"}},
	{"a request a key, answered far too late", func(d *desk) { d.typing(code, key, 2*key, "x y") }, []string{"stale_requests", "never_cancelled", "flood"}},
	{"closed late", func(d *desk) {
		for i, c := range code {
			d.put(string(c))
			n := d.ask(key)
			if i%2 == 0 {
				d.answered(n, 20*time.Millisecond, "x")
			} else {
				d.now += 10 * time.Millisecond
				d.o.Finish(n, End{First: d.now, Ended: d.now + 2*key, Left: d.now + 2*key, Generated: 9, Answer: "a b c"})
			}
		}
	}, []string{"stale_requests"}},
	{"several requests a key", func(d *desk) {
		for _, c := range code {
			d.put(string(c))
			n := d.ask(key)
			d.cursor--
			m := d.ask(5 * time.Millisecond)
			d.cursor++
			d.left(n, 5*time.Millisecond)
			d.answered(m, 20*time.Millisecond, "x y")
		}
	}, []string{"flood"}},
	{"the beginning slides", func(d *desk) {
		d.window, d.suffix = 1200, -1
		d.typing(code, key, 20*time.Millisecond, "x y")
	}, []string{"prefix_drift"}},
	{"what stands before the code changes", func(d *desk) {
		n := 0
		d.context = func() string { n++; return "// " + strings.Repeat("i", n%9) + "\n" }
		d.typing(code, key, 20*time.Millisecond, "x y")
	}, []string{"prefix_drift"}},
	{"a long suffix", func(d *desk) {
		d.suffix = 6000
		d.typing(code, key, 20*time.Millisecond, "x y")
	}, []string{"suffix_too_long"}},
	{"none: a long suffix that goes first", func(d *desk) {
		d.suffix, d.first = 6000, true
		d.typing(code, key, 20*time.Millisecond, "x y")
	}, nil},
	{"a limit that nobody needs", func(d *desk) {
		d.template.MaxTokens = 500
		d.typing(code, key, 20*time.Millisecond, "a b c d e f g h")
	}, []string{"max_tokens_unused"}},
	{"a limit that nobody needs, of five answers", func(d *desk) {
		d.template.MaxTokens = 500
		d.typing(code[:5], key, 20*time.Millisecond, "a b c d e f g h")
	}, []string{"max_tokens_unused"}},
	{"none: four answers tell nothing", func(d *desk) {
		d.template.MaxTokens = 500
		d.typing(code[:4], key, 20*time.Millisecond, "a b c d e f g h")
	}, nil},
	{"answers that run to a limit, of which seven stood for some tokens", func(d *desk) {
		d.template.MaxTokens = 200
		long := " nine" + strings.Repeat(" more", 199)
		for range 7 {
			d.put("x")
			d.answered(d.ask(key), 20*time.Millisecond, long)
			for _, c := range " nine" {
				d.put(string(c))
			}
			d.answered(d.ask(5*key), 20*time.Millisecond, "")
		}
	}, []string{"max_tokens_unused"}},
	{"none: a limit of some lines", func(d *desk) {
		d.template.MaxTokens = 120
		d.typing(code, key, 20*time.Millisecond, "a b c d e f g h")
	}, nil},
	{"a connection each", func(d *desk) {
		for i, c := range code {
			d.put(string(c))
			d.template.Connection, d.template.Use = int64(i+1), 1
			d.answered(d.ask(key), 20*time.Millisecond, "x y")
		}
	}, []string{"new_connections"}},
	{"none: a connection for each that was given up with its request", func(d *desk) {
		for i, c := range code {
			d.put(string(c))
			d.template.Connection, d.template.Use = int64(i/2+1), i%2+1
			if n := d.ask(key); i%2 == 0 {
				d.answered(n, 20*time.Millisecond, "x y")
			} else {
				d.o.Finish(n, End{First: d.now + 20*time.Millisecond, Ended: d.now + 40*time.Millisecond, Left: d.now + 40*time.Millisecond, Generated: 1, Answer: "x"})
			}
		}
	}, nil},
	{"the same again", func(d *desk) {
		for _, c := range code {
			d.put(string(c))
			d.answered(d.ask(key), 20*time.Millisecond, "x y")
			d.answered(d.ask(key/3), 20*time.Millisecond, "x y")
		}
	}, []string{"duplicate_requests"}},
	{"what was refused comes again behind a newer one", func(d *desk) {
		for _, c := range code {
			d.put(string(c))
			n := d.ask(key)
			d.o.Finish(n, End{First: -1, Ended: d.now, Left: -1, Refused: true, Limited: true})
			old, at := d.text, d.cursor
			d.put("z")
			d.answered(d.ask(key), 20*time.Millisecond, "x y")
			d.text, d.cursor = old, at
			d.answered(d.ask(key), 20*time.Millisecond, "x y")
		}
	}, []string{"stale_retries"}},
	{"in one piece", func(d *desk) {
		d.template.CanStream = true
		d.typing(code, key, 60*time.Millisecond, "x y")
	}, []string{"no_stream"}},
}

// TestPage: the page names every finding.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range habits {
		for _, id := range h.want {
			if !strings.Contains(string(page), "| `"+id+"` |") {
				t.Errorf("docs/observe.md says nothing of %s", id)
			}
		}
	}
}

func TestFindings(t *testing.T) {
	for _, c := range habits {
		d := newDesk(numbered(60) + "|\n" + numbered(1) + strings.Repeat(numbered(3), 20))
		if d.suffix = 150; strings.Contains(c.name, "slides") {
			d.suffix = -1
		}
		c.do(d)
		var ids []string
		for _, f := range d.o.Report(false).Findings {
			ids = append(ids, f.ID)
			if len(f.Evidence) == 0 || f.Fix == "" || f.Title == "" || !(f.Share > 0 && f.Share <= 1) {
				t.Errorf("%s: finding %+v lacks something", c.name, f)
			}
		}
		slices.Sort(ids)
		if want := slices.Sorted(slices.Values(c.want)); !slices.Equal(ids, want) {
			t.Errorf("%s: %q, want %q", c.name, ids, want)
		}
	}
}

// TestEvidence: a finding says how often, which request and how much.
func TestEvidence(t *testing.T) {
	d := newDesk(numbered(60) + "|")
	d.window, d.suffix = 1200, -1
	d.typing(strings.Repeat("x ", 20), key, 2*key, "a b c")
	r := d.o.Report(false)
	for id, want := range map[string][]string{
		"never_cancelled": {
			"39 of 39 superseded requests (100 %) ran to their end, such as request 39 at 5.850 s",
			"the server was at work on them for 23.4 s and generated 117 tokens",
		},
		"stale_requests": {
			"39 of 39 requests that a newer one of the same document superseded were open more than 50 ms later, for 450 ms in the middle; such as request 39 at 5.850 s, for 450 ms",
			"117 tokens went out to them",
		},
		"flood": {
			"40 requests for 39 keys: 1.03 a key",
			"39 of them (98 %) were overtaken by the next before they had any text, such as request 39 at 5.850 s, by 150 ms",
			"still under way when the next came: 39; less than 30 ms before the next: 0",
		},
	} {
		f := found(r, id)
		if f == nil {
			t.Errorf("%s was not found", id)
			continue
		}
		if !slices.Equal(f.Evidence, want) {
			t.Errorf("%s: %q, want %q", id, f.Evidence, want)
		}
	}
	if f := found(r, "prefix_drift"); f == nil || !strings.HasPrefix(f.Evidence[0], "39 of 39 prompts after an edit at the cursor (100 %) differ from the one before ahead of the edit: in the middle from token 0 on") || !strings.HasSuffix(f.Evidence[1], "its beginning was cut elsewhere in 39") {
		t.Errorf("prefix_drift: %+v", f)
	}
}
