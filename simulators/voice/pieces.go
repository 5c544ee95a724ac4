package voice

import (
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/token"
	"halfsecond/pipeline"
	"halfsecond/simulators/voice/gather"
)

// pieces is how far an answer is cut into what is handed to the voice.
type pieces struct {
	cutter gather.Cutter
	// Of a modelled answer, whose text nobody writes: where it is cut, as far as anything
	// waits for that, and how many of them have come.
	cuts []cut
	next int
	// Of a real answer: what has come of it, up to the piece in hand.
	tokens, characters int
	made               []piece // where it matters when what is heard
}

// cut is the end of a piece, in tokens of the answer.
type cut struct {
	made       int // it ends with this one
	sign       int // the sign that ends it is this one
	at         int // it is known to be whole with this one
	characters int // up to its end, where they matter
}

// piece was handed to the voice at an instant, and ends with so many tokens of the answer.
type piece struct {
	tokens int
	at     time.Duration
}

// fresh returns pieces of nothing, with the memory of these.
func (x *pieces) fresh() pieces { return pieces{cuts: x.cuts[:0], made: x.made[:0]} }

// follows reports whether holes in the playback of replies are looked for.
func (k *Stack) follows() bool { return k.TTS.paced() && k.SpeechPerToken > 0 }

// listens reports whether it matters what of a reply is heard when: for its holes, or to know
// how far it was heard when the user spoke into it.
func (k *Stack) listens() bool { return k.SpeechPerToken > 0 && (k.TTS.paced() || k.BargeIn != nil) }

// paced reports whether the voice is a modelled one that makes a reply in time that is known.
func (v *TTS) paced() bool { return v.Factor > 0 && !v.Real }

// cuts reports whether later pieces matter than the first.
func (k *Stack) cuts() bool { return k.listens() || k.TTS.Holds > 0 || k.TTS.Real }

// cut finds out where a modelled answer is cut.
func (t *turn) cut(x *pieces) {
	k := &t.simulator.config.Stack
	if k.Gather.By == gather.Characters || k.TTS.Holds > 0 {
		t.cutText(x)
		return
	}
	ahead := 0
	if k.Gather.LooksAhead() {
		ahead = 1
	}
	for made := 0; made < t.drawn.reply; {
		made = t.nextCut(made)
		x.cuts = append(x.cuts, cut{made: made, sign: made, at: min(made+ahead, t.drawn.reply)})
		if !k.cuts() {
			return
		}
	}
}

// nextCut returns with which token the piece ends that begins behind so many.
func (t *turn) nextCut(made int) int {
	by, sentence := t.simulator.config.Stack.Gather.By, t.drawn.sentence
	n := made - made%sentence + sentence
	switch {
	case by == gather.Token:
		n = made + 1
	case by == gather.Clause && made == 0:
		n = min(t.drawn.clause, sentence)
	}
	return min(n, t.drawn.reply)
}

// cutText reads the text that the mock would say.
func (t *turn) cutText(x *pieces) {
	k := &t.simulator.config.Stack
	words := t.spokenWords()
	if !k.cuts() {
		words = words.First(k.Gather.Characters + 2) // no token is shorter than a character
	}
	text := words.Text()
	tokens, seen, characters := 0, 0, 0
	for len(text) > 0 {
		part := text[:token.Next(text)]
		text = text[len(part):]
		seen++
		c := x.cutter.Add(part)
		if !c.Next {
			tokens, characters = tokens+1, characters+utf8.RuneCountInString(part)
		}
		if c.Whole {
			sign := seen
			if k.Gather.LooksAhead() && c.Next {
				sign = tokens
			}
			x.cuts = append(x.cuts, cut{made: tokens, sign: sign, at: seen, characters: characters})
			if !k.cuts() {
				break
			}
		}
		if c.Next {
			tokens, characters = tokens+1, characters+utf8.RuneCountInString(part)
		}
	}
	if n := t.drawn.reply; tokens == n && x.last() < n || len(x.cuts) == 0 {
		x.cuts = append(x.cuts, cut{made: n, sign: n, at: n, characters: characters})
	}
	x.cutter = gather.Cutter{Rule: k.Gather}
}

