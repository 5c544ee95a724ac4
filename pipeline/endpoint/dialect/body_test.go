package dialect

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/wire"
)

// zip returns the gzip form of each piece, flushed or not, and the trailer.
func zip(t *testing.T, flush bool, pieces ...string) (packed []string, trailer string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	take := func(err error) string {
		if err != nil {
			t.Fatal(err)
		}
		s := b.String()
		b.Reset()
		return s
	}
	for _, p := range pieces {
		_, err := io.WriteString(z, p)
		if err == nil && flush {
			err = z.Flush()
		}
		packed = append(packed, take(err))
	}
	return packed, take(z.Close())
}

func TestCodings(t *testing.T) {
	hi := delta(`"content":"Hi"`)
	flushed, _ := zip(t, true, hi, stop, done)
	whole, second := gzipped(t, hi+stop), gzipped(t, done)
	const header = "text/event-stream\nContent-Encoding: gzip"
	runShapes(t, []shape{
		{name: "identity is none", header: "text/event-stream\nContent-Encoding: identity", reads: []at{{20, hi + stop + done}},
			expect: `"outcome":"ok","flags":["no_usage"]`},
		{name: "each byte a read", header: header, end: "open", reads: eachByte(strings.Join(flushed, "")),
			expect: `"outcome":"ok","text":"Hi","ttfb_ms":0,"flags":["no_usage","compressed"]`},
		{name: "no trailer", header: header, reads: []at{{20, flushed[0]}, {30, flushed[1]}},
			expect: `"outcome":"ok","text":"Hi","ttft_ms":20,"stream_end_ms":35,"flags":["no_usage","no_done","compressed"]`},
		{name: "trailer in a read of its own", header: header, reads: []at{{20, whole[:len(whole)-8]}, {30, whole[len(whole)-8:]}},
			expect: `"outcome":"ok","text":"Hi","ttfb_ms":20,"stream_end_ms":35`},
		{name: "all at the end", header: header, reads: []at{{20, whole}},
			expect: `"outcome":"ok","text":"Hi","ttft_ms":20,"stream_end_ms":25`},
		{name: "two members", header: header, end: "open", reads: []at{{20, whole}, {30, second}},
			expect: `"outcome":"ok","text":"Hi","stream_end_ms":30`},
		{name: "reset", header: header, end: "reset", reads: []at{{20, flushed[0]}},
			expect: `"outcome":"truncated","error":{"kind":"transport","message":"","code":null},"text":"Hi","stream_end_ms":25`},
		{name: "not gzip after all", header: header, reads: []at{{20, hi + stop}},
			expect: `"outcome":"error","error":{"kind":"transport","message":"","code":null},"ttfb_ms":20`},
		{name: "whole answer", header: "application/json\nContent-Encoding: X-GZIP", reads: []at{{20, gzipped(t, `{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}`)}},
			expect: `"outcome":"ok","text":"Hi","flags":["no_usage","compressed","non_streaming"]`},
		{name: "error body", status: 500, header: "application/json\nContent-Encoding: gzip", reads: []at{{20, gzipped(t, `{"error":"no"}`)}},
			expect: `"outcome":"error","error":{"kind":"http_status","message":"no","code":500},"flags":["compressed"]`},
		{name: "unknown coding", header: "text/event-stream\nContent-Encoding: br", reads: []at{{20, "x"}},
			expect: `"outcome":"error","error":{"kind":"transport","message":"","code":null},"text":"","flags":["compressed"]`},
	})
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	pieces, trailer := zip(t, false, text)
	return strings.Join(pieces, "") + trailer
}

func eachByte(s string) (reads []at) {
	for i := range len(s) {
		reads = append(reads, at{i, s[i : i+1]})
	}
	return reads
}

// Limits of size are our own, so the words of the failure are ours, too.
func TestSizeLimits(t *testing.T) {
	read := func(body string, limit int64) *reply.Reply {
		return reply.Read(reply.Response{
			Decoder: &openAIDecoder{}, Status: 200, MaxBytes: limit,
			Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body:   strings.NewReader(body),
			Clock:  func() time.Duration { return 0 },
		}, nil)
	}
	hi := delta(`"content":"Hi"`)
	long := strings.Repeat("x", wire.MaxLine)
	tests := []struct {
		name, body string
		limit      int64
		outcome    pipeline.Outcome
		cause      string
	}{
		{"a line of the longest", hi + long + "\n" + done, 0, pipeline.OK, ""},
		{"a longer line", hi + long + "x\n" + done, 0, pipeline.Error, "the stream has a line longer than 16 MiB"},
		{"a body of the limit", hi + done, int64(len(hi + done)), pipeline.OK, ""},
		{"a longer body", hi + stop, int64(len(hi+stop)) - 1, pipeline.Error, fmt.Sprintf("the reply is longer than %d bytes", len(hi+stop)-1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := read(tt.body, tt.limit)
			cause := ""
			if r.Failure != nil {
				cause = r.Failure.Cause.Error()
				if r.Failure.Kind != reply.TooLong {
					t.Errorf("failure of kind %s, want %s", r.Failure.Kind, reply.TooLong)
				}
			}
			if r.Outcome != tt.outcome || cause != tt.cause {
				t.Errorf("outcome %s, cause %q; want %s, %q", r.Outcome, cause, tt.outcome, tt.cause)
			}
		})
	}
}
