package kv

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// chain returns the hashes of n blocks of a text that leaves another at a block:
// the first shared hashes are those of every text of the family.
func chain(family, text uint64, shared, n int) []uint64 {
	hashes := make([]uint64, n)
	h := family
	for i := range hashes {
		if i == shared {
			h ^= text << 32
		}
		h = (h + uint64(i) + 1) * 0x9e3779b97f4a7c15
		hashes[i] = h
	}
	return hashes
}

// compute takes and publishes what is not there of a chain, as a sequence does.
func compute(t *testing.T, c *Cache, hashes []uint64) []Block {
	t.Helper()
	found, _ := c.Find(hashes)
	held := c.Hold(nil, hashes[:found])
	held, ok := c.Take(held, len(hashes)-found)
	if !ok {
		t.Fatalf("no room for %d blocks: %d free, %d idle", len(hashes)-found, c.Free(), c.Idle())
	}
	for i := found; i < len(hashes); i++ {
		held[i] = c.Publish(held[i], hashes[i])
	}
	return held
}

func counts(c *Cache) [3]int { return [3]int{c.Used(), c.Idle(), c.Free()} }

func expect(t *testing.T, c *Cache, when string, used, idle, free int) {
	t.Helper()
	if got, want := counts(c), [3]int{used, idle, free}; got != want {
		t.Errorf("%s: %v used, idle and free, want %v", when, got, want)
	}
}

// TestShare: what one sequence computed another holds too, and it stays findable
// when both are gone.
func TestShare(t *testing.T) {
	c := New(10, 0)
	a := compute(t, c, chain(1, 1, 2, 4))
	expect(t, c, "one sequence of 4", 4, 0, 6)
	hashes := chain(1, 2, 2, 3)
	if found, idle := c.Find(hashes); found != 2 || idle != 0 {
		t.Errorf("Find = %d, %d idle, want the 2 shared ones, none idle", found, idle)
	}
	b := compute(t, c, hashes)
	if !slices.Equal(a[:2], b[:2]) || a[2] == b[2] {
		t.Errorf("one holds %v, the other %v: want the first two alike", a, b)
	}
	expect(t, c, "two that share 2", 5, 0, 5)
	c.Release(a, 0)
	expect(t, c, "the first gone", 3, 2, 5)
	c.Release(b, 0)
	expect(t, c, "both gone", 0, 5, 5)
	if found, idle := c.Find(chain(1, 1, 2, 4)); found != 4 || idle != 4 {
		t.Errorf("Find = %d, %d idle, want all 4, idle", found, idle)
	}
}

// TestNotFoundBeforePublished: a block is anonymous while its tokens are not
// computed, and free as soon as it is given back.
func TestNotFoundBeforePublished(t *testing.T) {
	c := New(3, 0)
	hashes := chain(1, 1, 0, 2)
	held, _ := c.Take(nil, 2)
	c.Publish(held[0], hashes[0])
	if found, _ := c.Find(hashes); found != 1 {
		t.Errorf("Find = %d, want the published block alone", found)
	}
	c.Release(held, 0)
	expect(t, c, "given back", 0, 1, 2)
}

// TestLeafFirst: of what is idle the block given back first goes first, and of one
// sequence the last block before those it continues.
func TestLeafFirst(t *testing.T) {
	c := New(6, 0)
	old, young := chain(1, 1, 0, 3), chain(2, 2, 0, 3)
	c.Release(compute(t, c, old), 1*ms)
	c.Release(compute(t, c, young), 2*ms)
	for _, want := range [][2]int{{2, 3}, {1, 3}, {0, 3}, {0, 2}, {0, 1}, {0, 0}} {
		if _, ok := c.Take(nil, 1); !ok {
			t.Fatal("no room")
		}
		inOld, _ := c.Find(old)
		inYoung, _ := c.Find(young)
		if got := [2]int{inOld, inYoung}; got != want {
			t.Errorf("%v blocks of the old and the young are left, want %v", got, want)
		}
	}
	if c.Evictions() != 6 {
		t.Errorf("%d evictions, want 6", c.Evictions())
	}
	if _, ok := c.Take(nil, 1); ok {
		t.Error("a block that is held was given away")
	}
}

