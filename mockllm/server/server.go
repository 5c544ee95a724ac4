// Package server is a mock server whose answers come at the speed of modelled
// engines on the wall clock.
//
// Read server.go for the server and host.go for how it is run; the protocols are in text
// and voice, ledger keeps what was asked, and replay serves what was recorded.
package server

import (
	"context"
	"net"
	"net/http"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/text"
	"halfsecond/mockllm/server/text/sample"
	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Model is one model that the server offers.
type Model = text.Model

// Config sets up a Server. What it leaves out is as text.Config has it.
type Config struct {
	Models []Model
	// Loop is the clock that the engines run on; the server runs it.
	Loop *pipeline.Wall
	// ReplyTokens is the length of an answer that the client neither dictates nor
	// limits.
	ReplyTokens dist.Count
	// ThinkingTokens is the length of the reasoning before an answer where a client
	// asks for reasoning.
	ThinkingTokens dist.Count
	// ToolShare is the share of requests with tools and a free choice that are answered
	// with a call.
	ToolShare float64
	// Answers says what is answered, where it has something to say.
	Answers answer.Source
	// AnyModel serves the first model to those who ask for one that is not there.
	AnyModel bool
	// Seed picks the words and lengths of answers, beside the prompt.
	Seed uint64
	// MaxBody is the largest request body in bytes.
	MaxBody int64
	// Transcript is what speech to text hears, an utterance each.
	Transcript []string
	// Replies is what a model answers that hears and speaks, a response each, from the start
	// again after the last; an empty one leaves the words to the mock.
	Replies []string
	// STT and TTS return how a speech model of that name behaves.
	STT func(model string) speech.STT
	TTS func(model string) speech.TTS
	// DialAnywhere lets Twilio's calls be connected to any host, not this machine alone.
	DialAnywhere bool
	// Observer is told of every completion of a document; nil tells nobody.
	Observer *observe.Observer
	// Texts has the server tell what was typed and answered when it is asked for what was
	// observed, and not only how much.
	Texts bool
	// Certificate makes the server speak TLS; nil leaves it plain.
	Certificate *Certificate
	// Key is what a client must send, in any of the places where clients send keys;
	// "" checks nothing.
	Key string
	// Warn is told, in words, what the user of the server should do something about; nil
	// tells nobody. It may be called from any goroutine.
	Warn func(text string)
	// Idle is how long a connection stays open that no request is on; 0 means two minutes.
	Idle time.Duration
	// Limit is the p99 of the write error above which the server calls itself unfit; 0
	// means ledger.DefaultLimit.
	Limit time.Duration
}

// Server serves models. Make one with New, and Run it once.
type Server struct {
	// Ledger is what was asked and how late the answers were written.
	Ledger *ledger.Ledger
	// Faults is what shall go wrong.
	Faults *fault.Set

	config  Config
	loop    *pipeline.Wall
	text    *text.Service
	voice   *voice.Service
	wyoming net.Listener  // nil when it is not served
	stopped chan struct{} // closed when the loop has ended
}

// New returns a server of the given models. The error names what is wrong.
func New(c Config) (*Server, error) {
	s := &Server{config: c, loop: c.Loop, stopped: make(chan struct{})}
	s.Ledger = ledger.New(ledger.Config{Limit: c.Limit, State: s.state, Began: time.Now().Add(-c.Loop.Elapsed())})
	if c.Answers != nil {
		c.Answers = &teller{Source: c.Answers, warn: s.warn, told: map[string]bool{}}
	}
	var err error
	s.text, err = text.New(text.Config{
		Models: c.Models, Loop: c.Loop, ReplyTokens: c.ReplyTokens, ThinkingTokens: c.ThinkingTokens, ToolShare: c.ToolShare,
		Answers: c.Answers, AnyModel: c.AnyModel, Seed: c.Seed, MaxBody: c.MaxBody, Ledger: s.Ledger, Observer: c.Observer, Stopped: s.stopped, Warn: c.Warn,
	})
	if err != nil {
		return nil, err
	}
	s.voice = voice.New(voice.Config{
		Loop: c.Loop, Seed: c.Seed, MaxBody: c.MaxBody, Transcript: c.Transcript, Replies: c.Replies, STT: c.STT, TTS: c.TTS, DialAnywhere: c.DialAnywhere,
		Arguments: sample.Arguments,
		Ledger:    s.Ledger, Stopped: s.stopped,
	})
	s.Faults = fault.New(fault.Config{Seed: c.Seed, Now: c.Loop.Elapsed, MaxBody: c.MaxBody, Answered: s.answered, Waits: s.waits})
	c.Loop.Lateness = s.Ledger.Late
	return s, nil
}

// state returns the state of the engines. A load that a rule fakes is one like any other.
func (s *Server) state() map[string]engine.Stats {
	all := s.text.State()
	for name, n := range s.Faults.Loads() {
		m := s.text.Lookup(name)
		if m == nil || all == nil {
			continue
		}
		e := all[m.Name]
		e.Loads += n
		all[m.Name] = e
	}
	return all
}

// Handler returns the server's routes. They answer only while Run runs the loop.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.text.Handle(mux)
	s.voice.Handle(mux)
	mux.HandleFunc("GET /v1/halfsecond/requests", s.Ledger.Show)
	mux.HandleFunc("DELETE /v1/halfsecond/requests", func(w http.ResponseWriter, _ *http.Request) {
		s.Ledger.Clear()
		w.WriteHeader(http.StatusNoContent)
	})
	s.handleObserved(mux)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"status":"ok"}`)) // the client may be gone
	})
	mux.Handle("GET /metrics", s.text.Metrics(s.Ledger.Metrics()))
	mux.HandleFunc("/", s.text.Unknown)
	s.Faults.Handle(mux)
	return s.text.Shown(browsable(s.Faults.Middleware(s.locked(mux))))
}

// entry returns what is known of a request that no front has seen.
func entry(a fault.Answer) ledger.Entry {
	return ledger.Entry{
		Protocol: a.Protocol, Path: a.Path, Model: a.Model, Arrived: a.Arrived, Ended: a.Ended,
		Started: pipeline.Unknown, First: pipeline.Unknown, Left: pipeline.Unknown,
		Outcome: pipeline.Refused, Reason: a.Message, Fault: a.Rules,
	}
}

// waits has the ledger tell of a request that waits for a model which a rule has loaded.
func (s *Server) waits(a fault.Answer) (over func()) { return s.Ledger.Begin(nil, entry(a)).Forget }

// answered keeps a request that a rule answered before any front saw it.
func (s *Server) answered(a fault.Answer) {
	e := entry(a)
	if a.Left {
		e.Left, e.Outcome = a.Ended, pipeline.Cancelled
	}
	s.Ledger.Add(e)
}

// Wyoming has Run serve the Wyoming protocol, which is no HTTP, on a listener of its own.
func (s *Server) Wyoming(ln net.Listener) { s.wyoming = &door{Listener: ln, warn: s.config.Warn} }

// warn tells the user of the server something.
func (s *Server) warn(text string) {
	if s.config.Warn != nil {
		s.config.Warn(text)
	}
}

// Run serves on the listener until ctx ends, then cancels what is under way and
// returns nil. It closes the listener.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	h := Host{
		Handler: s.Handler(), Loop: s.loop, Certificate: s.config.Certificate, Warn: s.config.Warn, Idle: s.config.Idle,
		Stopped: func() { close(s.stopped) },
	}
	if s.wyoming != nil {
		h.Beside = func(ctx context.Context) error { return s.voice.ServeWyoming(ctx, s.wyoming) }
	}
	defer s.voice.Wait()
	return h.Run(ctx, s.Faults.Listener(ln))
}
