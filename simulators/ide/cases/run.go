package cases

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/link"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// Outcome is what became of a case: its traces, in order, and what else is to be told of it.
type Outcome struct {
	setup    *Setup
	traces   []*pipeline.Trace
	others   []*pipeline.Request // of other users
	prompts  [][]uint64          // the tokens of each request's prompt, and first of that before
	script   *script
	document *document.Document
	shown    string
	willAsk  bool          // the plugin would, had the run gone on
	at       time.Duration // when the run ended
	loads    int
	dials    int
}

// Run runs a case on the virtual clock.
func (s *Setup) Run() (*Outcome, error) {
	loop := &pipeline.Virtual{}
	w, err := s.Begin(loop)
	if err != nil {
		return nil, err
	}
	server := w.Server()
	stage := engine.NewStage(loop, server)
	stage.Caches, stage.Loads = true, true
	way := link.Between(loop, s.path(), stage)
	wire := link.Dialing(loop, s.connections(), way)
	if err := w.Type(&stated{LLM: wire, world: w}, func() {}); err != nil {
		return nil, err
	}
	if s.Until != nil {
		loop.RunUntil(span(*s.Until))
	} else if err := loop.Run(context.Background()); err != nil {
		return nil, err
	}
	return w.End(loop.Now(), Seen{Loads: server.Stats().Loads, Dials: wire.Dials()}), nil
}

// inOrder compares traces by their instants, and those of one instant by their numbers, keys
// first.
func inOrder(a, b *pipeline.Trace) int {
	return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Index, b.Index))
}

// rules returns the plugin's rules.
func (s *Setup) rules() (*plugin.Rules, error) {
	p := &s.Plugin
	kb := s.Document.KB
	if p.PrepareKB != nil {
		kb = *p.PrepareKB
	}
	r := &plugin.Rules{
		Wait: plugin.Wait{For: span(p.Debounce)}, Throttle: span(p.Throttle), Trailing: p.Trailing,
		Prepare:      span(p.PreparePerKB * kb),
		KeepMatching: p.KeepMatching, EditorToken: p.EditorToken,
		Speculate: p.Speculate, SpeculationLives: !p.SpeculateCancel, WarmUp: p.WarmUpOnFocus,
		KeepSuperseded: p.StoreSuperseded,
		Triggers:       plugin.Triggers{Empty: true},
		Display:        s.display(),
		Prompt:         prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: 1 << 20}, Suffix: prompt.Size{N: 1 << 20}},
		MaxTokens:      s.Server.N,
	}
	r.Cancel = plugin.Cancel(slices.Index([]string{"none", "discard", "wire"}, p.Cancel))
	if p.Rest == "close" {
		r.Rest = plugin.RestClose
	}
	if p.OnLimit == "wait" {
		r.OnLimit = plugin.LimitWait
	}
	switch p.Cache {
	case "last":
		r.Reuse = plugin.TypedAsSuggested
		if p.AskAnew {
			r.Reuse = plugin.ShrinkAndAsk
		}
	case "lru":
		r.Cache = cache.Config{Capacity: 1000}
	}
	return r, s.shape(&r.Prompt)
}

// display returns how a suggestion is shown and accepted.
func (s *Setup) display() plugin.Display {
	d := plugin.Display{LeastVisible: span(s.Plugin.MinVisible)}
	if s.Plugin.Accept == "replace_line" {
		d.Accept = plugin.AcceptReplace
	}
	return d
}

// family is the model whose tokens stand in a case's prompts.
const family = "qwen"

// shape fills in how the prompt is made.
func (s *Setup) shape(shape *prompt.Shape) error {
	p := s.Plugin.Prompt
	if p == nil {
		return nil
	}
	layout, err := prompt.ParseLayout(cmp.Or(p.Layout, "prefix_only"))
	if err != nil {
		return fmt.Errorf("%s: plugin.prompt: %w", s.ID, err)
	}
	*shape = prompt.Shape{Layout: layout, Family: family, Grid: p.Grid, Prefix: prompt.Size{N: 1 << 20}, Suffix: prompt.Size{N: p.Suffix}}
	if p.Window > 0 {
		shape.Prefix.N = p.Window
	}
	return nil
}

// hold has the server's cache begin with the prompt of the document as it is before the first
// key.
func (w *World) hold(shape prompt.Shape) error {
	if w.setup.Server.PromptCache != "prefix" {
		return nil
	}
	b, err := prompt.NewBuilder(shape)
	if err != nil {
		return err
	}
	var d document.Document
	before, after := w.setup.text()
	d.Open(before+after, len(before))
	p := b.Build(&d)
	tokens := p.Blocks(nil, 1, "")
	w.setup.Server.Hold(tokens)
	w.out.prompts = append(w.out.prompts, tokens)
	return nil
}

// path is the way to the server and back.
func (s *Setup) path() link.Path {
	if s.Network.RTT == 0 {
		return link.Path{}
	}
	return link.Path{RoundTrip: func(uint64) time.Duration { return span(s.Network.RTT) }}
}

// connections is how requests travel. A language server has one connection, which is there
// before the editor asks anything.
func (s *Setup) connections() link.Connections {
	n := &s.Network
	if s.Plugin.Protocol == "lsp" {
		return link.Connections{Shared: true, Open: 1}
	}
	c := link.Connections{Shared: n.HTTP == "2", Dial: span(n.RTT * (n.TCPRTTs + n.TLSRTTs))}
	if n.Warm {
		c.Open = 1
	}
	return c
}

// askForOthers has other users ask.
func (w *World) askForOthers(server engine.Engine) {
	for i := range w.setup.Others {
		o := &w.setup.Others[i]
		record := pipeline.NewRequest(0, span(o.At))
		r := &engine.Request{Prompt: max(1, o.Prompt), Output: o.N, Kind: o.Kind, Scheduled: pipeline.Unknown, Last: pipeline.Unknown}
		if r.Output == 0 {
			r.Output = w.setup.Server.N
		}
		pace := o.pace()
		if o.Hold > 0 {
			r.Output = 1
		}
		w.setup.Server.Pace(r, pace)
		r.NotifyAt = 1
		r.Notify = func(n int) int {
			if n == 1 {
				record.FirstOutput = w.loop.Now()
			}
			record.LastOutput = w.loop.Now()
			return n + 1
		}
		r.Done = func(outcome pipeline.Outcome) { record.Outcome, record.End = outcome, w.loop.Now() }
		w.out.others = append(w.out.others, &record)
		w.loop.At(span(o.At), pipeline.RankTimer, func() { server.Submit(r) })
	}
}

// stated is a model whose prompts are as long as the case has it. What makes them longer has
// nothing in common with any other prompt.
type stated struct {
	pipeline.LLM
	world *World
}

// Start implements pipeline.LLM.
func (l *stated) Start(c *pipeline.Call) {
	if n := l.world.setup.Server.PromptTokens; n > 0 {
		known, blocks := c.PromptTokens, c.Blocks
		c.PromptTokens = n
		c.Blocks = func(dst []uint64, size int) []uint64 {
			all := blocks(nil, size)
			return append(dst, all[:min(len(all), known/size)]...)
		}
	}
	l.LLM.Start(c)
}

// Report implements pipeline.Reporter.
func (l *stated) Report(c *pipeline.Call) { report(l.LLM, c) }
