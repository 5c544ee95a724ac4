package ide

import (
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/ide/typing"
)

const ms = time.Millisecond

// typist returns a person who types a built-in text.
func typist(t testing.TB, text, profile string) *typing.Typist {
	t.Helper()
	p, err := typing.ProfileNamed(profile)
	if err != nil {
		t.Fatal(err)
	}
	content, err := typing.Text(text)
	if err != nil {
		t.Fatal(err)
	}
	y, err := typing.NewTypist(content, p)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// recorded returns what was done to a document of the built-in recording.
func recorded(t testing.TB, number int) typing.Source {
	t.Helper()
	y, err := recording.BuiltIn().Replay(number)
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// shape is prompts of the last and the first tokens around the cursor.
func shape(prefix, suffix int) prompt.Shape {
	return prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: prefix}, Suffix: prompt.Size{N: suffix}}
}

// scripted is typing that was written down.
type scripted []typing.Step

func (s *scripted) Next() (typing.Step, bool) {
	if len(*s) == 0 {
		return typing.Step{}, false
	}
	step := (*s)[0]
	*s = (*s)[1:]
	return step, true
}

// at writes typing down: a document, and then what happens at which instants.
type at struct {
	steps []typing.Step
	last  time.Duration
	doc   document.Document
	line  string // what the line will be; truth is what is left of it
}

func open(before, after string) *at {
	a := &at{steps: []typing.Step{{Kind: typing.Open, Text: before + after, Cursor: len(before)}}}
	a.steps[0].Do(&a.doc)
	return a
}

// will says what the line is going to be.
func (a *at) will(line string) *at { a.line = line; return a }

func (a *at) add(t time.Duration, s typing.Step) *at {
	s.Gap = t - a.last
	a.last = t
	s.Do(&a.doc)
	if n := a.doc.Cursor(); s.Kind == typing.Key && n <= len(a.line) {
		s.Truth = a.line[n:]
	}
	a.steps = append(a.steps, s)
	return a
}

func (a *at) key(t time.Duration, text string) *at {
	c := a.doc.Cursor()
	return a.add(t, typing.Step{Kind: typing.Key, Class: typing.ClassOf(rune(text[0])), Edit: document.Edit{Offset: c, Insert: text, Cursor: c + len(text)}})
}

// keys types a text, one key every gap.
func (a *at) keys(t, gap time.Duration, text string) *at {
	for i := range text {
		a.key(t+time.Duration(i)*gap, text[i:i+1])
	}
	return a
}

func (a *at) backspace(t time.Duration) *at {
	c := a.doc.Cursor()
	return a.add(t, typing.Step{Kind: typing.Key, Class: typing.Backspace, Edit: document.Edit{Offset: c - 1, Delete: 1, Cursor: c - 1}})
}

func (a *at) move(t time.Duration, cursor int) *at {
	return a.add(t, typing.Step{Kind: typing.Move, Cursor: cursor})
}

// rig runs people on one loop against one model.
type rig struct {
	t       testing.TB
	loop    pipeline.Scheduler
	virtual pipeline.Virtual
	config  Config
	traces  []*pipeline.Trace // in order of session and index, once run
	left    int               // people who have not finished
}

// newRig has one slot that puts out a token every tpot after ttft, and a plugin
// that the test changes.
func newRig(t testing.TB, slots int, ttft, tpot time.Duration) *rig {
	r := &rig{t: t}
	r.on(&r.virtual, slots, ttft, tpot)
	return r
}

// on puts the rig on a loop.
func (r *rig) on(loop pipeline.Scheduler, slots int, ttft, tpot time.Duration) {
	r.loop = loop
	e := engine.NewSlots(loop, engine.SlotsConfig{Service: engine.Fixed{TTFT: ttft, TPOT: tpot}, Slots: slots, MaxContext: 1 << 20})
	var id int64
	r.config = Config{
		Loop: loop, LLM: engine.NewStage(loop, e), Seed: 1, Right: 1,
		Plugin:      plugin.Rules{Prompt: shape(100, 20), MaxTokens: 20},
		NextRequest: func() int64 { id++; return id },
	}
}

// start lets users type; finished is called after the last trace of all.
func (r *rig) start(users, keys int, types func(user int) typing.Source, finished func()) []*Editor {
	r.t.Helper()
	r.config.Typing = types
	s, err := New(r.config)
	if err != nil {
		r.t.Fatal(err)
	}
	r.left = users
	var editors []*Editor
	for user := range users {
		e := s.Start(user, keys, func(t *pipeline.Trace) { r.traces = append(r.traces, t) }, func() {
			if r.left--; r.left == 0 {
				finished()
			}
		})
		editors = append(editors, e)
	}
	return editors
}

// play runs one person's written typing to its end.
func (r *rig) play(a *at) []*pipeline.Trace {
	r.t.Helper()
	steps := scripted(a.steps)
	return r.run(1, len(a.steps), func(int) typing.Source { return &steps })
}

func (r *rig) run(users, keys int, types func(user int) typing.Source) []*pipeline.Trace {
	r.t.Helper()
	r.start(users, keys, types, func() {})
	if err := r.virtual.Run(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	if r.left != 0 {
		r.t.Errorf("%d people did not finish", r.left)
	}
	r.sort()
	return r.traces
}

func (r *rig) sort() {
	slices.SortFunc(r.traces, func(a, b *pipeline.Trace) int {
		if a.Session != b.Session {
			return a.Session - b.Session
		}
		return a.Index - b.Index
	})
}

// requests returns the records of all requests, in the order of the keys.
func requests(traces []*pipeline.Trace) []pipeline.Request {
	var all []pipeline.Request
	for _, t := range traces {
		all = append(all, t.Requests...)
	}
	return all
}

// spoken is a model behind a socket: what it says was written down, and it says
// it all at once.
type spoken struct {
	loop  pipeline.Scheduler
	after time.Duration
	says  []string // to the first, second, ... request
	// finish is why it says that it ended.
	finish string
	heard  []pipeline.Prompt
}

func (s *spoken) Start(c *pipeline.Call) {
	c.Record.Sent = s.loop.Now()
	s.heard = append(s.heard, c.Prompt())
	text := s.says[min(len(s.heard), len(s.says))-1]
	c.State = s.loop.After(s.after, pipeline.RankInput, func() {
		c.Record.Finish = s.finish
		c.Record.FirstText, c.Record.LastOutput, c.Record.End = s.loop.Now(), s.loop.Now(), s.loop.Now()
		c.Notify(pipeline.Progress{Tokens: 1, Text: text})
		c.Done()
	})
}

func (s *spoken) Cancel(c *pipeline.Call) {
	if c.State.(pipeline.Timer).Stop() {
		s.loop.After(0, pipeline.RankOutput, func() {
			c.Record.Outcome, c.Record.End = pipeline.Cancelled, s.loop.Now()
			c.Done()
		})
	}
}
