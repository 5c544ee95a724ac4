package report

import (
	"fmt"

	"halfsecond/pipeline/trace"
)

// Cache is what became of a modelled engine's KV cache over its steps, warm-up included.
type Cache struct {
	Mean        float64 `json:"mean"`       // share of it in use
	Peak        float64 `json:"peak"`       // the largest
	FullSteps   float64 `json:"full_steps"` // share of the steps with more than 95 % of it in use
	Preemptions int     `json:"preemptions"`
	TokensMoved int     `json:"tokens_moved"` // to a memory beside the cache, or back
}

// cacheUse returns the use of a cache, nil where nobody knows.
func cacheUse(e *trace.Engine) *Cache {
	if e == nil || e.Steps == 0 || e.Blocks == 0 {
		return nil
	}
	return &Cache{
		Mean: float64(e.Held) / float64(e.Steps) / float64(e.Blocks), Peak: float64(e.Peak) / float64(e.Blocks),
		FullSteps: float64(e.Full) / float64(e.Steps), Preemptions: e.Preemptions, TokensMoved: e.TokensMoved,
	}
}

// pressed reports whether a cache was ever full, or gave way.
func (c *Cache) pressed() bool {
	return c != nil && (c.FullSteps > 0 || c.Preemptions > 0 || c.TokensMoved > 0)
}

// words says in a sentence how full the cache was.
func (c *Cache) words() string {
	words := fmt.Sprintf("KV cache: %s in use on average over the steps of the engine, %s at most", percent(c.Mean), percent(c.Peak))
	if c.FullSteps > 0 {
		words += fmt.Sprintf(", more than 95 %% in %s of them", percent(c.FullSteps))
	}
	if c.Preemptions > 0 {
		words += fmt.Sprintf("; requests gave way %s", counted(c.Preemptions, "time"))
	}
	if c.TokensMoved > 0 {
		words += fmt.Sprintf("; %s moved to a memory beside it or back", counted(c.TokensMoved, "token"))
	}
	return words + "."
}
