package recording_test

import (
	"cmp"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide"
)

// provider is the session's completion provider as a language model, without its cache.
// Each request gets one of the session's answers that no cache gave: how long it took,
// and whether it had a text. For how many characters such a text is what the session goes
// on with is drawn from those of which the session tells it.
type provider struct {
	loop   pipeline.Scheduler
	draws  dist.Rand
	waits  []wait
	agrees []int
	drawn  wait // for the request that is about to start
}

// wait is how long an answer takes.
type wait struct {
	took  time.Duration
	text  bool
	share float64 // of the waits that are so long or shorter
}

// newProvider takes the answers that came as all that there are: a call that was cancelled
// would often have had a longer one, so these are too short.
func newProvider(loop pipeline.Scheduler, seed uint64, calls []call) *provider {
	p := &provider{loop: loop, draws: dist.Stream(seed, "recording/provider")}
	for i := range calls {
		c := &calls[i]
		if c.cancelled || c.cached() {
			continue
		}
		p.waits = append(p.waits, wait{took: c.took, text: c.items > 0})
		if c.known {
			p.agrees = append(p.agrees, c.agrees)
		}
	}
	for i := range p.waits {
		p.waits[i].share = float64(i+1) / float64(len(p.waits))
	}
	return p
}

// uncensor weighs the waits by Kaplan and Meier: a call that was cancelled, and that may
// have gone to a server, would have taken longer than it had by then.
func (p *provider) uncensor(calls []call) {
	under := slices.DeleteFunc(slices.Clone(calls), func(c call) bool { return c.took <= cachedWithin })
	slices.SortStableFunc(under, func(a, b call) int {
		if a.took == b.took && a.cancelled != b.cancelled {
			return map[bool]int{false: -1, true: 1}[a.cancelled]
		}
		return cmp.Compare(a.took, b.took)
	})
	p.waits = p.waits[:0]
	left := 1.
	for i, c := range under {
		if !c.cancelled {
			left *= 1 - 1/float64(len(under)-i)
			p.waits = append(p.waits, wait{c.took, c.items > 0, 1 - left})
		}
	}
	p.waits[len(p.waits)-1].share = 1
}

// says implements ide.Config.Says. What the session does not go on with begins with a sign
// that nobody types.
func (p *provider) says(q *ide.Question) ide.Said {
	u := p.draws.Float64()
	i, _ := slices.BinarySearchFunc(p.waits, u, func(w wait, u float64) int { return cmp.Compare(w.share, u) })
	p.drawn = p.waits[min(i, len(p.waits)-1)]
	agrees := p.agrees[p.draws.IntN(len(p.agrees))]
	if !p.drawn.text {
		return ide.Said{Ends: []int{0}}
	}
	text := q.Truth
	if end := document.LineEnd(text); end >= 0 {
		text = text[:end]
	}
	if characters := []rune(text); agrees < len(characters) || text == "" {
		text = string(characters[:min(agrees, len(characters))]) + "¶ other"
	}
	return ide.Said{Text: text, Ends: []int{len(text)}}
}

// Start implements pipeline.LLM: the answer comes as a whole.
func (p *provider) Start(c *pipeline.Call) {
	c.Record.Sent = p.loop.Now()
	c.State = p.loop.After(p.drawn.took, pipeline.RankInput, func() {
		now := p.loop.Now()
		c.Record.FirstText, c.Record.LastOutput, c.Record.End = now, now, now
		c.Notify(pipeline.Progress{Tokens: 1, Modelled: true})
		c.Done()
	})
}

// Cancel implements pipeline.LLM.
func (p *provider) Cancel(c *pipeline.Call) {
	if c.State.(pipeline.Timer).Stop() {
		p.loop.After(0, pipeline.RankOutput, func() {
			c.Record.Outcome, c.Record.End = pipeline.Cancelled, p.loop.Now()
			c.Done()
		})
	}
}
