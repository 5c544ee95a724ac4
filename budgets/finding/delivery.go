package finding

import (
	"slices"
	"time"

	"halfsecond/pipeline/endpoint/probe/seen"
)

// form says how the chunks of an answer came.
type form int

const (
	tooShort form = iota // too few chunks to tell
	even                 // one after another
	whole                // all at the end
	bySize               // whenever a buffer was full
	clumped              // whenever a timer fired
	partly               // a large part in one heap, the others not
	bursts               // several at a time, now more and now fewer: the engine made them so
)

// shape is the form of one answer, with its figures.
type shape struct {
	form     form
	request  *seen.Request
	chunks   int           // output chunks
	packs    int           // deliveries: what came together
	every    time.Duration // median time between deliveries
	bytes    int           // of a delivery, its median
	together int           // output chunks that did not come alone
	heaps    int           // deliveries that they came in
	heap     heap          // the largest of those
}

// heap is the delivery that brought the most chunks.
type heap struct {
	pack
	first, last bool // of those with output
}

// held reports whether something kept the chunks back.
func (s *shape) held() bool {
	return s.form == whole || s.form == bySize || s.form == clumped || s.form == partly
}

// made returns how long the largest heap took to make after its first chunk, at the usual
// time between deliveries for each.
func (s *shape) made() time.Duration { return time.Duration(s.heap.chunks-1) * s.every }

// lay returns how long the first chunk of the largest heap lay, as far as that can be told:
// until the others were made, which took no longer than the wait before them.
func (s *shape) lay() time.Duration {
	before := ttft(s.request)
	if !s.heap.first {
		before = 0
		for _, o := range s.request.Outputs() {
			if o.At < s.heap.at {
				before = s.heap.at - o.At
			}
		}
	}
	return min(before, s.made())
}

// Limits of the forms. They leave room for the noise of a busy machine: a form is named
// only where nothing else looks like it.
const (
	// fewest output chunks tell a form.
	fewest = 8
	// A whole answer takes this share of the time to its end, at most, and less than
	// perChunk for each chunk: no engine makes 2,000 chunks a second for one stream.
	wholeShare = 0.05
	perChunk   = 500 * time.Microsecond
	// An answer that was there sooner was held back from nobody: it is less than a frame
	// of a screen and a bit.
	shortestWait = 20 * time.Millisecond
	// A buffer is a multiple of so many bytes; two such deliveries tell, or one of a whole
	// page.
	bufferUnit, bufferPage = 1024, 4096
	// A timer that holds small writes back fires no faster than that: a delayed ACK takes
	// 40 ms or more (Linux, include/net/tcp.h, TCP_DELACK_MIN), and 200 ms are what
	// haproxy's default costs (measured with 2.6.12 on loopback, 2026-11-29). A step of an
	// engine takes less, but for the largest models on the slowest machines.
	shortestTimer = 100 * time.Millisecond
	// In bursts at least that share of the chunks did not come alone, in so many
	// deliveries: one heap is what a pause leaves.
	burstShare, leastHeaps = 0.3, 3
	// Where fewer deliveries brought that share, a heap of so many chunks was held back: no
	// step of an engine makes as many.
	leastHeap = 8
)

// pack is what came together.
type pack struct {
	at     time.Duration
	bytes  int
	chunks int
}

// packs puts together the reads that are much closer to each other than they are on the
// average, since one delivery may take several.
func packs(r *seen.Request) []pack {
	var all []pack
	if len(r.Reads) == 0 {
		return nil
	}
	span := r.Reads[len(r.Reads)-1].At - r.Reads[0].At
	together := min(3*time.Millisecond, span/time.Duration(10*len(r.Reads)))
	last := time.Duration(0)
	for _, read := range r.Reads {
		if len(all) == 0 || read.At-last > together {
			all = append(all, pack{at: read.At})
		}
		all[len(all)-1].bytes += read.Bytes
		last = read.At
	}
	i := 0
	for _, o := range r.Outputs() {
		for i+1 < len(all) && all[i+1].at <= o.At {
			i++
		}
		all[i].chunks++
	}
	return all
}

