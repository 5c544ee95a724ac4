package typing

import (
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/document"
)

// who returns somebody who types go-handler as p says, at the pace of the average.
func who(t *testing.T, p Profile) *Typist {
	t.Helper()
	text, err := Text("go-handler")
	if err != nil {
		t.Fatal(err)
	}
	y, err := NewTypist(text, p)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// Whoever jumps comes back, and what was there is there again.
func TestJumps(t *testing.T) {
	person := who(t, Profile{Jumps: .5})
	var d document.Document
	y := person.Type(1, 0)
	enters, moves := 0, 0
	var before string // of a jump
	var home int
	for rounds := 0; rounds < 20; {
		s, _ := y.Next()
		if s.Kind == Open && d.Opened() > 0 {
			if rounds++; d.Text() != person.text {
				t.Fatalf("round %d ended with %q", rounds, d.Text())
			}
		}
		if s.Kind == Move && before == "" {
			if before, home = d.Text(), d.Cursor(); s.Cursor >= home || d.Text()[s.Cursor] != '\n' {
				t.Fatalf("from %d to %d in %q, want the end of a line above", home, s.Cursor, before)
			}
			moves++
			if s.Truth != "" {
				t.Fatalf("truth %q where text is taken back next", s.Truth)
			}
		} else if s.Kind == Move {
			if got := before[:home] + s.Truth; got != person.text {
				t.Fatalf("back at %d the text will be %q", home, got)
			}
			if d.Text() != before || s.Cursor != home {
				t.Fatalf("%q came back to %d as %q, want %d", before, s.Cursor, d.Text(), home)
			}
			before = ""
		}
		s.Do(&d)
		if s.Kind == Key && before != "" {
			if got := string(d.Before()) + s.Truth + d.After(); !strings.HasPrefix(got, before[:d.Cursor()+len(s.Truth)]) {
				t.Fatalf("truth %q does not follow in %q", s.Truth, d.Text())
			}
		}
		if s.Class == Enter && s.Kind == Key {
			enters++
		}
	}
	if share := float64(moves) / float64(enters); share < .35 || share > .5 {
		t.Errorf("%d jumps after %d lines, want half, but for lines with too little to type anew", moves, enters)
	}
}

// A paste is one change of 2 to 8 lines, and the typing goes on behind it.
func TestPastes(t *testing.T) {
	person := who(t, Profile{Pastes: .1, Rethinks: .2, Slips: .05, Jumps: .1})
	var d document.Document
	y := person.Type(1, 0)
	pasted := map[int]int{}
	for rounds := 0; rounds < 100; {
		s, _ := y.Next()
		if s.Kind == Open && d.Opened() > 0 {
			if rounds++; d.Text() != person.text {
				t.Fatalf("round %d ended with %q", rounds, d.Text())
			}
		}
		if s.Kind == Change {
			pasted[strings.Count(s.Edit.Insert, "\n")+1]++
			if s.Edit.Delete != 0 || s.Edit.Offset != d.Cursor() || !strings.HasPrefix(person.text, string(d.Before())+s.Edit.Insert) {
				t.Fatalf("%+v after %q", s.Edit, d.Before())
			}
			if got := string(d.Before()) + s.Edit.Insert + s.Truth; got != person.text {
				t.Fatalf("after a paste the text will be %q", got)
			}
		}
		s.Do(&d)
	}
	for n := leastPasted; n <= mostPasted; n++ {
		if pasted[n] < 20 {
			t.Errorf("pastes by their lines: %v, want each number from 2 to 8 often", pasted)
		}
	}
	if len(pasted) != mostPasted-leastPasted+1 {
		t.Errorf("pastes by their lines: %v", pasted)
	}
}

// Jumps shift no gap of the keys that are typed with them or without.
func TestJumpsShiftNoOtherDraw(t *testing.T) {
	plain, jumping := who(t, Profile{}).Type(1, 0), who(t, Profile{Jumps: .3}).Type(1, 0)
	away, after, same := false, false, 0
	for same < 2000 {
		s, _ := jumping.Next()
		if s.Kind == Move {
			away, after = !away, true
			continue
		}
		if away || s.Kind != Key {
			continue
		}
		want, _ := plain.Next()
		for want.Kind != Key {
			want, _ = plain.Next()
		}
		if s.Edit != want.Edit {
			t.Fatalf("%+v, want %+v", s.Edit, want.Edit)
		}
		if after {
			break // the keys of the jump drew gaps of their own
		}
		if s.Gap != want.Gap {
			t.Fatalf("gap of %s, want %s", s.Gap, want.Gap)
		}
		same++
	}
	if !after {
		t.Error("nobody jumped")
	}
}

// A move comes as long after a key, and a key after a move, as in the recording.
func TestMovesTakeTheirTime(t *testing.T) {
	for _, c := range []struct {
		name       string
		got        interface{ Quantile(float64) time.Duration }
		p50, p90   time.Duration
		keptPart90 float64
	}{{"reaches", reaches, 313 * time.Millisecond, 2763 * time.Millisecond, .1}, {"settles", settles, 314 * time.Millisecond, 1004 * time.Millisecond, .01}} {
		for q, want := range map[float64]time.Duration{.5: c.p50, .9: c.p90} {
			if got := c.got.Quantile(q); math.Abs(got.Seconds()/want.Seconds()-1) > c.keptPart90 {
				t.Errorf("%s: quantile %v is %s, want %s, but for what the bounds cut", c.name, q, got, want)
			}
		}
	}
}

// The shape of gaps: both have the same medians, and the log-logistic longer tails.
func TestShapes(t *testing.T) {
	normal, err := expert.rhythms(LogNormal, 1)
	if err != nil {
		t.Fatal(err)
	}
	logistic, err := expert.rhythms(LogLogistic, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, b := normal.pairs[Word][Word].gap, logistic.pairs[Word][Word].gap
	if p, q := a.Quantile(.5), b.Quantile(.5); math.Abs(p.Seconds()/q.Seconds()-1) > .01 {
		t.Errorf("medians %s and %s, want the same within 1 %%", p, q)
	}
	if p, q := a.Quantile(.995), b.Quantile(.995); q <= p {
		t.Errorf("p99.5 %s and %s, want a longer tail", p, q)
	}
	keys := firstKeys(who(t, Profile{Shape: LogLogistic, WPM: 60}).Type(1, 0), 100)
	if again := firstKeys(who(t, Profile{WPM: 60}).Type(1, 0), 100); keys[3].Gap == again[3].Gap {
		t.Error("the shape changes no gap")
	}
	if got := LogLogistic.String(); got != "loglogistic" {
		t.Errorf("the shape is called %q", got)
	}
}

func TestBursts(t *testing.T) {
	key := func(gap time.Duration) Step { return Step{Kind: Key, Gap: gap} }
	steps := []Step{
		{Kind: Open}, key(5 * time.Second), key(time.Second), {Kind: Move, Gap: 600 * time.Millisecond}, key(400 * time.Millisecond),
		{Kind: Change, Gap: 600 * time.Millisecond}, key(400*time.Millisecond + 1), key(1), {Kind: Open, Gap: 1}, key(1),
	}
	var b Bursts
	var got []int
	for i := range steps {
		got = append(got, b.Of(&steps[i]))
	}
	want := []int{0, 1, 1, 0, 1, 0, 2, 2, 0, 3}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("bursts %v, want %v", got, want)
		}
	}
	for i, s := range firstKeys(who(t, Profile{}).Type(1, 0), 3) {
		if i == 0 && s.Burst != 1 || s.Burst < 1 {
			t.Errorf("key %d is of burst %d", i, s.Burst)
		}
	}
}
