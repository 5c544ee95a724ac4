package voice

import (
	"strings"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
)

// bound is what a request says and hears, as the model asks for it. The functions are
// made once for each request in memory.
type bound struct {
	prompt  func() pipeline.Prompt
	answer  func() string
	thought func() string
	blocks  func(dst []uint64, size int) []uint64
	notify  func(pipeline.Progress)
	done    func()
}

func (a *asking) bind(t *turn) {
	a.turn = t
	a.bound = bound{
		prompt: func() pipeline.Prompt {
			p := t.asks(a, nil)
			return pipeline.Prompt{Chat: true, System: p[:1].Text(), Text: t.written(p[1:])}
		},
		answer:  func() string { return t.answers(a, nil).Text() },
		thought: func() string { return t.thinks(nil).Text() },
		blocks: func(dst []uint64, size int) []uint64 {
			a.words = t.answers(a, t.thinks(t.asks(a, a.words[:0])))
			return a.words.Blocks(dst, size)
		},
		notify: func(p pipeline.Progress) { t.progress(a, p) },
		done:   func() { t.ended(a) },
	}
}

// lengths returns how long a request's prompt and answer are.
func (t *turn) lengths(a *asking) (prompt, output int) {
	k := &t.simulator.config.Stack
	a.words = t.asks(a, a.words[:0])
	prompt, output = a.words.Tokens(), k.ReasoningTokens+t.drawn.reply
	if a.tool {
		r := t.chance("tool/tokens")
		output = k.ReasoningTokens + k.Tool.Tokens.Draw(&r)
	}
	return prompt, output
}

// asks appends the prompt: the words that begin every prompt, those of the call, and what
// the user just said. A tool's result follows that. In a context that grows, the words of
// the call are those that were said in it; in one that does not, a longer prompt of a
// later turn has more of the same words.
func (t *turn) asks(a *asking, p token.Passage) token.Passage {
	prompt := t.drawn.prompt
	system := min(t.simulator.config.Stack.SystemTokens, prompt-1)
	user := min(t.userTokens(), prompt-system)
	p = append(p, token.Segment{ID: t.systemName(), N: system})
	if t.simulator.config.Stack.Context.Grows {
		p[0].N, user = t.of.system, t.userSaid()
		p = append(p, t.of.said...)
	} else {
		p = append(p, token.Segment{ID: t.historyName(), N: prompt - system - user})
	}
	p = append(p, token.Segment{ID: t.userName(a == t.early && !t.right), N: user})
	if a.second {
		p = append(p, t.toolResult())
	}
	return p
}

// remember has the call begin with the first turn's prompt, and perhaps what was said in
// it told in other words.
func (t *turn) remember() {
	c, of := &t.simulator.config.Stack.Context, t.of
	switch {
	case !c.Grows:
	case of.said == nil:
		prompt := t.drawn.prompt
		of.system = min(t.simulator.config.Stack.SystemTokens, prompt-1)
		of.user = min(t.userTokens(), prompt-of.system)
		of.said = token.Passage{{ID: t.sessionName(), N: prompt - of.system - of.user}}
	case c.Rewrite > 0:
		of.user = 0
		if t.rewritten() {
			of.said = token.Passage{{ID: t.sessionName(t.trace.Index, 1), N: of.said.Tokens()}}
		}
	default:
		of.user = 0
	}
}

// userSaid returns how many tokens of the prompt are what the user just said. Of a call's
// first prompt that leaves room for, there may be fewer.
func (t *turn) userSaid() int {
	if t.of.user > 0 {
		return t.of.user
	}
	return t.userTokens()
}

// keep has the call remember what was said in the turn: of a reply that was spoken into,
// what the user heard.
func (t *turn) keep() {
	of := t.of
	if of.said == nil {
		return // the user was not heard
	}
	of.said = append(of.said, token.Segment{ID: t.userName(false), N: t.userSaid()})
	if t.tool != pipeline.NoSpan && t.last().second {
		of.said = append(of.said, t.toolResult())
	}
	if t.replied {
		heard := t.drawn.reply
		if t.stopped {
			heard = t.heardOf
		}
		of.said = append(of.said, t.spokenWords().First(heard)...)
	}
}

// toolResult returns what a tool says.
func (t *turn) toolResult() token.Segment {
	r := t.chance("tool/result")
	return token.Segment{
		ID: token.Name(t.seed(), "voice/tool", t.trace.Session, t.trace.Index),
		N:  t.simulator.config.Stack.Tool.Result.Draw(&r),
	}
}

