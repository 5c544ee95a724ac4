package ide

import (
	"errors"
	"fmt"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
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
	// Broken is the share of answers that begin right and whose syntax goes wrong, 0 to 1, and
	// Language that of the text, for the mistakes in it; see answer.Break.
	Broken   float64
	Language string
	// Says, if not nil, states the answers of a modelled model in place of Right.
	Says func(*Question) Said
	// Typing returns what a user does.
	Typing func(user int) typing.Source
	// Reads is how people read suggestions and which ones they take, where their typing is an
	// Accepter; nil takes none.
	Reads *typing.Reader
	// MaxPause cuts the gap before any step; 0 cuts none.
	MaxPause time.Duration
	// NextRequest returns the ID of the next request of the run, greater than all
	// before.
	NextRequest func() int64
	// Late returns how late the loop handles the work in hand; nil means that it
	// never is.
	Late func() time.Duration
	// Drift has each trace of a request tell where and why its prompt differs from the one
	// before; that costs what the prompts are long.
	Drift bool
	// Typed has each key's trace tell what was typed.
	Typed bool
	// Watch, when set, is told of what happens in the editors: a language server keeps their
	// documents itself.
	Watch Watcher
	// Answered, when set, is handed each answer that came whole and has something to see,
	// before the trace that tells of its request.
	Answered func(Answered)
}

// Watcher is told of what happens in the editor of a user, on the loop, before anything is
// asked about it.
type Watcher interface {
	// Open says that another document is open. The path is "" where nobody knows it.
	Open(user int, path, text string, cursor int)
	Apply(user int, e document.Edit)
	Move(user, cursor int)
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
	if !(c.Broken >= 0 && c.Broken <= 1) {
		errs = append(errs, fmt.Errorf("share of broken answers is %v, must be 0 to 1", c.Broken))
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
	a := newAnswers(c.Seed, c.Right, c.Plugin.MaxTokens)
	a.says, a.broken, a.language = c.Says, c.Broken, c.Language
	return &Simulator{c, a}, nil
}

// Start lets a user begin now and type so many keys, or fewer when the typing
// ends before. done receives the trace of each key, in the order in which they
// are complete; finished is called after the last of them, never from inside
// Start.
//
// A trace, of kind "ide", is due at its key. It has the spans of what the key waited for when
// it made the plugin ask: the editor's thread, what the plugin prepares there, the debounce,
// the plugin's own limits, the model, and the hold; and its request's record.
// The marks "first_character", "first_line" and "last_character" tell when there was something
// to show for this key. Where its request's answer was shown, further marks tell from when to
// when, and what hid it. Facts: "opportunity" (yes or no) is whether the plugin's rules
// would ask after this key: nothing that is shown goes on with it, and nothing else
// happens for longer than they wait; "verdict" that of its request when text last came,
// "arrival" when it could first be shown, where that is another, and "right" (yes or no)
// whether its answer is what will be typed; "source" where its first text came from (network,
// joined, cache, speculation, typed_as_suggested, none); "class" the kind of key; "held" the
// rule that kept the plugin from asking; "given_up" who gave its request up; "stored" whether
// its answer is in the plugin's cache; "flashes" how often what was shown for it was taken
// away too soon to count. Uses names the request of an earlier step when that text came from
// there. Its outcome is ok unless its request failed: a request that was closed did not.
//
// A trace of kind "step" is the same of what else can lead to a request: a move, an edit
// that is no key, an accepted suggestion, the focus, and a guess at what follows one.
func (s *Simulator) Start(user, keys int, done func(*pipeline.Trace), finished func()) *Editor {
	e := &Editor{
		sim: s, user: user, typing: s.config.Typing(user), keys: keys,
		done: done, finished: finished, came: s.config.Loop.Now(),
	}
	e.prompts, e.cache = s.tools()
	e.act, e.asking.due, e.screen.over, e.thread.editor = e.arrive, e.askNow, e.holdOver, e
	if e.pull(); !e.more {
		s.config.Loop.After(0, pipeline.RankInput, e.settle)
	}
	return e
}

// tools returns what the plugin of one editor makes prompts with, and what it keeps answers
// in, if anything.
func (s *Simulator) tools() (*prompt.Builder, *cache.Cache) {
	b, err := prompt.NewBuilder(s.config.Plugin.Prompt)
	var c *cache.Cache
	if err == nil && s.config.Plugin.Cache.Capacity > 0 {
		c, err = cache.New(s.config.Plugin.Cache)
	}
	if err != nil {
		panic("ide: " + err.Error()) // the rules are valid
	}
	return b, c
}
