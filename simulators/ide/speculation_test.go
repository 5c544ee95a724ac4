package ide

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
	"halfsecond/simulators/ide/typing"
)

// spans writes down the spans of a trace, in milliseconds.
func spans(x *pipeline.Trace) string {
	var all []string
	for _, s := range x.Spans {
		all = append(all, fmt.Sprintf("%s %d-%d", s.Name, s.Start/ms, s.End/ms))
	}
	return strings.Join(all, ", ")
}

// acceptance returns the trace of an accepted suggestion.
func acceptance(t *testing.T, traces []*pipeline.Trace) *pipeline.Trace {
	t.Helper()
	for _, x := range traces {
		if x.Fact("class") == pipeline.ClassAccept {
			return x
		}
	}
	t.Fatal("nothing was accepted")
	return nil
}

// TestGuessThatBringsNothing: what is accepted while a guess is under way asks by the rules of any
// step when the guess says nothing, as soon as they let it.
func TestGuessThatBringsNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(p *plugin.Rules)
		at   int     // of the acceptance
		sent []int64 // the last of four is a guess again
		held string
		want string // its spans
	}{
		{"wait", func(p *plugin.Rules) { p.Wait.For = 75 * ms }, 130, []int64{85, 125, 215, 255}, "", "prepare 130-140, debounce 140-215, llm_first_token 215-255"},
		{"wait that is over", func(p *plugin.Rules) {}, 60, []int64{10, 50, 90, 130}, "", "prepare 60-70, debounce 70-70, client_queue 70-90, llm_first_token 90-130"},
		{"throttle", func(p *plugin.Rules) { p.Throttle = 10_000 * ms }, 60, []int64{10, 50}, "throttle", ""},
		{"throttle with an end", func(p *plugin.Rules) { p.Throttle, p.Trailing = 200*ms, true }, 60, []int64{10, 50, 210, 250}, "throttle", "prepare 60-70, debounce 70-70, client_queue 70-210, llm_first_token 210-250"},
		{"trigger", func(p *plugin.Rules) { p.Triggers.Comment = "bc" }, 60, []int64{10, 50}, "comment", ""},
	} {
		r := newRig(t, 4, 0, 0)
		r.config.LLM = &spoken{loop: r.loop, after: 40 * ms, says: []string{"bc", "", "x"}}
		r.config.Plugin.Prepare, r.config.Plugin.Speculate = 10*ms, true
		c.set(&r.config.Plugin)
		traces := r.play(open("", "").key(0, "a").step(c.at, typing.Step{Kind: typing.Accept}))
		x := acceptance(t, traces)
		at := sent(requests(traces))
		slices.Sort(at)
		if !slices.Equal(at, c.sent) || x.Fact("held") != c.held || spans(x) != c.want || (x.Fact("opportunity") == "yes") != (c.want != "") {
			t.Errorf("%s: asked at %v, want %v; held by %q, opportunity %s, spans %s, want held by %q and %s",
				c.name, at, c.sent, x.Fact("held"), x.Fact("opportunity"), spans(x), c.held, c.want)
		}
	}
}

// breaking is a model that breaks off in its second answer, once all of the text is there.
type breaking struct {
	loop  pipeline.Scheduler
	asked int
}

func (m *breaking) Start(c *pipeline.Call) {
	m.asked++
	text, second := "bc", m.asked == 2
	if m.asked > 1 {
		text = "xyz"
	}
	m.loop.After(20*ms, pipeline.RankInput, func() {
		now := m.loop.Now()
		c.Record.FirstText, c.Record.LastOutput, c.Record.End = now, now, now
		c.Notify(pipeline.Progress{Tokens: 1, Text: text})
		if second {
			c.Record.Outcome = pipeline.Error
		}
		c.Done()
	})
}

func (m *breaking) Cancel(*pipeline.Call) {}

// TestGuessThatFails: a guess that broke off, of which nothing may be shown, is none.
func TestGuessThatFails(t *testing.T) {
	for _, at := range []int{300, 30} { // after its end, and before
		r := newRig(t, 4, 0, 0)
		m := &breaking{loop: r.loop}
		r.config.LLM, r.config.Plugin.Speculate, r.config.Plugin.Display.Lines = m, true, plugin.LinesEnd
		steps := scripted(open("", "").key(0, "a").step(at, typing.Step{Kind: typing.Accept}).steps)
		e := r.start(1, len(steps), func(int) typing.Source { return &steps }, func() {})[0]
		if err := r.virtual.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m.asked != 4 || e.Shown() != "xyz" { // the third is the acceptance's, the fourth a guess again
			t.Errorf("accepted at %d: %d requests and %q is shown, want 4 and xyz", at, m.asked, e.Shown())
		}
	}
}

// refusing is a model that refuses its second request, for a second.
type refusing struct {
	loop  pipeline.Scheduler
	asked []int64
}

func (m *refusing) Start(c *pipeline.Call) {
	m.asked = append(m.asked, int64(m.loop.Now()/ms))
	after, second := 100*ms, len(m.asked) == 2
	if second {
		after = 5 * ms
	}
	m.loop.After(after, pipeline.RankInput, func() {
		now := m.loop.Now()
		c.Record.End = now
		if second {
			c.Record.Outcome, c.Record.Transport.RetryAfter = pipeline.Refused, 1000*ms
		} else {
			c.Record.FirstText, c.Record.LastOutput = now, now
			c.Notify(pipeline.Progress{Tokens: 1, Text: "bcd"})
		}
		c.Done()
	})
}

func (m *refusing) Cancel(*pipeline.Call) {}

// TestNothingAheadWhileLimited: while a server wants no requests, what is shown is not guessed on
// from, and no model is warmed up; somebody who asks by hand does ask.
func TestNothingAheadWhileLimited(t *testing.T) {
	for step, want := range map[*typing.Step][]int64{
		nil:                   {0, 50},
		{Kind: typing.Focus}:  {0, 50},
		{Kind: typing.Invoke}: {0, 50, 200},
	} {
		r := newRig(t, 4, 0, 0)
		m := &refusing{loop: r.loop}
		r.config.LLM, r.config.Plugin.Speculate, r.config.Plugin.OnLimit, r.config.Plugin.WarmUp = m, true, plugin.LimitWait, true
		a := open("", "").key(0, "a").key(50*ms, "b") // a's answer is shown for b at 100
		if step != nil {
			a.step(200, *step)
		}
		r.play(a)
		if !slices.Equal(m.asked, want) {
			t.Errorf("%v: asked at %v, want %v", step, m.asked, want)
		}
	}
}

// TestGuessInTheSameContext: a guess is sent with the snippets of the prompt before.
func TestGuessInTheSameContext(t *testing.T) {
	r := newRig(t, 1, 0, 0)
	model := &spoken{loop: r.loop, after: 10 * ms, says: []string{"x", "", "x", "", "x", ""}}
	r.config.LLM, r.config.Plugin.Speculate = model, true
	r.config.Plugin.Prompt.Snippets = prompt.Snippets{N: 4, Tokens: 10, Every: 1, Ring: true}
	r.play(open("", "").keys(0, 100*ms, "abc"))
	if len(model.heard) != 6 {
		t.Fatalf("%d requests, want 6", len(model.heard))
	}
	for i := 0; i < 6; i += 2 {
		if before, guess := model.heard[i].Text, model.heard[i+1].Text; guess != before+"x" {
			t.Errorf("guess %d is asked with\n%q behind\n%q", i/2, guess, before)
		}
	}
}