// userName names what the user said, or what was taken for it too early.
func (t *turn) userName(wrong bool) token.ID {
	name := [3]int{t.trace.Session, t.trace.Index, 1}
	if wrong {
		return token.Name(t.seed(), "voice/user", name[:]...)
	}
	return token.Name(t.seed(), "voice/user", name[:2]...)
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
	if stamp, order := t.otherSystem(); stamp || order {
		return token.Name(t.seed(), "voice/system", t.trace.Session, t.trace.Index)
	}
	return token.Name(t.seed(), "voice/system")
}

// otherSystem reports whether the words that begin the prompt have the time in them, and
// whether the tools stand in another order.
func (t *turn) otherSystem() (stamp, order bool) {
	c := &t.simulator.config.Stack.Context
	if c.TimeStamp == 0 && c.ToolOrder == 0 {
		return false, false
	}
	r := t.chance("context/system")
	stamp = luck(&r, c.TimeStamp)
	return stamp, luck(&r, c.ToolOrder)
}

// historyName names what was said in the call, as it is told to the model.
func (t *turn) historyName() token.ID {
	if t.rewritten() {
		return t.sessionName(t.trace.Index, 1)
	}
	return t.sessionName()
}

// rewritten reports whether what was said before in the call is told in other words.
func (t *turn) rewritten() bool {
	c := &t.simulator.config.Stack.Context
	if c.Rewrite == 0 {
		return false
	}
	r := t.chance("context/history")
	return luck(&r, c.Rewrite)
}

// tellCache has the trace say what made the prompt begin otherwise than those before it. In
// the first turn of a call there is nothing to tell in other words.
func (t *turn) tellCache() {
	stamp, order := t.otherSystem()
	var broken []string
	for _, b := range []struct {
		is   bool
		name string
	}{{stamp, pipeline.CacheTimeStamp}, {order, pipeline.CacheToolOrder}, {t.number() > 1 && t.rewritten(), pipeline.CacheRewrite}} {
		if b.is {
			broken = append(broken, b.name)
		}
	}
	if len(broken) > 0 {
		t.fact(pipeline.FactCache, strings.Join(broken, ","))
	}
}

// sessionName names words of the call.
func (t *turn) sessionName(more ...int) token.ID {
	name := append(make([]int, 0, 4), t.trace.Session)
	if t.simulator.config.Stack.Context.Turns > 0 {
		name = append(name, t.of.number)
	}
	return token.Name(t.seed(), "voice/session", append(name, more...)...)
}

// seed returns what the words of the run follow from.
func (t *turn) seed() uint64 { return t.simulator.config.Seed ^ t.simulator.config.Salt }

// thinks appends the reasoning that comes before an answer, which nobody hears.
func (t *turn) thinks(p token.Passage) token.Passage {
	if thought := t.simulator.config.Stack.ReasoningTokens; thought > 0 {
		p = append(p, token.Segment{ID: token.Name(t.seed(), "voice/thought", t.trace.Session, t.trace.Index), N: thought})
	}
	return p
}

// answers appends the answer.
func (t *turn) answers(a *asking, p token.Passage) token.Passage {
	session, index := t.trace.Session, t.trace.Index
	if a.tool {
		return append(p, token.Segment{ID: token.Name(t.seed(), "voice/call", session, index), N: a.call.OutputTokens - t.simulator.config.Stack.ReasoningTokens})
	}
	return append(p, t.spokenWords()...)
}

// spokenWords returns the words of the answer that are spoken: sentences, where more of
// them matter than the first, and with a clause, where that does.
func (t *turn) spokenWords() token.Passage {
	seed, session, index, k := t.seed(), t.trace.Session, t.trace.Index, &t.simulator.config.Stack
	if !k.cuts() && k.Gather.By != gather.Clause {
		r := token.Sentences(token.Name(seed, "voice/reply", session, index), token.Name(seed, "voice/more", session, index), t.drawn.reply, t.drawn.sentence)
		return r[:]
	}
	clause := 0
	if k.Gather.By == gather.Clause {
		clause = t.drawn.clause
	}
	return token.Spoken(func(i int) token.ID {
		if i == 0 {
			return token.Name(seed, "voice/reply", session, index)
		}
		return token.Name(seed, "voice/more", session, index, i)
	}, t.drawn.reply, t.drawn.sentence, clause)
}
