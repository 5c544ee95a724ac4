package voice

import (
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
)

// bound is what a request says and hears, as the model asks for it. The functions are
// made once for each request in memory.
type bound struct {
	prompt func() pipeline.Prompt
	answer func() string
	blocks func(dst []uint64, size int) []uint64
	notify func(pipeline.Progress)
	done   func()
}

func (a *asking) bind(t *turn) {
	a.turn = t
	a.bound = bound{
		prompt: func() pipeline.Prompt {
			p := t.asks(a)
			return pipeline.Prompt{Chat: true, System: token.Passage(p[:1]).Text(), Text: token.Passage(p[1:]).Text()}
		},
		answer: func() string { return t.replies(a).Text() },
		blocks: func(dst []uint64, size int) []uint64 {
			p := t.asks(a)
			return append(token.Passage(p[:]), t.replies(a)...).Blocks(dst, size)
		},
		notify: func(p pipeline.Progress) { t.progress(a, p) },
		done:   func() { t.ended(a) },
	}
}

// asks returns the prompt: the words that begin every prompt, those of the call, of which
// a longer prompt of a later turn has more, and what the user just said. A tool's result
// follows what the user said.
func (t *turn) asks(a *asking) [4]token.Segment {
	k, seed, session, index := &t.simulator.config.Stack, t.seed(), t.trace.Session, t.trace.Index
	prompt := a.call.PromptTokens
	result := max(0, prompt-t.said())
	if t.tool == pipeline.NoSpan {
		result = 0
	}
	prompt -= result
	system := min(k.SystemTokens, prompt-1)
	user := min(t.userTokens(), prompt-system)
	return [4]token.Segment{
		{ID: t.systemName(), N: system},
		{ID: t.historyName(), N: prompt - system - user},
		{ID: token.Name(seed, "voice/user", t.heardAs(a, session, index)...), N: user},
		{ID: token.Name(seed, "voice/tool", session, index), N: result},
	}
}

// said returns how many tokens the prompt has without the result of a tool.
func (t *turn) said() int {
	if t.simulator.config.Stack.Context.Grows {
		return t.drawn.prompt + t.of.history
	}
	return t.drawn.prompt
}

// heardAs names what the user said, as far as it was heard when the model was asked.
func (t *turn) heardAs(a *asking, session, index int) []int {
	if a == t.early && !t.right {
		return []int{session, index, 1}
	}
	return []int{session, index}
}

// userTokens returns how many tokens the user's words are.
func (t *turn) userTokens() int {
	if pace := t.simulator.config.Stack.SpeechPerToken; pace > 0 {
		return max(1, int(t.drawn.utterance/pace))
	}
	return 1
}

// systemName names the words that begin the prompt: the same for all, unless they have the
// time in them or the tools stand in another order.
func (t *turn) systemName() token.ID {
	c := &t.simulator.config.Stack.Context
	r := t.chance("context/system")
	if luck(&r, c.TimeStamp) || luck(&r, c.ToolOrder) {
		return token.Name(t.seed(), "voice/system", t.trace.Session, t.trace.Index)
	}
	return token.Name(t.seed(), "voice/system")
}

// historyName names what was said in the call, as it is told to the model.
func (t *turn) historyName() token.ID {
	c := &t.simulator.config.Stack.Context
	name := []int{t.trace.Session}
	if c.Turns > 0 {
		name = append(name, t.of.number)
	}
	r := t.chance("context/history")
	if luck(&r, c.Rewrite) {
		name = append(name, t.trace.Index, 1)
	}
	return token.Name(t.seed(), "voice/session", name...)
}

// seed returns what the words of the run follow from.
func (t *turn) seed() uint64 { return t.simulator.config.Seed ^ t.simulator.config.Salt }

// replies returns the answer.
func (t *turn) replies(a *asking) token.Passage {
	seed, session, index := t.seed(), t.trace.Session, t.trace.Index
	if a.tool {
		return token.Passage{{ID: token.Name(seed, "voice/call", session, index), N: a.call.OutputTokens}}
	}
	thought := t.simulator.config.Stack.ReasoningTokens
	r := token.Sentences(token.Name(seed, "voice/reply", session, index), token.Name(seed, "voice/more", session, index),
		t.drawn.reply, t.drawn.sentence)
	if thought == 0 {
		return r[:]
	}
	return append(token.Passage{{ID: token.Name(seed, "voice/thought", session, index), N: thought}}, r[:]...)
}

// tokensOf returns how many tokens of the answer have so many characters, the end of a word
// included; all of them where it is shorter.
func (t *turn) tokensOf(characters int) int {
	seed, session, index := t.seed(), t.trace.Session, t.trace.Index
	r := token.Sentences(token.Name(seed, "voice/reply", session, index), token.Name(seed, "voice/more", session, index),
		min(t.drawn.reply, characters+1), t.drawn.sentence)
	n, _ := token.Passage(r[:]).Cut(characters)
	return min(max(1, n), t.drawn.reply)
}
