package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestVocabularyIsTokens(t *testing.T) {
	for _, w := range vocabulary {
		if Count(w) != 1 || Count(" "+w) != 1 || strings.ToLower(w) != w {
			t.Errorf("%q is not one token of small letters", w)
		}
	}
}

func TestStreamsBeginWithTheirNames(t *testing.T) {
	for id, want := range map[ID]string{
		0: "Aaaaaa", 1: "Baaaaa", letters: "Abaaaa", 2 * letters * letters: "Aabaaa", streams - 1: "ZZZZZZ",
	} {
		if got := (Passage{{id, 1}}).Text(); got != want || Count(got) != 1 {
			t.Errorf("stream %d is called %q, want %q in one token", id, got, want)
		}
	}
	if a, b := Name(1, "a", 2), Name(1, "a", 3); a == b || a >= streams {
		t.Errorf("Name gives %d and %d, want two numbers below %d", a, b, streams)
	}
}

// TestTextsHaveTheirTokens: a passage has the tokens that it says, and a longer
// segment begins with a shorter one.
func TestTextsHaveTheirTokens(t *testing.T) {
	long := Passage{{Name(1, "long"), 300}}.Text()
	for n := range 300 {
		text := Passage{{Name(1, "long"), n}}.Text()
		if got := Count(text); got != n || !strings.HasPrefix(long, text) {
			t.Errorf("%d tokens of a stream are %q, which are %d", n, text, got)
		}
		both := Passage{{Name(1, "first"), n}, {Name(1, "second"), 7}}
		if got := Count(both.Text()); got != n+7 || got != both.Tokens() {
			t.Errorf("%d tokens and 7 more are %d", n, got)
		}
	}
}

func TestSentences(t *testing.T) {
	for n := 1; n < 100; n++ {
		for _, first := range []int{1, 2, 12, n, n + 5} {
			s := Sentences(Name(1, "head"), Name(1, "tail"), n, first)
			text := Passage(s[:]).Text()
			if got := Count(text); got != n {
				t.Errorf("Sentences(%d, %d) has %d tokens", n, first, got)
			}
			if !strings.HasSuffix(Prefix(text, min(first, n)), ".") || !strings.HasSuffix(text, ".") {
				t.Errorf("Sentences(%d, %d) = %q: no sentence ends at token %d and the last", n, first, text, first)
			}
			if n > first && strings.Contains(Prefix(text, first-1), ".") {
				t.Errorf("Sentences(%d, %d) = %q: a sentence ends before token %d", n, first, text, first)
			}
		}
	}
}

// TestSpoken: an answer has the tokens that it says, a full stop at the end of each
// sentence and at no other place, and a comma at the end of the clause.
func TestSpoken(t *testing.T) {
	for n := 1; n < 40; n++ {
		for each := 1; each < 15; each++ {
			for clause := range 17 {
				p := Spoken(func(i int) ID { return Name(1, "sentence", i) }, n, each, clause)
				text := p.Text()
				if got := Count(text); got != n || p.Tokens() != n {
					t.Fatalf("Spoken(%d, %d, %d) has %d tokens", n, each, clause, got)
				}
				for at, rest := 1, text; rest != ""; at++ {
					token := rest[:Next(rest)]
					rest = rest[len(token):]
					want := ""
					switch {
					case at%each == 0 || at == n:
						want = "."
					case at == clause && clause < min(each, n):
						want = ","
					}
					if want == "" == strings.ContainsAny(token, ".,") || want != "" && token != want {
						t.Fatalf("Spoken(%d, %d, %d) = %q: token %d is %q, want %q", n, each, clause, text, at, token, want)
					}
				}
			}
		}
	}
}

// TestFirst: the first tokens of a passage are those of its text, and those of no other.
func TestFirst(t *testing.T) {
	p := Spoken(func(i int) ID { return Name(1, "sentence", i) }, 30, 7, 3)
	text := p.Text()
	for n := range 40 {
		first := p.First(n)
		if got := first.Text(); got != Prefix(text, n) || first.Tokens() != min(n, 30) {
			t.Errorf("First(%d) = %q, want %q", n, got, Prefix(text, n))
		}
	}
	if p.Text() != text {
		t.Error("the passage was changed")
	}
}

