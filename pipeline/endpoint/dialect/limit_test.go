package dialect

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire"
)

// The chunk over the limit is the last that is read, whatever else comes with it.
func TestOutputLimit(t *testing.T) {
	one, two := delta(`"content":"a"`), delta(`"reasoning":"b","content":"a"`)
	other := event(`{"choices":[{"index":1,"delta":{"content":"c"}}]}`)
	tests := []struct {
		name    string
		limit   int
		reads   []string // one each nanosecond from 1
		outcome pipeline.Outcome
		reason  string
		chunks  int // of choice 0
		end     time.Duration
	}{
		{"no limit", 0, []string{one, one, one, done}, pipeline.OK, "", 3, 4},
		{"as many as the limit", 2, []string{one, one, stop, done}, pipeline.OK, "", 2, 4},
		{"one more", 2, []string{one, one, one, stop, done}, pipeline.Error, "the answer has too many output chunks: 3 came, the limit is 2", 3, 3},
		{"two in one event", 2, []string{one, two, one, done}, pipeline.Error, "the answer has too many output chunks: 3 came, the limit is 2", 3, 2},
		{"of two choices", 1, []string{one, other, done}, pipeline.Error, "the answer has too many output chunks: 2 came, the limit is 1", 1, 2},
		{"with the end", 1, []string{one, one + done}, pipeline.Error, "the answer has too many output chunks: 2 came, the limit is 1", 2, 2},
		{"with an error of the server", 1, []string{one, event(`{"choices":[{"delta":{"content":"c"}}],"error":"x"}`)},
			pipeline.Error, "the server reports an error: x", 2, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &exchange.Exchange{
				Protocol: string(OpenAIChat), Status: 200, Headers: [][2]string{{"Content-Type", "text/event-stream"}},
				MaxOutputs: tt.limit, How: exchange.Open,
			}
			for i, r := range tt.reads {
				x.Add(time.Duration(i+1), []byte(r))
			}
			r, err := Reread(x)
			if err != nil {
				t.Fatal(err)
			}
			outcome, reason := r.Ending()
			if n := len(r.Answer().Outputs); outcome != tt.outcome || reason != tt.reason || n != tt.chunks || r.End != tt.end {
				t.Errorf("%s, %q, %d chunks, end at %d; want %s, %q, %d, %d",
					outcome, reason, n, r.End, tt.outcome, tt.reason, tt.chunks, tt.end)
			}
		})
	}
}

// Each of these is more than a server may ask to be kept.
func TestPartLimit(t *testing.T) {
	const limit = 1024
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if fmt.Fprintf(&b, format, i); i < n-1 {
				b.WriteByte(',')
			}
		}
		return b.String()
	}
	choices := func(n int) string { return `{"choices":[` + list(n, `{"index":%d}`) + `]}` }
	calls := func(n int) string {
		return `{"choices":[{"delta":{"tool_calls":[` + list(n, `{"id":"%d"}`) + `]}}]}`
	}
	var spread strings.Builder
	for i := range limit + 1 {
		spread.WriteString(event(fmt.Sprintf(`{"choices":[{"index":%d,"text":"a"}]}`, i)))
	}
	const stream, whole = "text/event-stream", "application/json"
	tests := []struct{ name, kind, body, reason string }{
		{"choices", stream, event(choices(limit)) + done, ""},
		{"a choice more", stream, event(choices(limit+1)) + done, "the reply has more than 1024 choices and tool calls"},
		{"of many events", stream, spread.String() + done, "the reply has more than 1024 choices and tool calls"},
		{"one choice again and again", stream, event(`{"choices":[`+list(1<<15, `{"delta":{"content":"%.1d"}}`)+`]}`) + done,
			"the reply has more than 1024 choices and tool calls"},
		{"tool calls beside a choice", stream, event(calls(limit-1)) + done, ""},
		{"a tool call more", stream, event(calls(limit)) + done, "the reply has more than 1024 choices and tool calls"},
		{"many tool calls", stream, event(calls(1<<15)) + done, "the reply has more than 1024 choices and tool calls"},
		{"choices of a whole answer", whole, choices(limit), ""},
		{"one more of them", whole, choices(limit + 1), "the reply has more than 1024 choices and tool calls"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := readBody(openAIChat, tt.kind, tt.body)
			_, reason := r.Ending()
			if reason != tt.reason || (reason != "" && r.Failure.Kind != reply.TooLong) {
				t.Errorf("%q, failure %+v; want %q", reason, r.Failure, tt.reason)
			}
		})
	}
}

