package gather

import (
	"strings"
	"testing"
)

// TestCutter: parts as they come, and what each does to the piece in hand.
func TestCutter(t *testing.T) {
	type step struct {
		part string
		want Cut
	}
	whole, next, ended := Cut{Whole: true}, Cut{Whole: true, Next: true}, Cut{Ended: true}
	for _, c := range []struct {
		name  string
		rule  Rule
		steps []step
	}{
		{"sentences", Rule{}, []step{{" ", Cut{}}, {"Hi", Cut{}}, {".", whole}, {" ", Cut{}}, {" I am", Cut{}}, {" 3.5", whole}, {"!", whole}}},
		{"two in a part", Rule{}, []step{{"Hi. I am", whole}, {" here.", whole}}},
		{"clauses", Rule{By: Clause}, []step{{"Well", Cut{}}, {",", whole}, {" I", Cut{}}, {" am.", whole}}},
		{"tokens", Rule{By: Token}, []step{{"\n", Cut{}}, {"Well", whole}, {",", whole}}},
		{"look-ahead", Rule{LookAhead: true}, []step{{"Hi", Cut{}}, {".", ended}, {" I", next}, {" am", Cut{}}, {".", ended}}},
		{"look-ahead, all in a part", Rule{LookAhead: true}, []step{{"Hi. I", whole}, {" am.", ended}}},
		{"look-ahead, and the next ends at once", Rule{LookAhead: true}, []step{{"Hi.", ended}, {".", Cut{Whole: true, Next: true, Ended: true}}, {"Yes", next}}},
		{"look-ahead by clause", Rule{By: Clause, LookAhead: true}, []step{{"Hi,", ended}, {" you", next}}},
		{"characters", Rule{By: Characters, Characters: 5}, []step{{"Four", Cut{}}, {" are", Cut{}}, {" here", next}, {" to", Cut{}}, {" go", next}}},
		{"characters: a word that is as long", Rule{By: Characters, Characters: 4}, []step{{"Four", Cut{}}, {" are", next}}},
		{"characters: a sign", Rule{By: Characters, Characters: 5}, []step{{"Four", Cut{}}, {".", whole}, {"No.", Cut{}}, {" One", Cut{}}, {" two", next}}},
		{"characters: several words in a part", Rule{By: Characters, Characters: 5}, []step{{"Four are here", whole}, {" now and then", whole}}},
		{"characters of two bytes", Rule{By: Characters, Characters: 4}, []step{{"été", Cut{}}, {"s", Cut{}}, {" ", next}}},
	} {
		x := Cutter{Rule: c.rule}
		for i, s := range c.steps {
			if got := x.Add(s.part); got != s.want {
				t.Errorf("%s, part %d, %q: %+v, want %+v", c.name, i, s.part, got, s.want)
			}
		}
	}
}

// TestCutterIsGatherer: the first piece of a text is the same for both, and none is lost.
func TestCutterIsGatherer(t *testing.T) {
	text := strings.Repeat("One, two. Three 3.5; four! Five\nsix… ", 5)
	for by := Sentence; by <= Token; by++ {
		for _, ahead := range []bool{false, true} {
			rule := Rule{By: by, Characters: 12, LookAhead: ahead}
			for size := 1; size < 8; size++ {
				var g Gatherer
				x := Cutter{Rule: rule}
				first := false
				for at := 0; at+size <= len(text) && !first; at += size {
					part := strings.ToValidUTF8(text[at:at+size], "?")
					first = g.Add(rule, part)
					if cut := x.Add(part); cut.Whole != first {
						t.Fatalf("%+v, parts of %d: whole %v at %q, want %v", rule, size, cut.Whole, part, first)
					}
				}
				if !first {
					t.Errorf("%+v, parts of %d: no piece", rule, size)
				}
			}
		}
	}
}
