// Package kv keeps the blocks of a paged KV cache and finds again those that an
// earlier sequence computed.
//
// Read this file: a Cache, its blocks and who holds them; idle.go orders the blocks
// that nobody holds by the time they were given back, index.go finds blocks by their
// hashes.
package kv

import (
	"fmt"
	"time"
)

// Block is the number of a block, from 0.
type Block int32

// none is no block.
const none Block = -1

// Cache is a fixed number of blocks. Each is free, held by one sequence or more, or
// idle: held by nobody but still findable by the hash of what is in it.
//
// A hash stands for all tokens from the start of a sequence to the end of its
// block, so the hashes of a sequence form a chain, and whoever holds a block holds
// those before it. Blocks are given back last first and the block idle for longest
// is evicted first, so a block goes before the one it continues, and what is
// findable of a chain is always a part from its start. This is vLLM's automatic
// prefix caching, but for one thing: two sequences that compute the same block at
// once end up with one, as in SGLang's radix tree, where vLLM keeps both
// (docs.vllm.ai, "Automatic Prefix Caching"; sgl-project/sglang, radix_cache.py;
// both read 2026-11-29).
//
// A Cache may be used by one goroutine at a time.
type Cache struct {
	blocks []block
	byHash index
	free   []Block
	idle   idle
	ttl    time.Duration

	evictions int
}

// block is what is known of one block.
type block struct {
	hash     uint64
	holders  int32
	findable bool // under its hash

	older, newer Block         // neighbours among the idle ones
	since        time.Duration // instant at which it became idle
}

// New returns a cache of n free blocks, at least 1. A block that was idle for ttl is
// no longer found; 0 means that it is until its room is needed.
func New(n int, ttl time.Duration) *Cache {
	if n < 1 || ttl < 0 {
		panic(fmt.Sprintf("kv: a cache of %d blocks that are found for %s", n, ttl))
	}
	c := &Cache{blocks: make([]block, n), byHash: newIndex(n), free: make([]Block, n), ttl: ttl}
	for i := range c.free {
		c.free[i] = Block(n - 1 - i)
	}
	c.idle.oldest, c.idle.newest = none, none
	return c
}

// Total returns the number of blocks; at every instant it is Used plus Idle plus
// Free.
func (c *Cache) Total() int { return len(c.blocks) }

// Used returns the number of blocks that somebody holds, each counted once.
func (c *Cache) Used() int { return len(c.blocks) - len(c.free) - c.idle.n }

// Idle returns the number of blocks that nobody holds but that can be found.
func (c *Cache) Idle() int { return c.idle.n }

// Free returns the number of blocks with nothing in them.
func (c *Cache) Free() int { return len(c.free) }

// Evictions returns how many idle blocks were given up for their room so far.
func (c *Cache) Evictions() int { return c.evictions }

// Find returns how many blocks from the start of the chain are there, and how many
// of those are idle. It takes O(log n) looks at a chain of n.
func (c *Cache) Find(chain []uint64) (found, idle int) {
	found = c.search(len(chain), func(b Block) bool { return b != none }, chain)
	held := c.search(found, func(b Block) bool { return c.blocks[b].holders > 0 }, chain)
	return found, found - held
}

// search returns how many of the first n blocks of a chain, all from its start, are
// so; after the first that is not, none is.
func (c *Cache) search(n int, is func(b Block) bool, chain []uint64) int {
	low, high := 0, n
	for low < high {
		middle := int(uint(low+high) / 2)
		if is(c.byHash.find(c.blocks, chain[middle])) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Hold appends the blocks of a chain, all of which Find found, to those that a
// sequence holds.
func (c *Cache) Hold(held []Block, chain []uint64) []Block {
	for _, hash := range chain {
		b := c.byHash.find(c.blocks, hash)
		if b == none {
			panic("kv: hold of a block that is not there")
		}
		c.hold(b)
		held = append(held, b)
	}
	return held
}

func (c *Cache) hold(b Block) {
	if c.blocks[b].holders == 0 {
		c.idle.remove(c.blocks, b)
	}
	c.blocks[b].holders++
}

// Take appends n empty blocks to those that a sequence holds, and evicts as many
// idle ones as it must. It reports false, and takes none, when fewer than n are
// free or idle.
func (c *Cache) Take(held []Block, n int) ([]Block, bool) {
	if n > len(c.free)+c.idle.n {
		return held, false
	}
	for range n {
		if len(c.free) == 0 {
			c.evictions++
			c.drop(c.idle.oldest)
		}
		last := len(c.free) - 1
		b := c.free[last]
		c.free = c.free[:last]
		c.blocks[b].holders = 1
		held = append(held, b)
	}
	return held, true
}

// drop makes an idle block free.
func (c *Cache) drop(b Block) {
	c.idle.remove(c.blocks, b)
	c.byHash.remove(b, c.blocks[b].hash)
	c.blocks[b].findable = false
	c.free = append(c.free, b)
}

// Publish makes a block that one sequence holds, and whose tokens are computed,
// findable under its hash; the blocks before it in its chain must be. It returns the
// block to hold from now on: another when an equal one was there already.
func (c *Cache) Publish(b Block, hash uint64) Block {
	place := c.byHash.place(c.blocks, hash)
	if same := c.byHash.at(place); same != none {
		c.hold(same)
		c.giveBack(b, 0)
		return same
	}
	c.byHash.put(place, b, hash)
	c.blocks[b].hash, c.blocks[b].findable = hash, true
	return b
}

// Release gives back all blocks of a sequence, in the order of its tokens, and
// returns the empty list. Those that can be found, and that nobody else holds,
// become idle now.
func (c *Cache) Release(held []Block, now time.Duration) []Block {
	for i := len(held) - 1; i >= 0; i-- {
		c.giveBack(held[i], now)
	}
	return held[:0]
}

func (c *Cache) giveBack(b Block, now time.Duration) {
	e := &c.blocks[b]
	if e.holders--; e.holders < 0 {
		panic(fmt.Sprintf("kv: block %d was given back more often than it was held", b))
	}
	switch {
	case e.holders > 0:
	case e.findable:
		e.since = now
		c.idle.add(c.blocks, b)
	default:
		c.free = append(c.free, b)
	}
}

// Expire makes the blocks free that have been idle for the cache's time to live.
func (c *Cache) Expire(now time.Duration) {
	if c.ttl == 0 {
		return
	}
	for c.idle.n > 0 && c.blocks[c.idle.oldest].since+c.ttl <= now {
		c.drop(c.idle.oldest)
	}
}
