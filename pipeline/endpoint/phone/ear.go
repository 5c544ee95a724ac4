package phone

import (
	"time"

	"halfsecond/pipeline"
)

// mostQueued is how much audio of a bot Twilio keeps
// (twilio.com/docs/api/errors/31931, read 2026-11-29).
const mostQueued = 10 * time.Minute

// queue is the audio that waits to be played. It is a function of what came and when. Its
// frames begin at origin + k * span.
type queue struct {
	origin time.Duration
	end    time.Duration // all of it has been played
}

// tick returns when the first frame begins that does not begin before an instant.
func (q *queue) tick(at time.Duration) time.Duration {
	if at <= q.origin {
		return q.origin
	}
	return q.origin + (at-q.origin+span-1)/span*span
}

// add adds samples that came at an instant, and returns when the first of them is played,
// and how much is queued then. A frame that is under way without them goes on without them.
func (q *queue) add(at time.Duration, samples int) (start, queued time.Duration) {
	start = max(q.end, q.tick(at))
	q.end = start + last(samples)
	return start, q.end - at
}

// left returns how much is queued at an instant.
func (q *queue) left(at time.Duration) time.Duration { return max(0, q.end-at) }

// clear drops what is in no frame that has begun before an instant. It returns when the
// frame under way ends.
func (q *queue) clear(at time.Duration) time.Duration {
	cut := q.tick(at)
	q.end = min(q.end, cut)
	return cut
}

// last returns how long samples last.
func last(samples int) time.Duration { return pipeline.SamplesLast(int64(samples), rate) }

// piece is the audio of one message.
type piece struct {
	at     time.Duration // it came
	start  time.Duration // its first sample is heard
	queued time.Duration // with it, when it came
	codes  []byte
	kept   int  // samples that are heard: fewer than came when the rest was cleared
	loud   bool // something of it could be heard, were all of it played
	// first and end are the samples between which it can be heard; equal when it cannot.
	first, end int
}

func (p *piece) over() time.Duration { return p.start + last(p.kept) }

// listen finds what can be heard of a piece.
func (p *piece) listen() {
	p.first, p.end = 0, 0
	for i, c := range p.codes[:p.kept] {
		if !audible[c] {
			continue
		}
		if p.end == 0 {
			p.first = i
		}
		p.end = i + 1
	}
}

// cut drops what would be heard from an instant on, and reports whether it was of interest.
func (p *piece) cut(at time.Duration) (loud bool) {
	if p.over() <= at {
		return false
	}
	before := p.end
	p.kept = max(0, min(p.kept, int((at-p.start)*rate/time.Second)))
	p.listen()
	return p.end < before
}

// reply is what a bot says in a turn. A bot may send silence all the time, in pieces as small
// as it likes, so what is asked of it with each of them looks at few.
type reply struct {
	pieces []piece
	lost   bool // something that could be heard was dropped
	// How many pieces there are up to the first and to the last of which something is heard,
	// and to the last of which something could be; 0 for none.
	opens, closes, arrived int
}

// add adds a piece.
func (r *reply) add(p piece) {
	r.pieces = append(r.pieces, p)
	n := len(r.pieces)
	if p.end > 0 {
		r.closes = n
		if r.opens == 0 {
			r.opens = n
		}
	}
	if p.loud {
		r.arrived = n
	}
}

// cut drops what would be heard from an instant on, and reports whether it was of interest.
func (r *reply) cut(at time.Duration) (loud bool) {
	for i := len(r.pieces) - 1; i >= 0 && r.pieces[i].over() > at; i-- {
		loud = r.pieces[i].cut(at) || loud
	}
	r.lost = r.lost || loud
	for r.closes > 0 && r.pieces[r.closes-1].end == 0 {
		r.closes--
	}
	r.opens = min(r.opens, r.closes)
	return loud
}

// opening returns the first piece of which something is heard, or -1.
func (r *reply) opening() int { return r.opens - 1 }

// voiced returns when the first sample that can be heard is heard; Unknown for none.
func (r *reply) voiced() time.Duration {
	if i := r.opening(); i >= 0 {
		return r.pieces[i].start + last(r.pieces[i].first)
	}
	return pipeline.Unknown
}

// quiet returns when the last sample that can be heard has been; Unknown for none.
func (r *reply) quiet() time.Duration {
	if r.closes == 0 {
		return pipeline.Unknown
	}
	p := &r.pieces[r.closes-1]
	return p.start + last(p.end)
}

// heardFrom returns when from an instant on something is heard; Unknown for nothing more.
func (r *reply) heardFrom(at time.Duration) time.Duration {
	for i := max(0, r.opening()); i < r.closes; i++ {
		p := &r.pieces[i]
		if p.start+last(p.end) <= at {
			continue
		}
		from := max(0, (at-p.start)*rate+time.Second-1) / time.Second
		for k := max(p.first, int(from)); k < p.end; k++ {
			if audible[p.codes[k]] {
				return p.start + last(k)
			}
		}
	}
	return pipeline.Unknown
}

// lengths returns how long what can be heard is played, and would be were nothing dropped.
func (r *reply) lengths() (played, all time.Duration) {
	var kept, came int64
	begun := false
	for i := range r.arrived {
		p := &r.pieces[i]
		if begun = begun || p.loud; begun {
			kept, came = kept+int64(p.kept), came+int64(len(p.codes))
		}
	}
	return pipeline.SamplesLast(kept, rate), pipeline.SamplesLast(came, rate)
}

// came returns when the last piece came of which something could be heard; Unknown for none.
func (r *reply) came() time.Duration {
	if r.arrived == 0 {
		return pipeline.Unknown
	}
	return r.pieces[r.arrived-1].at
}
