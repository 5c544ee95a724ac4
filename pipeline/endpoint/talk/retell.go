package talk

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// ErrTextless is the error of a conversation whose bytes were not kept.
var ErrTextless = errors.New("its bytes were not kept, since texts were not to be")

// Retold is a conversation as its raw log has it: what its listener was told, once more.
type Retold struct {
	Opening  *Opening // nil when the server did not accept
	Messages []Message
	Parts    []Sent // as Part returned them
	End      End
}

// Retell reads a conversation again from what was kept of it.
func Retell(x *exchange.Exchange) (*Retold, error) {
	if !x.Whole() {
		return nil, ErrTextless
	}
	r := &Retold{}
	header := http.Header{}
	for _, h := range x.Headers {
		header.Add(h[0], h[1])
	}
	_, unopened := x.Noted(noteUnopened)
	accepted := x.Status == http.StatusSwitchingProtocols || x.Method == http.MethodPost && x.Status >= 200 && x.Status <= 299
	accepted = accepted && !unopened
	if accepted {
		r.Opening = &Opening{At: x.Answered, Status: x.Status, Header: header, Transport: link(x)}
		r.Opening.Transport.Headers = endpoint.Key{}.Headers(header)
		r.Messages = messages(x)
	}
	r.End = ending(x, header, accepted)
	r.Parts, r.End.Part = parts(x)
	return r, nil
}

// Reason returns why a conversation ended, where its reader says so: of one that the client
// gave up, the client's own words.
func (r *Retold) Reason(o pipeline.Outcome, reader string) string {
	if o == pipeline.Cancelled && r.End.Cause != nil {
		return r.End.Cause.Error()
	}
	return reader
}

// messages returns what the server said.
func messages(x *exchange.Exchange) (all []Message) {
	for _, m := range x.Messages {
		if m.From == exchange.Server && m.Kind != exchange.Close {
			all = append(all, Message{At: m.At, Binary: m.Kind == exchange.Binary, Data: m.Data})
		}
	}
	rest, left := x.Body, x.MaxBytes
	for _, read := range x.Reads {
		if left -= int64(read.Bytes); x.MaxBytes > 0 && left < 0 {
			break // the client left with it
		}
		all = append(all, Message{At: read.At, Binary: true, Data: rest[:read.Bytes]})
		rest = rest[read.Bytes:]
	}
	return all
}

// ending returns how a conversation ended.
func ending(x *exchange.Exchange, header http.Header, accepted bool) End {
	e := End{At: x.End, Sent: sent(x), Status: x.Status, Header: header, Transport: link(x)}
	_, e.HungUp = x.Noted(noteBye)
	_, e.Unopened = x.Noted(noteUnopened)
	e.Transport.Headers = endpoint.Key{}.Headers(header)
	for _, m := range x.Messages {
		if m.Kind == exchange.Close {
			e.Code, e.Words = m.Code, string(m.Data)
		}
	}
	switch {
	case x.How == exchange.None, x.How == exchange.Reset:
		e.Failure = &reply.Failure{Kind: reply.BadLink, Cause: errors.New(x.Cause)}
	case x.How == exchange.Open:
		e.Enough = x.Stop == "" && x.Cause == ""
	case accepted:
		e.Whole = x.Method == http.MethodPost
	default:
		refusal(&e, x)
	}
	e.Cause = cause(x)
	return e
}

// refusal fills in what a response says that does not accept.
func refusal(e *End, x *exchange.Exchange) {
	now := func() time.Duration { return x.End }
	e.Failure, e.Transport.RetryAfter = refused(&http.Response{StatusCode: x.Status, Header: e.Header}, bytes.NewReader(x.Body), now, nil)
}

// cause returns why the client itself ended a conversation; nil when it did not.
func cause(x *exchange.Exchange) error {
	switch {
	case x.Stop == exchange.Cancelled:
		return &ended{pipeline.Cancelled, x.Cause}
	case x.Stop == exchange.TimedOut:
		return &ended{pipeline.Timeout, x.Cause}
	case x.How == exchange.Open && x.Cause != "":
		return &ended{pipeline.Error, x.Cause}
	}
	return nil
}

// ended is the cause of a conversation that is told again.
type ended struct {
	outcome pipeline.Outcome
	words   string
}

func (e *ended) Error() string { return e.words }

// link returns what is known of the connection.
func link(x *exchange.Exchange) pipeline.Transport {
	t := pipeline.NewTransport()
	t.Status, t.HTTP = x.Status, x.HTTP
	if x.Method == http.MethodPost && x.Status >= 200 && x.Status <= 299 {
		t.Encoding = endpoint.Key{}.Tidy(x.Header("Content-Encoding"))
	}
	for name, into := range map[string]*time.Duration{noteDNS: &t.DNS, noteConnect: &t.Connect, noteTLS: &t.TLS} {
		if n, ok := x.Noted(name); ok {
			*into = time.Duration(n.N)
		}
	}
	_, t.Reused = x.Noted(noteReused)
	return t
}

// sent returns what is known of the payload that went out.
func sent(x *exchange.Exchange) Sent {
	if x.Method == http.MethodPost {
		s := nothingSent()
		if x.Sent != pipeline.Unknown {
			s.add(x.Sent, x.Due)
		}
		return s
	}
	return sum(payload(x))
}

// parts returns what went out in each part of a conversation, and since the last of them.
func parts(x *exchange.Exchange) (all []Sent, rest Sent) {
	frames, from := payload(x), 0
	for _, n := range x.Notes {
		if to := int(n.N); n.Name == notePart && to >= from && to <= len(frames) {
			all, from = append(all, sum(frames[from:to])), to
		}
	}
	return all, sum(frames[from:])
}

// payload returns the frames of a WebSocket that had an instant at which they were due.
func payload(x *exchange.Exchange) (all []exchange.Message) {
	for _, m := range x.Messages {
		if m.From == exchange.Client && m.Due != pipeline.Unknown {
			all = append(all, m)
		}
	}
	return all
}

func sum(frames []exchange.Message) Sent {
	s := nothingSent()
	for _, m := range frames {
		s.add(m.At, m.Due)
	}
	return s
}