// draw returns a passage of a few short segments, most of them of a few streams, so
// that many passages share something and part at any place. The others are of so many
// streams that words taken at random would often be equal.
func draw(r *rand.Rand) Passage {
	var p Passage
	for range 1 + r.IntN(4) {
		n := r.IntN(4)
		if r.IntN(3) == 0 {
			n = r.IntN(40)
		}
		streams := 3
		if r.IntN(3) == 0 {
			streams = 1000
		}
		switch id := Name(1, "draw", r.IntN(streams)); r.IntN(5) {
		case 4:
			p = append(p, Spoken(func(i int) ID { return Name(1, "spoken", r.IntN(2), i) }, 1+n, 1+r.IntN(6), r.IntN(4))...)
		case 0:
			s := Sentences(id, Name(1, "tail", r.IntN(2)), 1+n, 1+r.IntN(4))
			p = append(p, s[:]...)
		default:
			p = append(p, Segment{id, n})
		}
	}
	return p
}

// shared returns how many elements two lists have in common at their start.
func shared[T comparable](a, b []T) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestPassagesShareWhatTheirTextsShare: hashes of passages, hashes of their texts
// and the tokens themselves say the same of every pair.
func TestPassagesShareWhatTheirTextsShare(t *testing.T) {
	type drawn struct {
		Passage
		text              string
		tokens            []string
		asPassage, asText []uint64
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]drawn, 600)
	for i := range all {
		p := draw(r)
		all[i] = drawn{Passage: p, text: p.Text(), tokens: split(p.Text())}
	}
	for _, size := range []int{1, 2, 5, 16} {
		some, part := 0, 0 // pairs that share something, and not everything
		for i := range all {
			a := &all[i]
			a.asPassage, a.asText = a.Blocks(nil, size), Blocks(nil, size, a.text)
			for j := range all[:i] {
				b := &all[j]
				want := shared(a.tokens, b.tokens) / size
				if got := shared(a.asPassage, b.asPassage); got != want {
					t.Fatalf("blocks of %d: as passages %v and %v share %d, as tokens %d", size, a.Passage, b.Passage, got, want)
				}
				if got := shared(a.asText, b.asText); got != want {
					t.Fatalf("blocks of %d: as texts %q and %q share %d, as tokens %d", size, a.text, b.text, got, want)
				}
				if want > 0 {
					some++
				}
				if want > 0 && want < min(len(a.tokens), len(b.tokens))/size {
					part++
				}
			}
		}
		if some < 100 || part < 100 {
			t.Errorf("blocks of %d: %d pairs share something and %d of them not all: the test compares too little", size, some, part)
		}
	}
}

// TestMessagesAreOneText: a passage that is sent as several messages has the blocks
// of the whole.
func TestMessagesAreOneText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		p, size := draw(r), 1+r.IntN(5)
		cut := r.IntN(len(p) + 1)
		if cut < len(p) && p[cut].ID == stop {
			continue // no message begins with the end of a sentence
		}
		whole := Blocks(nil, size, p.Text())
		if got := Blocks(nil, size, p[:cut].Text(), p[cut:].Text()); !slices.Equal(got, whole) {
			t.Fatalf("%v cut at %d has other blocks than the whole", p, cut)
		}
		if n := p.Tokens() / size; len(whole) != n || len(p.Blocks(nil, size)) != n {
			t.Fatalf("%v has %d and %d blocks of %d, want %d", p, len(whole), len(p.Blocks(nil, size)), size, n)
		}
	}
}

func BenchmarkPassageBlocks(b *testing.B) {
	p := Passage{{Name(1, "system"), 500}, {Name(1, "session"), 1500}, {Name(1, "words"), 8}}
	var dst []uint64
	b.ReportAllocs()
	for b.Loop() {
		dst = p.Blocks(dst[:0], 16)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(dst)), "ns/block")
}

func BenchmarkTextBlocks(b *testing.B) {
	text := Passage{{Name(1, "long"), 2000}}.Text()
	var dst []uint64
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = Blocks(dst[:0], 16, text)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(dst)), "ns/block")
}
