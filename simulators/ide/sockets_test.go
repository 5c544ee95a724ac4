package ide_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/simulators/ide/cases"
)

// TestCasesOverSockets runs every case through the real client, HTTP and the real server, in
// a bubble whose clock stands still while anything is at work: all figures are exact.
func TestCasesOverSockets(t *testing.T) {
	eachCase(t, func(t *testing.T, s *cases.Setup, v *cases.Variant) {
		var o *cases.Outcome
		synctest.Test(t, func(t *testing.T) { o = overSockets(t, s) })
		got, err := o.Figures()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, v, got)
	})
}

// sockets is a case at work over sockets: its plugin asks by a real client.
type sockets struct {
	*endpoint.Client
	setup *cases.Setup
	world *cases.World
	loop  *pipeline.Wall
	asked *attendance
	net   *network
	over  bool
}

// longest is longer than anything that a case waits for.
const longest = 1000 * time.Hour

// overSockets returns what becomes of a case.
func overSockets(t *testing.T, s *cases.Setup) *cases.Outcome {
	loop := pipeline.NewWall()
	loop.Quiet = synctest.Wait
	w, err := s.Begin(loop)
	if err != nil {
		t.Fatal(err)
	}
	x := &sockets{setup: s, world: w, loop: loop}
	x.net = newNetwork(t, &s.Network)
	host := x.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.Run(ctx, x.net.Listener) }()
	x.connect(t)
	o := x.run(t)
	x.Client.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return o
}

// serve returns the mock's server with the server of the case.
func (x *sockets) serve(t *testing.T) *server.Server {
	m := server.Model{Name: "m", Context: 1 << 30, Shares: true, Build: func(pipeline.Scheduler) engine.Engine {
		x.asked = newAttendance(t, x)
		return x.asked
	}}
	if x.setup.Server.Whole() {
		m.Chunk = m.Context
	}
	host, err := server.New(server.Config{Loop: x.loop, Models: []server.Model{m}, Answers: x.world, Certificate: x.net.certificate})
	if err != nil {
		t.Fatal(err)
	}
	return host
}

// connect makes the client, and opens the connections that are there before the first key.
func (x *sockets) connect(t *testing.T) {
	var err error
	x.Client, err = endpoint.NewClient(endpoint.Config{
		URL: x.net.url(), Protocol: dialect.OpenAICompletions, Model: "m", SendAnswer: true, DialContext: x.net.dial, Roots: x.net.roots(t),
		Limits: endpoint.Limits{Connect: longest, FirstByte: longest, Gap: longest, Whole: longest},
	}, x.loop)
	if err != nil {
		t.Fatal(err)
	}
	if x.setup.Network.Warm {
		if err := x.Client.WarmUp(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	x.net.begin()
}

// run has everything happen, and returns what became of it.
func (x *sockets) run(t *testing.T) *cases.Outcome {
	over := make(chan *cases.Outcome, 1)
	end := func() {
		x.over = true
		over <- x.world.End(x.setup.End(), cases.Seen{Loads: x.asked.Stats().Loads, Dials: x.net.dials(), Served: x.asked.fill})
	}
	finished := func() {}
	if x.setup.Until != nil {
		x.loop.At(x.setup.End(), lastRank, end)
	} else {
		finished = func() { x.whenIdle(end) }
	}
	x.loop.Post(0, func() {
		if err := x.world.Type(x, finished); err != nil {
			t.Error(err)
		}
	})
	return <-over
}

// lastRank is behind all others.
const lastRank = pipeline.Rank(100)

// whenIdle calls f once the server has nothing more to do.
func (x *sockets) whenIdle(f func()) {
	if x.asked.busy() {
		x.loop.After(time.Hour, lastRank, func() { x.whenIdle(f) })
		return
	}
	x.loop.After(0, lastRank, f)
}

// Start implements pipeline.LLM. The server knows a request by its ID.
func (x *sockets) Start(c *pipeline.Call) {
	c.Draw = uint64(c.Record.ID)
	if n := x.setup.Server.PromptTokens; n > 0 {
		x.lengthen(c, n)
	}
	notify, done := c.Notify, c.Done
	c.Notify = func(p pipeline.Progress) {
		if !x.over {
			notify(p)
		}
	}
	c.Done = func() {
		if !x.over {
			done()
		}
	}
	x.Client.Start(c)
}

// lengthen makes a prompt as long as is stated, with words that no other has.
func (x *sockets) lengthen(c *pipeline.Call, tokens int) {
	short, missing := c.Prompt, tokens-c.PromptTokens
	c.PromptTokens = tokens
	c.Prompt = func() pipeline.Prompt {
		p := short()
		p.Text += strings.Repeat(fmt.Sprintf(" %d", c.Record.ID), missing)
		return p
	}
}
