package wire

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// decode feeds the reads, the n-th at n milliseconds, and ends the stream
// cleanly. Events are written as name|data@ms, pending ones with a question mark.
func decode(t testing.TB, reads ...string) []string {
	t.Helper()
	var d EventDecoder
	var got []string
	note := func(e Event) bool {
		s := fmt.Sprintf("%s|%s@%d", e.Name, e.Data, e.At.Milliseconds())
		if e.Pending {
			s += "?"
		}
		got = append(got, s)
		return true
	}
	for i, r := range reads {
		if err := d.Feed([]byte(r), time.Duration(i)*time.Millisecond, note); err != nil {
			t.Fatalf("Feed(%.40q): %v", r, err)
		}
	}
	d.Flush(note)
	return got
}

func TestEventDecoder(t *testing.T) {
	tests := []struct {
		name  string
		reads []string
		want  []string
	}{
		{"plain", []string{"data: a\n\ndata: b\n\n"}, []string{"|a@0", "|b@0"}},
		{"no space", []string{"data:a\n\n"}, []string{"|a@0"}},
		{"only one space goes", []string{"data:  a\n\n"}, []string{"| a@0"}},
		{"name", []string{"event: error\ndata: a\n\ndata: b\n\n"}, []string{"error|a@0", "|b@0"}},
		{"name without data is dropped", []string{"event: x\n\ndata: b\n\n"}, []string{"|b@0"}},
		{"data fields join", []string{"data: a\ndata\ndata: b\n\n"}, []string{"|a\n\nb@0"}},
		{"empty data is none", []string{"data:\n\ndata\n\ndata: a\n\n"}, []string{"|a@0"}},
		{"unknown fields", []string{"id: 1\nretry: 9\nDATA: x\ndatax: y\ndata: a\n\n"}, []string{"|a@0"}},
		{"comments", []string{": hi\n\n:ping\n\n: glued\ndata: a\n\n"}, []string{"|a@0"}},
		{"blank lines", []string{"\n\n\ndata: a\n\n\n"}, []string{"|a@0"}},
		{"byte order mark", []string{"\xef\xbb", "\xbfdata: a\n\n"}, []string{"|a@1"}},
		{"a second mark is a field", []string{"\ufeff\ufeffdata: a\n\n\ufeffdata: b\n\n"}, nil},
		{"cr", []string{"data: a\rdata: b\r\rdata: c\r\r"}, []string{"|a\nb@0", "|c@0"}},
		{"crlf", []string{"data: a\r\ndata: b\r\n\r\n"}, []string{"|a\nb@0"}},
		{"crlf cut after the data's cr", []string{"data: a\r", "\n\r\n"}, []string{"|a@1"}},
		{"crlf cut in the blank line", []string{"data: a\r\n\r", "\ndata: b\n\n"}, []string{"|a@0", "|b@1"}},
		{"mixed ends", []string{"data: a\ndata: b\r\ndata: c\r\n\n"}, []string{"|a\nb\nc@0"}},
		{"lf cr is two ends", []string{"data: a\n\rdata: b\n\n"}, []string{"|a@0", "|b@0"}},
		{"other line ends are data", []string{"data: a\u2028b\vc\fd\u0085e\x00\n\n"}, []string{"|a\u2028b\vc\fd\u0085e\x00@0"}},
		{"each byte a read", strings.Split("data: é\n\n", ""), []string{"|é@8"}},
		{"late blank line", []string{"data: a\n", "\n"}, []string{"|a@1"}},
		{"pending event", []string{"data: a", "b\n", ": x\n"}, []string{"|ab@1?"}},
		{"pending line", []string{"data: a\ndata: b", "c"}, []string{"|a\nbc@1?"}},
		{"pending line end comes later", []string{"data: a", "\n", "id: 1"}, []string{"|a@0?"}},
		{"pending mark", []string{"\ufeffdata: a"}, []string{"|a@0?"}},
		{"pending name only", []string{"event: x"}, nil},
		{"nothing", []string{""}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := decode(t, tt.reads...); !slices.Equal(got, tt.want) {
				t.Errorf("events of %q = %q, want %q", tt.reads, got, tt.want)
			}
		})
	}
}

func TestEventDecoderStopsWhenTold(t *testing.T) {
	var d EventDecoder
	n := 0
	err := d.Feed([]byte("data: a\n\ndata: b\n\ndata: c\n\n"), 0, func(Event) bool { n++; return n < 2 })
	if n != 2 || err != nil {
		t.Errorf("emitted %d events and error %v, want 2 and none", n, err)
	}
}

