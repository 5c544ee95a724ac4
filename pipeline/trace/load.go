package trace

import "time"

// Load says how a run asks, as far as a report needs it. The zero Load is that of a run
// whose warm-up was stated, or none, and whose prompts have no salt.
type Load struct {
	FindStartUp bool          // of the traces, where the start-up ends is for the report to find
	Users       int           // then: of a closed loop; 0 where arrivals are open
	Settling    time.Duration // then: how long the load itself took to be what it then stays
	Salt        uint64        // sets the prompts apart from those of other runs with the same seed; 0 for none
}

// Prompts says how prompts were cut to length for a server that counts tokens in its own
// way: by the line
//
//	tokens of the server = PerWord * tokens of ours + Extra
//
// through the prompts of the first requests. The zero Prompts is that of a run without.
type Prompts struct {
	Learned        int // requests that the line is through
	Blind          int // prompts that were made before anything was known
	PerWord, Extra float64
}

type wireLoad struct {
	FindStartUp bool   `json:"find_start_up,omitempty"`
	Users       int    `json:"users,omitempty"`
	Settling    int64  `json:"settling_ns,omitempty"`
	Salt        uint64 `json:"salt,omitempty"`
}

func loadToWire(l Load) *wireLoad {
	if l == (Load{}) {
		return nil
	}
	return &wireLoad{l.FindStartUp, l.Users, int64(l.Settling), l.Salt}
}

func (w *wireLoad) load() Load {
	if w == nil {
		return Load{}
	}
	return Load{w.FindStartUp, w.Users, time.Duration(w.Settling), w.Salt}
}

type wirePrompts struct {
	Learned int     `json:"learned"`
	Blind   int     `json:"blind"`
	PerWord float64 `json:"per_word"`
	Extra   float64 `json:"extra"`
}

func promptsToWire(p Prompts) *wirePrompts {
	if p == (Prompts{}) {
		return nil
	}
	w := wirePrompts(p)
	return &w
}

func (w *wirePrompts) prompts() Prompts {
	if w == nil {
		return Prompts{}
	}
	return Prompts(*w)
}
