package speak

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// setting is what a raw log keeps of what was asked for.
type setting struct {
	Format     string `json:"format"`
	Rate       int    `json:"rate"`
	Events     bool   `json:"events,omitempty"`
	Eager      bool   `json:"eager,omitempty"`
	Characters int    `json:"characters"` // of the text that was there from the beginning
}

// setting returns that of a text.
func (c *Config) setting(text string) setting {
	return setting{Format: c.Format, Rate: c.Rate, Events: c.Events, Eager: c.Eager, Characters: utf8.RuneCountInString(text)}
}

// Notes in the raw log of a WebSocket.
const (
	noteDue      = "text_due"      // when the first text should have been sent
	noteFinished = "text_finished" // all of the text was there; N is its characters
	noteFlushes  = "text_flushes"  // N requests to speak what there is must be done before all is said
)

func settingOf(x *exchange.Exchange) (s setting, err error) {
	if err = json.Unmarshal([]byte(x.Setting), &s); err != nil {
		err = fmt.Errorf("conversation %d: setting: %w", x.Request, err)
	}
	return s, err
}

// Retell makes the record of a text again from what was kept of it, and tells each of its
// events; each may be nil.
func Retell(x *exchange.Exchange, each func(talk.Event)) (pipeline.Speech, error) {
	p, err := find(Protocol(x.Protocol))
	if err != nil {
		return pipeline.Speech{}, fmt.Errorf("conversation %d: %w", x.Request, err)
	}
	s, err := settingOf(x)
	if err != nil {
		return pipeline.Speech{}, err
	}
	told, err := talk.Retell(x)
	if err != nil {
		return pipeline.Speech{}, err
	}
	c := Config{Protocol: p.name, Format: s.Format, Rate: s.Rate, Events: s.Events, Eager: s.Eager}.WithDefaults()
	if err := c.samples().Check(); err != nil {
		return pipeline.Speech{}, fmt.Errorf("conversation %d: %w", x.Request, err)
	}
	g := newGatherer(&c, p)
	r := pipeline.NewSpeech(x.Request, x.Due)
	r.Characters = s.Characters
	g.tell(told, each)
	if n, ok := x.Noted(noteDue); ok {
		r.Due = n.At
	}
	if n, ok := x.Noted(noteFinished); ok {
		r.Characters = int(n.N)
	}
	if n, ok := x.Noted(noteFlushes); ok {
		g.last = g.last || g.flushed.Load() >= n.N
	}
	g.finish(&r, &told.End)
	if told.Opening != nil && p.socket {
		r.Ready = told.Opening.At
	}
	if x.Stop == exchange.Cancelled {
		r.Outcome, r.Reason = pipeline.Cancelled, told.Reason(pipeline.Cancelled, "")
	}
	return r, nil
}

// tell takes a conversation again.
func (g *gatherer) tell(told *talk.Retold, each func(talk.Event)) {
	if told.Opening != nil && g.posted {
		g.open(told.Opening.Header)
	}
	for _, m := range told.Messages {
		if g.failure != nil {
			return
		}
		before, audible := g.meter.Samples, g.meter.Audible()
		last, flushed := g.last, g.flushed.Load()
		g.take(m)
		if each == nil {
			continue
		}
		e := talk.NewEvent(m)
		e.Samples, e.Audible = int(g.meter.Samples-before), g.meter.Audible() && !audible
		e.Noisy = e.Samples > 0 && g.meter.Noisy()
		switch {
		case g.failure != nil:
			e.Kind, e.Text = talk.KindError, g.failure.String()
		case e.Samples > 0:
			e.Kind = talk.KindAudio
		case g.meter.Headered && before == 0 && g.meter.Samples == 0:
			e.Kind = talk.KindHeader
		case g.last && !last, g.flushed.Load() > flushed:
			e.Kind = talk.KindEnd
		}
		each(e)
	}
}
