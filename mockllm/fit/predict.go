package fit

import (
	"math"
	"time"

	"halfsecond/mockllm/roofline"
)

// predict returns what the plan of a row's deployment says in place of its value: a
// closed form for each metric, with no queue simulated.
func (r Row) predict(p *roofline.Plan) float64 {
	n := r.sequences()
	switch r.Metric {
	case PrefillRate:
		return float64(r.replicas()) * float64(n) * float64(r.Prompt) / prefill(p, n, r.Prompt).Seconds()
	case DecodeRate:
		return float64(r.replicas()) * float64(n) / p.Decode(n, r.context()).Seconds()
	case TTFT:
		return milliseconds(r.firstToken(p))
	case TPOT:
		return milliseconds(r.perToken(p))
	default:
		return float64(r.replicas()) * r.aggregate(p)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// prefill returns how long n prompts take that are computed together.
func prefill(p *roofline.Plan, n, prompt int) time.Duration {
	b := p.Batch()
	b.AddAlike(n, prompt, 0, p.Logits(prompt))
	return p.Step(b)
}

// firstToken returns the time to the first token: what the front end needs, the
// prompts, and the further steps after which this engine hands it out. Clients of a
// closed loop who send equal requests stay in step when their prompts fit one step;
// else each waits for half of the others on average.
func (r Row) firstToken(p *roofline.Plan) time.Duration {
	e, n := p.Deployment().Engine, r.sequences()
	t := e.RequestFixed + time.Duration(r.Prompt)*e.TokenizeToken
	switch {
	case !r.ClosedLoop(), r.Prompt*n <= e.TokenBudget:
		t += prefill(p, n, r.Prompt)
	default:
		t += time.Duration(float64(prefill(p, 1, r.Prompt)) * float64(n+1) / 2)
	}
	return t + time.Duration(e.FirstTokenSteps)*p.Decode(n, r.Prompt+1)
}

// perToken returns the time per output token. In a closed loop every answer is held
// up by the prompts of the other clients, or by half of them when the engine computes
// prompts first, since those of one round then come before most decodes.
func (r Row) perToken(p *roofline.Plan) time.Duration {
	n := r.sequences()
	t := float64(p.Decode(n, r.context()))
	if r.ClosedLoop() && n > 1 {
		others := float64(n - 1)
		if p.Deployment().Engine.PrefillFirst {
			others /= 2
		}
		t += others * float64(prefill(p, 1, r.Prompt)) / float64(r.Generated)
	}
	return time.Duration(t)
}

// aggregate returns output tokens a second of one replica over a whole run, in which
// a batch is computed, decoded to its end and followed by the next one.
func (r Row) aggregate(p *roofline.Plan) float64 {
	n := r.together(p)
	decode := float64(r.Generated) * p.Decode(n, r.context()).Seconds()
	return float64(n) * float64(r.Generated) / (r.prompts(p, n).Seconds() + decode)
}

// together returns how many sequences of one replica run at once: those of the row, as
// far as the cache holds them to their ends. Where the row does not say, there are as
// many as the engine and the cache allow, when each needs its prompt and, on average,
// half its answer.
func (r Row) together(p *roofline.Plan) int {
	held := math.Inf(1)
	if room, err := p.Room(roofline.BlockTokens); err != nil {
		held = 1
	} else if room.Known() {
		held = max(1, float64(room.Sequences(r.Prompt+r.Generated)))
	}
	if n := r.sequences(); n != Unstated {
		return int(min(float64(n), held))
	}
	e := p.Deployment().Engine
	staggered := held * float64(r.Prompt+r.Generated) / (float64(r.Prompt) + float64(r.Generated)/2)
	return int(math.Round(min(float64(max(1, e.MaxSequences, e.Slots)), staggered)))
}

// prompts returns how long n prompts take in steps of the engine's token budget.
func (r Row) prompts(p *roofline.Plan, n int) time.Duration {
	budget := p.Deployment().Engine.TokenBudget
	if budget == 0 {
		return prefill(p, n, r.Prompt)
	}
	together := min(n, max(1, budget/r.Prompt))
	return time.Duration(float64(prefill(p, together, r.Prompt)) * float64(n) / float64(together))
}