// TestUseMakesYoung: a prefix that was used again outlives a younger one.
func TestUseMakesYoung(t *testing.T) {
	c := New(4, 0)
	first, second := chain(1, 1, 0, 2), chain(2, 2, 0, 2)
	c.Release(compute(t, c, first), 1*ms)
	c.Release(compute(t, c, second), 2*ms)
	c.Release(c.Hold(nil, first), 3*ms)
	c.Take(nil, 2)
	if n, _ := c.Find(first); n != 2 {
		t.Errorf("%d blocks of the prefix used last are left, want 2", n)
	}
	if n, _ := c.Find(second); n != 0 {
		t.Errorf("%d blocks of the other prefix are left, want 0", n)
	}
}

func TestTimeToLive(t *testing.T) {
	c := New(4, 10*ms)
	a, b := chain(1, 1, 0, 2), chain(2, 2, 0, 2)
	c.Release(compute(t, c, a), 0)
	held := compute(t, c, b)
	c.Expire(10*ms - 1)
	expect(t, c, "a nanosecond before", 2, 2, 0)
	c.Expire(10 * ms)
	expect(t, c, "at the time to live", 2, 0, 2)
	c.Expire(time.Hour)
	expect(t, c, "a sequence that runs for an hour", 2, 0, 2)
	c.Release(held, time.Hour)
	c.Expire(time.Hour + 10*ms)
	expect(t, c, "10 ms after its end", 0, 0, 4)
	if c.Evictions() != 0 {
		t.Errorf("%d evictions, want none: nothing needed the room", c.Evictions())
	}
}

// TestSameAtOnce: two sequences compute the same blocks at once and end up with one
// copy.
func TestSameAtOnce(t *testing.T) {
	c := New(8, 0)
	hashes := chain(1, 1, 0, 3)
	a, _ := c.Take(nil, 3)
	b, _ := c.Take(nil, 3)
	expect(t, c, "both computing", 6, 0, 2)
	for i, h := range hashes {
		a[i] = c.Publish(a[i], h)
	}
	for i, h := range hashes {
		b[i] = c.Publish(b[i], h)
	}
	if !slices.Equal(a, b) {
		t.Errorf("they hold %v and %v, want the same", a, b)
	}
	expect(t, c, "both computed", 3, 0, 5)
	c.Release(a, 0)
	expect(t, c, "one gone", 3, 0, 5)
	c.Release(b, 0)
	expect(t, c, "both gone", 0, 3, 5)
}

func TestReleaseTwice(t *testing.T) {
	c := New(1, 0)
	held, _ := c.Take(nil, 1)
	c.Release(held, 0)
	defer func() {
		if recover() == nil {
			t.Error("giving a block back twice did not panic")
		}
	}()
	c.Release(held[:1], 0)
}

// sequence is one of the random test.
type sequence struct {
	hashes []uint64
	held   []Block
	done   int // published
}

