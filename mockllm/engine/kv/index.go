package kv

import "math/bits"

// index finds blocks by their hashes. It is a table with linear probing, at most half
// full, in which what is taken out leaves no mark: a cache under load takes out as
// many blocks as it puts in, and a map takes twice as long for that.
type index struct {
	entries []entry
	shift   int // of a tag, for the place that it belongs in
}

// entry is a block with a part of its hash; the zero entry is none.
type entry struct {
	tag   uint32
	after Block // the block's number plus one
}

// newIndex returns an empty index with room for n blocks.
func newIndex(n int) index {
	size := bits.Len(uint(2*n - 1)) // in bits
	return index{entries: make([]entry, 1<<size), shift: 32 - size}
}

// entryOf returns the entry of a block under a hash. Multiplying spreads hashes that
// differ in few bits (Knuth, The Art of Computer Programming, volume 3, section 6.4).
func entryOf(b Block, hash uint64) entry {
	return entry{uint32(hash * 0x9e3779b97f4a7c15 >> 32), b + 1}
}

// home returns the place that an entry belongs in.
func (x *index) home(e entry) int { return int(e.tag >> x.shift) }

// next returns the place behind another.
func (x *index) next(i int) int { return (i + 1) & (len(x.entries) - 1) }

// place returns where the block of that hash is, or the free place for it.
func (x *index) place(blocks []block, hash uint64) int {
	want := entryOf(none, hash)
	i := x.home(want)
	for e := x.entries[i]; e.after > 0 && (e.tag != want.tag || blocks[e.after-1].hash != hash); e = x.entries[i] {
		i = x.next(i)
	}
	return i
}

// at returns the block in a place, none in a free one.
func (x *index) at(place int) Block { return x.entries[place].after - 1 }

// find returns the block of that hash, or none.
func (x *index) find(blocks []block, hash uint64) Block { return x.at(x.place(blocks, hash)) }

// put puts a block in the free place for its hash.
func (x *index) put(place int, b Block, hash uint64) { x.entries[place] = entryOf(b, hash) }

// remove takes a block out. Those behind it move up, unless that puts them in front of
// the place that they belong in.
func (x *index) remove(b Block, hash uint64) {
	e := entryOf(b, hash)
	gap := x.home(e)
	for x.entries[gap] != e {
		gap = x.next(gap)
	}
	mask := len(x.entries) - 1
	for i := x.next(gap); x.entries[i].after > 0; i = x.next(i) {
		if home := x.home(x.entries[i]); (i-home)&mask >= (i-gap)&mask {
			x.entries[gap], gap = x.entries[i], i
		}
	}
	x.entries[gap] = entry{}
}
