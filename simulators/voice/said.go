package voice

import (
	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
)

// said holds what a turn says to the model and the model to it, as the call asks
// for it. The functions are bound once for each turn in memory.
type said struct {
	prompt func() pipeline.Prompt
	answer func() string
	blocks func(dst []uint64, size int) []uint64
}

func (s *said) bind(t *turn) { *s = said{t.prompt, t.answer, t.blocks} }

// asks returns the prompt: the words that begin every prompt, those of the session,
// of which a longer prompt of a later turn has more, and what the user just said.
func (t *turn) asks() [3]token.Segment {
	k, seed, session, index := &t.simulator.config.Stack, t.seed(), t.trace.Session, t.trace.Index
	system := min(k.SystemTokens, t.drawn.prompt-1)
	user := 1
	if k.SpeechPerToken > 0 {
		user = min(max(user, int(t.drawn.utterance/k.SpeechPerToken)), t.drawn.prompt-system)
	}
	return [3]token.Segment{
		{ID: token.Name(seed, "voice/system"), N: system},
		{ID: token.Name(seed, "voice/session", session), N: t.drawn.prompt - system - user},
		{ID: token.Name(seed, "voice/user", session, index), N: user},
	}
}

// seed returns what the words of the run follow from.
func (t *turn) seed() uint64 { return t.simulator.config.Seed ^ t.simulator.config.Salt }

// replies returns the answer.
func (t *turn) replies() [4]token.Segment {
	seed, session, index := t.seed(), t.trace.Session, t.trace.Index
	return token.Sentences(token.Name(seed, "voice/reply", session, index), token.Name(seed, "voice/more", session, index),
		t.drawn.reply, t.drawn.sentence)
}

func (t *turn) prompt() pipeline.Prompt {
	p := t.asks()
	return pipeline.Prompt{Chat: true, System: token.Passage(p[:1]).Text(), Text: token.Passage(p[1:]).Text()}
}

func (t *turn) answer() string {
	r := t.replies()
	return token.Passage(r[:]).Text()
}

func (t *turn) blocks(dst []uint64, size int) []uint64 {
	p, r := t.asks(), t.replies()
	return token.Passage{p[0], p[1], p[2], r[0], r[1], r[2], r[3]}.Blocks(dst, size)
}
