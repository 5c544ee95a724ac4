package budgets

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
	"halfsecond/pipeline/quantile"
)

// What traces of voice turns tell beside how soon replies land.

// Estimate is a percentile with its 95 % interval, in the unit of its metric.
type Estimate struct {
	Q           quantile.Q
	Value       float64
	Known       bool // there are enough values
	Low, High   float64
	HasInterval bool
}

// Estimate returns a percentile of the pool with its interval, as a budget has it.
func (p *Pool) Estimate(q quantile.Q) Estimate {
	e := Estimate{Q: q}
	e.Value, e.Known = p.Quantile(q)
	if low, high, ok := quantile.Interval(len(p.Values), q, .95); ok && e.Known {
		e.Low, e.High, e.HasInterval = p.Values[low-1], p.Values[high-1], true
	}
	return e
}

// CallTurn is the turns that stand in the same place of their calls, or in neighbouring
// ones.
type CallTurn struct {
	First, Last  int // numbers, from 1
	Pool         Pool
	PromptTokens int     // the median of those that are known; pipeline.UnknownCount for none
	CachedShare  float64 // of the prompts' tokens, where the model says so
	CachedKnown  bool
}

// CallTurns returns the turns by their number in the call: the fact "turn", or where there
// is none the turn's place in its session. Where there are more than most numbers, as many
// neighbours stand together as it takes; 0 keeps each apart. It is empty when calls have one
// turn each.
func (a *Analysis) CallTurns(most int) []CallTurn {
	traces, last := map[int][]pipeline.Trace{}, 0
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		n := t.Index + 1
		if told, err := strconv.Atoi(t.Fact(pipeline.FactTurn)); err == nil && told > 0 {
			n = told
		}
		traces[n], last = append(traces[n], *t), max(last, n)
	}
	if len(traces) < 2 {
		return nil
	}
	step := 1
	if most > 0 {
		step = (last + most - 1) / most
	}
	groups := map[int]*CallTurn{}
	members := map[int][]pipeline.Trace{}
	for n, of := range traces {
		g := (n - 1) / step
		if groups[g] == nil {
			groups[g] = &CallTurn{First: n, Last: n}
		}
		groups[g].First, groups[g].Last = min(groups[g].First, n), max(groups[g].Last, n)
		members[g] = append(members[g], of...)
	}
	out := make([]CallTurn, 0, len(groups))
	for g, c := range groups {
		c.Pool = collect(a.kind.landing, members[g])
		c.count(members[g])
		out = append(out, *c)
	}
	slices.SortFunc(out, func(x, y CallTurn) int { return cmp.Compare(x.First, y.First) })
	return out
}

// count takes the tokens of the answers' requests together.
func (c *CallTurn) count(of []pipeline.Trace) {
	var lengths []int
	prompt, cached := 0, 0
	for i := range of {
		r := of[i].Requests
		if len(r) == 0 || r[len(r)-1].PromptTokens <= 0 {
			continue
		}
		last := &r[len(r)-1]
		lengths = append(lengths, last.PromptTokens)
		if last.CachedTokens != pipeline.UnknownCount {
			prompt, cached = prompt+last.PromptTokens, cached+last.CachedTokens
			c.CachedKnown = true
		}
	}
	c.PromptTokens = pipeline.UnknownCount
	if len(lengths) > 0 {
		slices.Sort(lengths)
		c.PromptTokens = lengths[quantile.P50.Rank(len(lengths))-1]
	}
	if prompt > 0 {
		c.CachedShare = float64(cached) / float64(prompt)
	}
}

// Guesses is what asking the model before the turn is committed brought.
type Guesses struct {
	Of, Right, Wrong int // turns that could, and those of them that did and were right or wrong
	// Gain is how much sooner the turns that were right landed than if the model had been
	// asked at their commit, on average.
	Gain time.Duration
	// Estimated is how many of the Wasted no server counted, so that they are our own count.
	Estimated int
	// Wasted is the tokens of what was asked for nothing, out of All that the run used,
	// prompts and answers alike.
	Wasted, All int
	// InVain is how many early requests were made at pauses inside turns, Turns how many turns
	// had one for nothing, there or at their end.
	InVain, Turns int
	// CostShare is the share of the model's cost that went for nothing; known where the run
	// has the price of its one model.
	CostShare float64
	CostKnown bool
}

// Guesses returns what early requests brought; ok is false when no turn could make one.
func (a *Analysis) Guesses() (g Guesses, ok bool) {
	p, used, lost := a.price(), price.Dollars(0), price.Dollars(0)
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		switch t.Fact(pipeline.FactGuess) {
		case "":
			continue
		case "right":
			g.Right++
		case "wrong":
			g.Wrong++
		}
		g.Of++
		if n, err := strconv.Atoi(t.Fact(pipeline.FactWasted)); err == nil {
			g.Wasted += n
		}
		vain := InVain(t)
		if vain > 0 || t.Fact(pipeline.FactGuess) == "wrong" {
			g.Turns++
		}
		g.InVain += vain
		for j := range t.Requests {
			tokens := tokensOf(&t.Requests[j])
			g.All += tokens.All()
			used = used.Add(p.Of(tokens))
			if j < vain || j == vain && t.Fact(pipeline.FactGuess) == "wrong" { // those at pauses are the first, then the early one
				lost = lost.Add(p.Of(tokens))
				_, _, estimated, _ := t.Requests[j].Tokens()
				g.Estimated += estimated
			}
		}
	}
	if g.CostKnown = p.Known() && used > 0; g.CostKnown {
		g.CostShare = lost.USD() / used.USD()
	}
	n := 0
	var sum time.Duration
	for _, r := range a.Replays() {
		if r.Trace.Fact(pipeline.FactGuess) == "right" {
			n, sum = n+1, sum+r.early()
		}
	}
	if n > 0 {
		g.Gain = sum / time.Duration(n)
	}
	return g, g.Of > 0
}

