package phone

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// turn is something that the caller says and what is heard after it, or what the bot says
// unasked: a greeting above all.
type turn struct {
	reply
	greets bool
	speaks bool          // it is the caller's
	from   time.Duration // what comes from then on may be of it

	// Of the caller's: when the first sample leaves the mouth, the first that can be heard,
	// and the last of speech.
	start, onset, end time.Duration
	id                int64
	due               time.Duration

	interrupted time.Duration // the caller cut into it
	backlog     time.Duration // queued then
	cleared     time.Duration // a clear came that dropped some of it, or after an interruption any
	cutIns      int           // that were given up
	cutIn       time.Duration // the first of them was heard
	// How much of them was heard, and how much more had come.
	cutInPlayed, cutInDropped time.Duration
	// owes is how many answers may still come to turns before, which had none.
	owes   int
	events []pipeline.Mark
	faults []Fault
	asked  *Utterance // nil when it is told again
}

func newTurn(from time.Duration) *turn {
	return &turn{
		from: from, start: pipeline.Unknown, onset: pipeline.Unknown, end: pipeline.Unknown,
		interrupted: pipeline.Unknown, cleared: pipeline.Unknown, cutIn: pipeline.Unknown,
	}
}

// answered reports whether something is heard after the end of speech.
func (t *turn) answered() bool {
	q := t.quiet()
	return q != pipeline.Unknown && (!t.speaks || q > t.end)
}

// see marks the first coming of an event.
func (t *turn) see(event string, at time.Duration) {
	if event != "" && !slices.ContainsFunc(t.events, func(m pipeline.Mark) bool { return m.Name == event }) {
		t.events = append(t.events, pipeline.Mark{Name: event, At: at})
	}
}

// fault notes a fault.
func (t *turn) fault(name, detail string, at time.Duration) {
	t.faults = addFault(t.faults, Fault{Name: name, At: at, Detail: detail, Count: 1, Silent: silences(name)})
}

func addFault(all []Fault, f Fault) []Fault {
	if i := slices.IndexFunc(all, func(g Fault) bool { return g.Name == f.Name }); i >= 0 {
		all[i].Count += f.Count
		return all
	}
	return append(all, f)
}

// silenced says what of the bot was lost, as the end of a sentence; "" for nothing.
func silenced(faults []Fault) string {
	var lost []string
	for _, f := range faults {
		if f.Silent {
			lost = append(lost, fmt.Sprintf("%s (%s, %d of them)", f.Detail, f.Name, f.Count))
		}
	}
	if lost == nil {
		return ""
	}
	return "; what could not be played: " + strings.Join(lost, "; ")
}

// goesOn reports whether what was begun before the caller had finished is heard after that: nobody
// knows where in it an answer begins.
func (t *turn) goesOn() bool {
	return t.speaks && t.answered() && t.voiced() < t.end
}

// doubtful reports whether what is heard may be the answer to a turn before: a telephone does not
// say what it answers, and a bot is taken to answer in the order of the turns.
func (t *turn) doubtful() bool {
	return t.speaks && t.owes > 0 && t.interrupted == pipeline.Unknown
}

// givenUp forgets what was heard so far, or would have been: it came before the caller had
// finished, and was none of an answer, or it is taken for the answer to a turn before.
func (t *turn) givenUp() {
	if t.doubtful() {
		t.owes--
		t.reply = reply{}
		return
	}
	if t.cutIn == pipeline.Unknown {
		t.cutIn = t.voiced()
	}
	t.cutIns++
	played, all := t.lengths()
	t.cutInPlayed, t.cutInDropped = t.cutInPlayed+played, t.cutInDropped+all-played
	t.reply = reply{}
}

// take takes audio that came. What began before the caller had finished, and fell silent
// soon after that or before, was none of an answer; nor is what may answer a turn before, once the
// bot was through with it.
func (t *turn) take(p piece, hush, pause time.Duration) {
	if q := t.quiet(); t.speaks && t.interrupted == pipeline.Unknown && p.end > 0 && q != pipeline.Unknown {
		silent := p.start + last(p.first) - q
		early := t.voiced() < t.end && q <= t.end+hush && silent >= hush
		if early || t.doubtful() && silent >= pause {
			t.givenUp()
		}
	}
	t.add(p)
}

// clear drops what is heard from cut on.
func (t *turn) clear(at, cut, hush time.Duration) {
	voiced, quiet := t.voiced(), t.quiet()
	lost := t.cut(cut)
	counts := lost
	if t.interrupted != pipeline.Unknown {
		counts = at >= t.interrupted // whatever was queued, it is how a bot stops
	}
	if counts && t.cleared == pipeline.Unknown {
		t.cleared = at
	}
	if t.speaks && t.interrupted == pipeline.Unknown && voiced != pipeline.Unknown && voiced < t.end && (lost || quiet+hush >= at) {
		t.givenUp()
	}
}
