// Package recount computes the numbers of a run's requests, and of its sessions with speech
// services, again from the bytes that came, and compares them with those in its traces.
//
// Read recount.go for the course of it, figures.go for what is compared of a request,
// speech.go for sessions with speech services, and told.go for what the bytes say, with which
// the traces that are made of that are compared: interaction.go has what holds of each of them,
// turn.go the spans and marks of voice turns, key.go and plain.go those of the other kinds.
package recount

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/langserver"
	"halfsecond/pipeline/exchange"
)

// Result is what came of it.
type Result struct {
	Again int // requests that were read again from their bytes
	// Hearings, Sayings and Answers are those of speech services that were, and Turns the
	// voice turns with one, whose spans and marks were compared with what was read.
	Hearings, Sayings, Answers, Turns int
	Differ                            []Difference
	// What of the traces could not be read again: what was never sent, and whose exchange is
	// not in the log.
	Unsent, Missing int
	// Textless are the requests whose bytes are not in the log, and Wordless what speech
	// services did whose are not, since texts were not to be kept.
	Textless, Wordless int
	Spoken             bool // speech services are in the traces
	Others             int  // exchanges of nothing in the traces: of a warm-up, of other people, of what a cut run did not keep
	Early              int  // those of them that were due before any in the traces: of a warm-up
	Hashed             bool // the log has other letters in place of texts
	Cut                bool // the log ends in mid-air
}

// Difference is one figure that is not as it was.
type Difference struct {
	Of      string // "request", "hearing", "saying", "answer", or a turn, such as "turn 0 of session 3"
	Request int64  // its ID; 0 of a turn
	Figure  string // as trace files name it
	Trace   string // what the trace says
	Bytes   string // what the bytes say
}

// Read returns how many records were read again from their bytes: of requests and of speech
// services.
func (r *Result) Read() int { return r.Again + r.Hearings + r.Sayings + r.Answers }

// String says it in one line.
func (d Difference) String() string {
	of := d.Of
	if d.Request != 0 {
		of += " " + strconv.FormatInt(d.Request, 10)
	}
	return fmt.Sprintf("%s: %s is %s in the trace, %s by its bytes", of, d.Figure, d.Trace, d.Bytes)
}

// Traces reads a raw log to its end and compares it with the requests of the traces and with
// what speech services did in them. Of what was simulated there is nothing to compare. The
// error says where the log cannot be read.
func Traces(traces []pipeline.Trace, log *exchange.Reader) (*Result, error) {
	r := &Result{Hashed: log.Header.Hashed}
	left, said, first := sent(traces, r), records(traces, r), firstDue(traces)
	r.Spoken = len(said) > 0
	says := newTold()
	for {
		x, err := log.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if of := spoken(x.Protocol); of != "" && left[x.Request] == nil {
			err = r.compareSpeech(of, said, x, says, x.Due < first)
		} else {
			record := left[x.Request]
			delete(left, x.Request)
			err = r.compare(record, x, says, x.Due < first)
		}
		if err != nil {
			return nil, err
		}
	}
	r.Cut, r.Missing = log.Unfinished(), len(left)+len(said)
	r.interactions(traces, says)
	slices.SortStableFunc(r.Differ, func(a, b Difference) int { return int(min(max(a.Request-b.Request, -1), 1)) })
	return r, nil
}

// firstDue returns when the first interaction was due.
func firstDue(traces []pipeline.Trace) time.Duration {
	first := time.Duration(math.MaxInt64)
	for i := range traces {
		first = min(first, traces[i].Due)
	}
	return first
}

// sent returns the requests that went over a wire by their ids, and counts others.
func sent(traces []pipeline.Trace, r *Result) map[int64]*pipeline.Request {
	all := map[int64]*pipeline.Request{}
	for i := range traces {
		for j := range traces[i].Requests {
			switch q := &traces[i].Requests[j]; {
			case q.Simulated:
			case q.Sent == pipeline.Unknown:
				r.Unsent++
			default:
				all[q.ID] = q
			}
		}
	}
	return all
}

// other counts an exchange of nothing in the traces.
func (r *Result) other(early bool) {
	r.Others++
	if early {
		r.Early++
	}
}

// compare reads an exchange again and compares it with a request, nil for none.
func (r *Result) compare(record *pipeline.Request, x *exchange.Exchange, says *told, early bool) error {
	switch {
	case record == nil:
		r.other(early)
		return nil
	case !x.Whole():
		r.Textless++
		return nil
	}
	again, err := Request(x)
	if err != nil {
		return fmt.Errorf("request %d: %w", x.Request, err)
	}
	r.Again++
	seen := observed(record, &again)
	says.requests[x.Request] = corrected(record, &seen, &again)
	for _, f := range figures {
		if f.letters && r.Hashed {
			continue
		}
		if a, b := f.of(&seen), f.of(&again); a != b {
			r.Differ = append(r.Differ, Difference{"request", x.Request, f.name, a, b})
		}
	}
	return nil
}

// observed returns a record without the modelled network that is part of it. The asker at
// the end of one may have given up what had ended at the other.
func observed(record, again *pipeline.Request) pipeline.Request {
	q := *record
	if q.Way == (pipeline.Way{}) {
		return q
	}
	if again.Outcome != pipeline.Cancelled {
		q.End -= q.Way.Back
	}
	if q.Outcome == pipeline.Cancelled {
		again.Outcome = pipeline.Cancelled
	}
	q.Sent += q.Way.Out
	for _, at := range outputs(&q) {
		if *at != pipeline.Unknown {
			*at -= q.Way.Back
		}
	}
	return q
}

// Request returns the record of an exchange, as far as its bytes and their instants tell.
func Request(x *exchange.Exchange) (pipeline.Request, error) {
	if x.Protocol == langserver.Protocol {
		return langserver.Reread(x)
	}
	reply, err := dialect.Reread(x)
	if err != nil {
		return pipeline.Request{}, err
	}
	rec := pipeline.NewRequest(x.Request, x.Due)
	rec.Sent = x.Sent
	reply.Fill(&rec)
	rec.Transport.HTTP = x.HTTP
	switch x.Stop {
	case exchange.Cancelled:
		rec.Outcome, rec.Reason = pipeline.Cancelled, "cancelled by the asker"
	case exchange.TimedOut:
		rec.Outcome, rec.Reason = pipeline.Timeout, "a time limit of the client passed"
	}
	return rec, nil
}
