package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// How requests fail, what the record says, and when it is noticed.
func TestClientFailures(t *testing.T) {
	hi := delta(`"content":"Hi"`)
	status := func(code int, header, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if name, value, ok := strings.Cut(header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
		}
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		change  func(*Config)
		outcome pipeline.Outcome
		reason  string
		end     time.Duration
	}{
		{"in time", stream(time.Second, hi, time.Second, done), nil, pipeline.OK, "", 2 * time.Second},
		{"no connection", nil, func(c *Config) {
			c.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
		}, pipeline.Timeout, "no connection within 5s (--limit-connect)", 5 * time.Second},
		{"connection refused", nil, func(c *Config) {
			c.DialContext = func(context.Context, string, string) (net.Conn, error) {
				return nil, errors.New("refused")
			}
		}, pipeline.Error, "no response: refused", 0},
		{"no headers", stream(time.Hour), nil, pipeline.Timeout, "no first byte within 30s (--limit-first-byte)", 30 * time.Second},
		{"headers and no body", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, nil, pipeline.Timeout, "no first byte within 30s (--limit-first-byte)", 30 * time.Second},
		{"silence in the middle", stream(time.Second, hi, time.Hour), nil, pipeline.Timeout, "no further byte within 30s (--limit-gap)", 31 * time.Second},
		{"comments for ever", stream(slices.Repeat([]any{20 * time.Second, ": ping\n\n"}, 10)...), nil,
			pipeline.Timeout, "no end within 2m0s (--limit-whole)", 2 * time.Minute},
		{"own limits", stream(time.Second, hi, time.Second, hi, time.Second, hi), func(c *Config) {
			c.Limits = Limits{FirstByte: 1500 * time.Millisecond, Gap: 1500 * time.Millisecond, Whole: 2500 * time.Millisecond}
		}, pipeline.Timeout, "no end within 2.5s (--limit-whole)", 2500 * time.Millisecond},
		{"reset in mid-answer", func(w http.ResponseWriter, r *http.Request) {
			stream(hi, time.Second)(w, r)
			panic(http.ErrAbortHandler)
		}, nil, pipeline.Truncated, "the answer broke off: unexpected EOF", time.Second},
		{"closed without a response", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			nil, pipeline.Error, "no response: EOF", 0},
		{"clean end in mid-answer", stream(hi, time.Second), nil,
			pipeline.Truncated, "the answer ended without an end event or a finish reason", time.Second},
		{"error in the stream", stream(hi, event(`{"error":{"message":"out of memory","code":"oom"}}`)), nil,
			pipeline.Error, "the server reports error oom: out of memory", 0},
		{"plain error in the stream", stream(event(`{"error":"out of memory"}`)), nil,
			pipeline.Error, "the server reports an error: out of memory", 0},
		{"rate limited", status(429, "Retry-After: 3", `{"error":{"message":"slow\ndown"}}`), nil, pipeline.Refused, "HTTP 429: slow down", 0},
		{"too long", status(400, "", `{"error":{"message":"too long","code":"context_length_exceeded"}}`), nil, pipeline.Refused, "HTTP 400: too long", 0},
		{"refused without words", status(503, "", ""), nil, pipeline.Refused, "HTTP 503", 0},
		{"long words", status(500, "", strings.Repeat("é", 200)), nil, pipeline.Error, "HTTP 500: " + strings.Repeat("é", 145) + "...", 0},
		{"wrong type", status(200, "Content-Type: text/html", "<html>"), nil,
			pipeline.Error, `content type "text/html", want text/event-stream or application/json`, 0},
		{"redirect", status(307, "Location: http://elsewhere.test/v1/chat/completions", "moved"), nil,
			pipeline.Error, "HTTP 307: redirect to http://elsewhere.test/v1/chat/completions is not followed", 0},
		{"endless header", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 300 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 4096))
			}
			w.WriteHeader(200)
		}, nil, pipeline.Error, "no response: net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 1048576 bytes; aborted", 0},
		{"huge line", stream(hi, "data: "+strings.Repeat("x", 16<<20)), nil,
			pipeline.Error, "the stream has a line longer than 16 MiB", 0},
		{"many values", stream(hi, event(`{"choices":[`+strings.Repeat("{},", 1<<20)+`{}]}`)), nil,
			pipeline.Error, "the reply has a message of more than 1048576 values", 0},
		{"long reply", stream(hi, hi), func(c *Config) { c.MaxBytes = 100 }, pipeline.Error, "the reply is longer than 100 bytes (--limit-bytes)", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, tt.handler, tt.change, func(t *testing.T, b *bench) {
				r := b.ask().wait()
				if r.Outcome != tt.outcome || r.Reason != tt.reason || r.End != tt.end {
					t.Errorf("%s, %q at %s; want %s, %q at %s", r.Outcome, r.Reason, r.End, tt.outcome, tt.reason, tt.end)
				}
				if tt.name == "rate limited" && r.Transport.RetryAfter != 3*time.Second {
					t.Errorf("retry after %s, want 3s", r.Transport.RetryAfter)
				}
			})
		})
	}
}

