package probe

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// MostRequests is the most that are sent, and mostAnswer the most tokens that one may ask for.
const (
	MostRequests = 10
	mostAnswer   = 1_000_000
)

// Config says what to ask, and how often.
type Config struct {
	// Endpoint is whom to ask. Its Protocol and its Model may be empty: they are then
	// found. Its Keep, Codings and caps are not used.
	Endpoint endpoint.Config
	Requests int    // for a completion, 1 to MostRequests
	Answer   int    // most tokens of an answer, 1 to 1,000,000
	Tokens   int    // cap of all prompts and answers together; 0 for none
	Prompt   string // the text to send, behind a short line that makes it new; "" for one of ours
	Salt     uint64 // makes the prompts of this probing differ from those of any other
}

// Check reports everything that is wrong.
func (c Config) Check() error {
	var errs []error
	if c.Requests < 1 || c.Requests > MostRequests {
		errs = append(errs, fmt.Errorf("%d requests: want 1 to %d", c.Requests, MostRequests))
	}
	if c.Answer < 1 || c.Answer > mostAnswer {
		errs = append(errs, fmt.Errorf("answers of %d tokens: want 1 to %d", c.Answer, mostAnswer))
	}
	if c.Tokens < 0 {
		errs = append(errs, fmt.Errorf("cap of %d tokens is negative", c.Tokens))
	}
	if len(errs) == 0 && c.Tokens > 0 && c.Estimate() > c.Tokens {
		errs = append(errs, fmt.Errorf("%d requests may take %d tokens, more than the cap of %d", c.Requests, c.Estimate(), c.Tokens))
	}
	return errors.Join(append(errs, c.checkEndpoint())...)
}

func (c Config) checkEndpoint() error {
	e := c.Endpoint
	if e.Protocol == "" {
		e.Protocol = dialect.OpenAIChat
		if p, ok := pathProtocol(e.URL); ok {
			e.Protocol = p
		}
	}
	return e.Check()
}

// Estimate returns about how many tokens all prompts and answers together will have at
// most.
func (c Config) Estimate() int { return c.Requests * c.each() }

// each returns about how many tokens one request takes at most.
func (c Config) each() int { return c.promptTokens() + c.Answer }

// ask is one request of the plan.
type ask struct {
	number int  // of its prompt
	again  bool // the prompt was sent before
	gzip   bool
}

// plan returns the requests to send. The first stands against the other fresh ones when
// the server may have been cold; one that repeats its forerunner, against that; and one
// is asked as most libraries ask, which take gzip.
func plan(n int) []ask {
	all := [MostRequests]ask{
		{number: 1}, {number: 2}, {number: 2, again: true}, {number: 3, gzip: true}, {number: 4}, {number: 4, again: true},
		{number: 5}, {number: 5, again: true}, {number: 6}, {number: 6, again: true},
	}
	return all[:n]
}

// prober sends the requests of one probing, one after another.
type prober struct {
	config Config
	seen   *seen.Endpoint
	wall   *pipeline.Wall
	kept   chan *exchange.Exchange
	plain  *endpoint.Client
	gzip   *endpoint.Client // nil until it is needed
	tokens int              // used so far, or reserved where nobody counted
}

// Run asks the endpoint and returns what was seen. The error is about the config, or says
// what the user must add to it; ctx ends the probing early, with what was seen so far.
func Run(ctx context.Context, c Config) (*seen.Endpoint, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &seen.Endpoint{URL: c.Endpoint.ShownURL(), KeyGiven: c.Endpoint.Key.String() != "", Cold: c.Endpoint.Cold, Limit: c.Answer, Planned: c.Requests}
	f := finder{ctx: ctx, config: c.Endpoint, seen: s}
	if err := f.find(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		s.Stopped = seen.Interrupted
		return s, nil
	}
	if s.Model != "" {
		c.Endpoint.URL, c.Endpoint.Protocol, c.Endpoint.Model = f.config.URL, f.config.Protocol, f.config.Model
		if err := send(ctx, c, s); err != nil {
			return nil, err
		}
	}
	if s.Model == "" || s.Stopped == seen.Refused {
		f.elsewhere()
	}
	return s, nil
}

