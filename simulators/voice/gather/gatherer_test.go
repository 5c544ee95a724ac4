package gather

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/pipeline/dist"
)

// TestSentences holds a text that comes piece by piece against the rule on all of
// it that has come: beyond white space at its start, one of the signs.
func TestSentences(t *testing.T) {
	letters := []rune("  \t\n\r.!?aé。…xyzxyzxyzxyzxyzxyzxyzxyz")
	ends := 0
	for i := range 2000 {
		r := dist.Stream(7, "sentence", i)
		var s Gatherer
		whole := ""
		for range 6 {
			var piece strings.Builder
			for range int(r.Float64() * 4) {
				piece.WriteRune(letters[int(r.Float64()*float64(len(letters)))])
			}
			whole += piece.String()
			want := strings.ContainsAny(strings.TrimLeft(whole, " \t\r\n"), ".!?\n。！？…")
			if got := s.Add(Rule{}, piece.String()); got != want {
				t.Fatalf("%q, the last piece %q: complete is %t, want %t", whole, piece.String(), got, want)
			}
			if want {
				ends++
				break
			}
		}
	}
	if ends < 500 || ends > 1900 {
		t.Errorf("%d of 2000 texts had an end: the test sees too little of one kind", ends)
	}
}

// TestEndless: of a text without an end nothing is kept, so that no piece is looked
// at again with a later one: the cost of a piece does not grow with what came before.
func TestEndless(t *testing.T) {
	gather := func() {
		var s Gatherer
		for range 10_000 {
			if s.Add(Rule{}, " word") {
				t.Fatal("a sentence without an end ended")
			}
		}
	}
	if n := testing.AllocsPerRun(10, gather); n != 0 {
		t.Errorf("10,000 pieces took %g allocations, want 0", n)
	}
}

// BenchmarkEndless tells what a piece of a text without an end costs; it is the
// same in a text of 1,000 pieces as in one of 100,000.
func BenchmarkEndless(b *testing.B) {
	for _, pieces := range []int{1000, 100_000} {
		b.Run(fmt.Sprint(pieces), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var s Gatherer
				for range pieces {
					s.Add(Rule{}, " word")
				}
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(pieces), "ns/piece")
		})
	}
}
