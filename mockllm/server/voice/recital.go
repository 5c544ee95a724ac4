package voice

import (
	"encoding/json"
	"net/http"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// recital is a text that is spoken as the answer to one HTTP request: sent as it is
// made, the first of it when the model's time to first byte has passed.
type recital struct {
	protocol string // as the ledger has it
	id       string
	model    string
	text     string
	speed    float64 // of the client; 0 is 1
	output   audio.Output
	content  string // type of the answer
	// whole is set when everything is sent once the last of it is made.
	whole bool
	// form returns what is sent for a chunk that was made at an instant; encoded is its
	// audio. It is not called on the loop. Nil sends the audio.
	form func(c speech.Chunk, at time.Duration, encoded []byte) []byte
}

// recite answers a request that was whole at the instant of arrival. The output must be
// one that can be written.
func (s *Service) recite(w http.ResponseWriter, r *http.Request, arrived time.Duration, c recital) {
	if c.form == nil {
		c.form = func(_ speech.Chunk, _ time.Duration, encoded []byte) []byte { return encoded }
	}
	p := &performance{recital: c, service: s, entry: ledger.Entry{
		ID: c.id, Protocol: c.protocol, Path: r.URL.Path, Model: c.model,
		Arrived: arrived, Started: arrived, First: pipeline.Unknown, Left: pipeline.Unknown,
	}}
	s.respond(w, r, c.content, arrived, p.begin)
}

// performance is a recital under way.
type performance struct {
	recital
	service *Service
	body    *body
	mouth   *mouth
	entry   ledger.Entry
	over    bool
	all     gathering // of a whole; belongs to the writer
}

func (p *performance) begin(b *body) (quit func()) {
	p.body = b
	output := p.output
	if p.whole && output.Container == audio.WAV {
		output.Container = audio.Raw // its header comes when its length is known
	}
	p.mouth = p.service.mouth(&p.entry, p.model, p.speed, output, p.tell)
	p.mouth.say(p.text)
	return p.quit
}

func (p *performance) tell(v sound) {
	now := p.service.config.Loop.Now()
	p.body.later(v.weight, func() []byte {
		c, encoded := v.Chunk, v.encode()
		if p.whole {
			if c, encoded = p.all.add(c, encoded); !c.Last {
				return nil
			}
			if p.output.Container == audio.WAV {
				encoded = append(audio.AppendWAVHeader(nil, p.output.Format, len(encoded)), encoded...)
			}
		}
		return p.form(c, now, encoded)
	})
	if v.Last {
		p.body.end()
		p.end(pipeline.OK, "")
	}
}

// gathering is what has been made of something that is sent as a whole.
type gathering struct {
	speech.Chunk
	encoded []byte
}

// add adds a chunk and returns all of them as one.
func (g *gathering) add(c speech.Chunk, encoded []byte) (speech.Chunk, []byte) {
	g.Characters = append(g.Characters, c.Characters...)
	g.encoded = append(g.encoded, encoded...)
	g.Last = c.Last
	return g.Chunk, g.encoded
}

// quit says that nobody listens any more.
func (p *performance) quit() {
	if p.over {
		return
	}
	p.mouth.inner.Clear()
	p.entry.Left = p.service.config.Loop.Now()
	p.end(pipeline.Cancelled, "the client closed the connection")
}

func (p *performance) end(o pipeline.Outcome, reason string) {
	p.over = true
	p.entry.Ended, p.entry.Outcome, p.entry.Reason = p.service.config.Loop.Now(), o, reason
	p.service.config.Ledger.Add(p.entry)
}

// mostText is the largest body of a request for speech in bytes: far more than the
// longest text that any vendor speaks at once.
const mostText = 1 << 20

// readJSON reads the body of a request for speech into v, and returns the instant at
// which it was whole. The error of one that is too large is tooLarge.
func (s *Service) readJSON(w http.ResponseWriter, r *http.Request, v any) (arrived time.Duration, err error) {
	b, arrived, err := s.upload(w, r)
	switch {
	case err != nil:
		return arrived, err
	case len(b) > mostText:
		return arrived, tooLarge{mostText, int64(len(b))}
	}
	return arrived, json.Unmarshal(b, v)
}
