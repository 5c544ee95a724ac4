package roofline

import (
	"math"
	"slices"
	"sort"

	"halfsecond/pipeline"
)

// Room is a KV cache divided into blocks. A sequence takes one for each BlockTokens of
// its tokens, which hold what the layers that keep all of them have of those, and some
// more for the layers with a sliding window.
type Room struct {
	Blocks      int // on all devices together, or pipeline.UnknownCount
	BlockTokens int
	Windows     Windows
}

// Known reports whether it is known how large the cache is.
func (r Room) Known() bool { return r.Blocks != pipeline.UnknownCount }

// Needs returns the blocks that a sequence of so many tokens takes.
func (r Room) Needs(tokens int) int {
	n := (tokens + r.BlockTokens - 1) / r.BlockTokens
	return n + r.Windows.Blocks(n, r.BlockTokens)
}

// Longest returns the tokens, in whole blocks, of the longest sequence that fits, or
// pipeline.UnknownCount.
func (r Room) Longest() int {
	if !r.Known() {
		return pipeline.UnknownCount
	}
	return r.Windows.Longest(r.Blocks, r.BlockTokens) * r.BlockTokens
}

// Sequences returns how many sequences of so many tokens, at least 1, fit together, or
// pipeline.UnknownCount.
func (r Room) Sequences(tokens int) int {
	if !r.Known() {
		return pipeline.UnknownCount
	}
	return r.Blocks / r.Needs(tokens)
}

// Windows tells what sliding windows take of a cache: those of a model, and of what
// drafts for it.
type Windows []Window

// Window is what the layers with a sliding window keep of a sequence: so many tokens,
// and of each a Share of the bytes that the layers without one keep.
type Window struct {
	Tokens int
	Share  float64
}

// Blocks returns how many blocks of size tokens the windows of a sequence take that has
// n blocks beside them: what they hold, rounded up.
func (w Windows) Blocks(n, size int) int {
	held := 0.
	for _, x := range w {
		held += x.Share * float64(min(n*size, x.Tokens))
	}
	return int(math.Ceil(held/float64(size) - 1e-9)) // shares such as 5/6 are not exact
}

// Longest returns the most blocks that a sequence can have if those and its windows
// take at most so many, 0 or more.
func (w Windows) Longest(blocks, size int) int {
	if len(w) == 0 {
		return blocks
	}
	return sort.Search(blocks, func(n int) bool { return n+1+w.Blocks(n+1, size) > blocks })
}

// Room returns the KV cache in blocks of size tokens, beside the weights of plans that
// draft for this one and with a cache for them too. It is what the memory leaves, or
// what holds one sequence of the tokens that were given. The error is a *FitError when
// there is not even room for one block.
func (p *Plan) Room(size int, drafts ...*Plan) (Room, error) {
	cached := append([]*Plan{p}, drafts...)
	r := Room{Blocks: pipeline.UnknownCount, BlockTokens: size, Windows: windows(cached)}
	if p.d.KVTokens > 0 {
		r.Blocks = r.Needs(p.d.KVTokens / size * size)
		return r, nil
	}
	if p.d.Hardware.Memory == 0 || slices.ContainsFunc(cached, func(c *Plan) bool { return !c.d.Model.HasShape() }) {
		return r, nil
	}
	need, have := p.need(), p.have()
	for _, d := range drafts {
		need += d.WeightBytes()
	}
	r.Blocks = max(0, int(float64(have-need)/(wholeBytes(cached)*float64(size))))
	if r.Longest() == 0 {
		return Room{}, &FitError{Deployment: p.d, Need: need, Have: have}
	}
	return r, nil
}

// wholeBytes returns the bytes that all devices together keep of a token in the layers
// of some plans that have no sliding window.
func wholeBytes(plans []*Plan) (bytes float64) {
	for _, p := range plans {
		bytes += p.repeated() * p.kvBytes()
	}
	return bytes
}

// windows returns those of the plans that have some.
func windows(plans []*Plan) (w Windows) {
	for _, p := range plans {
		if p.d.Model.Window > 0 {
			w = append(w, Window{p.d.Model.Window, p.repeated() * p.windowBytes() / wholeBytes(plans)})
		}
	}
	return w
}

// KVTokens returns how many tokens one sequence can have in the cache, in whole blocks
// of BlockTokens: all that it holds where no layer has a sliding window. It is
// pipeline.UnknownCount when the shape or the memory is unknown; the error is that of
// Room.
func (p *Plan) KVTokens() (int, error) {
	r, err := p.Room(BlockTokens)
	if err != nil {
		return 0, err
	}
	return r.Longest(), nil
}
