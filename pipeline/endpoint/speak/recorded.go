package speak

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
)

// Response is the response to a post for speech.
type Response struct {
	Status int
	Header http.Header
	Body   io.Reader
	Clock  func() time.Duration // read right after each read of Body returns
}

// Read makes the record of speech that was sent at instant zero, and says what was reported
// as wrong, if something was. The protocol must be one over HTTP.
func Read(c Config, resp Response) (pipeline.Speech, *reply.Failure, error) {
	c = c.WithDefaults()
	p, err := find(c.Protocol)
	if err != nil {
		return pipeline.Speech{}, nil, err
	}
	if p.socket {
		return pipeline.Speech{}, nil, fmt.Errorf("%s is no protocol over HTTP", p.name)
	}
	r := pipeline.NewSpeech(0, 0)
	e := talk.End{Status: resp.Status, Header: resp.Header, Transport: pipeline.NewTransport()}
	g := newGatherer(&c, p)
	if resp.Status < 200 || resp.Status > 299 {
		whole := reply.Read(reply.Response{Status: resp.Status, Header: resp.Header, Body: resp.Body, Clock: resp.Clock}, nil)
		g.failure, e.At = whole.Failure, whole.End
	} else if g.open(resp.Header); g.failure == nil {
		g.drain(resp, &e)
	}
	g.finish(&r, &e)
	r.Sent, r.LastSent = 0, 0
	if g.failure == nil {
		return r, e.Failure, nil
	}
	return r, g.failure, nil
}

// drain reads a body to its end.
func (g *gatherer) drain(resp Response, e *talk.End) {
	for buffer := make([]byte, reply.ReadBytes); ; {
		n, err := resp.Body.Read(buffer)
		e.At = resp.Clock()
		if n > 0 && !g.take(talk.Message{At: e.At, Binary: true, Data: buffer[:n]}) {
			e.Enough = true
			return
		}
		if err != nil {
			if e.Whole = errors.Is(err, io.EOF); !e.Whole {
				e.Failure = &reply.Failure{Kind: reply.BadLink, Cause: err}
			}
			return
		}
	}
}