// A server that sends header lines for ever, slowly enough for the limit on size,
// meets the limit on time.
func TestClientSlowEndlessHeader(t *testing.T) {
	bubble(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		line := "HTTP/1.1 200 OK\r\n"
		for {
			if _, err := io.WriteString(conn, line); err != nil {
				return
			}
			line = "X-More: x\r\n"
			time.Sleep(time.Second)
		}
	}, nil, func(t *testing.T, b *bench) {
		r := b.ask().wait()
		if r.Outcome != pipeline.Timeout || r.Reason != "no first byte within 30s (--limit-first-byte)" || r.End != 30*time.Second {
			t.Errorf("%s, %q at %s; want timeout of the first byte at 30s", r.Outcome, r.Reason, r.End)
		}
	})
}

func TestClientCancel(t *testing.T) {
	hi := delta(`"content":"Hi"`)
	tests := []struct {
		name  string
		after time.Duration
		notes []string
	}{
		{"before the headers", 500 * time.Millisecond, nil},
		{"in mid-stream", 1500 * time.Millisecond, []string{`1 "Hi" at 1s`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			left := make(chan time.Duration, 1)
			bubble(t, func(w http.ResponseWriter, r *http.Request) {
				start := time.Now()
				stream(time.Second, hi, time.Hour)(w, r)
				left <- time.Since(start)
			}, nil, func(t *testing.T, b *bench) {
				a := b.ask()
				time.Sleep(tt.after)
				b.cancel(a)
				b.cancel(a)
				r := a.wait()
				b.cancel(a) // of an ended call does nothing
				if r.Outcome != pipeline.Cancelled || r.End != tt.after || a.doneAt != tt.after {
					t.Errorf("%s at %s, done at %s; want cancelled at %s", r.Outcome, r.End, a.doneAt, tt.after)
				}
				if !slices.Equal(a.notes, tt.notes) {
					t.Errorf("notes %q, want %q", a.notes, tt.notes)
				}
				if got := <-left; got != tt.after {
					t.Errorf("the server saw the client leave after %s, want %s", got, tt.after)
				}
			})
		})
	}
}

// A call that is cancelled while its end waits to be handled was cancelled all the
// same, and hears no more of its output.
func TestClientCancelBeforeTheEndIsHandled(t *testing.T) {
	bubble(t, stream(time.Second, delta(`"content":"Hi"`)+stop+done), nil, func(t *testing.T, b *bench) {
		a := b.ask()
		time.Sleep(500 * time.Millisecond)
		b.loop.do(func() {
			time.Sleep(time.Second) // the loop is late
			b.client.Cancel(&a.Call)
		})
		r := a.wait()
		if r.Outcome != pipeline.Cancelled || len(a.notes) != 0 || r.FirstOutput != time.Second {
			t.Errorf("%s with notes %q and first output at %s; want cancelled, none, 1s", r.Outcome, a.notes, r.FirstOutput)
		}
	})
}

func TestClientCloseCancelsWhatIsUnderWay(t *testing.T) {
	bubble(t, stream(time.Hour), nil, func(t *testing.T, b *bench) {
		a := b.ask()
		time.Sleep(time.Second)
		b.client.Close()
		r := a.wait()
		if r.Outcome != pipeline.Cancelled || r.Reason != "the client was closed" || r.End != time.Second {
			t.Errorf("%s, %q at %s; want cancelled by Close at 1s", r.Outcome, r.Reason, r.End)
		}
	})
}

// A request whose connection breaks is not sent again.
func TestClientNeverRepeats(t *testing.T) {
	var n atomic.Int32
	bubble(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) == 1 {
			stream(done)(w, r)
			return
		}
		panic(http.ErrAbortHandler)
	}, nil, func(t *testing.T, b *bench) {
		b.ask().wait()
		r := b.ask().wait()
		if r.Outcome != pipeline.Error || !r.Transport.Reused || n.Load() != 2 {
			t.Errorf("%s on a reused connection: %t, %d requests; want one failed try on it", r.Outcome, r.Transport.Reused, n.Load())
		}
	})
}
