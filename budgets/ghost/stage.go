package ghost

import (
	"time"

	"halfsecond/pipeline"
)

// Stage is a part of the time from a key to its first character.
type Stage uint8

const (
	KeyWait     Stage = iota // the editor's thread is at work, and the key waits for it
	Prepare                  // what the plugin does on that thread
	Debounce                 // until nothing has been typed for long enough
	ClientQueue              // a request is due, and rules hold it back: the plugin's, or the tester's own limit
	Dial                     // a connection is opened: its host looked up, TCP and TLS
	Send                     // the request is on its way to the server
	Load                     // the model is not in memory, or not warm
	ServerQueue              // the server works on others
	Prefill                  // the prompt is evaluated, up to the first token
	FirstToken               // from the first token until something is out that can be seen
	Transfer                 // the text is on its way back
	Unsplit                  // all from sending to the text, where nobody tells those apart
	LineBuffer               // text is there, and the plugin waits for the rest of its line, or of the answer
	Hold                     // the text is there, and the plugin holds it back
	Render                   // on its way to the screen
	stageCount
)

var stageNames = [stageCount]string{
	pipeline.SpanKeyWait, pipeline.SpanPrepare, pipeline.SpanDebounce, pipeline.SpanClientQueue, "dial", "send", pipeline.SpanLLMLoad, "server_queue",
	pipeline.SpanLLMPrefill, "first_token", "transfer", "send_to_text", pipeline.SpanLineBuffer, pipeline.SpanHold, pipeline.SpanRender,
}

// String returns the stage's name in reports.
func (s Stage) String() string { return stageNames[s] }

// AllStages returns all stages in the order of time.
func AllStages() (all []Stage) {
	for s := range stageCount {
		all = append(all, s)
	}
	return all
}

// Stages is how long each stage took of one key. Those that were told add up to the time to
// the first character, to the nanosecond; what nobody told apart is Unknown, and Unsplit has
// the sum of it. Unsplit is Unknown where everything was told.
type Stages [stageCount]time.Duration

// Sum adds up what is known.
func (s *Stages) Sum() (sum time.Duration) {
	for _, d := range s {
		if d != pipeline.Unknown {
			sum += d
		}
	}
	return sum
}

// Stages returns the stages of a key, or of another step, that landed; ok is false for one
// that did not. A key that joined the request of an earlier step has what was left of that
// one's stages when it was typed. One whose text was there before it has none: all are zero.
func (r *Run) Stages(t *pipeline.Trace) (s Stages, ok bool) {
	if Landed(t) == pipeline.Unknown {
		return s, false
	}
	c := cutter{at: t.Due, landing: t.Mark(pipeline.MarkFirstCharacter)}
	q, before := r.brought(t), t
	if q != nil {
		before = q.Trace
	}
	c.own(before)
	text := since(t, c.landing)
	switch {
	case q == nil:
		c.until(Unsplit, text)
	default:
		c.request(q.Request, text)
	}
	c.until(LineBuffer, spanEnd(t, pipeline.SpanLineBuffer, text))
	c.until(Hold, spanEnd(t, pipeline.SpanHold, text))
	c.until(Render, c.landing)
	if c.stages[Unsplit] == 0 && (q == nil || told(q.Request)) {
		c.stages[Unsplit] = pipeline.Unknown
	}
	return c.stages, true
}

// since returns when the text was there that a step landed with: before it was held back.
func since(t *pipeline.Trace, landing time.Duration) time.Duration {
	text := landing
	for _, s := range t.Spans {
		if (s.Name == pipeline.SpanLineBuffer || s.Name == pipeline.SpanHold || s.Name == pipeline.SpanRender) && s.End != pipeline.Unknown && s.End <= landing {
			text = min(text, s.Start)
		}
	}
	return text
}

// spanEnd returns when a span of that name ended; what stands for it where there is none.
func spanEnd(t *pipeline.Trace, name string, none time.Duration) time.Duration {
	for _, s := range t.Spans {
		if s.Name == name && s.End != pipeline.Unknown {
			return s.End
		}
	}
	return none
}

// told reports whether the parts of a request are known one by one.
func told(r *pipeline.Request) bool {
	return r.Scheduled != pipeline.Unknown && r.FirstOutput != pipeline.Unknown
}

// cutter cuts the time from a step to its landing into stages, one after the other.
type cutter struct {
	at, landing time.Duration
	stages      Stages
}

// until gives a stage the time up to an instant.
func (c *cutter) until(s Stage, to time.Duration) {
	if to == pipeline.Unknown {
		return
	}
	if to = min(to, c.landing); to > c.at {
		c.stages[s] += to - c.at
		c.at = to
	}
}

// own cuts what a step waits for before its request is due.
func (c *cutter) own(t *pipeline.Trace) {
	for _, p := range []struct {
		stage Stage
		span  string
	}{{KeyWait, pipeline.SpanKeyWait}, {Prepare, pipeline.SpanPrepare}, {Debounce, pipeline.SpanDebounce}, {ClientQueue, pipeline.SpanClientQueue}} {
		c.until(p.stage, spanEnd(t, p.span, pipeline.Unknown))
	}
}

// request cuts what a request waits for, until its text is there. A load comes before the
// queue: the model is loaded first.
func (c *cutter) request(r *pipeline.Request, text time.Duration) {
	c.until(ClientQueue, r.Due)
	c.until(ClientQueue, goes(r))
	c.until(Dial, r.Sent)
	if !told(r) {
		for _, s := range []Stage{Send, Load, ServerQueue, Prefill, FirstToken, Transfer} {
			c.stages[s] = pipeline.Unknown
		}
		c.until(Unsplit, text)
		return
	}
	c.until(Send, r.Sent+r.Way.Out)
	if r.Loading > 0 {
		c.until(Load, r.Sent+r.Way.Out+r.Loading)
	}
	c.until(ServerQueue, r.Scheduled+r.Way.Out)
	c.until(Prefill, r.FirstOutput-r.Way.Back)
	c.until(FirstToken, text-r.Way.Back)
	c.until(Transfer, text)
}

// goes returns when a request began to look for a connection.
func goes(r *pipeline.Request) time.Duration {
	at := r.Sent
	for _, d := range []time.Duration{r.Transport.DNS, r.Transport.Connect, r.Transport.TLS} {
		if at != pipeline.Unknown && d > 0 {
			at -= d
		}
	}
	return at
}