// A message of nothing but empty values would take up to a hundred times its size.
func TestValueLimit(t *testing.T) {
	const limit, reason = 1 << 20, "the reply has a message of more than 1048576 values"
	const stream, lines, whole = "text/event-stream", "application/x-ndjson", "application/json"
	list := func(n int) string { return `{"choices":[` + strings.Repeat("{},", n) + `{}]}` }
	words := `{"choices":[{"index":0,"delta":{"content":"` + strings.Repeat(`,{[\"`, limit/3+1) + `"},"message":{"content":"` + strings.Repeat(`,{[\\`, limit/3+1) + `"}}]}`
	tests := []struct {
		name          string
		dialect       *Dialect
		kind, body    string
		reason        string
		choices, text int // bytes of text
	}{
		{"an event", openAIChat, stream, event(list(limit)) + done, reason, 0, 0},
		{"an event that reports an error", openAIChat, stream, "event: error\n" + event(list(limit)) + done, reason, 0, 0},
		{"a line", ollamaChat, lines, list(limit) + "\n", reason, 0, 0},
		{"a whole answer", openAIChat, whole, list(limit), reason, 0, 0},
		{"as many signs in words", openAIChat, stream, event(words) + done, "", 1, 4 * (limit/3 + 1)},
		{"the same in a whole answer", openAIChat, whole, words, "", 1, 4 * (limit/3 + 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := readBody(tt.dialect, tt.kind, tt.body)
			if _, reason := r.Ending(); reason != tt.reason || len(r.Choices) != tt.choices || len(r.Answer().Text) != tt.text {
				t.Errorf("%q, %d choices, %d bytes of text; want %q, %d, %d", reason, len(r.Choices), len(r.Answer().Text), tt.reason, tt.choices, tt.text)
			}
			if tt.reason != "" && r.Failure.Kind != reply.TooLong {
				t.Errorf("failure %+v, want one of a limit", r.Failure)
			}
		})
	}
}

// Bytes that unpack to nothing count for the limit too: what came is kept.
func TestLimitOfPackedBytes(t *testing.T) {
	var empty bytes.Buffer
	if err := gzip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	const limit = 100_000
	for _, status := range []int{200, 500} {
		taken := 0
		r := reply.Read(reply.Response{
			Status: status, Header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}},
			Body: &endless{empty.String(), 10 * limit / empty.Len()}, MaxBytes: limit,
			Decoder: openAIChat.NewDecoder(), Clock: func() time.Duration { return 0 },
			Read: func(_ time.Duration, p []byte) { taken += len(p) },
		}, nil)
		if taken > limit+empty.Len() {
			t.Errorf("status %d: %d bytes were taken, want some %d", status, taken, limit)
		}
		if status == 200 && (r.Outcome != pipeline.Error || r.Failure.Kind != reply.TooLong || r.Failure.String() != "the reply is longer than 100000 bytes") {
			t.Errorf("%s, failure %v; want one of a limit", r.Outcome, r.Failure)
		}
	}
}

// readBody reads a body that comes at once.
func readBody(d *Dialect, kind, body string) *reply.Reply {
	return reply.Read(reply.Response{
		Status: 200, Header: http.Header{"Content-Type": {kind}}, Body: strings.NewReader(body),
		Decoder: d.NewDecoder(), Endless: d.Endless, Clock: func() time.Duration { return 0 },
	}, nil)
}

