package cartesia

import (
	"fmt"
	"reflect"
	"regexp"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// sonicContext is one text that comes in pieces and is spoken as one.
//
// What it holds back: with max_buffer_delay_ms above 0 it speaks sentences as soon as
// more text follows them, and the rest when its oldest character has waited so long: a
// sentence that ends the text waits too, as the documents warn
// (docs.cartesia.ai/use-the-api/tts-websocket/buffering, read 2026-11-29). With 0 each
// input is spoken at once, and flushed (pipecat-ai/pipecat services/cartesia/tts.py,
// read 2026-11-29).
type sonicContext struct {
	conn  *sonicTalk
	id    string
	first cartesia.Generation // what other inputs must repeat
	delay time.Duration

	pending string         // text that is held back
	buffer  pipeline.Timer // speaks it
	held    bool           // the timer runs
	mouth   *mouth.Mouth
	queue   []sonicItem // what is still to be sent, in order
	flushes int         // so far
	ending  bool        // no more text comes
	expiry  pipeline.Timer

	offset  time.Duration // audio of the texts before
	words   sonicWords
	stepped time.Duration // instant of the last chunk
}

// sonicItem is a text that is being spoken, or the end of a flush.
type sonicItem struct {
	text  int // its number, or -1
	flush int // what its audio belongs to, from 1
}

// sonicExpiry is how long after its last audio a context is over
// (cartesia-ai/docs fern/api-reference/contexts.mdx, 2025-10-27, read 2026-11-29).
const sonicExpiry = time.Second

// sonicDelay returns how long text may be held back.
func sonicDelay(g *cartesia.Generation) (time.Duration, *sonicFault) {
	if g.BufferDelay == nil {
		return cartesia.DefaultBufferDelay * time.Millisecond, nil
	}
	if d := *g.BufferDelay; !(d >= 0 && d <= cartesia.MaxBufferDelay) {
		return 0, &sonicFault{"Invalid request", fmt.Sprintf("max_buffer_delay_ms is %g: it must be from 0 to %d", d, cartesia.MaxBufferDelay)}
	}
	return time.Duration(*g.BufferDelay * float64(time.Millisecond)), nil
}

// input takes an input after the first, or returns what is wrong with it. The documents
// want all fields but the text and its flags to stay as they are; what is compared is
// what clients cannot help repeating (npm @cartesia/cartesia-js 4.2.0 leaves out
// generation_config at the end of a context).
func (c *sonicContext) input(g *sonicInput) *sonicFault {
	if g.fault != nil {
		return g.fault
	}
	if n := utf8.RuneCountInString(c.pending + *g.Transcript); n > sonicLongest {
		return &sonicFault{"Invalid request", fmt.Sprintf("the context holds back %d characters that cannot be spoken: this mock server takes %d", n, sonicLongest)}
	}
	for _, field := range []struct {
		name      string
		was, this any
	}{
		{"model_id", c.first.ModelID, g.ModelID},
		{"voice", c.first.Voice, g.Voice},
		{"language", c.first.Language, g.Language},
		{"output_format", c.first.OutputFormat, g.OutputFormat},
	} {
		if !reflect.DeepEqual(field.was, field.this) {
			return &sonicFault{"Invalid request", field.name + " differs from that of the context's first input: it must be the same in all of them"}
		}
	}
	return c.take(&g.Generation)
}

// sonicQueue is how many texts and flushes may wait in a context; it is ours.
const sonicQueue = 10_000

// take takes an input, unless too much waits already.
func (c *sonicContext) take(g *cartesia.Generation) *sonicFault {
	if n := c.mouth.Queued(); n > mouth.MostQueued || len(c.queue) > sonicQueue {
		return &sonicFault{"Invalid request", fmt.Sprintf("%d inputs with %d characters wait to be spoken in the context: this mock server takes %d and %d", len(c.queue), n, sonicQueue, mouth.MostQueued)}
	}
	c.expiry.Stop()
	c.pending += *g.Transcript
	switch {
	case !g.Continue:
		c.speak()
		c.ending = true
	case g.Flush || c.delay == 0 && mouth.Speakable(c.pending):
		c.flush()
	default:
		c.gather()
	}
	c.proceed()
	return nil
}

// sonicSentences finds the ends of sentences after which more text follows.
var sonicSentences = regexp.MustCompile(`[.!?…]["'”’)\]]*\s+\S|[。！？]\S|\n\s*\S`)

// gather speaks the sentences that are complete, and lets the rest wait.
func (c *sonicContext) gather() {
	if whole := c.complete(); whole != "" {
		rest := c.pending
		c.pending = whole
		c.speak()
		c.pending += rest
	}
	if !c.held && mouth.Speakable(c.pending) {
		c.held = true
		c.buffer = c.conn.Loop.After(c.delay, pipeline.RankTimer, func() {
			c.speak()
			c.proceed()
		})
	}
}

// complete takes the sentences after which more text follows from what is held back.
func (c *sonicContext) complete() (whole string) {
	ends := sonicSentences.FindAllStringIndex(c.pending, -1)
	if len(ends) == 0 {
		return ""
	}
	end := ends[len(ends)-1][1]
	_, next := utf8.DecodeLastRuneInString(c.pending[:end]) // is what follows
	whole, c.pending = c.pending[:end-next], c.pending[end-next:]
	return whole
}

// speak speaks what is held back, if it is anything.
func (c *sonicContext) speak() {
	c.buffer.Stop()
	c.held = false
	if mouth.Speakable(c.pending) {
		c.queue = append(c.queue, sonicItem{c.mouth.Say(c.pending), c.flushes + 1})
		c.pending = ""
	}
}

// flush speaks what is held back, and has the client told when all of it was sent.
func (c *sonicContext) flush() {
	c.speak()
	c.flushes++
	c.queue = append(c.queue, sonicItem{-1, c.flushes})
}

// tell sends a chunk, and the words that are whole with it.
func (c *sonicContext) tell(v mouth.Sound) {
	flush, now := c.queue[0].flush, c.conn.Loop.Now()
	message := cartesia.Chunk{Base: sonicBase(cartesia.TypeChunk, c.id), StepTime: talk.Milliseconds(now - c.stepped), FlushID: flush}
	c.stepped = now
	c.conn.Later(v.Weight, func() []byte {
		message.Data = v.Encode()
		return talk.JSON(message)
	})
	if said := c.words.take(v.Chunk, c.offset); c.first.Timestamps && len(said) > 0 {
		c.conn.Say(cartesia.Timestamps{Base: sonicBase(cartesia.TypeTimestamps, c.id), Words: sonicTimes(said), FlushID: flush})
	}
	if v.Last {
		c.offset += v.Start + c.mouth.Duration(v.Chunk)
		c.queue = c.queue[1:]
		c.proceed()
	}
}

// proceed tells of flushes that are done, and ends the context when everything is, or a
// while later when more text may come.
func (c *sonicContext) proceed() {
	for len(c.queue) > 0 && c.queue[0].text < 0 {
		c.conn.Say(cartesia.FlushDone{Base: sonicBase(cartesia.TypeFlushDone, c.id), FlushID: c.queue[0].flush, FlushDone: true})
		c.queue = c.queue[1:]
	}
	switch {
	case len(c.queue) > 0:
	case c.ending:
		c.done()
	case !c.held:
		c.expiry = c.conn.Loop.After(sonicExpiry, pipeline.RankTimer, c.done)
	}
}

// done says that nothing more comes.
func (c *sonicContext) done() {
	c.drop()
	c.conn.Say(sonicDone(c.id))
}

// cancel drops what is not being made yet: the text under way is sent to its end.
func (c *sonicContext) cancel() {
	c.pending = ""
	c.speak()
	c.expiry.Stop()
	c.ending = true
	for i, item := range c.queue {
		if i > 0 && item.text >= 0 {
			c.mouth.Cancel(item.text)
		}
	}
	c.queue = c.queue[:min(1, len(c.queue))]
	c.proceed()
}

// drop ends the context without a word.
func (c *sonicContext) drop() {
	c.stop()
	c.conn.forget(c)
}

func (c *sonicContext) stop() {
	c.buffer.Stop()
	c.expiry.Stop()
	c.mouth.Clear()
}
