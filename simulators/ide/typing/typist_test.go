package typing

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/document"
)

func typist(t testing.TB, text, profile string) *Typist {
	t.Helper()
	p, err := ProfileNamed(profile)
	if err != nil {
		t.Fatal(err)
	}
	if builtIn, err := Text(text); err == nil {
		text = builtIn
	}
	y, err := NewTypist(text, p)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// firstKeys returns the first n keys of a typing.
func firstKeys(y Source, n int) []Step {
	var keys []Step
	y = First(y, n)
	for {
		s, ok := y.Next()
		if !ok {
			return keys
		}
		if s.Kind == Key {
			keys = append(keys, s)
		}
	}
}

// Whatever goes wrong on the way, the text is typed in the end, and truth is the
// rest of it whenever nothing mistyped stands before the cursor.
func TestTypistTypesTheText(t *testing.T) {
	for _, text := range append(TextNames(), "naïve[(日本)] {\r\n\r\n\tx ({y)\n", "x") {
		for _, profile := range ProfileNames() {
			who := typist(t, text, profile)
			var d document.Document
			y := who.Type(1, 0)
			slipped, backspaces := 0, 0
			for rounds := 0; rounds < 2; {
				s, _ := y.Next()
				if s.Kind == Open && d.Opened() > 0 {
					rounds++
					if got := d.Text(); got != who.text {
						t.Fatalf("%s, %s: round %d ended with %q", text, profile, rounds, got)
					}
				}
				s.Do(&d)
				if s.Kind != Key {
					continue
				}
				if s.Gap < ShortestGap || s.Gap > LongestPause {
					t.Fatalf("gap of %s, want 12 ms to 2 min", s.Gap)
				}
				if s.Class == Backspace {
					backspaces++
				}
				if s.Truth == "" && string(d.Before()) != who.text {
					slipped++
				} else if got := string(d.Before()) + s.Truth; got != who.text {
					t.Fatalf("%s, %s: after %+v the text will be %q", text, profile, s.Edit, got)
				}
			}
			if len(who.text) > 1000 && (slipped == 0 || backspaces <= slipped/2) {
				t.Errorf("%s, %s: %d keys beside the text, %d backspaces", text, profile, slipped, backspaces)
			}
		}
	}
}

// With lines to type, a round takes place inside the text: the rest of it stands
// there, before and after the cursor, and the round ends with the whole text.
func TestTypistTypesInside(t *testing.T) {
	p, err := ProfileNamed("average")
	if err != nil {
		t.Fatal(err)
	}
	p.Lines = 20
	text, err := Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	who, err := NewTypist(text, p)
	if err != nil {
		t.Fatal(err)
	}
	var d document.Document
	y := who.Type(1, 0)
	places := map[int]bool{}
	for len(places) < 20 {
		s, _ := y.Next()
		if s.Kind == Open {
			if d.Opened() > 0 && d.Text() != text {
				t.Fatalf("a round ended with %q", d.Text())
			}
			places[s.Cursor] = true
			missing := text[s.Cursor : s.Cursor+len(text)-len(s.Text)]
			if n := strings.Count(missing, "\n"); n != 19 {
				t.Fatalf("%d line breaks are missing in %q, want those of 20 lines", n, missing)
			}
		}
		s.Do(&d)
		if s.Kind == Key && s.Truth != "" && d.Text() != text {
			if whole := string(d.Before()) + s.Truth; !strings.HasPrefix(text, whole) {
				t.Fatalf("truth %q does not follow there", s.Truth)
			}
		}
	}
	short, err := NewTypist("one\ntwo\n", p)
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := short.Type(1, 0).Next(); s.Text != "" || s.Cursor != 0 {
		t.Errorf("a short text opens with %+v, want an empty document", s)
	}
}

// What a person types here, step by step.
func TestTypistSteps(t *testing.T) {
	y, err := NewTypist("f(a[1])\n\n  {\n", Profile{})
	if err != nil {
		t.Fatal(err)
	}
	typing := y.Type(1, 0)
	if s, _ := typing.Next(); s != (Step{Kind: Open}) {
		t.Errorf("first step is %+v, want an empty document", s)
	}
	want := []struct {
		edit  document.Edit
		class Class
		truth string
	}{
		{edit(0, 0, "f", 1), Word, "(a[1])\n\n  {\n"},
		{edit(1, 0, "()", 2), Punct, "a[1])\n\n  {\n"},
		{edit(2, 0, "a", 3), Word, "[1])\n\n  {\n"},
		{edit(3, 0, "[]", 4), Punct, "1])\n\n  {\n"},
		{edit(4, 0, "1", 5), Word, "])\n\n  {\n"},
		{edit(5, 1, "]", 6), Punct, ")\n\n  {\n"},
		{edit(6, 1, ")", 7), Punct, "\n\n  {\n"},
		{edit(7, 0, "\n", 8), Enter, "\n  {\n"},
		{edit(8, 0, "\n  ", 11), Enter, "{\n"},
		{edit(11, 0, "{", 12), Punct, "\n"},
		{edit(12, 0, "\n", 13), Enter, ""},
	}
	for i, s := range firstKeys(typing, len(want)) {
		if w := want[i]; s.Edit != w.edit || s.Class != w.class || s.Truth != w.truth {
			t.Errorf("key %d is %+v, a %s before %q; want %+v, a %s before %q", i, s.Edit, s.Class, s.Truth, w.edit, w.class, w.truth)
		}
	}
	if s, _ := typing.Next(); s.Kind != Open || s.Gap < ShortestGap {
		t.Errorf("after the text comes %+v, want a new document after a while", s)
	}
}

func TestTypistRepeats(t *testing.T) {
	who := typist(t, "go-handler", "average")
	a, b := firstKeys(who.Type(1, 3), 20_000), firstKeys(who.Type(1, 3), 20_000)
	if !slices.Equal(a, b) {
		t.Error("the same seed and user typed differently")
	}
	if slices.Equal(a, firstKeys(who.Type(2, 3), 20_000)) || slices.Equal(a, firstKeys(who.Type(1, 4), 20_000)) {
		t.Error("another seed or user typed the same")
	}
	second := slices.IndexFunc(a[1:], func(s Step) bool { return s.Edit.Offset == 0 && s.Edit.Insert == "/" })
	if second < 0 || a[second+1].Gap == a[0].Gap {
		t.Error("the second round repeats the first")
	}
}

// The expert has the gaps of the recording (sessions/NOTICE): within 10 % of its
// percentiles p25 to p90 on 10,000 keys, and in the long run.
func TestExpertTypesLikeTheRecording(t *testing.T) {
	for _, n := range []int{10_000, 400_000} {
		var gaps []time.Duration
		for _, k := range firstKeys(typist(t, "go-handler", "expert").Type(1, 0), n) {
			gaps = append(gaps, k.Gap)
		}
		slices.Sort(gaps)
		for _, c := range []struct {
			q    float64
			want time.Duration
		}{
			{.25, 76 * time.Millisecond}, {.50, 113 * time.Millisecond}, {.75, 198 * time.Millisecond}, {.90, 475 * time.Millisecond},
		} {
			got := gaps[int(math.Ceil(c.q*float64(n)))-1]
			t.Logf("%d keys: p%.0f = %s, recording %s (%+.1f %%)", n, 100*c.q, got.Round(time.Millisecond), c.want, 100*(got.Seconds()/c.want.Seconds()-1))
			if math.Abs(got.Seconds()/c.want.Seconds()-1) > .1 {
				t.Errorf("%d keys: p%.0f = %s, want %s within 10 %%", n, 100*c.q, got, c.want)
			}
		}
	}
}

// The mean gap between the keys of the text is 12 s / WPM, pauses aside.
func TestSpeed(t *testing.T) {
	text, err := Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	for _, wpm := range []float64{30, 60, 120, 200} {
		who, err := NewTypist(text, Profile{WPM: wpm})
		if err != nil {
			t.Fatal(err)
		}
		for prev := range who.rhythms.pairs {
			for cur := range who.rhythms.pairs[prev] {
				who.rhythms.pairs[prev][cur].pause = 0
			}
		}
		var sum time.Duration
		keys := firstKeys(who.Type(1, 0), 100_000)
		for _, k := range keys {
			sum += k.Gap
		}
		mean, want := sum.Seconds()/float64(len(keys)), 12/wpm
		if math.Abs(mean/want-1) > .02 {
			t.Errorf("at %v words a minute the mean gap is %.1f ms, want %.1f within 2 %%", wpm, 1000*mean, 1000*want)
		}
	}
}

func TestHeldBackspaceRepeats(t *testing.T) {
	y, err := NewTypist("wordswithoutend", Profile{Rethinks: 1, HoldFirst: 500 * time.Millisecond, HoldNext: 33 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var held []time.Duration
	for _, k := range firstKeys(y.Type(1, 0), 15) {
		if k.Class == Backspace {
			held = append(held, k.Gap)
		}
	}
	if len(held) < 3 || held[1] != 500*time.Millisecond || held[2] != 33*time.Millisecond {
		t.Errorf("gaps of a held backspace are %v, want 500ms and then 33ms", held)
	}
}

func TestNeighbours(t *testing.T) {
	for key, want := range map[byte]string{'q': "12wa", 'g': "tyfhvb", 'p': "0ol", 'm': "jkn", '1': "2q", '_': ""} {
		if got := neighbours(key); got != want {
			t.Errorf("neighbours(%q) = %q, want %q", key, got, want)
		}
	}
	if nearby['G'] != "TYFHVB" || nearby['1'] != "2q" {
		t.Errorf("shifted G is beside %q, 1 beside %q", nearby['G'], nearby['1'])
	}
}

func TestTypistRefuses(t *testing.T) {
	for _, c := range []struct {
		text    string
		profile Profile
		want    string
	}{
		{" \n", Profile{}, "the text to type has no character that can be seen"},
		{"\xff", Profile{}, "the text to type is not UTF-8"},
		{"x", Profile{WPM: 4}, "words a minute is 4, must be 5 to 300, or 0 for the expert's own pace"},
		{"x", Profile{WPM: math.NaN()}, "words a minute is NaN, must be 5 to 300, or 0 for the expert's own pace"},
		{"x", Profile{Slips: 2, Rethinks: -1, HoldNext: -1}, "slips is 2, must be 0 to 1\nrethinks is -1, must be 0 to 1\n" +
			"a held key repeats after 0s and every -1ns, must not be negative"},
	} {
		if _, err := NewTypist(c.text, c.profile); err == nil || err.Error() != c.want {
			t.Errorf("NewTypist(%q, %+v): error %v, want %q", c.text, c.profile, err, c.want)
		}
	}
	if _, err := ProfileNamed("hasty"); err == nil || err.Error() != `there is no typist "hasty", only slow, average, fast, rapid, expert` {
		t.Errorf("ProfileNamed(hasty): error %v", err)
	}
	if _, err := Text("poem"); err == nil || !strings.HasSuffix(err.Error(), "only go-handler and python-report") {
		t.Errorf("Text(poem): error %v", err)
	}
}

func BenchmarkTypist(b *testing.B) {
	b.ReportAllocs()
	y := typist(b, "go-handler", "average").Type(1, 0)
	for b.Loop() {
		y.Next()
	}
}

func edit(offset, deleted int, insert string, cursor int) document.Edit {
	return document.Edit{Offset: offset, Delete: deleted, Insert: insert, Cursor: cursor}
}
