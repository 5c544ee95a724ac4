package cache

import (
	"bytes"
	"strings"
	"time"
)

// Kind is how an answer was found.
type Kind uint8

const (
	Exact    Kind = iota // at the place that it was asked for
	Forwards             // at a place further along it, where it was entered too
	Prefixed             // after its start was typed
	Backward             // after text before it was taken back
	Fuzzily              // where the text is a little different
)

var kindNames = []string{"exact", "forward", "prefix", "back", "fuzzy"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Hit is an answer that was found.
type Hit struct {
	Kind     Kind
	Rest     string // what is left to show
	Complete bool
	Request  int64 // that asked for it
	Age      time.Duration
	// Typed is how many bytes of the answer stand before the cursor by now; below 0 so
	// many were taken back, and stand at the start of Rest.
	Typed int
}

// Find looks for an answer to show at a point. The nearest place before it wins, unless the
// rules have another way; an answer to the same text wins over one to a different text. What is found becomes the
// most recently used.
func (c *Cache) Find(p Point, now time.Duration) (Hit, bool) {
	c.sums = sums(c.sums[:0], p.Before, min(c.config.Prefix.Reach, c.longest))
	if i, k, known := c.search(&p, now, false); known {
		return c.take(i, k, now, false)
	}
	if c.config.Back > 0 {
		if i, taken := c.ahead(p, now); i > 0 {
			return c.back(i, taken, now)
		}
	}
	if c.config.Fuzzy.any() {
		if i, k, known := c.search(&p, now, true); known {
			return c.take(i, k, now, true)
		}
	}
	return Hit{}, false
}

// search returns the slot of the answer that continues with what was typed since, which
// is so many bytes. It reports true and no slot when the rules end the search.
func (c *Cache) search(p *Point, now time.Duration, fuzzy bool) (slot int32, typed int, known bool) {
	n, most := len(p.Before), -1
	for k, sum := range c.sums {
		if k > 0 && c.config.Prefix.SameLine && p.Before[n-k] == '\n' {
			break
		}
		for i := *c.head(sum); i > 0; i = c.slots[i].older {
			s := &c.slots[i]
			switch {
			case s.sum != sum || c.over(s, now) || s.Document != p.Document || !c.fits(&s.entry, p.Before[:n-k], p, fuzzy):
			case s.continues(p.Before[n-k:]) && !c.config.Prefix.MostLeft:
				return i, k, true
			case s.continues(p.Before[n-k:]):
				if left := len(s.rest()) - k; left > most {
					slot, typed, known, most = i, k, true, left
				}
			case c.config.Prefix.Longest:
				return 0, k, true
			}
		}
	}
	return slot, typed, known
}

// continues reports whether an answer goes on with what was typed and has more to show,
// or says nothing where nothing was typed.
func (e *entry) continues(typed []byte) bool {
	rest := e.rest()
	return len(rest) > len(typed) && rest[:len(typed)] == string(typed) || rest == "" && len(typed) == 0
}

// over reports whether the time of an entry is over. It keeps its place until another
// needs it.
func (c *Cache) over(s *slot, now time.Duration) bool {
	return c.config.TTL > 0 && now-s.at >= c.config.TTL
}

// take returns what is found in a slot after k bytes were typed; there is nothing in
// slot 0.
func (c *Cache) take(i int32, k int, now time.Duration, fuzzy bool) (Hit, bool) {
	if i == 0 {
		return Hit{}, false
	}
	c.touch(i)
	s := &c.slots[i]
	h := Hit{Rest: s.rest()[k:], Complete: s.Complete, Request: s.Request, Age: now - s.at, Typed: s.off + k}
	switch {
	case fuzzy:
		h.Kind = Fuzzily
	case k > 0:
		h.Kind = Prefixed
	case s.off > 0:
		h.Kind = Forwards
	}
	return h, true
}

// ahead returns the slot of the nearest answer whose place is behind the point in the
// same line, and the text in between.
func (c *Cache) ahead(p Point, now time.Duration) (slot int32, taken string) {
	for i := c.slots[0].next; i > 0; i = c.slots[i].next {
		s := &c.slots[i]
		n := len(s.Before) - len(p.Before)
		switch {
		case s.off > 0 || n < 1 || n > c.config.Back || slot > 0 && n >= len(taken):
		case !c.over(s, now) && s.Document == p.Document && s.After == p.After && bytes.HasPrefix(s.Before, p.Before):
			if text := string(s.Before[len(p.Before):]); !strings.Contains(text, "\n") {
				slot, taken = i, text
			}
		}
	}
	return slot, taken
}

// back returns what is found in a slot after text before it was taken back.
func (c *Cache) back(i int32, taken string, now time.Duration) (Hit, bool) {
	h, ok := c.take(i, 0, now, false)
	h.Kind, h.Rest, h.Typed = Backward, taken+h.Rest, -len(taken)
	return h, ok
}
