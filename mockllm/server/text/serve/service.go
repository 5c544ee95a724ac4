// Package serve is what the fronts of language-model protocols have in common: an Order is
// what a client asks for, whichever protocol it speaks; a Generation is the answer on its
// way from the loop to a socket; a Form writes it in the shape of its protocol.
//
// Read service.go for what is served, order.go for what can be asked for and what is
// refused, compose.go for what the mock says, tools.go for when it calls a tool,
// generation.go for how a token gets to the socket at its instant, form.go for what a
// protocol adds, and software.go for what servers add that speak the same one.
package serve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/observe"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire"
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
	// Weights is the bytes that its weights take in memory, and Parameters how many they
	// are; 0 where nobody knows.
	Weights, Parameters int64
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
	// are answered with a call; see tools.go for the rule.
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
	// Observer is told of every completion of a document; nil tells nobody.
	Observer *observe.Observer
	// Stopped is closed when the loop has ended.
	Stopped <-chan struct{}
	// Warn is told what the user of the server should know of; nil tells nobody.
	Warn func(text string)
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
	Config  Config
	models  map[string]*model
	Started time.Time
	nextID  atomic.Int64
	ended   []func(g *Generation)
	unknown unknown
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
	c.AnyModel = c.AnyModel || len(c.Models) == 1 && c.Models[0].Software().LlamaCPP
	s := &Service{Config: c, models: map[string]*model{}, Started: time.Now()}
	for _, m := range c.Models {
		if m.Name == "" || s.models[m.Name] != nil {
			return nil, fmt.Errorf("model name %q is empty or given twice", m.Name)
		}
		m.Chunk = max(1, m.Chunk)
		s.models[m.Name] = &model{Model: m, engine: m.Build(c.Loop), gaps: c.Ledger.Gaps(m.Name)}
	}
	return s, nil
}

// Named gives every answer to a request, a refusal too, an id in a header.
func (s *Service) Named(header string, handle http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(header, s.NewID("req_"))
		handle(w, r)
	}
}

// Refuse turns away a request that no engine has seen, which named that model.
func (s *Service) Refuse(w http.ResponseWriter, r *http.Request, p *Protocol, model string, e *wire.Failure) {
	s.KeepRefusal(r, p, model, e.Message)
	p.Refuse(w, e)
}

// unknownModel stands in the ledger for the model of a request that names none.
const unknownModel = "unknown"

// KeepRefusal keeps in the ledger that a request was turned away before any engine saw it.
func (s *Service) KeepRefusal(r *http.Request, p *Protocol, model, why string) {
	if s.Config.Observer != nil {
		s.Config.Observer.Refused()
	}
	now := s.Config.Loop.Elapsed()
	s.Config.Ledger.AddFor(fault.From(r.Context()), ledger.Entry{
		Protocol: p.Name, Path: r.URL.Path, Model: cmp.Or(model, unknownModel),
		Arrived: now, Ended: now, Started: pipeline.Unknown, First: pipeline.Unknown, Left: pipeline.Unknown,
		Outcome: pipeline.Refused, Reason: why,
	})
}

// Cold returns what brings a model into memory when it is asked for; nil for one that is
// always there. It must be used on the loop.
func (s *Service) Cold(m *Model) *engine.Cold { return engine.FindCold(s.models[m.Name].engine) }

// OnEnd has the loop call f with each generation that ends.
func (s *Service) OnEnd(f func(g *Generation)) { s.ended = append(s.ended, f) }

// State returns the state of each model's engine, by name. The engines belong to the
// loop, so the loop is asked; one that has ended has no state.
func (s *Service) State() map[string]engine.Stats {
	all := map[string]engine.Stats{}
	asked := s.Ask(func() {
		for name, m := range s.models {
			all[name] = m.engine.Stats()
		}
	})
	if !asked {
		return nil
	}
	return all
}

// NewID returns an id that this service gives only once.
func (s *Service) NewID(prefix string) string {
	return prefix + strconv.FormatInt(s.Started.UnixNano(), 36) + strconv.FormatInt(s.nextID.Add(1), 36)
}

// unix returns the time of day in seconds.
func (s *Service) unix() int64 { return time.Now().Unix() }

// Stats returns the state of a model's engine. It must be called on the loop.
func (s *Service) Stats(m *Model) engine.Stats { return s.models[m.Name].engine.Stats() }

// Names returns the names of the models, in order.
func (s *Service) Names() []string { return slices.Sorted(maps.Keys(s.models)) }

// Ask has the loop call f and waits for it; it reports false when the loop has ended.
func (s *Service) Ask(f func()) bool {
	done := make(chan struct{})
	loop := s.Config.Loop
	if !loop.Post(loop.Elapsed(), func() { f(); close(done) }) {
		return false
	}
	select {
	case <-done:
		return true
	case <-s.Config.Stopped: // between the post and its turn
		return false
	}
}
