package runner

import (
	"context"
	"errors"
	"net"
	"time"

	"halfsecond/mockllm/cassette"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/link"
	"halfsecond/simulators/scenario"
)

// network is where the mock's server and client meet, and the clock of both. The
// zero network is loopback and the wall clock; tests put one in memory instead.
type network struct {
	listen func() (net.Listener, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
	wall   func() *pipeline.Wall

	// The same for the self test; nil means loopback.
	listenKnown func() (net.Listener, error)
	dialKnown   func(ctx context.Context, network, address string) (net.Conn, error)
}

func (n network) withDefaults() network {
	if n.listen == nil {
		n.listen = func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
		n.wall = pipeline.NewPreciseWall
	}
	return n
}

// service returns the scenario's language model, ready to be built on any loop.
func (r *run) service() (scenario.Service, error) {
	m, _ := r.scenario.LLM()
	return m.Service(r.settings.Seed)
}

// linked puts a model at the end of the scenario's path.
func (r *run) linked(m pipeline.LLM) pipeline.LLM {
	_, trip := r.scenario.LLM()
	if !trip.Spread() && trip.Mean() == 0 {
		return m
	}
	draws := dist.NewKeyed(r.settings.Seed, "runner/link")
	return link.Between(r.clock, link.Path{RoundTrip: func(draw uint64) time.Duration { return trip.Draw(draws.Of(draw)) }}, m)
}

// simulated returns the model on the loop itself.
func (r *run) simulated(loop pipeline.Scheduler) (pipeline.LLM, error) {
	if m, _ := r.scenario.LLM(); m.Cassette != nil {
		r.direct = cassette.NewStage(loop, m.Cassette.Picker(r.settings.Seed))
		return r.linked(r.direct), nil
	}
	m, err := r.service()
	if err != nil {
		return nil, err
	}
	r.engine = m.Build(loop)
	stage := engine.NewStage(loop, r.engine)
	stage.Caches, stage.Loads = m.Shares, m.Loads
	r.direct = stage
	if m.Addresses {
		r.direct = spelled{stage}
	}
	return r.linked(r.direct), nil
}

// spelled is a model whose calls have the hashes of their texts, as the mock's server
// makes them, so that a router sends them to the same replicas on both targets.
type spelled struct{ pipeline.LLM }

// Start implements pipeline.LLM.
func (s spelled) Start(c *pipeline.Call) {
	c.Blocks = func(dst []uint64, size int) []uint64 {
		p := c.Prompt()
		texts := []string{p.System, p.Text, p.Suffix}
		if c.Thought != nil {
			texts = append(texts, c.Thought())
		}
		return token.Blocks(dst, size, append(texts, c.Answer())...)
	}
	s.LLM.Start(c)
}

// setUpWall makes the tester's own loop.
func (r *run) setUpWall() *pipeline.Wall {
	loop := r.settings.network.withDefaults().wall()
	loop.Lateness = r.lateness.Record
	r.clock = loop
	return loop
}

// setUpMock starts the mock's server on a free port and connects to it.
func (r *run) setUpMock(ctx context.Context) (stop func() error, err error) {
	m, err := r.service()
	if err != nil {
		return nil, err
	}
	n := r.settings.network.withDefaults()
	ln, err := n.listen()
	if err != nil {
		return nil, err
	}
	s, err := r.mockServer(n.wall(), m)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, ln) }()
	client, err := r.connect(ctx, endpoint.Config{
		URL: "http://" + ln.Addr().String(), Protocol: mockProtocol(r.scenario.Kind), Model: m.Name,
		SendAnswer: true, DialContext: n.dial,
	})
	if err != nil {
		cancel()
		return nil, errors.Join(err, <-ended)
	}
	r.model, r.direct = r.linked(client), client
	r.settings.Speech = r.mockSpeech(ln.Addr().String(), n.dial)
	end, err := r.setUpSpeech()
	if err != nil {
		client.Close()
		cancel()
		return nil, errors.Join(err, <-ended)
	}
	return func() error {
		end()
		client.Close()
		cancel()
		return <-ended
	}, nil
}

// mockServer returns the mock's server of a model, and of the speech of a scenario with audio.
func (r *run) mockServer(loop *pipeline.Wall, m scenario.Service) (*server.Server, error) {
	config := server.Config{
		Loop: loop, Seed: r.settings.Seed,
		Models: []server.Model{{Name: m.Name, Context: m.Context, Shares: m.Shares, Build: m.Build}},
	}
	if a := r.audio(); a != nil {
		config.Transcript = transcript(a)
		config.STT = func(string) speech.STT { return recognizer(r.scenario.Voice) }
		config.TTS = func(string) speech.TTS { return synthesizer(r.scenario.Voice) }
	}
	return server.New(config)
}

// mockProtocol returns the protocol that the kind of interaction speaks: code
// completion sends a prompt with a suffix, the others hold a conversation.
func mockProtocol(kind string) dialect.Protocol {
	if kind == pipeline.KindIDE {
		return dialect.OpenAICompletions
	}
	return dialect.OpenAIChat
}

func (r *run) setUpEndpoint(ctx context.Context) (stop func() error, err error) {
	config := &r.settings.Endpoint
	if config.Model == "" {
		if config.Model, err = endpoint.OnlyModel(ctx, *config); err != nil {
			return nil, err
		}
	}
	if r.settings.PriceOf != nil {
		config.Price = r.settings.PriceOf(config.Model)
	}
	client, err := r.connect(ctx, *config)
	if err != nil {
		return nil, err
	}
	r.model, r.direct = newTurnstile(r.clock, client, max(1, r.settings.PerUser)), client
	return func() error { client.Close(); return nil }, nil
}

// connect makes the tester's loop and a client on it, with connections open.
func (r *run) connect(ctx context.Context, c endpoint.Config) (*endpoint.Client, error) {
	r.spent = r.fail
	c.HashTexts, c.Quota, c.Spent = r.settings.HashTexts, r.quota(), func(cap error) { r.spent(cap) }
	if keep := r.settings.KeepExchange; keep != nil {
		c.Keep = func(x *exchange.Exchange) {
			if err := keep(x); err != nil {
				r.fail(err)
			}
		}
	}
	client, err := endpoint.NewClient(c, r.setUpWall())
	if err != nil {
		return nil, err
	}
	if err := r.setUpCounting(ctx, c); err != nil {
		client.Close()
		return nil, err
	}
	n := r.connections()
	if c.Cold {
		n = 1 // to see whether the server is there
	}
	if err := client.WarmUp(ctx, n); err != nil {
		client.Close()
		return nil, err
	}
	r.over = client.Over
	return client, nil
}

// openConnections is how many connections are opened before a run whose
// concurrency is not known beforehand. Later ones are opened as they are needed,
// and their requests are marked as not having reused one.
const openConnections = 8

func (r *run) connections() int {
	if p := r.scenario.Arrivals; !p.Open() {
		return min(p.Users, r.settings.N)
	}
	return min(openConnections, r.settings.N)
}
