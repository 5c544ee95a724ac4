package report

import (
	"encoding/json"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

// benchServed is a comparison at an Ollama that says its own times, some of them.
func benchServed() trace.Run {
	b := newBenchRun("endpoint")
	b.Header.Endpoints = []trace.Endpoint{{Stage: "llm", URL: "http://127.0.0.1:11434", Protocol: "ollama-chat", Model: "small"}}
	for i, variant := range []string{"baseline", "baseline", "warm", "warm"} {
		t := b.ask("small", variant, 128, span(90+float64(2*i)), span(4))
		s := &t.Requests[0].Server
		s.Load, s.Prefill, s.Decode, s.Total = span(6), span(80), span(402), span(495)
		if variant == "warm" {
			s.Prefill, s.Decode = span(5), pipeline.Unknown
		}
	}
	return b.Run
}

// What a server says stands beside what was measured of the same requests; what it does
// not say has no column, and where it says nothing the report says by what protocol it might.
func TestBenchServerBeside(t *testing.T) {
	s := bench(t, benchServed()).serverBeside()
	want := `
  ||prompt|service_ttft|its load|its prefill|rest|tpot|its decode
  small|baseline|128|90 ms|6 ms|80 ms|4 ms|4 ms|4.02 ms
  small|warm|128|94 ms|6 ms|5 ms|83 ms|4 ms|-
`
	if got := "\n" + joined(s.rows); got != want {
		t.Errorf("rows%swant%s", got, want)
	}
	if len(s.notes) != 2 || !strings.HasPrefix(s.notes[1], "Ollama: prefill runs from") {
		t.Errorf("notes %q, want what the columns are and what Ollama counts", s.notes)
	}
	silent := newBenchRun("endpoint")
	silent.Header.Endpoints = []trace.Endpoint{{Protocol: "openai-chat"}}
	silent.ask("small", "baseline", 128, 90*ms, 4*ms)
	s = bench(t, silent.Run).serverBeside()
	const words = "The server says nothing of its own time by openai-chat. Ollama does by its own protocols: give it the URL that ends in /api/chat or /api/generate."
	if len(s.rows) > 0 || len(s.notes) != 1 || s.notes[0] != words {
		t.Errorf("section %+v, want the note %q alone", s, words)
	}
	if s := bench(t, benchExact()).serverBeside(); !s.empty() {
		t.Errorf("a comparison on the simulator has the section %+v", s)
	}
}

func TestBenchServerDocument(t *testing.T) {
	b := bench(t, benchServed())
	text, err := json.Marshal(b.Cells[1].Server)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"service_ttft":{"n":2,"p50":94,"min":94,"max":96},"queue":null,"load":{"n":2,"p50":6,"min":6,"max":6},` +
		`"prefill":{"n":2,"p50":5,"min":5,"max":5},"rest":{"n":2,"p50":83,"min":83,"max":85},"decode_tpot":null}`
	if string(text) != want {
		t.Errorf("server %s\nwant %s", text, want)
	}
}

// joined returns rows as lines, their cells with a bar between them.
func joined(rows [][]cell) string {
	var lines strings.Builder
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, c := range row {
			texts[i] = c.text
		}
		lines.WriteString("  " + strings.Join(texts, "|") + "\n")
	}
	return lines.String()
}

// A wait for a slot shows in what of its total the server gives no name.
func TestRestOfTotal(t *testing.T) {
	own := pipeline.ServerTime{Queue: pipeline.Unknown, Load: 6 * ms, Prefill: 80 * ms, Decode: 400 * ms, Total: 700 * ms}
	for _, c := range []struct {
		name   string
		change func(s *pipeline.ServerTime)
		want   int64 // in ms, -1 for Unknown
	}{
		{"as it is", func(*pipeline.ServerTime) {}, 214},
		{"with a queue", func(s *pipeline.ServerTime) { s.Queue = 200 * ms }, 14},
		{"without its load", func(s *pipeline.ServerTime) { s.Load = pipeline.Unknown }, 220},
		{"without its prefill", func(s *pipeline.ServerTime) { s.Prefill = pipeline.Unknown }, -1},
		{"without its decode", func(s *pipeline.ServerTime) { s.Decode = pipeline.Unknown }, -1},
		{"without its total", func(s *pipeline.ServerTime) { s.Total = pipeline.Unknown }, -1},
	} {
		r := &pipeline.Request{Server: own}
		c.change(&r.Server)
		want := pipeline.Unknown
		if c.want >= 0 {
			want = span(float64(c.want))
		}
		if got := restOfTotal(r); got != want {
			t.Errorf("%s: rest %v, want %v", c.name, got, want)
		}
	}
}
