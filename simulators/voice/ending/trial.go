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
	Wait     dist.Dist // of the agent's own, after the decision
	// Reply is from a commit until the reply is heard, with the way of the speech to the
	// agent: what passes between them while the user pauses.
	Reply dist.Dist
}

// Trial is what a policy makes of one turn.
type Trial struct {
	End   Decision // at the true end
	Stop  time.Duration
	Final time.Duration // the detector's stop and the final transcript there
	// Commit is when the turn is committed at its true end.
	Commit time.Duration
	// CutIn is set when the turn was committed inside it, and Audible when the reply to
	// that began before the user went on.
	CutIn, Audible bool
	Cut            Cut // the first of them
	// Of the pauses inside the turn, each judged as if none before had ended it: in how many
	// the turn was committed, and at how many a reply began on trial, in vain.
	Cuts, FalseStarts int
}

// Cut is a pause that was taken for the end of a turn.
type Cut struct {
	Pause    int // of Turn.Pauses
	Decision Decision
	Commit   time.Duration
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
	Commit      time.Duration // were it longer than that
}

// Inners returns the pauses inside a turn, with the draws of Try.
func (s Setup) Inners(t *Turn, seed uint64, session, index int) []Inner {
	d := drawsOf(seed, session, index)
	all := make([]Inner, len(t.Pauses))
	for i := range t.Pauses {
		all[i], _ = s.inner(t, i, &d)
	}
	return all
}

// inner returns the pause of that number, and how long a reply to it would take.
func (s Setup) inner(t *Turn, i int, d *draws) (x Inner, reply time.Duration) {
	p := s.pause(t, i, d)
	x = Inner{Length: t.Pauses[i].Length, Stop: p.Stop, Final: p.Final, Decision: s.Policy.Decide(p, &d.said)}
	x.Commit = p.Commit(x.Decision, s.Wait.Draw(&d.wait))
	return x, s.Reply.Draw(&d.said)
}

// try says the turn; known may put what is known of its end in place of what was drawn.
func (s Setup) try(t *Turn, seed uint64, session, index int, known func(*Pause)) Trial {
	d := drawsOf(seed, session, index)
	var out Trial
	for i := range t.Pauses {
		x, reply := s.inner(t, i, &d)
		out.inner(i, &x, reply)
	}
	p := s.pause(t, len(t.Pauses), &d)
	known(&p)
	out.End, out.Stop, out.Final = s.Policy.Decide(p, &d.said), p.Stop, p.Final
	out.Commit = p.Commit(out.End, s.Wait.Draw(&d.wait))
	return out
}

// draws are the streams of a turn's trial. Each pause takes the same number from each of
// them whatever is set, so that no setting moves what another one draws: what was added to
// a pause later has a stream of its own.
type draws struct{ said, detector, wait dist.Rand }

func drawsOf(seed uint64, session, index int) draws {
	return draws{
		said:     dist.Stream(seed, "voice/ending", session, index),
		detector: dist.Stream(seed, "voice/ending/detector", session, index),
		wait:     dist.Stream(seed, "voice/ending/wait", session, index),
	}
}

// pause returns what is known of the pause of that number; the one after the last is the
// end of the turn.
func (s Setup) pause(t *Turn, i int, d *draws) Pause {
	inner := i < len(t.Pauses)
	p := Pause{Again: i > 0, Stop: s.Stop.Draw(&d.said), Final: s.Final.Draw(&d.said), Score: s.Scores.At(t.Kind, inner).Draw(&d.said)}
	p.Stop += dist.Uniform(0, max(0, s.Frame-1)).Draw(&d.detector) + s.Compute.Draw(&d.detector)
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

// inner counts a pause inside the turn. The user speaks again at its end: a turn that would
// be committed then, or later, is not.
func (o *Trial) inner(i int, x *Inner, reply time.Duration) {
	if x.Decision.Early != pipeline.Unknown && x.Decision.Early < x.Length {
		o.FalseStarts++
	}
	if x.Commit >= x.Length {
		return
	}
	o.Cuts++
	if !o.CutIn {
		o.Cut = Cut{Pause: i, Decision: x.Decision, Commit: x.Commit}
	}
	o.CutIn = true
	o.Audible = o.Audible || x.Commit+reply < x.Length
}
