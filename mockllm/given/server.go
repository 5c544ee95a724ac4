// Package given is servers whose speed is stated rather than modelled: so many slots,
// so long to the first token, so long between tokens. Ghost-text cases describe their
// servers so.
//
// Read server.go for what can be stated, read.go for how it is written in a file,
// service.go for what a slot remembers, and script.go for answers that are written down
// one by one.
package given

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// Server is a stated server. Durations are in milliseconds, as in the file.
type Server struct {
	Slots int `json:"slots"`
	// TTFT and TPOT are the times to the first token and between tokens, and N the
	// tokens of an answer.
	TTFT float64 `json:"ttft_ms"`
	TPOT float64 `json:"tpot_ms"`
	N    int     `json:"n"`

	// With a PrefillRate, in tokens a second, the time to the first token is that of
	// the tokens to evaluate: PromptTokens if stated, else those of the prompt, less
	// what the cache of the slot holds of them.
	PromptTokens int     `json:"prompt_tokens"`
	PrefillRate  float64 `json:"prefill_tok_s"`
	PromptCache  string  `json:"prompt_cache"` // "none" or "prefix": what the prompt has in common with the one before

	// WarmSlots is the kind of request that each slot's cache holds at the start, unless the
	// model has to be loaded first: NewTokens are evaluated for one of the kind that it holds,
	// all for another. PinSlots has a request take only slots of its kind.
	WarmSlots []string `json:"warm_slots"`
	NewTokens int      `json:"new_tokens"`
	PinSlots  bool     `json:"pin_slots"`

	Detect     string `json:"detect"`      // when a hang-up is noticed: engine.ParseDetection
	QueueCheck bool   `json:"queue_check"` // who hangs up leaves the queue

	Load      float64 `json:"load_ms"`       // before the first start
	KeepAlive float64 `json:"keep_alive_ms"` // the model leaves so long after the last answer; 0 is never

	Limit *Limit `json:"limit"`

	BatchSlowdown float64 `json:"batch_slowdown"` // the step is longer by this share for each other request
	Chunk         string  `json:"chunk"`          // "token" or "whole"
	Answer        Answer  `json:"answer"`
	// Answers is a script for some of the requests; the others are served as all of the
	// above has it.
	Answers []Scripted `json:"answers"`

	held   []uint64 // tokens in the caches of all slots at the start
	paces  map[*engine.Request]Pace
	number func(*engine.Request) int // nil for the order of coming
	begins time.Duration             // what a script counts from; below 0 the arrival of the first request
}

// Script says that scripted answers count from an instant of the loop, and which number a
// request has among those of the script. Without it they count from the arrival of the first
// request, and requests have numbers in the order of their coming. Those of somebody else,
// which have a Pace, have none.
func (s *Server) Script(begins time.Duration, number func(*engine.Request) int) {
	s.begins, s.number = begins, number
}

// Hold has the caches of all slots begin with a prompt, unless the model has to be loaded
// first: the hashes of its tokens, as
// token.Blocks has them for blocks of one.
func (s *Server) Hold(tokens []uint64) { s.held = tokens }

// Pace is how a request is served whose times are stated for itself, and whose prompt is as
// long as it says: until its first token, and between tokens. Below 0 it is as the server has
// it.
type Pace struct{ First, Next time.Duration }

// Pace states the times of one request of somebody else, before it is submitted.
func (s *Server) Pace(r *engine.Request, p Pace) {
	if s.paces == nil {
		s.paces = map[*engine.Request]Pace{}
	}
	s.paces[r] = p
}

// Limit is how many requests are taken.
type Limit struct {
	Requests   int     `json:"requests"`
	Per        float64 `json:"per_ms"`
	RetryAfter float64 `json:"retry_after_ms"`
}

// Answer is what is answered: the rest of the true document, something that the typing
// never continues, or a text.
type Answer struct {
	Truth bool
	Text  string // "" for none
}

// Default returns what a server is when nothing is stated.
func Default() Server {
	return Server{Slots: 1, N: 1, PromptCache: "none", Detect: engine.AtOnce.String(), QueueCheck: true, Chunk: "token", begins: -1}
}

