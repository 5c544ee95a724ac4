package endpoint

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// ServeHTTP serves the exchange of a stream case, each chunk at its instant counted
// from the arrival of the request.
func (x *caseExchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	until := func(m millis) { time.Sleep(m.duration() - time.Since(start)) }
	for _, kv := range x.Headers {
		w.Header().Add(kv[0], kv[1])
	}
	w.WriteHeader(x.Status)
	rest := x.bytes
	for _, c := range x.Chunks {
		until(c.At)
		if _, err := w.Write(rest[:c.Bytes]); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		rest = rest[c.Bytes:]
	}
	until(x.End.At)
	switch x.End.How {
	case "reset":
		panic(http.ErrAbortHandler)
	case "open":
		<-r.Context().Done()
	}
}

// TestClientPlaysStreamCases has the client ask a server that plays each case. Its
// record must agree with what the reader alone makes of the case.
func TestClientPlaysStreamCases(t *testing.T) {
	const start = time.Second
	for _, c := range loadCases(t, "testdata/stream-cases") {
		t.Run(c.ID, func(t *testing.T) {
			bubble(t, c.Exchanges[0].ServeHTTP, func(config *Config) { config.Protocol = c.Protocol }, func(t *testing.T, b *bench) {
				time.Sleep(start)
				a := b.ask()
				got := *a.wait()
				reply := c.read()
				accept(reply, c.Expect)
				want := wantRecord(reply, start)
				if reply.Status == http.StatusTooManyRequests {
					want.Outcome = pipeline.Refused // a trace tells refusals from errors
				}
				got.Reason = ""
				if !reflect.DeepEqual(got, want) {
					t.Errorf("record\n%+v, want\n%+v", got, want)
				}
				if notes := wantNotes(reply, start); !slices.Equal(a.notes, notes) {
					t.Errorf("notes %q, want %q", a.notes, notes)
				}
			})
		})
	}
}

func wantRecord(r *Reply, start time.Duration) pipeline.Request {
	shift := func(d time.Duration) time.Duration {
		if d == pipeline.Unknown {
			return d
		}
		return start + d
	}
	a := r.Answer()
	want := pipeline.NewRequest(1, start)
	want.Sent = start
	want.FirstByte = shift(r.FirstByte)
	want.FirstOutput, want.FirstText, want.FirstSeen = shift(a.FirstOutput()), shift(a.FirstText()), shift(a.FirstSeen())
	want.LastOutput, want.End = shift(a.LastOutput()), shift(r.End)
	want.Outcome, want.Finish = r.Outcome, a.Finish
	want.PromptTokens, want.CachedTokens, want.OutputTokens = r.PromptTokens(), r.CachedTokens(), r.OutputTokens()
	want.TokenSource = r.TokenSource
	want.Chunks = len(a.Outputs)
	want.Transport = pipeline.Transport{
		Status: r.Status, HTTP: "1.1", Encoding: r.Header.Get("Content-Encoding"),
		RetryAfter: r.RetryAfter, Burst: a.Burst(),
	}
	return want
}

func wantNotes(r *Reply, start time.Duration) (notes []string) {
	for i, o := range r.Answer().Outputs {
		text := ""
		if o.Kind == Text {
			text = o.Text
		}
		notes = append(notes, fmt.Sprintf("%d %q at %s", i+1, text, start+o.At))
	}
	return notes
}
