package typing

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestDecide(t *testing.T) {
	const n = 20_000
	for _, c := range []struct {
		name         string
		reader       Reader
		shown, truth string
		want         float64
	}{
		{"right", Readers(1), "return err", "return err\n}", .30},
		{"right, and the end", Readers(1), "return err", "return err", .30},
		{"wrong", Readers(1), "return nil", "return err\n}", .02},
		{"right, and more", Readers(1), "return err\n}", "return err", .02},
		{"short", Readers(1), " err\n", " err\n}", .30 * 3 / 8},
		{"short, and length does not matter", Reader{Right: .5}, "e", "err", .5},
		{"nobody who takes any", Reader{}, "return err", "return err", 0},
		{"takes all", Reader{Right: 1, Wrong: 1, Full: 8}, "return err", "", 1},
	} {
		taken := 0
		var times []time.Duration
		for key := range n {
			after, accept := c.reader.Decide(7, key, c.shown, c.truth)
			if accept {
				taken++
			}
			times = append(times, after)
		}
		sd := math.Sqrt(c.want * (1 - c.want) / n)
		if got := float64(taken) / n; math.Abs(got-c.want) > 4*sd {
			t.Errorf("%s: takes %.4f, want %.4f", c.name, got, c.want)
		}
		slices.Sort(times)
		for q, want := range map[float64]float64{.5: .450, .8413: .450 * math.Exp(.35)} {
			if got := times[int(q*n)].Seconds(); math.Abs(got/want-1) > .02 {
				t.Errorf("%s: quantile %v of the reaction is %.3f s, want %.3f", c.name, q, got, want)
			}
		}
	}
}

// A decision is the user's and the key's: whoever takes a suggestion takes one that is
// likelier to be taken, too, after the same time.
func TestDecisionsDoNotShift(t *testing.T) {
	r := Readers(3)
	more := Reader{Seed: 3, Right: .6, Wrong: .3}
	differ := 0
	for key := range 2000 {
		after, wrong := r.Decide(1, key, "something else", "return err")
		again, right := r.Decide(1, key, "return err", "return err")
		later, eager := more.Decide(1, key, "something else", "return err")
		if after != again || after != later || wrong && !right || wrong && !eager {
			t.Fatalf("key %d: %s %t, %s %t, %s %t", key, after, wrong, again, right, later, eager)
		}
		if other, _ := r.Decide(2, key, "return err", "return err"); other != after {
			differ++
		}
	}
	if differ != 2000 {
		t.Errorf("another user decides as fast %d times of 2000", 2000-differ)
	}
}

// Typing through, a person types the same whatever a reader thinks of suggestions.
func TestReaderDoesNotShiftTyping(t *testing.T) {
	who := typist(t, "go-handler", "average")
	alone := firstKeys(who.Type(1, 3), 5000)
	y, read := who.Type(1, 3), Reader{Seed: 1, Right: 1, Wrong: 1}
	for i := 0; i < len(alone); {
		s, _ := y.Next()
		read.Decide(3, i, s.Truth, s.Truth)
		if s.Kind == Key {
			if s != alone[i] {
				t.Fatalf("key %d is %+v, want %+v", i, s, alone[i])
			}
			i++
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	want := "a suggestion counts full from a negative number of characters on\n" +
		"chance to take a right suggestion is 2, must be 0 to 1\nchance to take a wrong suggestion is -1, must be 0 to 1"
	if err := (Reader{Right: 2, Wrong: -1, Full: -1}).Validate(); err == nil || err.Error() != want {
		t.Errorf("Validate() = %v, want %q", err, want)
	}
	if err := Readers(1).Validate(); err != nil {
		t.Error(err)
	}
}
