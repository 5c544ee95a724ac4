// Package text is the fronts of a mock server for language models, one protocol a
// file: each reads its own requests and writes its own streams, errors and counts,
// and all are answered by the same engines at the same instants.
//
// Read service.go for what is served, order.go for what a client asks for and what it
// is refused, answer.go for what the mock says, tools.go for when it calls a tool,
// generation.go for how a token gets from the loop to the socket at its instant, form.go
// for what a protocol adds, software.go for what servers add that speak the same one, and
// then any protocol.
package text

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Model is one model that is served.
type Model struct {
	Name    string
	Context int // most tokens of prompt and output together
	// Shares says that the engine reuses what prompts have in common, or that a
	// router before it looks at that.
	Shares bool
	// Chunk is the number of tokens that go out together, as hosted services send
	// several; 0 means one.
	Chunk int
	// Family is the serving software that it imitates beyond the protocol, by its name
	// in the catalogue of engines, such as "llama.cpp"; "" for none.
	Family string
	// Slots is how many requests it serves at once, as llama.cpp's server tells it; 0
	// means that nobody knows, and as many are told of as are busy.
	Slots int
	// SuffixFirst puts the suffix before the prefix in prompts that it makes for code,
	// as llama.cpp's server does with --spm-infill.
	SuffixFirst bool
	// Build makes the engine that serves it, on the server's loop.
	Build func(loop pipeline.Scheduler) engine.Engine
}

// Config sets up a Service.
type Config struct {
	Models []Model
	// Loop is the clock that the engines run on.
	Loop *pipeline.Wall
	// ReplyTokens is the length of an answer that the client neither dictates nor
	// limits; the zero Count means DefaultReplyTokens.
	ReplyTokens dist.Count
	// ThinkingTokens is the length of the reasoning before an answer where a client
	// asks for reasoning; the zero Count means that no model reasons.
	ThinkingTokens dist.Count
	// ToolShare is the share, 0 to 1, of requests with tools and a free choice that
	// are answered with a call; see Service.called for the rule.
	ToolShare float64
	// Answers says what is answered, where it has something to say; nil leaves every
	// answer to the request and the seed.
	Answers answer.Source
	// AnyModel serves the first model to those who ask for one that is not there or for
	// none. llama.cpp's server always does so when it has one model.
	AnyModel bool
	// Seed picks the words and lengths of answers, beside the prompt.
	Seed uint64
	// MaxBody is the largest request body in bytes; 0 means DefaultMaxBody.
	MaxBody int64
	// Ledger is told of every request and write.
	Ledger *ledger.Ledger
	// Stopped is closed when the loop has ended.
	Stopped <-chan struct{}
}

// DefaultMaxBody is the largest request body when none is set, in bytes. It holds
// a prompt of far more than 100,000 tokens.
const DefaultMaxBody = 8 << 20

// DefaultReplyTokens returns the length of an answer when none is set: the median
// and p95 of a chat answer, from the median and p90 of the generated tokens of the
// Azure LLM inference trace 2023, conversation (Azure/AzurePublicDataset, commit
// b469a11, CC-BY 4.0, Patel et al., ISCA 2024), read 2026-11-29: 129 and 424, the
// latter taken as p95 is a little short.
func DefaultReplyTokens() dist.Count {
	c, err := dist.CountFromQuantiles(129, 424)
	if err != nil {
		panic(err)
	}
	return c
}

const (
	readLimit  = time.Minute      // of a request's body
	writeLimit = 30 * time.Second // of one write to a client that does not read, at most
)

// Service answers the requests of language-model protocols.
type Service struct {
	config  Config
	models  map[string]*model
	started time.Time
	nextID  atomic.Int64
	kept    responseStore
}

// model is a Model with its engine.
type model struct {
	Model
	engine engine.Engine
	gaps   ledger.Gaps // times between tokens that go out
}

// New returns a service of the given models. The error names what is wrong.
func New(c Config) (*Service, error) {
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.ReplyTokens == (dist.Count{}) {
		c.ReplyTokens = DefaultReplyTokens()
	}
	if !(c.ToolShare >= 0 && c.ToolShare <= 1) {
		return nil, fmt.Errorf("share of answers that call a tool is %g: it must be from 0 to 1", c.ToolShare)
	}
	if len(c.Models) == 0 {
		return nil, errors.New("a server needs at least one model")
	}
	c.AnyModel = c.AnyModel || len(c.Models) == 1 && c.Models[0].software().onlyModel
	s := &Service{config: c, models: map[string]*model{}, started: time.Now()}
	for _, m := range c.Models {
		if m.Name == "" || s.models[m.Name] != nil {
			return nil, fmt.Errorf("model name %q is empty or given twice", m.Name)
		}
		m.Chunk = max(1, m.Chunk)
		s.models[m.Name] = &model{Model: m, engine: m.Build(c.Loop), gaps: c.Ledger.Gaps(m.Name)}
	}
	return s, nil
}

// Handle adds the routes of every protocol. They answer only while the loop runs.
func (s *Service) Handle(mux *http.ServeMux) {
	s.handleOpenAI(mux)
	s.handleVLLM(mux)
	s.handleAnthropic(mux)
	s.handleLlamaCPP(mux)
	s.handleOllama(mux)
	s.handleMistral(mux)
	s.handleTabby(mux)
	s.handleGemini(mux)
	s.handleModels(mux)
}

// named gives every answer to a request, a refusal too, an id in a header.
func (s *Service) named(header string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(header, s.newID("req_"))
		handle(w, r)
	}
}

// refuse turns away a request that no engine has seen.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, p *protocol, e *apiError) {
	s.keepRefusal(r, p, e.message)
	p.refuse(w, e)
}

// keepRefusal keeps in the ledger that a request was turned away before any engine saw it.
// Its model is not kept, since it may be what is wrong.
func (s *Service) keepRefusal(r *http.Request, p *protocol, why string) {
	now := s.config.Loop.Elapsed()
	s.config.Ledger.Add(ledger.Entry{
		Protocol: p.name, Path: r.URL.Path, Arrived: now, Ended: now, Started: pipeline.Unknown, First: pipeline.Unknown, Left: pipeline.Unknown,
		Outcome: pipeline.Refused, Reason: why, Fault: fault.From(r.Context()).Rules(),
	})
}

// State returns the state of each model's engine, by name. The engines belong to the
// loop, so the loop is asked; one that has ended has no state.
func (s *Service) State() map[string]engine.Stats {
	answer := make(chan map[string]engine.Stats, 1)
	loop := s.config.Loop
	asked := loop.Post(loop.Elapsed(), func() {
		all := map[string]engine.Stats{}
		for name, m := range s.models {
			all[name] = m.engine.Stats()
		}
		answer <- all
	})
	if !asked {
		return nil
	}
	select {
	case all := <-answer:
		return all
	case <-s.config.Stopped: // between the post and its turn
		return nil
	}
}

// newID returns an id that this service gives only once.
func (s *Service) newID(prefix string) string {
	return prefix + strconv.FormatInt(s.started.UnixNano(), 36) + strconv.FormatInt(s.nextID.Add(1), 36)
}

// unix returns the time of day in seconds.
func (s *Service) unix() int64 { return time.Now().Unix() }