// InVain returns how many early requests a turn made at pauses inside it.
func InVain(t *pipeline.Trace) int {
	n, err := strconv.Atoi(t.Fact(pipeline.FactInVain))
	if err != nil || n < 0 {
		return 0
	}
	return min(n, len(t.Requests))
}

// price returns that of the run's model; the zero Price where it has none, or several.
func (a *Analysis) price() price.Price {
	if e := a.Run.Header.Endpoints; len(e) == 1 {
		return e[0].Price
	}
	return price.Price{}
}

// tokensOf returns what a request used, by our own count where nobody else has one.
func tokensOf(r *pipeline.Request) price.Tokens {
	prompt, output, _, _ := r.Tokens()
	return price.Tokens{Prompt: prompt, Cached: max(0, min(r.CachedTokens, prompt)), Output: output}
}

// ofCommit are the stages that a turn's commit waits for, ofModel those that stand at the
// beginning of a request.
var (
	ofCommit = []string{pipeline.SpanVADWait, pipeline.SpanEndOfTurn, pipeline.SpanSTTQueue, pipeline.SpanSTTTail, pipeline.SpanSTTTimer, pipeline.SpanPolicyWait, pipeline.SpanHook}
	ofModel  = []string{pipeline.SpanLLMConnect, pipeline.SpanLLMLoad, pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken, pipeline.SpanLLMReasoning}
)

// early returns how much later the turn would have landed had its model been asked at the
// commit.
func (r *Replay) early() time.Duration {
	commit, first := pipeline.Unknown, pipeline.NoSpan
	for id := range r.Trace.Spans {
		s := &r.Trace.Spans[id]
		switch {
		case slices.Contains(ofCommit, s.Name) && s.End != pipeline.Unknown:
			commit = max(commit, s.End)
		case slices.Contains(ofModel, s.Name) && (first == pipeline.NoSpan || s.Start < r.Trace.Spans[first].Start):
			first = pipeline.SpanID(id)
		}
	}
	if commit == pipeline.Unknown || first == pipeline.NoSpan {
		return 0
	}
	ahead := max(0, commit-r.Trace.Spans[first].Start)
	return r.With(func(id pipeline.SpanID, took time.Duration) time.Duration {
		if id == first {
			return took + ahead
		}
		return took
	}) - r.Value
}

// BargeIns is what became of replies that the user spoke into.
type BargeIns struct {
	N, Stopped, False, Unnoticed int // False are stops that no interruption was meant by
	// Heard is the tokens of stopped replies that were heard, out of Made.
	Heard, Made int
}

// BargeIns returns what became of replies that were spoken into; ok is false for none.
func (a *Analysis) BargeIns() (b BargeIns, ok bool) {
	for i := range a.Run.Traces {
		t := &a.Run.Traces[i]
		switch t.Fact(pipeline.FactBargeIn) {
		case "":
			continue
		case "stopped":
			b.Stopped++
		case "false stop":
			b.False++
		default:
			b.Unnoticed++
		}
		b.N++
		heard, err := strconv.Atoi(t.Fact(pipeline.FactHeardTokens))
		if r := t.Requests; err == nil && len(r) > 0 && r[len(r)-1].OutputTokens > 0 {
			b.Heard, b.Made = b.Heard+heard, b.Made+r[len(r)-1].Output()
		}
	}
	return b, b.N > 0
}

// Playing is how the replies played, of those that were followed to their end.
type Playing struct {
	N, Held int           // replies, and those with a hole
	Holes   int           // in all of them
	Stalled time.Duration // how long the holes are together
}

// Playing returns how replies played; ok is false when none was followed to its end.
func (a *Analysis) Playing() (p Playing, ok bool) {
	for i := range a.Run.Traces {
		n, sum, s := holes(&a.Run.Traces[i])
		if s != present {
			continue
		}
		p.N++
		p.Holes, p.Stalled = p.Holes+n, p.Stalled+sum
		if n > 0 {
			p.Held++
		}
	}
	return p, p.N > 0
}

// Count returns how many turns have a span of a name, and how many landed with it on their
// critical path.
func (a *Analysis) Count(span string) (turns, critical int) {
	for i := range a.Run.Traces {
		if slices.ContainsFunc(a.Run.Traces[i].Spans, func(s pipeline.Span) bool { return s.Name == span }) {
			turns++
		}
	}
	for _, r := range a.Replays() {
		if slices.ContainsFunc(r.Path(), func(s Segment) bool { return s.Name == span }) {
			critical++
		}
	}
	return turns, critical
}
