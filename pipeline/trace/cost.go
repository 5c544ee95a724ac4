package trace

import (
	"halfsecond/pipeline"
	"halfsecond/pipeline/price"
)

// Used is what was used of a model at an endpoint.
type Used struct {
	Model string // as the service calls it
	Tally price.Tally
}

// Cost is what a run cost.
type Cost struct {
	Known bool          // the price of everything that was used is
	Least price.Dollars // of what the server counted
	Most  price.Dollars // with what the requests that it did not count stand for
	Tally price.Tally
	Part  bool // of the interactions in the file alone: the run was cut off
}

// Cost returns what was used of the run's endpoints, at the prices that its header has.
func (r *Run) Cost() Cost {
	used, part := r.Footer.Used, false
	if len(used) == 0 && len(r.Header.Endpoints) == 1 {
		used, part = []Used{{r.Header.Endpoints[0].Model, r.inFile()}}, true
	}
	c := Cost{Known: len(used) > 0, Part: part}
	for _, u := range used {
		p := r.Header.priceOf(u.Model)
		c.Known = c.Known && p.Known()
		c.Least = c.Least.Add(p.Of(u.Tally.Counted))
		c.Most = c.Most.Add(p.Of(u.Tally.Tokens()))
		c.Tally = c.Tally.Add(u.Tally)
	}
	return c
}

// priceOf returns the price of a model, the zero Price when it is not known.
func (h *Header) priceOf(model string) price.Price {
	for i := range h.Endpoints {
		if h.Endpoints[i].Model == model {
			return h.Endpoints[i].Price
		}
	}
	return price.Price{}
}

// inFile returns what the requests in the file used, by the server's count. Nobody knows
// what the others stood for.
func (r *Run) inFile() (all price.Tally) {
	for i := range r.Traces {
		for j := range r.Traces[i].Requests {
			if q := &r.Traces[i].Requests[j]; !q.Simulated && q.Sent != pipeline.Unknown {
				all = all.Add(usedBy(q))
			}
		}
	}
	return all
}

func usedBy(q *pipeline.Request) price.Tally {
	switch {
	case q.Transport.Status >= 300 && q.Transport.Status < 500:
		return price.Tally{Requests: 1}
	case q.Outcome != pipeline.OK:
		return price.Half(price.Tokens{}, false, false, price.Tokens{})
	}
	counted := price.Tokens{Prompt: q.PromptTokens, Cached: max(0, min(q.CachedTokens, q.PromptTokens)), Output: q.OutputTokens}
	return price.Half(counted, q.PromptTokens > 0, q.OutputTokens > 0 || q.OutputTokens == 0 && q.Chunks == 0, price.Tokens{})
}
