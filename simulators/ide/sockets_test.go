package ide_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/text/fim"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/simulators/ide/cases"
)

// TestCasesOverSockets runs every case through the real client, HTTP and the real server, in
// a bubble whose clock stands still while anything is at work: all figures are exact.
func TestCasesOverSockets(t *testing.T) {
	eachCase(t, func(t *testing.T, s *cases.Setup, v *cases.Variant) {
		x := &sockets{setup: s}
		synctest.Test(t, x.play)
		got, err := x.outcome.Figures()
		if err != nil {
			t.Fatal(err)
		}
		for name := range v.Expect {
			why := x.beyondSockets(name)
			switch {
			case why == "":
			case *caseFile == "" && strings.HasPrefix(s.ID, "IDE-"): // one of the fourteen
				t.Errorf("%s is not compared: %s", name, why)
			default:
				t.Logf("%s is not compared: %s", name, why)
				delete(v.Expect, name)
			}
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

	last   time.Duration // when the last thing happened
	looked time.Duration // when the server was last looked at, which is nothing that happens

	outcome   *cases.Outcome
	boundLate bool // see lateBinding
}

// longest is longer than anything that a case waits for.
const longest = 1000 * time.Hour

// play has a case happen.
func (x *sockets) play(t *testing.T) {
	x.loop = pipeline.NewWall()
	x.loop.Quiet = x.quiet
	var err error
	if x.world, err = x.setup.Begin(x.loop); err != nil {
		t.Fatal(err)
	}
	if x.setup.Plugin.Protocol == "lsp" { // a language server has one connection, which is there
		x.setup.Network.HTTP, x.setup.Network.Warm = "2", true
	}
	x.net = newNetwork(t, &x.setup.Network)
	host := x.serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.Run(ctx, x.net.Listener) }()
	x.connect(t)
	x.run(t)
	x.Client.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	time.Sleep(time.Minute) // what was on its way arrives
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
	host, err := server.New(server.Config{
		Loop: x.loop, Models: []server.Model{m}, Answers: x.world, Certificate: x.net.certificate, Idle: longest,
		Warn: func(string) {}, // of connections that end with the case
	})
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

// quiet waits until nothing is at work but the loop.
func (x *sockets) quiet() {
	if now := x.loop.Now(); now != x.looked {
		x.last = now
	}
	synctest.Wait()
}

// run has everything happen.
func (x *sockets) run(t *testing.T) {
	over := make(chan struct{})
	finished := func() {}
	if x.setup.Until == nil {
		finished = func() { x.whenIdle(func() { x.end(x.last); close(over) }) }
	} else {
		until := time.Duration(math.Round(*x.setup.Until * float64(time.Millisecond)))
		x.loop.At(until, lastRank, func() { x.end(until); close(over) })
	}
	x.loop.Post(0, func() {
		if err := x.world.Type(x, finished); err != nil {
			t.Error(err)
		}
	})
	<-over
}

// end ends the case at an instant.
func (x *sockets) end(at time.Duration) {
	x.over = true
	x.loop.Stop()
	x.outcome = x.world.End(at, cases.Seen{Loads: x.asked.Stats().Loads, Dials: x.net.dials(), Served: x.seen})
}

// seen adds what only the server knows to the record of a request.
func (x *sockets) seen(r *pipeline.Request) {
	x.lateBinding(r)
	x.asked.fill(r)
}

// lastRank is behind all others.
const lastRank = pipeline.Rank(100)

// whenIdle calls f once nobody asks any more, and the server has nothing more to do.
func (x *sockets) whenIdle(f func()) {
	at := x.loop.Now()
	for _, o := range x.setup.Others {
		at = max(at, time.Duration(o.At)*time.Millisecond)
	}
	x.loop.At(at+time.Hour, lastRank, func() {
		x.looked = x.loop.Now()
		if s := x.asked.Stats(); s.Waiting+s.Running > 0 {
			x.whenIdle(f)
			return
		}
		f()
	})
}

// Start implements pipeline.LLM. The server knows a request by its ID.
func (x *sockets) Start(c *pipeline.Call) {
	c.Draw = uint64(c.Record.ID)
	if n := x.setup.Server.PromptTokens; n > 0 {
		resize(c, n)
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

// resize makes a prompt as long as is stated: it is cut, or goes on with words that no other has.
func resize(c *pipeline.Call, tokens int) {
	made := c.Prompt
	c.PromptTokens = tokens
	c.Prompt = func() pipeline.Prompt {
		p := made()
		if missing := tokens - token.Count(fim.Mark(p.Text)) - token.Count(p.Suffix); missing > 0 {
			end := &p.Text
			if p.Suffix != "" {
				end = &p.Suffix
			}
			*end += strings.Repeat(fmt.Sprintf(" %d", c.Record.ID), missing)
			return p
		}
		marked := token.Prefix(fim.Mark(p.Text), tokens) // a token of the template is one
		p.Text, p.Suffix = fim.Spell(marked), token.Prefix(p.Suffix, tokens-token.Count(marked))
		return p
	}
}