// Limits of what can be stated: each slot has a memory, an answer is made as a whole, and
// the clock counts nanoseconds.
const (
	mostSlots  = 100_000
	mostTokens = 1 << 20
	mostMS     = 1e9
)

// Validate reports everything that is impossible.
func (s *Server) Validate() error {
	var errs []error
	say := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	say(s.Slots < 1 || s.Slots > mostSlots, "slots: %d, want from 1 to %d", s.Slots, mostSlots)
	say(s.N < 1 || s.N > mostTokens, "n: %d, want from 1 to %d", s.N, mostTokens)
	for _, f := range []struct {
		name  string
		value float64
	}{
		{"ttft_ms", s.TTFT}, {"tpot_ms", s.TPOT}, {"prefill_tok_s", s.PrefillRate}, {"load_ms", s.Load}, {"keep_alive_ms", s.KeepAlive},
		{"batch_slowdown", s.BatchSlowdown}, {"prompt_tokens", float64(s.PromptTokens)}, {"new_tokens", float64(s.NewTokens)},
	} {
		say(!(f.value >= 0 && f.value <= mostMS), "%s: %g, want a number from 0 to %g", f.name, f.value, mostMS)
	}
	say(!slices.Contains([]string{"none", "prefix"}, s.PromptCache), `prompt_cache: %q, want "none" or "prefix"`, s.PromptCache)
	say(!slices.Contains([]string{"token", "whole"}, s.Chunk), `chunk: %q, want "token" or "whole"`, s.Chunk)
	say(s.WarmSlots != nil && len(s.WarmSlots) > s.Slots, "warm_slots: %d kinds for %d slots", len(s.WarmSlots), s.Slots)
	say(s.PinSlots && len(s.WarmSlots) != s.Slots, "pin_slots: %d slots need as many warm_slots, which say what each serves; there are %d", s.Slots, len(s.WarmSlots))
	say(s.Limit != nil && s.Limit.config().Validate() != nil, "limit: want requests of at least 1, per_ms above 0 and retry_after_ms from 0 on")
	wrong := s.checkScript()
	say(wrong != "", "%s", wrong)
	_, err := engine.ParseDetection(s.Detect)
	say(err != nil, "detect: %v", err)
	return errors.Join(errs...)
}

func (l *Limit) config() engine.QuotaConfig {
	return engine.QuotaConfig{Requests: l.Requests, Per: span(l.Per), RetryAfter: span(l.RetryAfter)}
}

// span returns milliseconds as a duration, to the nanosecond; more than can be stated is
// as much.
func span(ms float64) time.Duration {
	return time.Duration(math.Round(min(ms, mostMS) * float64(time.Millisecond)))
}

// Whole reports whether an answer is sent when all of it is there.
func (s *Server) Whole() bool { return s.Chunk == "whole" }

// Build makes the server on a loop, after Hold and Script, and before Pace. It must be valid.
func (s *Server) Build(loop pipeline.Scheduler) engine.Engine {
	detect, err := engine.ParseDetection(s.Detect)
	if err != nil {
		panic(fmt.Sprintf("given: %v", err))
	}
	first := true // what the caches hold goes when the model does
	slots := func(loop pipeline.Scheduler) engine.Engine {
		c := engine.SlotsConfig{Service: newService(s, first && s.Load == 0), Slots: s.Slots, MaxContext: math.MaxInt32}
		if s.PinSlots {
			c.Kinds = s.WarmSlots
		}
		first = false
		return engine.NewSlots(loop, c)
	}
	var e engine.Engine
	if s.Load > 0 || s.KeepAlive > 0 {
		e = engine.NewCold(loop, engine.ColdConfig{Load: span(s.Load), Reload: span(s.Load), Idle: span(s.KeepAlive)}, slots)
	} else {
		e = slots(loop)
	}
	hangUps := engine.DetectorConfig{Detection: detect, KeepsQueued: !s.QueueCheck}
	e = engine.NewDetector(hangUps, e)
	if s.Limit != nil {
		e = engine.NewQuota(loop, s.Limit.config(), e)
	}
	if len(s.Answers) > 0 {
		e = s.newStage(loop, hangUps, e)
	}
	return e
}
