package voice

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/playback"
)

// follow has the trace say where the reply has holes at the ear, and when it is over. Of a
// reply that was spoken into, what came before the silence counts.
func (t *turn) follow() {
	if !t.simulator.config.Stack.follows() || len(t.last().pieces.made) == 0 {
		return
	}
	p := t.atEar(t.cutOff())
	for _, g := range p.Gaps {
		if t.stopped {
			g.To = min(g.To, t.silentAt)
		}
		if g.To > g.From {
			t.trace.Add(pipeline.Span{Name: pipeline.SpanUnderrun, Start: g.From, End: g.To, Simulated: true})
		}
	}
	if !t.stopped {
		t.trace.Marks = append(t.trace.Marks, pipeline.Mark{Name: pipeline.MarkReplyOver, At: p.Over})
	}
}

// atEar plays the reply out at the ear as far as it is there: its pieces are made one after the
// other, each once its text is there, and played without a gap as long as the next one is there
// in time. Audio that would be at the ear later than until does not come; pipeline.Unknown cuts
// none off. Where nobody follows the pieces, the reply is one that is there at once.
func (t *turn) atEar(until time.Duration) playback.Player {
	p := playback.Player{Begun: true, Over: t.heardAt}
	add := func(x playback.Piece) {
		ok := true
		if until != pipeline.Unknown {
			x, ok = x.Until(until)
		}
		if ok {
			p.Add(x)
		}
	}
	a := t.last()
	switch {
	case t.sounding() && len(t.live.came) > 0:
		for _, x := range t.live.audible() {
			add(x)
		}
	case a == nil || len(a.pieces.made) == 0:
		add(playback.Piece{First: t.heardAt, Last: t.heardAt, For: t.reply()})
	default:
		made, free := 0, t.began
		for _, x := range a.pieces.made {
			var piece playback.Piece
			piece, free = t.synthesise(free, x.at, x.tokens-made)
			add(piece)
			made = x.tokens
		}
	}
	return p
}

// sounding reports whether the sound of the reply is a service's.
func (t *turn) sounding() bool { return t.live != nil && len(t.live.sayings) > 0 }

// there reports whether all of the reply is: no more of it comes than is known now.
func (t *turn) there() bool {
	if t.sounding() && !(t.live.said && len(t.live.waiting) == 0 && len(t.trace.Sayings) == len(t.live.sayings)) {
		return false
	}
	a := t.last()
	return a == nil || a.ended
}

// tokens returns how many tokens of the reply are so much of its sound: by the pace of speech,
// or of a service's by the sound of all of it, once that is there. More than were handed to the
// voice are none.
func (t *turn) tokens(sound time.Duration, all *playback.Player) int {
	n := int(sound / max(1, t.simulator.config.Stack.SpeechPerToken))
	a := t.last()
	switch {
	case a == nil:
		return min(t.drawn.reply, n)
	case t.sounding() && t.there() && len(t.live.came) > 0:
		return int(float64(t.handedOn()) * float64(sound) / float64(max(1, all.Heard(all.Over))))
	case t.sounding():
		return min(t.handedOn(), n)
	case len(a.pieces.made) > 0:
		return min(a.pieces.made[len(a.pieces.made)-1].tokens, n)
	}
	return min(t.drawn.reply, n)
}

// handedOn returns how many tokens of the reply a service was given to speak.
func (t *turn) handedOn() int {
	if t.last().call.Record.Simulated {
		return t.live.given
	}
	return t.last().pieces.tokens
}

// synthesise returns tokens whose text came at an instant as they are at the ear, made by a
// voice that is free from another on, and when it is free again. Text that goes to the voice
// token by token is one to it: it does not begin anew with each.
func (t *turn) synthesise(free, text time.Duration, tokens int) (playback.Piece, time.Duration) {
	k := &t.simulator.config.Stack
	plays := time.Duration(tokens) * k.SpeechPerToken
	first := max(free, text) + t.drawn.tts
	if k.Gather.By == gather.Token {
		first = max(free, text+t.drawn.tts, t.began+t.drawn.tts)
	}
	last := first + time.Duration(k.TTS.Factor*float64(plays))
	way := t.wayOut()
	return playback.Piece{First: first + way, Last: last + way, For: plays}, last
}

// wayOut returns how long audio is on its way to the ear.
func (t *turn) wayOut() time.Duration { return t.drawn.egress + t.drawn.playout }
