package dialect

import (
	"errors"
	"io"
	"net/http"
	"time"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
)

// Reread makes of what was kept of an exchange what its client made of it: the same
// numbers from the same bytes.
func Reread(x *exchange.Exchange) (*reply.Reply, error) { return Retell(x, nil) }

// Retell is Reread, and tells each of the messages of the response; each may be nil.
func Retell(x *exchange.Exchange, each func(reply.Message)) (*reply.Reply, error) {
	d, err := Of(Protocol(x.Protocol))
	if err != nil {
		return nil, err
	}
	if x.How == exchange.None {
		return reply.None(x.End, errors.New(x.Cause)), nil
	}
	if !x.Whole() {
		return nil, exchange.ErrTextless
	}
	header := http.Header{}
	for _, h := range x.Headers {
		header.Add(h[0], h[1])
	}
	p := &player{x: x, now: x.Answered, rest: x.Body, reads: x.Reads}
	return reply.Read(reply.Response{
		Status: x.Status, Header: header, Body: p, MaxBytes: x.MaxBytes, MaxOutputs: x.MaxOutputs, RequestBytes: x.Asked(), Message: each, Decoder: d.NewDecoder(), Endless: d.Endless, Clock: func() time.Duration { return p.now },
	}, nil), nil
}

// player is the body of an exchange on the clock of its run.
type player struct {
	x     *exchange.Exchange
	now   time.Duration
	rest  []byte
	reads []exchange.Read
	taken int // bytes of the first of reads
}

func (p *player) Read(b []byte) (int, error) {
	if len(p.reads) == 0 {
		p.now = p.x.End
		if p.x.How == exchange.EOF {
			return 0, io.EOF
		}
		return 0, errors.New(p.x.Cause)
	}
	r := p.reads[0]
	p.now = r.At
	n := copy(b, p.rest[:r.Bytes-p.taken])
	p.rest, p.taken = p.rest[n:], p.taken+n
	if p.taken == r.Bytes {
		p.reads, p.taken = p.reads[1:], 0
	}
	return n, nil
}
