package ide

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// Config sets up a Simulator.
type Config struct {
	Loop   pipeline.Scheduler
	LLM    pipeline.LLM
	Seed   uint64
	Plugin plugin.Rules
	// Right is the share of answers that are what will be typed, 0 to 1.
	Right float64
	// Typing returns what a user does.
	Typing func(user int) typing.Source
	// MaxPause cuts the gap before any step; 0 cuts none.
	MaxPause time.Duration
	// NextRequest returns the ID of the next request of the run, greater than all
	// before.
	NextRequest func() int64
	// Late returns how late the loop handles the work in hand; nil means that it
	// never is.
	Late func() time.Duration
}

// Validate reports everything that makes a configuration impossible.
func (c Config) Validate() error {
	var errs []error
	for _, part := range []struct {
		name  string
		there bool
	}{
		{"loop", c.Loop != nil}, {"language model", c.LLM != nil},
		{"typing", c.Typing != nil}, {"source of request IDs", c.NextRequest != nil},
	} {
		if !part.there {
			errs = append(errs, fmt.Errorf("there is no %s", part.name))
		}
	}
	if c.MaxPause < 0 {
		errs = append(errs, fmt.Errorf("longest pause is %s, must not be negative", c.MaxPause))
	}
	if !(c.Right >= 0 && c.Right <= 1) {
		errs = append(errs, fmt.Errorf("share of right answers is %v, must be 0 to 1", c.Right))
	}
	return errors.Join(append(errs, c.Plugin.Validate())...)
}

// Simulator lets people type. Its methods run on the loop, or before it runs.
type Simulator struct {
	config  Config
	answers *answers
}

// New returns a simulator in which nobody types yet. It is an error when the
// configuration is not valid.
func New(c Config) (*Simulator, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Simulator{c, newAnswers(c.Seed, c.Right, c.Plugin.MaxTokens)}, nil
}

// Start lets a user begin now and type so many keys, or fewer when the typing
// ends before. done receives the trace of each key, in the order in which they
// are complete; finished is called after the last of them, never from inside
// Start.
//
// A trace, of kind "ide", is due at its key. It has a span "debounce" and a span
// "llm_first_token" when the key made the plugin ask, and its request's record.
// The marks "first_character" and "first_line" tell when there was something to
// show for this key. Facts: "opportunity" (yes or no) is whether the plugin's rules
// would ask after this key: nothing that is shown goes on with it, and nothing else
// happens for longer than the debounce; "verdict" that of its request; "source" where its first text came from
// (network, typed_as_suggested, none); "class" the kind of key. Uses names the
// request of an earlier key when that text came from there, "typed-as-suggested"
// or "joined". Its outcome is ok unless its request failed: a request that was
// closed did not.
func (s *Simulator) Start(user, keys int, done func(*pipeline.Trace), finished func()) {
	s.begin(user, keys, done, finished)
}

func (s *Simulator) begin(user, keys int, done func(*pipeline.Trace), finished func()) *editor {
	e := &editor{
		sim: s, user: user, typing: s.config.Typing(user), keys: keys,
		done: done, finished: finished,
	}
	e.act, e.ask = e.step, e.send
	if e.pull(); !e.more {
		s.config.Loop.After(0, pipeline.RankInput, e.settle)
	}
	return e
}