// send sends the requests of the plan.
func send(ctx context.Context, c Config, s *seen.Endpoint) error {
	p := &prober{config: c, seen: s, wall: pipeline.NewWall(), kept: make(chan *exchange.Exchange, 1)}
	var err error
	if p.plain, err = p.client(""); err != nil {
		return err
	}
	defer p.plain.Close()
	var loop sync.WaitGroup
	loop.Go(func() { _ = p.wall.Run(context.Background()) }) // ends with Stop
	defer loop.Wait()
	defer p.wall.Stop()
	return p.carryOut(ctx)
}

// lingerFor is how long the end of a body is waited for behind the end event of its answer.
const lingerFor = time.Second

func (p *prober) client(codings string) (*endpoint.Client, error) {
	c := p.config.Endpoint
	c.Codings, c.MaxRequests, c.MaxTokens, c.MaxCost = codings, p.config.Requests, 0, 0
	c.Linger = lingerFor
	c.Keep = func(x *exchange.Exchange) { p.kept <- x }
	return endpoint.NewClient(c, p.wall)
}

func (p *prober) carryOut(ctx context.Context) error {
	for i, a := range plan(p.config.Requests) {
		if p.config.Tokens > 0 && p.tokens+p.config.each() > p.config.Tokens {
			p.seen.Stopped = seen.Cap
			return nil
		}
		r, err := p.send(ctx, a, int64(i+1))
		if err != nil {
			return err
		}
		p.count(&r.Record)
		p.seen.Requests = append(p.seen.Requests, r)
		if p.seen.Stopped = stops(ctx, &r); p.seen.Stopped != "" {
			return nil
		}
	}
	return nil
}

// stops says why nothing more is to be sent after a request; "" when nothing speaks against
// it. One that was too long, or took too long, would only do so again, and cost as much.
func stops(ctx context.Context, r *seen.Request) string {
	switch {
	case ctx.Err() != nil:
		return seen.Interrupted
	case r.TooLong():
		return seen.Overrun
	case r.Record.Transport.Status != 0 && r.Record.Outcome == pipeline.Timeout:
		return seen.TimedOut
	case r.Record.Transport.Status == 0:
		return seen.Unanswered
	case r.Refused():
		return seen.Refused
	}
	return ""
}

// count adds what a request used to the tokens, what it may have used where nobody says.
func (p *prober) count(r *pipeline.Request) {
	used := p.config.each()
	switch {
	case r.Sent == pipeline.Unknown || r.Transport.Status >= 300 && r.Transport.Status < 500: // as a client has it
		used = 0
	case r.OutputTokens != pipeline.UnknownCount && r.PromptTokens != pipeline.UnknownCount:
		used = r.Output() + r.PromptTokens
	}
	p.tokens += used
}

// send sends one request and waits for its end.
func (p *prober) send(ctx context.Context, a ask, id int64) (seen.Request, error) {
	client := p.plain
	if a.gzip {
		var err error
		if p.gzip, err = p.client("gzip"); err != nil {
			return seen.Request{}, err
		}
		defer p.gzip.Close()
		client = p.gzip
	}
	call := p.call(a, id)
	done := make(chan struct{})
	call.Done = func() { close(done) }
	p.wall.Post(p.wall.Elapsed(), func() {
		call.Record.Due = p.wall.Now()
		client.Start(call)
	})
	stop := context.AfterFunc(ctx, func() { p.wall.Post(p.wall.Elapsed(), func() { client.Cancel(call) }) })
	<-done
	stop()
	return p.see(a, &call.Record)
}

func (p *prober) call(a ask, id int64) *pipeline.Call {
	return &pipeline.Call{
		PromptTokens: p.config.promptTokens(), OutputTokens: p.config.Answer, MaxTokens: p.config.Answer,
		Prompt: func() pipeline.Prompt { return p.config.prompt(p.seen.Protocol, a.number) },
		Record: pipeline.NewRequest(id, 0),
	}
}

// see puts together what is known of a request that has ended.
func (p *prober) see(a ask, record *pipeline.Request) (seen.Request, error) {
	r := seen.Request{Prompt: seen.Fresh, Gzip: a.gzip, Record: *record}
	if a.again {
		r.Prompt = seen.Again
	}
	if record.Sent == pipeline.Unknown {
		return r, nil
	}
	x := <-p.kept
	r.Headers, r.Reads, r.Ended, r.Rest = x.Headers, x.Reads, x.How, x.Rest
	var err error
	r.Reply, err = dialect.Retell(x, func(m reply.Message) { r.Events = append(r.Events, event(m)) })
	return r, err
}