func TestEventDecoderLineLimit(t *testing.T) {
	whole := "data: " + strings.Repeat("x", MaxLine-len("data: "))
	got := 0
	count := func(e Event) bool { got = len(e.Data); return true }

	var d EventDecoder
	if err := d.Feed([]byte(whole+"\n\n"), 0, count); err != nil || got != MaxLine-len("data: ") {
		t.Errorf("line of MaxLine in one read: %d bytes of data, error %v", got, err)
	}
	d, got = EventDecoder{}, 0
	for p := []byte(whole + "\n\n"); len(p) > 0; p = p[min(len(p), 1<<20):] {
		if err := d.Feed(p[:min(len(p), 1<<20)], 0, count); err != nil {
			t.Fatalf("line of MaxLine in pieces: %v", err)
		}
	}
	if got != MaxLine-len("data: ") {
		t.Errorf("line of MaxLine in pieces: %d bytes of data", got)
	}
	for _, over := range [][]string{{whole + "x\n"}, {whole, "x"}, {whole, "x\n"}, {whole + "x"}} {
		var d EventDecoder
		var err error
		for _, p := range over {
			err = errors.Join(err, d.Feed([]byte(p), 0, count))
		}
		if !errors.Is(err, ErrLineTooLong) {
			t.Errorf("line over MaxLine in %d reads: error %v, want ErrLineTooLong", len(over), err)
		}
	}
}

func TestAppendEvent(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"", "a", "data: a\n\n"},
		{"error", "a", "event: error\ndata: a\n\n"},
		{"", "a\nb\r\nc\rd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"", "a\n", "data: a\ndata: \n\n"},
	}
	for _, tt := range tests {
		if got := string(AppendEvent(nil, tt.name, []byte(tt.data))); got != tt.want {
			t.Errorf("AppendEvent(%q, %q) = %q, want %q", tt.name, tt.data, got, tt.want)
		}
	}
}

// slowDecode is the format said again in the plainest way, for whole streams that
// end with a blank line.
func slowDecode(stream string) (events []string) {
	stream = strings.TrimPrefix(stream, "\ufeff")
	stream = strings.ReplaceAll(stream, "\r\n", "\n")
	stream = strings.ReplaceAll(stream, "\r", "\n")
	name, data := "", []string(nil)
	for line := range strings.SplitSeq(stream, "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if all := strings.Join(data, "\n"); all != "" {
				events = append(events, name+"|"+all)
			}
			name, data = "", nil
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
	}
	return events
}

// FuzzEventDecoder compares the decoder, fed in two ways, with slowDecode.
func FuzzEventDecoder(f *testing.F) {
	f.Add([]byte("\ufeffdata: a\r\ndata:b\r\revent: x\ndata\n\n"), uint8(1))
	f.Add([]byte(": c\n\nid: 7\ndata: {\"a\":1}\n\ndata: [DONE]\n\n"), uint8(5))
	f.Fuzz(func(t *testing.T, stream []byte, size uint8) {
		stream = append(stream, "\n\n"...)
		want := slowDecode(string(stream))
		for _, n := range []int{len(stream), int(size)%len(stream) + 1} {
			var d EventDecoder
			var got []string
			for p := range slices.Chunk(stream, n) {
				err := d.Feed(p, 0, func(e Event) bool {
					got = append(got, e.Name+"|"+string(e.Data))
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("events of %q in reads of %d = %q, want %q", stream, n, got, want)
			}
		}
	})
}

// FuzzAppendEvent checks that the decoder reads what the encoder wrote.
func FuzzAppendEvent(f *testing.F) {
	f.Add([]byte("a\r\nb\n\nc\r"))
	f.Fuzz(func(t *testing.T, data []byte) {
		want := bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
		var got []byte
		var d EventDecoder
		err := d.Feed(AppendEvent(nil, "n", data), 0, func(e Event) bool {
			got = append(got, e.Data...)
			return true
		})
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("decoded %q, error %v; want %q", got, err, want)
		}
	})
}

func BenchmarkEventDecoder(b *testing.B) {
	event := NewChatStream("chatcmpl-1", "m", 1730000000, false).AppendText(nil, " token")
	read := bytes.Repeat(event, 16)
	var d EventDecoder
	n := 0
	b.SetBytes(int64(len(read)))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Feed(read, 0, func(Event) bool { n++; return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
}
