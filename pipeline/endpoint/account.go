package endpoint

import (
	"fmt"
	"math"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/price"
)

// account is what a client has spent, beside its caps.
type account struct {
	quota     *Quota
	maxTokens int
	maxCost   price.Dollars
	price     price.Price
	before    Spending

	flying int          // requests under way
	held   price.Tokens // reserved for those
	used   price.Tally  // of those that ended

	own scale // how the server's own counts compare with what calls stood for

	over error // the first cap that left no room for a call; nil until then
}

func newAccount(c *Config) account {
	quota := c.Quota
	if quota == nil {
		quota = &Quota{Most: c.MaxRequests, Taken: c.Before.Requests}
	}
	return account{quota: quota, maxTokens: c.MaxTokens, maxCost: c.MaxCost, price: c.Price, before: c.Before}
}

// Quota is a cap on requests, and how many of them were taken. Who shares one, shares the cap.
// It is used on one loop.
type Quota struct {
	Most  int // 0 for no cap
	Taken int
}

// Room reports that another request would be over the cap.
func (q *Quota) Room() error {
	if q.Most > 0 && q.Taken >= q.Most {
		return fmt.Errorf("over the cap of %d requests", q.Most)
	}
	return nil
}

// Spending is what counts against the caps of a client.
type Spending struct {
	Requests, Tokens int
	Cost             price.Dollars
}

// stands returns what a call stands for until the server has counted its tokens: more than
// it says where the server has counted more of those before.
func (a *account) stands(c *pipeline.Call) price.Tokens {
	return price.Tokens{Prompt: raised(c.PromptTokens, a.own.prompt), Output: raised(c.MaxTokens, a.own.output)}
}

// scale is how many tokens a server counts for each that a call says, where that is more:
// it has a tokenizer of its own, and may not heed the limit of an answer.
type scale struct {
	said, counted price.Tokens // of prompts that were counted
	prompt        float64      // all of them together; 0 for none
	output        float64      // the most of any answer
}

// learn takes what a server counted of a call.
func (s *scale) learn(c *pipeline.Call, r *reply.Reply) {
	if n := r.PromptTokens(); n > 0 && c.PromptTokens > 0 {
		s.said, s.counted = s.said.Add(price.Tokens{Prompt: c.PromptTokens}), s.counted.Add(price.Tokens{Prompt: n})
		s.prompt = float64(s.counted.Prompt) / float64(s.said.Prompt)
	}
	if n := r.OutputTokens(); c.MaxTokens > 0 {
		if n == pipeline.UnknownCount {
			n = likely(c.MaxTokens, r)
		}
		s.output = max(s.output, float64(n)/float64(c.MaxTokens))
	}
}

// raised returns n times a factor above 1, rounded up.
func raised(n int, factor float64) int {
	if factor <= 1 || n <= 0 {
		return n
	}
	if more := math.Ceil(float64(n) * factor); more < math.MaxInt/2 {
		return int(more)
	}
	return n
}

// admit reserves tokens for a request, or reports which cap leaves no room for it. From
// then on it lets nothing through: a smaller call that would still fit is no fair sample.
func (a *account) admit(t price.Tokens) error {
	if a.over == nil {
		a.over = a.room(t)
	}
	if a.over != nil {
		return a.over
	}
	a.quota.Taken++
	a.flying++
	a.held = a.held.Add(t)
	return nil
}

// room reports which cap leaves no room for a call that stands for so many tokens.
func (a *account) room(t price.Tokens) error {
	spent := a.used.Tokens().Add(a.held)
	if err := a.quota.Room(); err != nil {
		return err
	}
	if a.maxTokens > 0 && spent.Add(t).All() > a.maxTokens-a.before.Tokens {
		return fmt.Errorf("over the cap of %d tokens", a.maxTokens)
	}
	if a.maxCost > 0 && a.before.Cost.Add(a.price.Of(spent.Add(t))) > a.maxCost {
		return fmt.Errorf("over the cap of %s", a.maxCost)
	}
	return nil
}

// settle replaces what was reserved for a call by what it used.
func (a *account) settle(c *pipeline.Call, reserved price.Tokens, sent bool, r *reply.Reply) {
	a.own.learn(c, r)
	a.flying--
	a.held = a.held.Sub(reserved)
	if sent {
		a.used = a.used.Add(usedBy(reserved, r))
	}
}

// usedBy returns what a request used. One that was refused, by a status of 300 to 499, is
// taken to have used nothing. Of one that failed otherwise, and of what nobody counted, it
// is the most that it can have used: a gateway that answers 502 or 504 may have given up a
// model that worked for it, and is paid for.
func usedBy(reserved price.Tokens, r *reply.Reply) price.Tally {
	u := r.Usage
	switch most := most(reserved, r); {
	case r.Status >= 300 && r.Status < 500:
		return price.Tally{Requests: 1}
	case u == nil || r.Outcome != pipeline.OK:
		return price.Half(price.Tokens{}, false, false, most)
	default:
		counted := price.Tokens{Prompt: u.Prompt, Cached: max(0, u.Cached), Output: u.Completion}
		// A total with more in it than the counts may have more of the answer in it.
		return price.Half(counted, u.Prompt > 0, r.Beside == 0 && (u.Completion > 0 || u.Completion == 0 && outputs(r) == 0), most)
	}
}

// most returns the most tokens that a request can have used of which nobody told the last
// count: those that were reserved, unless more came.
func most(reserved price.Tokens, r *reply.Reply) price.Tokens {
	t := reserved
	if u := r.Usage; u != nil {
		t.Prompt, t.Output = max(t.Prompt, u.Prompt), max(t.Output, u.Completion+r.Beside)
	}
	t.Output = max(t.Output, likely(reserved.Output, r))
	return t
}

// likely returns how many tokens the chunks of an answer stand for that may have so many and
// was not counted: one each, as most servers have it, and no more than it may have where they
// are letters, unless these are more than any such answer has.
func likely(tokens int, r *reply.Reply) int {
	n := outputs(r)
	if most := mostOutputs(tokens); n > tokens && n <= most && spelt(r, n) {
		return tokens
	}
	return n
}

// spelt reports whether an answer of n chunks came letter by letter: with less than two
// bytes a chunk, at the mean.
func spelt(r *reply.Reply, n int) bool {
	bytes := 0
	for i := range r.Choices {
		for _, o := range r.Choices[i].Outputs {
			bytes += len(o.Text)
		}
	}
	return bytes < 2*n
}

// Used returns what the requests have used so far. Those under way are among the
// uncounted ones. It is called on the loop, or once that has ended.
func (c *Client) Used() price.Tally {
	a := &c.account
	return a.used.Add(price.Tally{Requests: a.flying, Uncounted: a.flying, Assumed: a.held})
}

// Over returns the cap that was met, nil while none is. It is called where Used is.
func (c *Client) Over() error { return c.account.over }

// spend tells that a cap was met and that all that was sent before has ended.
func (c *Client) spend() {
	if a := &c.account; a.over != nil && a.flying == 0 && c.config.Spent != nil {
		c.config.Spent(a.over)
	}
}