// last returns how many tokens the pieces of a modelled answer have together.
func (x *pieces) last() int {
	if n := len(x.cuts); n > 0 {
		return x.cuts[n-1].made
	}
	return 0
}

// modelled takes so many tokens of a modelled answer.
func (t *turn) modelled(a *asking, tokens int) {
	x := &a.pieces
	for x.next < len(x.cuts) && x.cuts[x.next].sign <= tokens {
		c := x.cuts[x.next]
		if c.at > tokens {
			t.shown()
			return
		}
		x.next++
		t.whole(a, c.made, c.characters, c.made == t.drawn.reply)
	}
}

// real takes text of a real answer.
func (t *turn) real(a *asking, text string) {
	x := &a.pieces
	c, n, characters := x.cutter.Add(text), token.Count(text), utf8.RuneCountInString(text)
	if !c.Next {
		x.tokens, x.characters = x.tokens+n, x.characters+characters
	}
	if c.Whole {
		t.whole(a, x.tokens, x.characters, false)
	}
	if c.Next {
		x.tokens, x.characters = x.tokens+n, x.characters+characters
	}
	if c.Ended {
		t.shown()
	}
}

// shown has the first piece wait for what follows it: the sign that ends it has come.
func (t *turn) shown() {
	if t.open(t.gather) {
		t.End(t.gather)
		t.look = t.tried(t.Begin(pipeline.SpanLookAhead, false, t.gather))
	}
}

// whole takes a piece of the answer, which ends with so many tokens and characters of it:
// it is handed to the voice, which may wait for more, unless there is no more.
func (t *turn) whole(a *asking, tokens, characters int, all bool) {
	x, k := &a.pieces, &t.simulator.config.Stack
	if k.listens() && (len(x.made) == 0 || tokens > x.made[len(x.made)-1].tokens) {
		x.made = append(x.made, piece{tokens, t.loop().Now()})
	}
	enough := characters >= k.TTS.Holds || all
	switch {
	case t.open(t.gather):
		t.End(t.gather)
		t.hand(t.gather, enough)
	case t.open(t.look):
		t.hand(t.waited(&t.look), enough)
	case t.open(t.held) && enough:
		t.speak(t.waited(&t.held))
	}
	t.goOnSaying(a)
}

// hand gives the first piece to the voice.
func (t *turn) hand(text pipeline.SpanID, enough bool) {
	if enough {
		t.speak(text)
		return
	}
	t.held = t.tried(t.Begin(pipeline.SpanTTSHeld, true, text))
}

// waited ends a wait and returns it. One that took no time, since the answer was over, is
// taken back, and what it waited for returned.
func (t *turn) waited(id *pipeline.SpanID) pipeline.SpanID {
	t.End(*id)
	s := &t.trace.Spans[*id]
	if s.For() > 0 || int(*id) != len(t.trace.Spans)-1 {
		return *id
	}
	before := s.After[0]
	t.trace.Spans = t.trace.Spans[:*id]
	if n := len(t.guessed); n > 0 && t.guessed[n-1] == *id {
		t.guessed = t.guessed[:n-1]
	}
	*id = pipeline.NoSpan
	return before
}

// over takes what is left of an answer that is over.
func (t *turn) over(a *asking) {
	x := &a.pieces
	tokens := x.tokens
	if a.call.Record.Simulated {
		tokens = min(t.drawn.reply, max(0, a.call.Record.OutputTokens)-t.simulator.config.Stack.ReasoningTokens)
	}
	if a.begun {
		t.whole(a, tokens, x.characters, true)
	}
	if t.live != nil {
		t.rest(a)
	}
}
