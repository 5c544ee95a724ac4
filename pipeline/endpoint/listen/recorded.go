package listen

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
)

// Recorded is a session as it went over the wire once.
type Recorded struct {
	FirstFrame, LastFrame time.Duration // of audio; Unknown for none
	SpeechEnd             time.Duration // Unknown for no speech
	Frames                int
	Messages              []talk.Message // of the server
	End                   time.Duration
	Close                 int // code of the server's close frame, 0 for none
}

// Read makes the record of a session that was recorded, and says what the service reported
// as wrong, if it did. Config has the protocol, and what its messages depend on.
func Read(c Config, r Recorded) (pipeline.Transcription, *reply.Failure, error) {
	p, err := find(c.Protocol)
	if err != nil {
		return pipeline.Transcription{}, nil, err
	}
	g := gatherer{glue: p.glue, record: pipeline.NewTranscription(0, r.FirstFrame)}
	g.record.SpeechEnd = r.SpeechEnd
	d := p.decoder(&c)
	e := talk.End{
		At: r.End, Status: 101, Code: r.Close, Transport: pipeline.NewTransport(),
		Sent: talk.Sent{First: r.FirstFrame, Last: r.LastFrame, Late: pipeline.Unknown, Frames: r.Frames},
	}
	for _, m := range r.Messages {
		var s step
		d.read(m, &s)
		g.take(&s, m.At)
		if s.last || s.failure != nil {
			e.At, e.Enough = m.At, true
			break
		}
	}
	g.finish(&e, p.last)
	return g.record, g.failure, nil
}
