package kv

import (
	"math/rand/v2"
	"testing"
)

// count returns how many blocks the index has.
func (x *index) count() (n int) {
	for _, e := range x.entries {
		if e != (entry{}) {
			n++
		}
	}
	return n
}

// TestIndex: an index is a map, whichever blocks come and go, whether their hashes
// spread or want the same places.
func TestIndex(t *testing.T) {
	for _, c := range []struct {
		name  string
		hash  func(v uint64) uint64
		sizes []int
	}{
		{"spread", func(v uint64) uint64 { return v * 0xbf58476d1ce4e5b9 }, []int{1, 2, 3, 16, 100}},
		{"in a row", func(v uint64) uint64 { return v }, []int{1, 5, 64}},
		{"all at home in one place", func(v uint64) uint64 { return v * 0xf1de83e19937733d }, []int{1, 2, 7, 40}},
	} {
		for _, n := range c.sizes {
			compareWithMap(t, c.name, n, c.hash)
		}
	}
}

func compareWithMap(t *testing.T, name string, n int, hash func(uint64) uint64) {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x, want, blocks := newIndex(n), map[uint64]Block{}, make([]block, n)
	var free []Block
	for b := range n {
		free = append(free, Block(b))
	}
	for range 200 * n {
		h := hash(r.Uint64N(uint64(2 * n)))
		b, ok := want[h]
		if !ok {
			b = none
		}
		switch found := x.find(blocks, h); {
		case found != b:
			t.Fatalf("%s, %d blocks: hash %d is block %d, want %d", name, n, h, found, b)
		case ok:
			x.remove(b, h)
			delete(want, h)
			free = append(free, b)
		case len(free) > 0:
			b, free = free[len(free)-1], free[:len(free)-1]
			x.put(x.place(blocks, h), b, h)
			blocks[b].hash = h
			want[h] = b
		}
		if x.count() != len(want) {
			t.Fatalf("%s, %d blocks: the index has %d, want %d", name, n, x.count(), len(want))
		}
	}
}
