package phone

import (
	"time"

	"halfsecond/pipeline"
)

// Record is what is known of a turn. In Answered, Ready is the start of the stream,
// FirstAudio and LastAudio the first and the last of the answer as it came, Lead the silence
// that it begins with, and Voiced the instant at which the answer is first heard. Truncated
// is when a clear came, Played how much of the answer was heard, and Cancelled says that a
// clear dropped some of it. What the bot says before the caller has finished is a cut-in, and is
// over with its silence, or with a clear. Of one that goes on beyond the end of speech nobody
// knows where the answer begins: it is Truncated, and measured as if it were one, with a V2V that
// is negative; CutInPlayed and CutInDropped are without it.
//
// The answer of a bot that sends silence all the time has no beginning of its own: it begins
// with the message in which it can first be heard.
type Record struct {
	pipeline.Answered
	SpeechStart time.Duration // the first sample that can be heard left the caller's mouth
	Over        time.Duration // the last sample of the answer that can be heard was
	// MaxQueued is the most audio that waited to be played when some of the answer came: of a
	// bot that sends it at the pace of speech two frames at most.
	MaxQueued time.Duration
	// LongestGap is the longest time in the answer for which there was nothing to play. Its
	// Underruns and Stalled count all such times; of a bot that sends nothing in a pause
	// between sentences the pause is one.
	LongestGap time.Duration
	// Of an answer into which the caller cut at Interrupted. The bot was last heard at
	// Stopped, which is Unknown where it had fallen silent before; at Interrupted there was a Backlog to play. PlayedOn is how long it was still
	// heard when the last of it had come: much of it, and Truncated Unknown, is a bot that
	// stops making audio and lets what it sent be played.
	Stopped  time.Duration
	Backlog  time.Duration
	PlayedOn time.Duration
	// Dropped is how much of the answer was sent and cleared; Played and it are all of it.
	Dropped time.Duration

	Faults []Fault
}

// NewRecord returns a record with that ID and due instant and everything else unknown.
func NewRecord(id int64, due time.Duration) Record {
	u := pipeline.Unknown
	return Record{
		Answered:    pipeline.NewAnswered(id, due),
		SpeechStart: u, Over: u, MaxQueued: u, LongestGap: u, Stopped: u, Backlog: u, PlayedOn: u, Dropped: u,
	}
}

// V2V returns the time from the end of the caller's speech until the answer is heard.
func (r *Record) V2V() time.Duration { return pipeline.Since(r.SpeechEnd, r.Voiced) }

// BargeIn returns the time from the caller's first sound into an answer until that was last
// heard; Unknown when the caller did not cut in, or cut into silence.
func (r *Record) BargeIn() time.Duration { return pipeline.Since(r.Interrupted, r.Stopped) }

// measure makes the record of a turn that ends at an instant, but for how it ended.
func (s *story) measure(t *turn, at time.Duration) *Record {
	r := NewRecord(t.id, t.due)
	r.Ready, r.End, r.Rate = s.queue.origin, at, rate
	r.SpeechStart, r.SpeechEnd = t.onset, t.end
	r.cutIn(t, at)
	r.Events, r.Faults = t.events, t.faults
	for _, f := range t.faults {
		r.Flags = append(r.Flags, f.Name)
	}
	if t.cleared != pipeline.Unknown {
		r.Truncated = t.cleared
	}
	r.Cancelled = t.lost
	if k := t.opening(); k >= 0 {
		r.hear(t, t.first(k), k)
	}
	if t.interrupted != pipeline.Unknown {
		r.Interrupted, r.Backlog = t.interrupted, t.backlog
		if r.Over >= t.interrupted {
			r.Stopped = r.Over
		}
		r.PlayedOn = 0
		if t.cleared == pipeline.Unknown {
			r.PlayedOn = max(0, r.Over-max(t.came(), t.interrupted))
		}
	}
	return &r
}

// cutIn says how often the bot cut in, in a turn that ends at an instant, where the caller had
// finished by then.
func (r *Record) cutIn(t *turn, at time.Duration) {
	goesOn := t.goesOn()
	if !t.speaks || at < t.end && t.cutIns == 0 && !goesOn {
		return
	}
	r.CutIns, r.FirstCutIn, r.CutInPlayed, r.CutInDropped = t.cutIns, t.cutIn, t.cutInPlayed, t.cutInDropped
	if goesOn {
		r.CutIns++
		if r.FirstCutIn == pipeline.Unknown {
			r.FirstCutIn = t.voiced()
		}
	}
}

// first returns the piece that an answer begins with of which piece k is the first that can
// be heard.
func (t *turn) first(k int) int {
	from := t.from
	if t.speaks && t.voiced() >= t.end {
		from = t.end
	}
	joined := func(i int) bool { return i > 0 && t.pieces[i-1].over() == t.pieces[i].start }
	i := k
	for joined(i) && t.pieces[i-1].at >= from {
		i--
	}
	if joined(i) { // it is silence that was sent before there could be an answer
		return k
	}
	return i
}

// hear measures an answer that begins with piece i and can be heard from piece k on.
func (r *Record) hear(t *turn, i, k int) {
	p := t.pieces
	r.FirstOutput, r.FirstAudio, r.FirstAudible, r.LastAudio = p[i].at, p[i].at, p[k].at, t.came()
	r.Voiced, r.Over = t.voiced(), t.quiet()
	r.Lead = r.Voiced - p[i].start
	r.MaxQueued, r.LongestGap = 0, 0
	var kept int64
	for j := i; j < len(p) && p[j].at <= r.LastAudio; j++ {
		r.Samples += int64(len(p[j].codes))
		kept += int64(p[j].kept)
		r.MaxQueued = max(r.MaxQueued, p[j].queued)
		if j > k && p[j].start < r.Over {
			r.gap(p[j].start - p[j-1].over())
		}
	}
	r.Played = pipeline.SamplesLast(kept, rate)
	r.Dropped = pipeline.SamplesLast(r.Samples-kept, rate)
}

// gap notes a time for which there was nothing to play.
func (r *Record) gap(d time.Duration) {
	if d > 0 {
		r.Underruns++
		r.Stalled += d
		r.LongestGap = max(r.LongestGap, d)
	}
}
