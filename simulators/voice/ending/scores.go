package ending

import (
	"fmt"
	"math"
	"strings"

	"halfsecond/pipeline/dist"
)

// Odds is a distribution of scores: the log odds ln(score / (1 - score)) are normal. The
// zero Odds is always .5.
type Odds struct {
	Mean, SD float64 // of the log odds
	// Share of the scores has the mean Other instead: with the two on either side of a
	// threshold, the same word is taken for an end once and not the next time.
	Share, Other float64
}

// Draw returns a score above 0 and below 1, and takes two numbers from r.
func (o Odds) Draw(r *dist.Rand) float64 {
	mean := o.Mean
	if r.Float64() < o.Share {
		mean = o.Other
	}
	return logistic(mean + o.SD*math.Sqrt2*math.Erfinv(2*r.Float64()-1))
}

// Above returns the share of scores at a threshold, which is above 0 and below 1, or above it.
func (o Odds) Above(threshold float64) float64 {
	return (1-o.Share)*o.above(o.Mean, threshold) + o.Share*o.above(o.Other, threshold)
}

func (o Odds) above(mean, threshold float64) float64 {
	z := mean - logit(threshold)
	if o.SD == 0 {
		if z >= 0 {
			return 1
		}
		return 0
	}
	return math.Erfc(-z/o.SD/math.Sqrt2) / 2
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

// Scores is what a turn model says at pauses, for turns of every kind.
type Scores struct {
	Name      string  // of the model
	Threshold float64 // it comes with
	End       Odds    // at the true end of a turn
	Inner     Odds    // at a pause inside one
}

// Kinds whose pauses sound more, or less, like an end than others. Assumed: digits in a
// group sound complete, "um" does not. The sum over the turns that come with the program
// is about 0, so that the fit of Inner holds for all of them together.
var innerShift = map[Kind]float64{Digits: 1, Hesitation: -1}

// A one-word answer has scores on either side of the threshold, in log odds above it. The
// five that were published of LiveKit's turn-detector-v1, whose threshold was .56, are .477
// and .650 of the same "Hello?", .127 of "Yeah.", .649 of "Yes." and .5613 of "I'm not
// sure.": one far below, four about the threshold (livekit/agents issue 6415, 2026-07).
// That other models do the same about theirs is assumed.
var affirmed = Odds{Mean: .11, SD: .33, Share: .2, Other: -2.17}

// At returns the distribution of scores of a turn of that kind, at its end or at a pause
// inside it.
func (s Scores) At(k Kind, inner bool) Odds {
	o := s.End
	switch {
	case inner:
		o = s.Inner
		o.Mean += innerShift[k]
		o.Other += innerShift[k]
	case k == Affirmation:
		o = affirmed
		o.Mean += logit(s.Threshold)
		o.Other += logit(s.Threshold)
	}
	return o
}

// Models whose scores are known: normal log odds through the operating points that
// eot-bench publishes for its English turns (see SOURCES.md).
var (
	liveKit    = Scores{Name: "LiveKit turn-detector-v1", Threshold: .56, End: Odds{Mean: 4.1, SD: 2.4}, Inner: Odds{Mean: -4.2, SD: 3}}
	smartTurn  = Scores{Name: "Smart Turn v3.2", Threshold: .5, End: Odds{Mean: 1.2, SD: 3.2}, Inner: Odds{Mean: -4.5, SD: 3.2}}
	assemblyAI = Scores{Name: "AssemblyAI universal-streaming", Threshold: .4, End: Odds{Mean: 17, SD: 11}, Inner: Odds{Mean: -5, SD: 9.5}}
	// A confidence of .7, Flux's threshold, takes a score of .4 or more.
	flux = Scores{Name: "Deepgram Flux", Threshold: .4, End: Odds{Mean: 5, SD: 2.4}, Inner: Odds{Mean: -2.4, SD: 2.4}}
)

// Slug returns the name as scenario files have it, such as "smart-turn-v3.2".
func (s Scores) Slug() string { return strings.ToLower(strings.ReplaceAll(s.Name, " ", "-")) }

// FindScores returns the scores of the model with that slug.
func FindScores(slug string) (Scores, error) {
	all := Models()
	slugs := make([]string, len(all))
	for i, s := range all {
		if slugs[i] = s.Slug(); slugs[i] == slug {
			return s, nil
		}
	}
	return Scores{}, fmt.Errorf("no scores of a turn model %q: want one of %s", slug, strings.Join(slugs, ", "))
}

// Models returns the turn models whose scores are known.
func Models() []Scores { return []Scores{liveKit, smartTurn, assemblyAI, flux} }
