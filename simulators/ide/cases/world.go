package cases

import (
	"slices"
	"sync"
	"time"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/simulators/ide"
	"halfsecond/simulators/ide/typing"
)

// World is a case at work, on any clock: a server, an editor, and between them a network
// that is not part of it.
type World struct {
	setup  *Setup
	loop   pipeline.Scheduler
	out    *Outcome
	editor *ide.Editor
	rules  ide.Config
	asked  int   // requests so far, warm-ups aside
	number int   // of the newest, 0 for a warm-up
	given  []int // the numbers of all, by their IDs

	mu   sync.Mutex // guards what follows
	said map[int64]ide.Said
}

// Begin sets a case up on a loop on which nothing has happened.
func (s *Setup) Begin(loop pipeline.Scheduler) (*World, error) {
	script, err := s.newScript()
	if err != nil {
		return nil, err
	}
	w := &World{setup: s, loop: loop, out: &Outcome{setup: s, script: script}, said: map[int64]ide.Said{}}
	rules, err := s.rules()
	if err != nil {
		return nil, err
	}
	w.rules = ide.Config{
		Loop: loop, Seed: 1, Right: 1, Plugin: *rules, Says: w.saysNext,
		Typing:      func(int) typing.Source { return script },
		NextRequest: w.nextID,
	}
	return w, w.hold(rules.Prompt)
}

// nextID returns the ID of the request that was answered last.
func (w *World) nextID() int64 {
	w.given = append(w.given, w.number)
	return int64(len(w.given))
}

// saysNext returns what the model says to the next request, and keeps it.
func (w *World) saysNext(q *ide.Question) ide.Said {
	s := w.say(q)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[int64(len(w.given)+1)] = s
	return s
}

// Answer implements answer.Source, for a server that is asked over sockets: requests are named
// by their IDs.
func (w *World) Answer(a *answer.Asked) (text string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.said[int64(a.Draw)]
	a.Ends = s.Ends
	return s.Text, ok
}

// Server builds the server of the case, of which other users ask what they ask. It is called
// once, before anything happens. A request that the plugin makes has its ID there.
func (w *World) Server() engine.Engine {
	w.setup.Server.Script(0, func(r *engine.Request) int { return w.given[r.ID-1] })
	server := w.setup.Server.Build(w.loop)
	w.askForOthers(server)
	return server
}

// Type has everything happen in the editor that does, with a model behind the plugin. It runs
// on the loop, or before it. Finished is called when there is nothing left to happen in the
// editor.
func (w *World) Type(m pipeline.LLM, finished func()) error {
	w.rules.LLM = &watched{LLM: m, world: w}
	simulator, err := ide.New(w.rules)
	if err != nil {
		return err
	}
	w.editor = simulator.Start(0, 1<<30, func(t *pipeline.Trace) { w.out.traces = append(w.out.traces, t) }, finished)
	if ghost := w.setup.Document.Ghost; ghost != "" { // the document is opened before, and keys are pressed behind it
		w.loop.At(0, pipeline.RankInput, func() { w.editor.Show(ghost) })
	}
	return nil
}

// Seen is what is seen of a case where its requests go.
type Seen struct {
	Loads int // of the model
	Dials int // of connections, those aside that were open before
	// Served adds what only the server knows to the record of a request; nil adds nothing.
	Served func(*pipeline.Request)
}

// End ends the case at an instant, when nothing runs any more, and returns what became of it.
func (w *World) End(at time.Duration, seen Seen) *Outcome {
	o := w.out
	o.at = at
	o.document, o.shown, o.willAsk = w.editor.Document(), w.editor.Shown(), w.editor.WillAsk()
	w.editor.Stop()
	o.loads, o.dials = seen.Loads, seen.Dials
	slices.SortStableFunc(o.traces, inOrder)
	for _, t := range o.traces {
		for i := range t.Requests {
			if seen.Served != nil {
				seen.Served(&t.Requests[i])
			}
		}
	}
	return o
}

// watched keeps what is asked.
type watched struct {
	pipeline.LLM
	world *World
}

// Start implements pipeline.LLM.
func (l *watched) Start(c *pipeline.Call) {
	tokens := c.Blocks(nil, 1)
	l.world.out.prompts = append(l.world.out.prompts, tokens[:min(len(tokens), c.PromptTokens)])
	l.LLM.Start(c)
}

// Report implements pipeline.Reporter.
func (l *watched) Report(c *pipeline.Call) { report(l.LLM, c) }

// report has a model tell of a call, if it can.
func report(m pipeline.LLM, c *pipeline.Call) {
	if m, ok := m.(pipeline.Reporter); ok {
		m.Report(c)
	}
}
