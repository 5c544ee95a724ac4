package bench

import (
	"math"
	"testing"
)

// A server that counts perWord tokens a word of ours and extra around a prompt, to the
// nearest token.
func counted(words int, perWord, extra float64) int {
	return int(math.Round(float64(words)*perWord + extra))
}

// From the second length on, prompts have the tokens that are asked for, or the nearest
// number that words of that size can make.
func TestSizingHitsTheCount(t *testing.T) {
	for _, c := range []struct {
		name           string
		perWord, extra float64
		asked          []int // of the first prompts
	}{
		{"as the mock", 1, 0, []int{256, 256}},
		{"a template around it", 1, 29, []int{256, 256, 256}},
		{"a finer tokenizer", 1.37, 12, []int{500, 500, 500}},
		{"a coarser one", .8, 0, []int{300, 600}},
		{"lengths that differ", 1.2, 40, []int{100, 2000, 400, 900}},
	} {
		var s Sizing
		for _, tokens := range c.asked {
			words := s.Words(tokens)
			s.Learn(words, counted(words, c.perWord, c.extra))
		}
		for _, tokens := range c.asked {
			got := counted(s.Words(tokens), c.perWord, c.extra)
			if limit := int(math.Ceil(c.perWord/2 + .01*float64(tokens)*.5)); got < tokens-limit || got > tokens+limit {
				t.Errorf("%s: a prompt of %d has %d (%+v)", c.name, tokens, got, s)
			}
		}
	}
}

func TestSizingIsExact(t *testing.T) {
	var s Sizing
	if got := s.Words(200); got != 200 || s.Blind != 1 {
		t.Errorf("before it knows anything a prompt of 200 has %d words, %d of them blind", got, s.Blind)
	}
	s.Learn(200, 330) // one length: through nothing
	if s.PerWord != 1.65 || s.Extra != 0 {
		t.Errorf("after one: %g a word and %g, want 1.65 and 0", s.PerWord, s.Extra)
	}
	s.Learn(100, 180)
	if s.PerWord != 1.5 || s.Extra != 30 || s.Words(330) != 200 || s.Words(1) != 1 || s.Blind != 1 {
		t.Errorf("after two: %+v, want 1.5 a word and 30", s)
	}
	s.Learn(100, -1) // unknown
	if s.Learned != 2 {
		t.Errorf("it learned from %d, want 2", s.Learned)
	}
	for range 20 {
		s.Learn(100, 180)
	}
	before := s
	s.Learn(100, 900)
	if s != before || s.Learned != LearnFrom {
		t.Errorf("it goes on learning: %+v, then %+v", before, s)
	}
}

// A server that counts a cached prompt at nothing, or all prompts alike, is no line.
func TestSizingWithoutALine(t *testing.T) {
	var s Sizing
	s.Learn(100, 300)
	s.Learn(200, 100)
	if s.PerWord != 400./300 || s.Extra != 0 {
		t.Errorf("a falling line: %+v", s)
	}
	s = Sizing{}
	s.Learn(100, 100)
	s.Learn(200, 300) // would begin at -100
	if s.PerWord != 400./300 || s.Extra != 0 {
		t.Errorf("a line below nothing: %+v", s)
	}
	s = Sizing{}
	s.Learn(100, 100)
	s.Learn(200, 101) // would take 90,000 words for a prompt of 1000
	if s.PerWord != 201./300 || s.Extra != 0 {
		t.Errorf("a line that hardly rises: %+v", s)
	}
	var none *Sizing
	none.Learn(1, 2)
	if none.Words(7) != 7 {
		t.Error("nil learned something")
	}
}

// A server that counts nearly nothing, as some do of what they have in their cache, counts
// not what was sent: from that no prompt is made longer.
func TestSizingLearnsNothingFromTooFew(t *testing.T) {
	for _, counted := range []func(words int) int{
		func(int) int { return 1 },
		func(words int) int { return words / 5 },
	} {
		var s Sizing
		for range 2 * LearnFrom {
			words := s.Words(1000)
			if words != 1000 {
				t.Fatalf("a prompt of 1000 has %d words: %+v", words, s)
			}
			s.Learn(words, counted(words))
		}
		if s.Learned != 0 || s.Blind != 2*LearnFrom {
			t.Errorf("%+v, want nothing learned", s)
		}
	}
}
