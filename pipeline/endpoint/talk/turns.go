package talk

import (
	"time"

	"halfsecond/pipeline"
)

// Turns says whose it is, of the turns of a session, what a server says: that may come late,
// when another turn is under way. Where the server names the items that it is of, or the audio,
// those tell. Where it names neither, answers come in the order of the turns: what comes after a
// turn that had none is taken for that one's. The zero Turns has had none.
type Turns struct {
	begun int // turns
	on    bool
	from  time.Duration  // where in all audio that was sent the one under way begins
	items map[string]int // the turn of each item that was named; 0 is that of none
	named bool           // one of the turn under way was
	owed  int            // answers of which nothing was named, that turns ended without
}

// Begin begins a turn, whose first sample is at a place in all audio that was sent; Unknown is
// that of a first one, or one of which it is not known.
func (t *Turns) Begin(from time.Duration) {
	t.begun++
	t.on, t.from, t.named = true, from, false
}

// End ends it. Whether its answer may still come is told of one that was waited for in vain.
func (t *Turns) End(inVain bool) {
	t.on = false
	if inVain && !t.named {
		t.owed++
	}
}

// Own reports whether something is of the turn under way: of an item, "" being none, or of audio
// up to a place in all that was sent, Unknown being nowhere. An item is of the turn in which
// it was first named, unless its audio is of one before, or an item of one before is still to come.
func (t *Turns) Own(item string, upTo time.Duration) bool {
	if n, named := t.items[item]; named {
		return t.on && n == t.begun
	}
	own := t.on && (upTo == pipeline.Unknown || upTo > t.from)
	if item != "" {
		if upTo == pipeline.Unknown && t.owed > 0 {
			own = false
			t.owed--
		}
		t.named = t.named || own
		if t.items == nil {
			t.items = map[string]int{}
		}
		t.items[item] = 0
		if own {
			t.items[item] = t.begun
		}
	}
	return own
}

// Past reports whether an item was named before, and is of no turn that is under way.
func (t *Turns) Past(item string) bool {
	n, named := t.items[item]
	return named && !(t.on && n == t.begun)
}

// Owes reports whether an answer that names nothing may be that to a turn before.
func (t *Turns) Owes() bool { return t.owed > 0 }

// Paid says that one has come.
func (t *Turns) Paid() { t.owed = max(0, t.owed-1) }
