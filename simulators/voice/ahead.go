package voice

import (
	"halfsecond/pipeline"
)

// ahead is a connection to the service that speaks, opened before there is a reply to be spoken,
// as bots do whose voice takes text as it comes.
type ahead struct {
	saying *pipeline.Saying
	used   bool
	gone   bool // it ended before
}

// openAhead opens a connection when the user begins to speak, or a modelled one has spoken. Until
// the turn is due nothing is expected of it.
func (t *turn) openAhead() {
	s := &t.simulator.config.Services
	if !s.Ahead || s.TTS == nil || s.Pieces || s.Direct != nil {
		return
	}
	a := &ahead{saying: &pipeline.Saying{Session: t.trace.Session, Stream: t.stream(0), More: true, Notify: t.sounds}}
	a.saying.Done = func() {
		if a.gone = !a.used; a.used {
			t.saidAll(a.saying)
		}
	}
	a.saying.Record = pipeline.NewSpeech(t.simulator.config.NextRequest(), max(t.trace.Due, t.loop().Now()))
	t.live.ahead = a
	s.TTS.Start(a.saying)
}

// take returns the saying whose connection is open, for the first of a reply; nil where there is
// none.
func (a *ahead) take() *pipeline.Saying {
	if a == nil || a.used || a.gone {
		return nil
	}
	a.used = true
	return a.saying
}

// leave gives a connection up for which there was no reply.
func (t *turn) leave() {
	if l := t.live; l != nil {
		if x := l.ahead.take(); x != nil {
			l.ahead.used = false // nobody is told
			t.simulator.config.Services.TTS.Cancel(x)
		}
	}
}