// TestRandom checks a cache under random sequences against a count from scratch.
func TestRandom(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := New(1+random.IntN(60), time.Duration(random.IntN(2)*20)*ms)
		var live []*sequence
		now := time.Duration(0)
		for range 2000 {
			now += time.Duration(random.IntN(3)) * ms
			c.Expire(now)
			switch {
			case len(live) == 0 || random.IntN(3) == 0:
				if s := begin(c, random); s != nil {
					live = append(live, s)
				}
			case random.IntN(4) == 0:
				i := random.IntN(len(live))
				live[i].held = c.Release(live[i].held, now)
				live = slices.Delete(live, i, i+1)
			default:
				live[random.IntN(len(live))].publish(c, 1+random.IntN(3))
			}
			recount(t, c, live, now)
			if t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
}

// begin joins a sequence, if there is room for it, that finds what it can.
func begin(c *Cache, random *rand.Rand) *sequence {
	shared := random.IntN(8)
	s := &sequence{hashes: chain(uint64(1+random.IntN(4)), random.Uint64N(6), shared, 1+random.IntN(12))}
	found, idle := c.Find(s.hashes)
	if len(s.hashes)-found > c.Free()+c.Idle()-idle {
		return nil
	}
	s.held, s.done = c.Hold(nil, s.hashes[:found]), found
	s.held, _ = c.Take(s.held, len(s.hashes)-found)
	return s
}

func (s *sequence) publish(c *Cache, n int) {
	for ; n > 0 && s.done < len(s.hashes); n-- {
		s.held[s.done] = c.Publish(s.held[s.done], s.hashes[s.done])
		s.done++
	}
}

// recount compares the cache with what the sequences say they hold.
func recount(t *testing.T, c *Cache, live []*sequence, now time.Duration) {
	t.Helper()
	holders := map[Block]int32{}
	for _, s := range live {
		for i, b := range s.held {
			holders[b]++
			if i < s.done && c.byHash.find(c.blocks, s.hashes[i]) != b {
				t.Errorf("block %d of a live chain is not findable", i)
			}
		}
	}
	if c.Used() != len(holders) || c.Used()+c.Idle()+c.Free() != c.Total() {
		t.Errorf("%v used, idle and free of %d; %d are held", counts(c), c.Total(), len(holders))
	}
	idle := 0
	for b := range c.blocks {
		e := c.blocks[b]
		if e.holders != holders[Block(b)] {
			t.Errorf("block %d has %d holders, %d sequences hold it", b, e.holders, holders[Block(b)])
		}
		if e.findable && e.holders == 0 {
			idle++
			if c.ttl > 0 && e.since+c.ttl <= now {
				t.Errorf("block %d is idle since %s at %s", b, e.since, now)
			}
		}
	}
	if idle != c.Idle() || c.byHash.count() != idle+findableHeld(c) {
		t.Errorf("%d idle blocks, the list has %d; %d hashes", idle, c.Idle(), c.byHash.count())
	}
	// What can be found of a chain is a part from its start.
	for _, s := range live {
		found, n := c.Find(s.hashes)
		want, wantIdle := 0, 0
		for want < len(s.hashes) {
			b := c.byHash.find(c.blocks, s.hashes[want])
			if b == none {
				break
			}
			if c.blocks[b].holders == 0 {
				wantIdle++
			}
			want++
		}
		for _, h := range s.hashes[want:] {
			if c.byHash.find(c.blocks, h) != none {
				t.Error("a block is there without the one that it continues")
			}
		}
		if found != want || n != wantIdle {
			t.Errorf("Find = %d, %d idle, a walk finds %d, %d", found, n, want, wantIdle)
		}
	}
}

func findableHeld(c *Cache) (n int) {
	for _, e := range c.blocks {
		if e.findable && e.holders > 0 {
			n++
		}
	}
	return n
}

// BenchmarkSequence is the life of a sequence of 20 blocks of which 10 are found.
func BenchmarkSequence(b *testing.B) {
	c := New(2000, 0)
	var held []Block
	hashes := chain(1, 0, 10, 20)
	b.ReportAllocs()
	for text := uint64(1); b.Loop(); text++ {
		for i := 10; i < 20; i++ {
			hashes[i] = text<<8 + uint64(i)
		}
		found, _ := c.Find(hashes)
		held = c.Hold(held, hashes[:found])
		held, _ = c.Take(held, len(hashes)-found)
		for i := found; i < len(hashes); i++ {
			held[i] = c.Publish(held[i], hashes[i])
		}
		held = c.Release(held, 0)
	}
}
