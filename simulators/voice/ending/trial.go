package ending

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Setup is a policy and what it depends on.
type Setup struct {
	Policy Policy
	Scores Scores
	// From the end of speech at the agent to the detector's stop and to the final
	// transcript. They are drawn anew at each pause.
	Stop, Final dist.Dist
	// The detector looks once in a Frame, so that the end of speech falls anywhere in it,
	// and its word takes Compute more; zero for neither.
	Frame   time.Duration
	Compute dist.Dist
	// FromStop has Final count from the detector's stop, and Timer is how long after that
	// stop a text is waited for that nobody marks as final; 0 knows it when it comes.
	FromStop bool
	Timer    time.Duration
	// Reply is from a decision until the reply is heard, with the way of the speech to the
	// agent: what passes between them while the user pauses.
	Reply dist.Dist
}

// Trial is what a policy makes of one turn.
type Trial struct {
	End   Decision // at the true end
	Stop  time.Duration
	Final time.Duration // the detector's stop and the final transcript there
	// CutIn is set when the policy ended the turn inside it, and Audible when the reply to
	// that began before the user went on.
	CutIn, Audible bool
	Cut            Cut // the first of them
	// Of the pauses inside the turn, each judged as if none before had ended it: how many
	// the policy took for the end, and at how many a reply began on trial, in vain.
	Cuts, FalseStarts int
}

// Cut is a pause that was taken for the end of a turn.
type Cut struct {
	Pause    int // of Turn.Pauses
	Decision Decision
}

// Try says a turn to the agent. The draws are those of a session and an index: a policy
// meets the same scores there as any other.
func (s Setup) Try(t *Turn, seed uint64, session, index int) Trial {
	return s.try(t, seed, session, index, func(*Pause) {})
}

// TryAt is Try with the detector's stop and the final transcript of the true end known.
func (s Setup) TryAt(t *Turn, seed uint64, session, index int, stop, final time.Duration) Trial {
	return s.try(t, seed, session, index, func(p *Pause) { p.Stop, p.Final = stop, final })
}

// Inner is what an agent meets at a pause inside a turn, counted from where it begins.
type Inner struct {
	Length      time.Duration // until the user goes on
	Stop, Final time.Duration // the detector's stop and the final transcript, were it longer
	Decision    Decision      // were it longer still
}

// Inners returns the pauses inside a turn, with the draws of Try.
func (s Setup) Inners(t *Turn, seed uint64, session, index int) []Inner {
	r := dist.Stream(seed, "voice/ending", session, index)
	all := make([]Inner, len(t.Pauses))
	for i := range t.Pauses {
		p := s.pause(t, i, &r)
		all[i] = Inner{Length: t.Pauses[i].Length, Stop: p.Stop, Final: p.Final, Decision: s.Policy.Decide(p, &r)}
		s.Reply.Draw(&r)
	}
	return all
}

// try says the turn; known may put what is known of its end in place of what was drawn.
func (s Setup) try(t *Turn, seed uint64, session, index int, known func(*Pause)) Trial {
	r := dist.Stream(seed, "voice/ending", session, index)
	var out Trial
	for i := range t.Pauses {
		p := s.pause(t, i, &r)
		d := s.Policy.Decide(p, &r)
		reply := s.Reply.Draw(&r)
		out.inner(i, t.Pauses[i].Length, d, reply)
	}
	p := s.pause(t, len(t.Pauses), &r)
	known(&p)
	out.End, out.Stop, out.Final = s.Policy.Decide(p, &r), p.Stop, p.Final
	return out
}

// pause returns what is known of the pause of that number; the one after the last is the
// end of the turn.
func (s Setup) pause(t *Turn, i int, r *dist.Rand) Pause {
	inner := i < len(t.Pauses)
	p := Pause{Again: i > 0, Stop: s.Stop.Draw(r), Final: s.Final.Draw(r), Score: s.Scores.At(t.Kind, inner).Draw(r)}
	if s.Frame > 0 {
		p.Stop += dist.Uniform(0, s.Frame-1).Draw(r)
	}
	if s.Compute != (dist.Dist{}) {
		p.Stop += s.Compute.Draw(r)
	}
	if s.FromStop {
		p.Final += p.Stop
	}
	if s.Timer > 0 {
		p.Final = max(p.Final, p.Stop+s.Timer)
	}
	p.Ends = t.Ends
	if inner {
		p.Ends = t.Pauses[i].Ends
	}
	return p
}

// inner counts a pause inside the turn. The user speaks again at its end: what is decided
// then, or later, is not.
func (o *Trial) inner(i int, length time.Duration, d Decision, reply time.Duration) {
	if d.Early != pipeline.Unknown && d.Early < length {
		o.FalseStarts++
	}
	if d.At() >= length {
		return
	}
	o.Cuts++
	if !o.CutIn {
		o.Cut = Cut{Pause: i, Decision: d}
	}
	o.CutIn = true
	o.Audible = o.Audible || d.At()+reply < length
}
