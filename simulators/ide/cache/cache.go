package cache

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Answer is what a model said.
type Answer struct {
	Text     string
	Complete bool
	Request  int64 // that asked for it
}

// Cache keeps answers. It is for one goroutine.
type Cache struct {
	config  Config
	heads   []int32 // newest slots of chains, by the last bits of their sums; 0 for none
	slots   []slot  // the first links the others by use: its next is the most recent
	free    int32   // chain of slots that hold nothing, 0 for none
	count   int
	bytes   int
	longest int // text ever stored
	sums    []uint64
}

// slot is the place of one entry.
type slot struct {
	entry
	at             time.Duration // when it came
	sum            uint64
	older          int32 // of the same sum, 0 for none
	newer          int32 // of the same sum, 0 for none
	previous, next int32 // by use
}

// New returns an empty cache. It is an error when the rules are not valid.
func New(c Config) (*Cache, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Cache{config: c, heads: make([]int32, 64), slots: make([]slot, 1)}, nil
}

// Len returns the number of entries, those included whose time is over.
func (c *Cache) Len() int { return c.count }

// Bytes returns how much text the entries can show together.
func (c *Cache) Bytes() int { return c.bytes }

// Store keeps the answer to what was asked at a point, as of now, and lets others go to
// make room. It replaces what is known for the same point, unless that is complete and
// the new answer is not. It reports whether the rules let it keep such an answer.
func (c *Cache) Store(p Point, a Answer, now time.Duration) bool {
	if a.Text == "" && !c.config.Empty || !a.Complete && !c.config.Partial {
		return false
	}
	c.longest = max(c.longest, len(a.Text))
	e := entry{Point: p, Answer: a}
	s := sumAt(p.Before)
	c.put(e, s.h, now)
	for _, off := range c.config.Forward.points(a.Text) {
		for ; e.off < off; e.off++ {
			s.add(a.Text[e.off])
		}
		c.put(e, s.h, now)
	}
	return true
}

// points returns how far along an answer it is entered, ascending.
func (f *Forward) points(text string) (at []int) {
	line, more, several := strings.Cut(text, "\n")
	last := len(text)
	if several {
		last = len(line) + 1 // its end is no place to be entered at, unless by NextLine
	}
	for i, n := 0, 0; n < f.Characters; n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		if i += size; i+1 >= last || size == 0 {
			break
		}
		at = append(at, i)
	}
	if !f.NextLine || !several || more == "" {
		return at
	}
	end := len(line)
	indent := end + 1 + len(more) - len(strings.TrimLeft(more, " \t"))
	for _, i := range []int{end, end + 1, indent} {
		if (len(at) == 0 || i > at[len(at)-1]) && i > 0 && i < len(text) {
			at = append(at, i)
		}
	}
	return at
}

// put enters an answer at a place, unless it is too long for all of the room.
func (c *Cache) put(e entry, sum uint64, now time.Duration) {
	if c.config.Bytes > 0 && len(e.rest()) > c.config.Bytes {
		return
	}
	if i := c.at(&e, sum); i > 0 {
		s := &c.slots[i]
		c.touch(i)
		if s.Complete && !e.Complete && !c.over(s, now) {
			return
		}
		c.bytes += len(e.rest()) - len(s.rest())
		s.entry, s.at = e, now
	} else {
		c.add(e, sum, now)
	}
	for c.count > c.config.Capacity || c.config.Bytes > 0 && c.bytes > c.config.Bytes {
		c.remove(c.slots[0].previous)
	}
}

// at returns the slot of an entry at the same place, 0 for none.
func (c *Cache) at(e *entry, sum uint64) int32 {
	for i := *c.head(sum); i > 0; i = c.slots[i].older {
		if c.slots[i].sum == sum && c.slots[i].same(e) {
			return i
		}
	}
	return 0
}

// head returns the chain of a sum.
func (c *Cache) head(sum uint64) *int32 {
	return &c.heads[(sum*spread)>>32&uint64(len(c.heads)-1)]
}

// spread moves what differs between sums to where a chain is chosen: 2^64 over the golden
// ratio, as in Fibonacci hashing.
const spread = 0x9e3779b97f4a7c15

// add takes a slot for an entry.
func (c *Cache) add(e entry, sum uint64, now time.Duration) {
	if c.count >= len(c.heads) {
		c.grow()
	}
	i := c.free
	if i > 0 {
		c.free = c.slots[i].next
	} else {
		i = int32(len(c.slots))
		c.slots = append(c.slots, slot{})
	}
	c.slots[i] = slot{entry: e, at: now, sum: sum}
	c.chain(i)
	c.count++
	c.bytes += len(e.rest())
	c.link(i)
}

// chain puts a slot at the head of its chain.
func (c *Cache) chain(i int32) {
	s, head := &c.slots[i], c.head(c.slots[i].sum)
	s.older, s.newer = *head, 0
	if *head > 0 {
		c.slots[*head].newer = i
	}
	*head = i
}

// grow makes twice as many chains.
func (c *Cache) grow() {
	c.heads = make([]int32, 2*len(c.heads))
	for i := c.slots[0].previous; i > 0; i = c.slots[i].previous {
		c.chain(i)
	}
}

// remove frees a slot.
func (c *Cache) remove(i int32) {
	c.unlink(i)
	s := &c.slots[i]
	if s.newer > 0 {
		c.slots[s.newer].older = s.older
	} else {
		*c.head(s.sum) = s.older
	}
	if s.older > 0 {
		c.slots[s.older].newer = s.newer
	}
	c.count--
	c.bytes -= len(s.rest())
	*s = slot{next: c.free}
	c.free = i
}

// touch makes a slot the most recently used.
func (c *Cache) touch(i int32) {
	c.unlink(i)
	c.link(i)
}

func (c *Cache) link(i int32) {
	first := c.slots[0].next
	c.slots[i].previous, c.slots[i].next = 0, first
	c.slots[0].next, c.slots[first].previous = i, i
}

func (c *Cache) unlink(i int32) {
	s := &c.slots[i]
	c.slots[s.previous].next, c.slots[s.next].previous = s.next, s.previous
}
