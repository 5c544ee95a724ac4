package voice

import (
	"time"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/playback"
)

// sentences is how far an answer has come, a sentence at a time.
type sentences struct {
	ends  []sentenceEnd
	text  gather.Gatherer
	count int // tokens since the last end; of real text
}

// sentenceEnd is that so many tokens of the answer were there, at an instant.
type sentenceEnd struct {
	tokens int
	at     time.Duration
}

// follows reports whether the playback of replies is followed to its end.
func (k *Stack) follows() bool { return k.TTS.Factor > 0 && k.SpeechPerToken > 0 }

// sentenceCounts appends the token counts at which the later sentences of a modelled
// answer end: they are as long as the first.
func (t *turn) sentenceCounts(counts []int, output int) []int {
	thought := t.simulator.config.Stack.ReasoningTokens
	for n := t.drawn.sentence; ; n += t.drawn.sentence {
		n = min(n, t.drawn.reply)
		if at := min(thought+n, output); at > counts[len(counts)-1] {
			counts = append(counts, at)
		}
		if n == t.drawn.reply {
			return counts
		}
	}
}

// note takes the news of an answer.
func (s *sentences) note(p pipeline.Progress, now time.Duration, thought int) {
	if p.Modelled {
		if n := p.Tokens - thought; n > 0 {
			s.ends = append(s.ends, sentenceEnd{n, now})
		}
		return
	}
	s.count += token.Count(p.Text)
	if s.text.Add(gather.Rule{}, p.Text) {
		s.end(now)
	}
}

// end closes the sentence in hand.
func (s *sentences) end(now time.Duration) {
	if s.count == 0 {
		return
	}
	n := s.count
	if len(s.ends) > 0 {
		n += s.ends[len(s.ends)-1].tokens
	}
	s.ends, s.count, s.text = append(s.ends, sentenceEnd{n, now}), 0, gather.Gatherer{}
}

// follow plays the reply out at the ear: its sentences are made one after the other, each
// once its text is there, and played without a gap as long as the next one is there in
// time. What the reply was long, in tokens, was said by its last sentence.
func (t *turn) follow(s *sentences) {
	if !t.simulator.config.Stack.follows() || len(s.ends) == 0 {
		return
	}
	var p playback.Player
	made, free := 0, t.audio-t.drawn.tts
	for i, e := range s.ends {
		if e.tokens-made < t.drawn.sentence && i < len(s.ends)-1 {
			continue // a part of a sentence
		}
		free = t.synthesise(&p, max(free, e.at), e.tokens-made)
		made = e.tokens
	}
	for _, g := range p.Gaps {
		t.trace.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: g.From, End: g.To, Simulated: true})
	}
	t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkReplyOver, At: p.Over})
}

// synthesise has the player go on with tokens that the voice begins to make at an instant,
// and returns when the voice is free again.
func (t *turn) synthesise(p *playback.Player, start time.Duration, tokens int) time.Duration {
	k := &t.simulator.config.Stack
	plays := time.Duration(tokens) * k.SpeechPerToken
	way := t.heardAt - t.audio
	first := start + t.drawn.tts
	last := first + time.Duration(k.TTS.Factor*float64(plays))
	p.Add(playback.Piece{First: first + way, Last: last + way, For: plays})
	return last
}