// A line of the longest is read with its words; of one byte more nothing is.
func TestLongestLine(t *testing.T) {
	const kind, before, after = "text/event-stream", `data: {"choices":[{"delta":{"content":"`, `"}}]}`
	words := strings.Repeat("x", wire.MaxLine-len(before)-len(after))
	r := readBody(openAIChat, kind, before+words+after+"\n\n"+done)
	if text := r.Answer().Text; r.Outcome != pipeline.OK || text != words {
		t.Errorf("%s with %d bytes, want ok with %d", r.Outcome, len(text), len(words))
	}
	r = readBody(openAIChat, kind, before+words+"x"+after+"\n\n"+done)
	outcome, reason := r.Ending()
	if want := "the stream has a line longer than 16 MiB"; outcome != pipeline.Error || reason != want || r.Failure.Kind != reply.TooLong || len(r.Choices) > 0 {
		t.Errorf("%s, %q, %d choices; want error, %q, none", outcome, reason, len(r.Choices), want)
	}
}

// What is kept of a server that streams for ever, in chunks as short as can be, is no
// more than so many times what it sends, which a limit bounds.
func TestMemoryOfReply(t *testing.T) {
	const chunks, times = 50_000, 5
	for _, tt := range []struct {
		dialect *Dialect
		text    string
	}{
		{ollamaGenerate, `{"response":"a"}` + "\n"},
		{ollamaGenerate, `{"response":"ab"}` + "\n"},
		{openAICompletions, `data:{"choices":[{"text":"ab"}]}` + "\n\n"},
		{openAIChat, `data:{"choices":[{"delta":{"tool_calls":[{"id":"","function":{"arguments":"ab"}}]}}]}` + "\n\n"},
	} {
		before := heap()
		r := tt.dialect.readTokens(tt.text, chunks)
		kept, sent := int(heap()-before), chunks*len(tt.text)
		if len(r.Answer().Outputs) != chunks || kept > times*sent {
			t.Errorf("%s: %d chunks of %d, %d bytes kept of %d, want at most %d times as many",
				tt.text, len(r.Answer().Outputs), chunks, kept, sent, times)
		}
		runtime.KeepAlive(r)
	}
}

// heap returns the bytes in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools held on to goes only now
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What goes on without output ends, however small its messages are; a server that keeps a
// connection alive, or says something beside each chunk of its answer, does not go over.
func TestSilentLimit(t *testing.T) {
	const beside, words = 65_536, "the answer went on without output: more than 65536 messages and comments came that hold none, beside 8 for each chunk of output and one for each millisecond"
	const role, comment = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n", ": ping\n\n"
	chunk := delta(`"content":"a"`)
	type part struct {
		at    time.Duration
		text  string
		times int
	}
	tests := []struct {
		name   string
		parts  []part
		reason string
		end    time.Duration
	}{
		{"as many as the limit", []part{{0, role, beside}, {1, chunk + stop + done, 1}}, "", 1},
		{"one more", []part{{0, role, beside}, {1, role + chunk + stop + done, 1}}, words, 1},
		{"comments", []part{{0, comment, beside}, {1, comment + chunk + stop + done, 1}}, words, 1},
		{"both", []part{{0, comment + role, beside/2 + 1}}, words, 0},
		{"eight more for a chunk, the finish reason one of them", []part{{0, chunk, 1}, {1, role, beside + 7}, {2, stop + done, 1}}, "", 2},
		{"nine more", []part{{0, chunk, 1}, {1, role, beside + 9}, {2, stop + done, 1}}, words, 1},
		{"every two milliseconds for an hour", []part{{time.Hour, comment, 1_800_000}, {time.Hour, chunk + stop + done, 1}}, "", time.Hour},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := &exchange.Exchange{
				Protocol: string(OpenAIChat), Status: 200, Headers: [][2]string{{"Content-Type", "text/event-stream"}}, How: exchange.Open,
			}
			for _, p := range tt.parts {
				text := strings.Repeat(p.text, p.times)
				for i := 0; i < len(text); i += reply.ReadBytes {
					x.Add(p.at, []byte(text[i:min(i+reply.ReadBytes, len(text))]))
				}
			}
			told := 0
			r, err := Retell(x, func(reply.Message) { told++ })
			if err != nil {
				t.Fatal(err)
			}
			if _, reason := r.Ending(); reason != tt.reason || r.End != tt.end || reason != "" && r.Failure.Kind != reply.TooLong {
				t.Errorf("%q at %s, want %q at %s", reason, r.End, tt.reason, tt.end)
			}
			if tt.reason != "" && told > beside+10 {
				t.Errorf("%d messages were told", told)
			}
		})
	}
}

