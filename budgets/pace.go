package budgets

import (
	"fmt"
	"math"
	"time"

	"halfsecond/pipeline"
)

// The pace of tokens, and how far from the model's it may be: the formula takes the first
// output of an answer for one token, which may have been many.

var tokenPace = paced(pace, Duration,
	"time per output token: (last output - first output) / (output tokens - 1), with two tokens or more that did not come in one read, and one choice; "+
		"tokens as the server counts them, never chunks",
	"A first output of several tokens is taken for one: tpot and tps are then faster than the model is",
	func(span time.Duration, tokens float64) float64 { return math.Round(float64(span) / tokens) })

var tokenRate = paced("tps", TokenRate, "tokens a second of one stream: 1 / tpot", "",
	func(span time.Duration, tokens float64) float64 { return tokens / span.Seconds() })

// paced makes a metric of how many tokens came in the time between first and last output.
func paced(name string, u Unit, formula, caveat string, of func(span time.Duration, tokens float64) float64) Metric {
	return Metric{
		Name: name, Unit: u, Formula: formula, Over: allRequests, Caveat: caveat, rests: restsOnStage, stage: modelStage,
		gather: func(traces []pipeline.Trace, p *Pool) {
			eachRequest(traces, func(r *pipeline.Request) {
				span, f := Decoding(r)
				v, s := okOnly(r.Outcome)(of(span, f.Most), observed(span > 0))
				p.put(v, s)
				if s == present {
					p.bound(f, func(tokens float64) float64 { return of(span, tokens) })
				}
			})
		},
	}
}

// bound adds what the value of an answer may be, by how many tokens may have followed.
func (p *Pool) bound(f pipeline.Following, of func(tokens float64) float64) {
	most := f.Most
	if f.Counted {
		most = f.Least
	}
	p.Slow, p.Quick = append(p.Slow, of(f.Least)), append(p.Quick, of(most))
	if f.Least < f.Most {
		p.Several++
	}
}

// Decoding returns the time from the first to the last output, and how many tokens came in it
// as TPOT counts and as there may have been; both are 0 where the pace cannot be told.
func Decoding(r *pipeline.Request) (span time.Duration, f pipeline.Following) {
	span = pipeline.Since(r.FirstOutput, r.LastOutput)
	if span <= 0 || r.OutputTokens < 2 || r.Transport.Burst || r.Choices > 1 {
		return 0, f
	}
	return span, r.Following()
}

// slow reports whether the budget holds of the values as they may be of the model.
func (j *Judgement) slow(p *Pool) bool {
	k, q := j.slowed(p)
	return k.holds(&q)
}

// slowed returns the judgement of the values as they may be of the model.
func (j *Judgement) slowed(p *Pool) (Judgement, Pool) {
	k, q := *j, *p
	q.Values = p.Slow
	k.Value, _ = k.Budget.evaluate(q.Values, q.Population)
	return k, q
}

// bundled says why a budget that holds of one of them only is not judged.
func (j *Judgement) bundled(p *Pool) string {
	k, _ := j.slowed(p)
	return fmt.Sprintf("takes the first output for one token, which may be several in %d of %d answers: with those it may be %s",
		p.Several, len(p.Values), j.Unit().Format(k.Value))
}
