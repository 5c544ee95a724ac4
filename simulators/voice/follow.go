package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/playback"
)

// follow plays the reply out at the ear: its pieces are made one after the other, each
// once its text is there, and played without a gap as long as the next one is there in
// time. Of a reply that was spoken into, what came before the silence counts.
func (t *turn) follow(a *asking) {
	if len(a.pieces.made) == 0 {
		return
	}
	p := playback.Player{Begun: true, Over: t.heardAt}
	made, free := 0, t.began
	for _, x := range a.pieces.made {
		free = t.synthesise(&p, free, x.at, x.tokens-made)
		made = x.tokens
	}
	for _, g := range p.Gaps {
		if t.stopped {
			g.To = min(g.To, t.silentAt)
		}
		if g.To > g.From {
			t.trace.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: g.From, End: g.To, Simulated: true})
		}
	}
	if !t.stopped {
		t.playedUp = p.Over
		t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkReplyOver, At: p.Over})
	}
}

// synthesise has the player go on with tokens whose text came at an instant, made by a
// voice that is free from another on, and returns when it is free again. Text that goes
// to the voice token by token is one to it: it does not begin anew with each.
func (t *turn) synthesise(p *playback.Player, free, text time.Duration, tokens int) time.Duration {
	k := &t.simulator.config.Stack
	plays := time.Duration(tokens) * k.SpeechPerToken
	way := t.drawn.egress + t.drawn.playout
	first := max(free, text) + t.drawn.tts
	if k.Gather.By == gather.Token {
		first = max(free, text+t.drawn.tts, t.began+t.drawn.tts)
	}
	last := first + time.Duration(k.TTS.Factor*float64(plays))
	p.Add(playback.Piece{First: first + way, Last: last + way, For: plays})
	return last
}