// shapeOf tells the form of an answer.
func shapeOf(r *seen.Request) shape {
	s := shape{request: r, chunks: len(r.Outputs())}
	if s.chunks < fewest {
		return s
	}
	all := packs(r)
	s.packs = len(all)
	s.every = median(gaps(all))
	s.bytes = middle(all, func(p pack) int { return p.bytes })
	for i, p := range all {
		if p.chunks > 1 {
			s.together += p.chunks
			s.heaps++
		}
		if p.chunks > s.heap.chunks {
			s.heap = heap{pack: p, last: i == len(all)-1}
		}
	}
	s.heap.first = s.heap.at <= r.Record.FirstOutput
	s.form = tell(&s, all)
	return s
}

func tell(s *shape, all []pack) form {
	switch {
	case !s.request.OK() && tooFast(s.request):
		return tooShort // such a stream without end has no pace but that of its reader
	case atOnce(s.request):
		return whole
	case filled(all):
		return bySize
	case timed(s, all), heaped(s):
		return clumped
	case s.heap.chunks >= leastHeap && float64(s.heap.chunks) >= burstShare*float64(s.chunks) && s.lay() >= shortestWait && 2*s.lay() >= s.made():
		return partly
	case s.heaps >= leastHeaps && float64(s.together) >= burstShare*float64(s.chunks):
		return bursts
	}
	return even
}

// atOnce reports whether all of an answer came at its end, so that the first output tells
// no more than the last.
func atOnce(r *seen.Request) bool {
	span := r.Record.LastOutput - r.Record.FirstOutput
	return ttft(r) >= shortestWait && float64(span) <= wholeShare*float64(ttft(r)+span) && tooFast(r)
}

// tooFast reports whether an answer came faster than any engine makes one.
func tooFast(r *seen.Request) bool {
	return r.Record.LastOutput-r.Record.FirstOutput < time.Duration(len(r.Outputs()))*perChunk
}

// filled reports whether the deliveries between the first and the last are full buffers, of
// several chunks each. The first lacks what the headers took of its buffer.
func filled(all []pack) bool {
	const most = 0.8
	if len(all) < 3 {
		return false
	}
	inner := all[1 : len(all)-1]
	full, pages := 0, 0
	for _, p := range inner {
		if p.bytes%bufferUnit == 0 && p.chunks > 1 {
			full++
		}
		if p.bytes%bufferPage == 0 && p.chunks > 1 {
			pages++
		}
	}
	return (full >= 2 || pages >= 1) && float64(full) >= most*float64(len(inner))
}

// timed reports whether the deliveries come at regular times, each of about as many chunks.
func timed(s *shape, all []pack) bool {
	const least, most = 4, 0.7 // deliveries, and the share that is regular
	if len(all) < least || s.every < shortestTimer || s.chunks < 2*len(all) {
		return false
	}
	regular, n := 0, 0
	for _, g := range gaps(all[:len(all)-1]) {
		if n++; 4*(g-s.every).Abs() <= s.every {
			regular++
		}
	}
	usual := middle(all, func(p pack) int { return p.chunks })
	alike := 0
	inner := all[1 : len(all)-1]
	for _, p := range inner {
		if d := p.chunks - usual; max(d, -d) <= max(1, usual/3) {
			alike++
		}
	}
	return float64(regular) >= most*float64(n) && float64(alike) >= most*float64(len(inner))
}

// heaped reports whether so many chunks come at a time, and so seldom, that no step of an
// engine makes them, however irregular they are.
func heaped(s *shape) bool {
	const many = 8 // chunks a delivery; drafts of speculative decoding are shorter
	return s.packs > 1 && s.every >= shortestTimer && s.chunks >= many*s.packs
}

func gaps(all []pack) []time.Duration {
	var g []time.Duration
	for i := 1; i < len(all); i++ {
		g = append(g, all[i].at-all[i-1].at)
	}
	return g
}

// middle returns the median of a figure of the deliveries.
func middle(all []pack, of func(pack) int) int {
	if len(all) == 0 {
		return 0
	}
	var figures []int
	for _, p := range all {
		figures = append(figures, of(p))
	}
	slices.Sort(figures)
	return figures[(len(figures)-1)/2]
}

// commonShape returns the shape of the first of the requests whose form more than half of
// those have that tell one; without such a majority none.
func commonShape(requests []*seen.Request) shape {
	var told []shape
	count := map[form]int{}
	for _, r := range requests {
		if s := shapeOf(r); s.form != tooShort {
			told = append(told, s)
			count[s.form]++
		}
	}
	for _, s := range told {
		if 2*count[s.form] > len(told) {
			return s
		}
	}
	return shape{}
}
