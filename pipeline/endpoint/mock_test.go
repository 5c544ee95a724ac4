package endpoint

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
)

// TestEveryDialectReadsTheMock asks a mock with a first token after 100 ms and one every
// 20 ms in each protocol.
func TestEveryDialectReadsTheMock(t *testing.T) {
	const first, gap = 100 * time.Millisecond, 20 * time.Millisecond
	answer := "The quick brown fox jumps"
	for _, name := range dialect.Names() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, err := dialect.Of(dialect.Protocol(name))
				if err != nil {
					t.Fatal(err)
				}
				got := askMock(t, d, answer, engine.Fixed{TTFT: first, TPOT: gap})
				want := pipeline.NewRequest(1, time.Second)
				want.Sent = time.Second
				want.FirstOutput = want.Sent + first
				want.LastOutput = want.FirstOutput + 4*gap
				want.Chunks, want.OutputTokens = 5, 5
				switch d.Protocol {
				case dialect.Tabby: // it answers whole, and counts nothing
					want.FirstOutput, want.LastOutput = pipeline.Unknown, pipeline.Unknown
					want.Chunks, want.OutputTokens = 0, pipeline.UnknownCount
				case dialect.Gemini: // many tokens go out together
					want.FirstOutput, want.Chunks = want.LastOutput, 1
				}
				if got.OutputTokens != want.OutputTokens || got.Chunks != want.Chunks {
					t.Errorf("%d tokens in %d chunks, want %d in %d", got.OutputTokens, got.Chunks, want.OutputTokens, want.Chunks)
				}
				if got.Outcome != pipeline.OK || got.Sent != want.Sent || got.FirstOutput != want.FirstOutput || got.LastOutput != want.LastOutput {
					t.Errorf("%s %q, sent %s, first output %s, last %s; want ok, %s, %s, %s",
						got.Outcome, got.Reason, got.Sent, got.FirstOutput, got.LastOutput, want.Sent, want.FirstOutput, want.LastOutput)
				}
			})
		})
	}
}

// askMock asks a mock of that pace once, a second after the start, and returns the
// record. The text must be the answer.
func askMock(t *testing.T, d *dialect.Dialect, answer string, pace engine.Fixed) pipeline.Request {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ln := memnet.Listen()
	s, err := server.New(server.Config{Loop: pipeline.NewWall(), Models: []server.Model{{
		Name: "m", Context: 4096, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: pace, Slots: 1, MaxContext: 4096})
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, ln) }()
	loop := newTestLoop()
	go loop.run()
	config := Config{URL: "http://mock.test", Protocol: d.Protocol, Model: "m", SendAnswer: true, DialContext: ln.DialContext}
	client, err := NewClient(config, loop)
	if err != nil {
		t.Fatal(err)
	}
	if d.Models != "" {
		if name, err := OnlyModel(ctx, config); err != nil || name != "m" && name != "m:latest" {
			t.Errorf("model %q, error %v; want m", name, err)
		}
	}
	time.Sleep(time.Second)
	text, done := "", make(chan struct{})
	call := pipeline.Call{
		MaxTokens: 50, Prompt: func() pipeline.Prompt { return pipeline.Prompt{Text: "Hello there."} }, Answer: func() string { return answer },
		Notify: func(p pipeline.Progress) { text += p.Text }, Done: func() { close(done) },
		Record: pipeline.NewRequest(1, time.Second),
	}
	loop.do(func() { client.Start(&call) })
	<-done
	client.Close()
	stop()
	if err := <-ended; err != nil && !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
	close(loop.ended)
	if text != answer {
		t.Errorf("text %q, want %q", text, answer)
	}
	return call.Record
}