// A read of a byte takes more room than its byte: there are so many of them, and no more.
func TestReadLimit(t *testing.T) {
	for _, c := range []struct {
		reads  int
		reason string
	}{{65_536 + 64 - 1, ""}, {65_536 + 64, ""}, {65_536 + 64 + 1, "the reply came in more than 65600 reads"}} {
		end := delta(`"content":"a"`) + stop + done
		r := reply.Read(reply.Response{
			Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, MaxBytes: 1 << 10, Decoder: openAIChat.NewDecoder(),
			Body: &pauses{empty: c.reads - 1, text: end}, Clock: func() time.Duration { return 0 },
		}, nil)
		if _, reason := r.Ending(); reason != c.reason {
			t.Errorf("%d reads: %q, want %q", c.reads, reason, c.reason)
		}
	}
}

// pauses is a body of which so many reads bring nothing, and the next all of its text.
type pauses struct {
	empty int
	text  string
}

func (p *pauses) Read(b []byte) (int, error) {
	if p.empty > 0 {
		p.empty--
		return 0, nil
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}

// TestTogether: the most chunks of one instant are told where they are eight or more.
func TestTogether(t *testing.T) {
	one := delta(`"content":"a"`)
	for want, reads := range map[int][]string{0: {strings.Repeat(one, 7), one}, 8: {one, strings.Repeat(one, 8), one}, 49: {strings.Repeat(one, 49), one, strings.Repeat(one, 9)}} {
		x := &exchange.Exchange{Protocol: string(OpenAIChat), Status: 200, Headers: [][2]string{{"Content-Type", "text/event-stream"}}, How: exchange.Open}
		for i, r := range append(reads, stop+done) {
			x.Add(time.Duration(i+1), []byte(r))
		}
		r, err := Reread(x)
		if err != nil {
			t.Fatal(err)
		}
		rec := pipeline.NewRequest(1, 0)
		if r.Fill(&rec); rec.Together != want {
			t.Errorf("%d together, want %d", rec.Together, want)
		}
	}
}

// TestWordsOfAPage: a page of many MiB with headers that lead to thousands of places holds up
// nobody: what is told of it is short before any of that is looked for.
func TestWordsOfAPage(t *testing.T) {
	var link strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&link, "</a?k%d=v>; rel=preload, ", i)
	}
	page := "see /a?k0=v " + strings.Repeat("nothing here ", 1<<20)
	r := reply.Read(reply.Response{
		Status: http.StatusInternalServerError, Header: http.Header{"Content-Type": {"text/html"}, "Link": {link.String()}},
		Body: strings.NewReader(page), Decoder: openAIChat.NewDecoder(), Clock: func() time.Duration { return 0 },
	}, nil)
	outcome, reason := r.Ending()
	if most := 17 << 10; outcome != pipeline.Error || len(reason) > most || !strings.HasPrefix(reason, "HTTP 500: see /a?**** nothing here") {
		t.Errorf("%s, %d bytes: %.80q; want at most %d", outcome, len(reason), reason, most)
	}
}
