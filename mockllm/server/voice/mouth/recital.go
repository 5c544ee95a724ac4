package mouth

import (
	"encoding/json"
	"net/http"
	"time"

	"halfsecond/mockllm/fault"
	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire"
)

// Recital is a text that is spoken as the answer to one HTTP request: sent as it is
// made, the first of it when the model's time to first byte has passed.
type Recital struct {
	Protocol string // as the ledger has it
	ID       string
	Model    string
	Text     string
	Speed    float64 // of the client; 0 is 1
	Output   audio.Output
	Content  string // type of the answer
	// Whole is set when everything is sent once the last of it is made.
	Whole bool
	// Form returns what is sent for a chunk that was made at an instant; encoded is its
	// audio. It is not called on the loop. Nil sends the audio.
	Form func(c speech.Chunk, at time.Duration, encoded []byte) []byte
}

// Recite answers a request that was whole at the instant of arrival. The output must be
// one that can be written.
func (m *Models) Recite(w http.ResponseWriter, r *http.Request, arrived time.Duration, c Recital) {
	if c.Form == nil {
		c.Form = func(_ speech.Chunk, _ time.Duration, encoded []byte) []byte { return encoded }
	}
	p := &performance{Recital: c, models: m, entry: talk.Begin(c.Protocol, c.ID, r.URL.Path, c.Model, arrived), plan: fault.From(r.Context())}
	p.entry.Stream = wire.AskedStream(r.Header.Get(wire.StreamHeader))
	m.Host.Respond(w, r, c.Content, arrived, p.begin)
}

// performance is a recital under way.
type performance struct {
	Recital
	models *Models
	out    *talk.Outlet
	mouth  *Mouth
	entry  ledger.Entry
	plan   *fault.Plan // how it goes wrong; nil when it does not
	over   bool
	all    gathering // of a whole; belongs to the writer
}

func (p *performance) begin(out *talk.Outlet) (quit func()) {
	p.out = out
	output := p.Output
	if p.Whole && output.Container == audio.WAV {
		output.Container = audio.Raw // its header comes when its length is known
	}
	p.mouth = p.models.Mouth(&p.entry, p.Model, p.Speed, output, p.tell)
	p.mouth.Say(p.Text)
	return p.quit
}

func (p *performance) tell(s Sound) {
	now := p.out.Loop.Now()
	p.out.Later(s.Weight, func() []byte {
		c, encoded := s.Chunk, s.Encode()
		if p.Whole {
			if c, encoded = p.all.add(c, encoded); !c.Last {
				return nil
			}
			if p.Output.Container == audio.WAV {
				encoded = append(audio.AppendWAVHeader(nil, p.Output.Format, len(encoded)), encoded...)
			}
		}
		return p.Form(c, now, encoded)
	})
	if s.Last {
		p.out.End()
		p.entry.Ended, p.entry.Outcome = now, pipeline.OK
		p.end()
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
	if !p.over {
		p.mouth.Clear()
		talk.Abandon(&p.entry, p.out.Loop.Now())
		p.end()
	}
}

func (p *performance) end() {
	p.over = true
	p.models.Host.Ledger.AddFor(p.plan, p.entry)
}

// MostText is the largest body of a request for speech in bytes: far more than the
// longest text that any vendor speaks at once.
const MostText = 1 << 20

// ReadRequest reads the body of a request for speech into v, and returns the instant at
// which it was whole. The error of one that is too large is talk.TooLarge.
func ReadRequest(h *talk.Host, w http.ResponseWriter, r *http.Request, v any) (arrived time.Duration, err error) {
	b, arrived, err := h.Upload(w, r)
	switch {
	case err != nil:
		return arrived, err
	case len(b) > MostText:
		return arrived, talk.TooLarge{Limit: MostText, Size: int64(len(b))}
	}
	return arrived, json.Unmarshal(b, v)
}
