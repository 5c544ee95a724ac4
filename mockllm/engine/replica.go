package engine

import (
	"fmt"
	"math"
	"time"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// Replica describes an engine on modelled hardware, ready to be built on a loop: the
// plan, whose deployment names the engine's family and with it the habits of the
// scheduler, and what is to differ from them. Zero fields leave a habit as it is.
type Replica struct {
	Plan *roofline.Plan

	MaxSequences int           // most requests running at once
	TokenBudget  int           // most tokens a step
	Slots        int           // of an engine that has slots; 1 or more
	Chunked      *bool         // prompts may be cut into chunks
	PrefixCache  *bool         // what was computed is kept for later requests; of slots, each its own
	PrefixTTL    time.Duration // how long it is still found after its last use
	OnFull       Policy

	// The memory beside the cache: that of the host for Swap, of which every device has
	// a part and a link to it, and a disk for all devices for Spill.
	OverflowBytes int64   // of each part; 0 means 4 GiB for Swap and 1 TB for Spill
	OverflowRate  float64 // bytes a second of each link, or of the disk; 0 means PCIe 4 and an NVMe SSD

	Drafting *Drafting // nil for no speculative decoding
}

// Drafting is speculative decoding with a draft model, with a drafting head of the
// model itself, or, when neither is set, by n-gram lookup.
type Drafting struct {
	Model *roofline.Plan // the draft model on the same devices, or nil
	Head  bool           // the model has one: roofline.Plan.Head

	Tokens     int     // drafted a step, at least 1
	Acceptance float64 // chance that a drafted token is right, 0..1: see ModelAcceptance and its like
	Seed       uint64  // of the draws
}

// The memory beside the cache, where nothing else is said.
const (
	// pcieRate is the rate that copies reach over PCIe 4 x16, .75 of its 32 GB/s: what
	// microsoft/vidur's all-reduces between pairs of A100 reach, commit 7d47513, read
	// 2026-11-29.
	pcieRate = 24e9
	// ssdRate and ssdLatency are those of a data-centre NVMe SSD, of which datasheets
	// promise 3-7 GB/s and 80 us; a middle. An estimate.
	ssdRate    = 5e9
	ssdLatency = 80 * time.Microsecond
	// defaultSwap is vLLM's --swap-space for each device, 4 GiB; source: vLLM V0 engine
	// arguments, read 2026-11-29. defaultSpill is the size of a common SSD.
	defaultSwap  = 4 << 30
	defaultSpill = 1000_000_000_000
)

// leastContext is the shortest context that is worth serving, in tokens.
const leastContext = 16

// Validate reports what makes the replica impossible: settings, or a model that
// leaves no memory for its cache.
func (r Replica) Validate() error {
	c, err := r.config()
	if err != nil {
		return err
	}
	switch {
	case c.Slots > 0 && c.slotContext() < leastContext:
		return fmt.Errorf("%d slots share a cache that leaves %d tokens to each, want at least %d", c.Slots, c.slotContext(), leastContext)
	case c.KVBlocks == 0:
		return fmt.Errorf("the cache holds less than one block, of %d tokens", c.BlockTokens)
	}
	return c.Validate()
}

// Build returns the engine. It panics when the replica is not valid.
func (r Replica) Build(loop pipeline.Scheduler) Engine { return NewBatched(loop, r.Config()) }

// Config returns the configuration of the engine. It panics when the replica is not
// valid.
func (r Replica) Config() BatchedConfig {
	c, err := r.config()
	if err != nil {
		panic(fmt.Sprintf("engine: %v", err))
	}
	return c
}

// Context returns the most tokens, prompt and output, of one request. It panics when
// the replica is not valid.
func (r Replica) Context() int {
	c := r.Config()
	return c.most()
}

// First returns the time from the arrival of a lone prompt to its first token, of the
// engine itself. It panics when the replica is not valid.
func (r Replica) First(prompt int) time.Duration {
	var loop pipeline.Virtual
	e := r.Build(&loop)
	q := &Request{Prompt: prompt, Output: 1, Done: func(pipeline.Outcome) {}}
	e.Submit(q)
	loop.RunUntil(pipeline.LastInstant)
	return q.Last
}

// config turns the family's habits, and what differs, into a configuration.
func (r Replica) config() (BatchedConfig, error) {
	d := r.Plan.Deployment()
	family := d.Engine.On(d.Hardware)
	draft, err := r.draft()
	if err != nil {
		return BatchedConfig{}, err
	}
	size := unlessZero(family.PrefixBlock, BlockTokens)
	room, err := r.room(size, draft)
	if err != nil {
		return BatchedConfig{}, err
	}
	c := BatchedConfig{
		Steps:        r.Plan,
		MaxSequences: unlessZero(r.MaxSequences, family.MaxSequences, math.MaxInt32),
		TokenBudget:  unlessZero(r.TokenBudget, family.TokenBudget, math.MaxInt32),
		KVBlocks:     room.Blocks,
		BlockTokens:  size,
		Windows:      room.Windows,
		MaxContext:   d.Model.MaxContext,
		WholePrompts: !unlessNil(r.Chunked, family.Chunked),
		PrefillFirst: family.PrefillFirst,
		AllLogits:    family.AllLogits,
		Ahead:        family.PlansAhead && (r.Drafting == nil || r.Drafting.Head),
		PrefixCache:  unlessNil(r.PrefixCache, family.PrefixCache),
		PrefixTTL:    r.PrefixTTL,
		OnFull:       r.OnFull,
		Speculation:  r.speculation(draft),
	}
	c.MaxSequences = min(c.MaxSequences, max(1, c.TokenBudget/c.verified()))
	if c.OnFull == "" {
		c.OnFull = Policy(family.OnFull)
	}
	if family.Slots > 0 {
		r.useSlots(&c, family, room)
	} else if r.Slots > 0 {
		return c, fmt.Errorf("%d slots: %s has none, it serves in batches", r.Slots, family.Name)
	}
	c.Overflow = r.overflow(c, draft)
	return c, nil
}

// useSlots sets up an engine of slots, whose steps are micro-batches of prompts, in
// chunks, and of what decodes, together. A number of tokens that was given for the cache
// is divided among the slots, and the windows of each lie beside its part.
func (r Replica) useSlots(c *BatchedConfig, family catalog.Engine, room roofline.Room) {
	c.Slots = unlessZero(r.Slots, family.Slots)
	c.SlotCache = unlessNil(r.PrefixCache, family.SlotCache)
	if given := r.Plan.Deployment().KVTokens; given > 0 && len(c.Windows) > 0 {
		c.KVBlocks = c.Slots * room.Needs(given/c.BlockTokens/c.Slots*c.BlockTokens)
	}
	c.TokenBudget = unlessZero(r.TokenBudget, family.MicroBatch, math.MaxInt32)
	c.WholePrompts, c.PrefillFirst, c.Ahead, c.PrefixCache, c.OnFull = false, false, false, false, Recompute
}

// overflow returns the memory beside the cache for the policy. A token in it is the
// bytes that all devices hold of it, for the model and its draft.
func (r Replica) overflow(c BatchedConfig, draft *roofline.Plan) Overflow {
	o, bytes, parts := Overflow{TokenBytes: r.Plan.DeviceKVBytesPerToken()}, int64(0), 1
	switch c.OnFull {
	case Swap:
		bytes, o.Rate, parts = defaultSwap, pcieRate, r.Plan.Deployment().Devices()
	case Spill:
		bytes, o.Rate, o.Latency = defaultSpill, ssdRate, ssdLatency
	default:
		return Overflow{}
	}
	if draft != nil {
		o.TokenBytes += draft.DeviceKVBytesPerToken()
	}
	o.Rate = float64(parts) * unlessZero(r.OverflowRate, o.Rate)
	o.Blocks = int(int64(parts) * unlessZero(r.OverflowBytes, bytes) / (o.TokenBytes * int64(c.BlockTokens)))
	return o
}

// draft returns the plan of what drafts on the devices, nil when nothing does.
func (r Replica) draft() (*roofline.Plan, error) {
	switch {
	case r.Drafting == nil:
		return nil, nil
	case r.Drafting.Head:
		return r.Plan.Head()
	default:
		return r.Drafting.Model, nil
	}
}

func (r Replica) speculation(draft *roofline.Plan) *Speculation {
	d := r.Drafting
	if d == nil {
		return nil
	}
	s := &Speculation{Tokens: d.Tokens, Acceptance: d.Acceptance, Seed: d.Seed}
	if draft != nil {
		s.Drafter = draft
	}
	return s
}

// room returns the cache in blocks of size tokens.
func (r Replica) room(size int, draft *roofline.Plan) (roofline.Room, error) {
	d := r.Plan.Deployment()
	room, err := r.Plan.Room(size)
	if err == nil && draft != nil {
		if room, err = r.Plan.Room(size, draft); err != nil {
			err = fmt.Errorf("no room for a cache beside %s and %s, which drafts: %w", d.Model.Name, draft.Deployment().Model.Name, err)
		}
	}
	if err == nil && !room.Known() {
		err = fmt.Errorf("the memory of %s is unknown, and with it what the cache of %s holds", d.Hardware.Name, d.Model.Name)
	}
	return room, err
}

// unlessZero returns the first value that is not zero.
func unlessZero[T comparable](values ...T) (v T) {
	for _, v = range values {
		if v != *new(T) {
			return v
		}
	}
	return v
}

func unlessNil(set *bool, habit bool) bool {
	if set != nil {
		return *set
	}
	return habit
}
