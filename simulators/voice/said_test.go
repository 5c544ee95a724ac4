package voice

import (
	"testing"
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// overheard is a model that keeps the call and does not answer.
type overheard struct{ call *pipeline.Call }

func (o *overheard) Start(c *pipeline.Call) { o.call = c }

func (o *overheard) Cancel(*pipeline.Call) {}

// callsOf returns the calls of the first turns of two sessions, by session and turn.
func callsOf(t *testing.T, k Stack) map[[2]int]*pipeline.Call {
	t.Helper()
	var loop pipeline.Virtual
	calls := map[[2]int]*pipeline.Call{}
	for session := range 2 {
		for index := range 3 {
			model := &overheard{}
			sim := New(Config{Loop: &loop, LLM: model, Stack: k, Seed: 1, NextRequest: func() int64 { return 1 }})
			sim.Begin(session, index, nil)
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			calls[[2]int{session, index}] = model.call
		}
	}
	return calls
}

// common returns how many hashes two lists have in common at their start.
func common(a, b []uint64) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// words returns the hashes of what a call says, token by token, from its text.
func words(c *pipeline.Call) []uint64 {
	p := c.Prompt()
	return token.Blocks(nil, 1, p.System, p.Text, c.Answer())
}

// TestPromptsOfASession: every prompt begins alike, those of one session go on
// alike, and what the user said last is new. The text has the tokens that are
// stated, and the blocks tell what the texts tell.
func TestPromptsOfASession(t *testing.T) {
	k := tuned
	k.SystemTokens = 300
	k.PromptTokens = dist.UniformCount(400, 900)
	calls := callsOf(t, k)
	const user = 8 // two seconds at 250 ms a token
	for at, c := range calls {
		p := c.Prompt()
		if got := token.Count(p.System); got != 300 {
			t.Errorf("turn %v: the system prompt has %d tokens, want 300", at, got)
		}
		if got := token.Count(p.System) + token.Count(p.Text); got != c.PromptTokens || token.Count(c.Answer()) != c.OutputTokens {
			t.Errorf("turn %v: %d and %d tokens of text, want %d and %d", at, got, token.Count(c.Answer()), c.PromptTokens, c.OutputTokens)
		}
		for other, d := range calls {
			want := 300
			switch {
			case other == at:
				want = c.PromptTokens + c.OutputTokens
			case other[0] == at[0]:
				want = min(c.PromptTokens, d.PromptTokens) - user
			}
			if got := common(c.Blocks(nil, 1), d.Blocks(nil, 1)); got != want {
				t.Errorf("turns %v and %v share %d tokens, want %d", at, other, got, want)
			}
			if got := common(words(c), words(d)); got != want {
				t.Errorf("the texts of turns %v and %v share %d tokens, want %d", at, other, got, want)
			}
		}
	}
}

// TestShortPrompts: the user says at least one token of any prompt, and the words
// that begin every prompt come before those of the session.
func TestShortPrompts(t *testing.T) {
	for _, c := range []struct{ prompt, system, pace, wantSystem, wantUser int }{
		{1, 300, 250, 0, 1},
		{300, 300, 250, 299, 1},
		{304, 300, 250, 300, 4},
		{400, 300, 0, 300, 1},
		{400, 0, 250, 0, 8},
	} {
		k := tuned
		k.PromptTokens, k.SystemTokens, k.SpeechPerToken = dist.ConstantCount(c.prompt), c.system, time.Duration(c.pace)*ms
		sim := New(Config{Stack: k, Seed: 1})
		tr := sim.turn(0, 0)
		a := &asking{}
		a.call.PromptTokens = c.prompt
		got := tr.asks(a, nil)
		if got[0].N != c.wantSystem || got[2].N != c.wantUser || got[0].N+got[1].N+got[2].N != c.prompt {
			t.Errorf("prompt of %d with %d before every one: %v, want %d for all and %d of the user", c.prompt, c.system, got, c.wantSystem, c.wantUser)
		}
	}
}
