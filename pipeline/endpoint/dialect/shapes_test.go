package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"halfsecond/pipeline/endpoint/streamcase"
)

// at is one read of a shape.
type at struct {
	ms   int
	text string
}

// shape is a response that the collected cases have no example of.
type shape struct {
	name     string
	protocol Protocol // OpenAIChat when empty
	status   int      // 200 when 0
	header   string   // the content type, text/event-stream when empty; more headers after a newline
	reads    []at
	end      string // "eof" when empty
	expect   string // members as in a manifest
}

// event returns an event with that data.
func event(data string) string { return "data: " + data + "\n\n" }

// delta returns an event with one choice that has these members in its delta.
func delta(members string) string {
	return event(`{"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`)
}

const (
	stop = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	done = "data: [DONE]\n\n"
)

func (s shape) exchange() *streamcase.Exchange {
	x := &streamcase.Exchange{Status: s.status, End: streamcase.End{How: s.end}}
	if x.Status == 0 {
		x.Status = 200
	}
	if s.end == "" {
		x.End.How = "eof"
	}
	if s.header == "" {
		s.header = "text/event-stream"
	}
	for i, line := range strings.Split(s.header, "\n") {
		if i == 0 {
			line = "Content-Type: " + line
		}
		name, value, _ := strings.Cut(line, ": ")
		x.Headers = append(x.Headers, [2]string{name, value})
	}
	for _, r := range s.reads {
		x.Bytes = append(x.Bytes, r.text...)
		x.Chunks = append(x.Chunks, streamcase.Chunk{At: streamcase.Millis(r.ms), Bytes: len(r.text)})
		x.End.At = streamcase.Millis(r.ms + 5)
	}
	return x
}

func (s shape) run(t *testing.T) {
	if s.protocol == "" {
		s.protocol = OpenAIChat
	}
	d, err := Of(s.protocol)
	if err != nil {
		t.Fatal(err)
	}
	var expect map[string]any
	if err := json.Unmarshal([]byte("{"+s.expect+"}"), &expect); err != nil {
		t.Fatalf("%s: %v", s.expect, err)
	}
	for _, diff := range streamcase.Compare(expect, d.read(s.exchange())) {
		t.Error(diff)
	}
}

func runShapes(t *testing.T, shapes []shape) {
	for _, s := range shapes {
		t.Run(s.name, s.run)
	}
}
