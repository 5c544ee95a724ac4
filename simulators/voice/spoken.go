package voice

import (
	"strings"
	"unicode"

	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
)

// What of the reply is handed to a service that speaks: its pieces, as the stack gathers
// them, each once it is whole, whether the answer is text or modelled.

// takeText takes the text of a real answer as it comes. A modelled one has no text: its words
// are taken when they are handed on.
func (t *turn) takeText(p pipeline.Progress) {
	if p.Modelled {
		return
	}
	l := t.live
	l.cutter.Rule = t.simulator.config.Stack.Gather
	c := l.cutter.Add(p.Text)
	if !c.Next {
		l.piece.WriteString(p.Text)
	}
	if c.Whole {
		l.whole.WriteString(l.piece.String())
		l.piece.Reset()
	}
	if c.Next {
		l.piece.WriteString(p.Text)
	}
}

// firstPiece returns the first piece of the reply, and those that are whole behind it. An
// answer that is over before is a piece as it is.
func (t *turn) firstPiece() string {
	a, l := t.last(), t.live
	if a.call.Record.Simulated && a.pieces.next == 0 {
		l.given = a.pieces.cuts[0].made
		return t.said(l.given)
	}
	if l.whole.Len() == 0 {
		l.whole.WriteString(l.piece.String())
		l.piece.Reset()
	}
	return t.wholePieces(a)
}

// wholePieces returns the pieces of the reply that are whole and were not handed on.
func (t *turn) wholePieces(a *asking) string {
	l := t.live
	if x := &a.pieces; x.next > 0 && x.cuts[x.next-1].made > l.given {
		before := len(t.said(l.given))
		l.given = x.cuts[x.next-1].made
		return t.said(l.given)[before:]
	}
	text := l.whole.String()
	l.whole.Reset()
	return text
}

// said returns so many tokens of a modelled reply as text.
func (t *turn) said(tokens int) string { return t.spokenWords().First(tokens).Text() }

// goOnSaying hands on the pieces that have become whole since the voice began.
func (t *turn) goOnSaying(a *asking) {
	if t.live == nil || len(t.live.sayings) == 0 {
		return
	}
	if text := t.wholePieces(a); speakable(text) {
		t.say(text, pipeline.NoSpan)
	}
}

// rest hands on what is left of the reply, and says that it is over.
func (t *turn) rest(a *asking) {
	s, l := &t.simulator.config.Services, t.live
	if len(l.sayings) == 0 || l.said {
		return
	}
	l.said = true
	text := t.wholePieces(a) + l.piece.String()
	l.piece.Reset()
	if words := t.spokenWords(); a.call.Record.Simulated && l.given < words.Tokens() {
		text += words.Text()[len(t.said(l.given)):]
		l.given = words.Tokens()
	}
	if speakable(text) {
		t.say(text, pipeline.NoSpan)
	}
	if !s.Pieces {
		s.TTS.Finish(l.sayings[0])
	}
}

// speakable reports whether there is something to say in a text: a service refuses what has
// only marks, or makes no sound of it.
func speakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

// drop forgets text of an answer that is not said.
func (l *live) drop() {
	l.whole.Reset()
	l.piece.Reset()
	l.cutter, l.given = gather.Cutter{}, 0
}
