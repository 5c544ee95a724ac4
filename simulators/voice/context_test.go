package voice

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// calling is plain with prompts of 400 tokens at first, 300 of which begin every prompt.
// The user says 8 tokens a turn and the reply has 40.
func calling(c Context) Stack {
	k := plain
	k.PromptTokens, k.SystemTokens = dist.ConstantCount(400), 300
	k.Context = c
	return k
}

// turnsOf runs so many turns of one session, 20 s apart.
func turnsOf(t *testing.T, b *bench, session, n int) []*pipeline.Trace {
	t.Helper()
	var all []*pipeline.Trace
	for i := range n {
		all = append(all, b.turn(t, b.loop.Now()+20*time.Second, session, i))
	}
	return all
}

// TestContextGrows: each prompt has all that was said before, and shares all of it, the
// last reply with it, with what the model has in its cache.
func TestContextGrows(t *testing.T) {
	b := newBench(calling(Context{Grows: true}))
	turnsOf(t, b, 0, 4)
	for i, want := range []int{400, 448, 496, 544} {
		c := b.model.calls[i]
		if c.prompt != want || len(c.blocks) != want+40 {
			t.Errorf("turn %d asks with %d tokens, want %d", i, c.prompt, want)
		}
		if i > 0 {
			before := b.model.calls[i-1]
			if got := common(before.blocks, c.blocks); got != len(before.blocks) {
				t.Errorf("turn %d shares %d tokens with the turn before, want all %d of its prompt and its answer", i, got, len(before.blocks))
			}
		}
	}
	// Another session shares what begins every prompt.
	turnsOf(t, b, 1, 1)
	if got := common(b.model.calls[3].blocks, b.model.calls[4].blocks); got != 300 {
		t.Errorf("two sessions share %d tokens, want 300", got)
	}
}

// TestContextOfCalls: the user's next call begins with the first prompt's length.
func TestContextOfCalls(t *testing.T) {
	b := newBench(calling(Context{Grows: true, Turns: 2}))
	turnsOf(t, b, 0, 4)
	for i, want := range []int{400, 448, 400, 448} {
		if c := b.model.calls[i]; c.prompt != want {
			t.Errorf("turn %d asks with %d tokens, want %d", i, c.prompt, want)
		}
	}
	if got := common(b.model.calls[1].blocks, b.model.calls[2].blocks); got != 300 {
		t.Errorf("two calls share %d tokens, want 300", got)
	}
	// A call's first prompt sets the length of the later ones, whatever they draw.
	k := calling(Context{Grows: true})
	k.PromptTokens = dist.UniformCount(400, 4000)
	b = newBench(k)
	turnsOf(t, b, 0, 3)
	for i := 1; i < 3; i++ {
		if got, want := b.model.calls[i].prompt, b.model.calls[0].prompt+48*i; got != want {
			t.Errorf("turn %d asks with %d tokens, want %d", i, got, want)
		}
	}
}

// TestContextWithTool: the result of a tool stays in the call.
func TestContextWithTool(t *testing.T) {
	k := calling(Context{Grows: true})
	k.Tool = &Tool{Share: 1, Tokens: dist.ConstantCount(25), Takes: constant(100 * ms), Result: dist.ConstantCount(50)}
	b := newBench(k)
	turnsOf(t, b, 0, 2)
	for i, want := range []int{400, 450, 498, 548} {
		if c := b.model.calls[i]; c.prompt != want {
			t.Errorf("request %d has %d tokens, want %d", i, c.prompt, want)
		}
	}
	if got := common(b.model.calls[1].blocks, b.model.calls[2].blocks); got != 490 {
		t.Errorf("the next turn shares %d tokens, want the 450 of the last prompt and 40 of its answer", got)
	}
}

// TestContextAfterAnInterruption: what the user did not hear was not said.
func TestContextAfterAnInterruption(t *testing.T) {
	k := calling(Context{Grows: true})
	k.BargeIn = &BargeIn{Share: 1, After: constant(time.Second), Start: constant(200 * ms), For: constant(2 * time.Second), Clear: true}
	b := newBench(k)
	turnsOf(t, b, 0, 2) // five tokens were heard
	if got := b.model.calls[1].prompt; got != 400+8+5 {
		t.Errorf("the second prompt has %d tokens, want 413", got)
	}
	if got := common(b.model.calls[0].blocks, b.model.calls[1].blocks); got != 405 {
		t.Errorf("it shares %d tokens, want 405", got)
	}
	b = newBench(calling(Context{Grows: true}))
	b.model.fails = 1
	turnsOf(t, b, 0, 2)
	if got := b.model.calls[1].prompt; got != 408 {
		t.Errorf("after a turn without a reply the prompt has %d tokens, want 408", got)
	}
}

// TestContextBreakers: what each of them leaves shared with the turn before.
func TestContextBreakers(t *testing.T) {
	for _, c := range []struct {
		name   string
		c      Context
		shared []int // by the second and the third turn with the one before
	}{
		{"none", Context{Grows: true}, []int{440, 488}},
		{"time stamp", Context{Grows: true, TimeStamp: 1}, []int{0, 0}},
		{"tool order", Context{Grows: true, ToolOrder: 1}, []int{0, 0}},
		{"rewritten", Context{Grows: true, Rewrite: 1}, []int{300, 300}},
		{"does not grow", Context{}, []int{392, 392}},
		{"rewritten, and does not grow", Context{Rewrite: 1}, []int{300, 300}},
	} {
		b := newBench(calling(c.c))
		turnsOf(t, b, 0, 3)
		for i, want := range c.shared {
			if got := common(b.model.calls[i].blocks, b.model.calls[i+1].blocks); got != want {
				t.Errorf("%s: turn %d shares %d tokens with the one before, want %d", c.name, i+1, got, want)
			}
			if n := b.model.calls[i+1].prompt; c.c.Grows && n != 400+48*(i+1) {
				t.Errorf("%s: turn %d has %d tokens", c.name, i+1, n)
			}
		}
	}
	// Half of the turns rewrite; the others go on from what was rewritten.
	b := newBench(calling(Context{Grows: true, Rewrite: .5}))
	turnsOf(t, b, 0, 40)
	whole := 0
	for i := 1; i < 40; i++ {
		switch got := common(b.model.calls[i-1].blocks, b.model.calls[i].blocks); got {
		case 300:
		case len(b.model.calls[i-1].blocks):
			whole++
		default:
			t.Errorf("turn %d shares %d tokens, want 300 or all", i, got)
		}
	}
	if whole < 10 || whole > 30 {
		t.Errorf("%d of 39 turns share all, want about half", whole)
	}
}

// TestNothingIsKeptOfOneTurn: where every session has one turn, a run's memory does not grow
// with it.
func TestNothingIsKeptOfOneTurn(t *testing.T) {
	k := calling(Context{Grows: true, Alone: true})
	b := newBench(k)
	for i := range 100 {
		b.turn(t, time.Duration(i)*20*time.Second, i, 0)
	}
	if len(b.sim.calls) != 0 || len(b.sim.idle) != 1 {
		t.Errorf("%d calls and %d turns are kept, want none and 1", len(b.sim.calls), len(b.sim.idle))
	}
	for i, c := range b.model.calls {
		if c.prompt != 400 {
			t.Errorf("turn %d has %d tokens, want 400", i, c.prompt)
		}
	}
}
