package grid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

func TestNew(t *testing.T) {
	var m made
	m.ask("b", "base", 512, 50*ms, 4*ms)
	m.ask("b", "base", 128, 10*ms, 4*ms)
	counted := &m.ask("b", "base", 128, 12*ms, 6*ms).Requests[0]
	counted.PromptTokens, counted.CachedTokens = 140, 16
	m.ask("b", "base", 128, 13*ms, 4*ms)
	m.stall(70 * ms)
	failed := m.ask("b", "base", 128, 9*ms, ms)
	failed.Outcome, failed.Reason, failed.Requests[0].Outcome = pipeline.Refused, "no room", pipeline.Refused
	m.skip("a", "base", 4096, "too long")
	m.ask("a", "option", 128, 11*ms, 5*ms)
	g := m.grid(t)
	if !slices.Equal(g.Models, []string{"b", "a"}) || !slices.Equal(g.Variants, []string{"base", "option"}) {
		t.Errorf("models %v and variants %v, want them in the order of the run", g.Models, g.Variants)
	}
	var got []string
	for i := range g.Cells {
		c := &g.Cells[i]
		got = append(got, fmt.Sprintf("%s/%s/%d asked %d failed %d skipped %t %q output %v counted %v cached %v %t ttft %v tpot %v e2e %v beside %v stall %v",
			c.Model, c.Variant, c.Prompt, c.Asked, c.Failed, c.Skipped, c.Reason, c.Output, c.Counted, c.Cached, c.HasCached,
			c.Sample(TTFT), c.Sample(TPOT), c.Sample(E2E), c.Sample(TTFTBeside), c.Sample(Stall)))
	}
	want := []string{
		`b/base/128 asked 4 failed 1 skipped false "refused: no room" output [11 11] counted [128 140] cached [16 16] true ttft [1e+07 1.2e+07] tpot [4e+06 6e+06] e2e [5e+07 7.2e+07] beside [1.3e+07] stall [7e+07]`,
		`b/base/512 asked 1 failed 0 skipped false "" output [11 11] counted [512 512] cached [0 0] false ttft [5e+07] tpot [4e+06] e2e [9e+07] beside [] stall []`,
		`a/base/4096 asked 0 failed 0 skipped true "too long" output [0 0] counted [0 0] cached [0 0] false ttft [] tpot [] e2e [] beside [] stall []`,
		`a/option/128 asked 1 failed 0 skipped false "" output [11 11] counted [128 128] cached [0 0] false ttft [1.1e+07] tpot [5e+06] e2e [6.1e+07] beside [] stall []`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("cells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRow(t *testing.T) {
	var m made
	for _, n := range []int{128, 128, 512} { // 512 has a single one, and no median
		m.ask("a", "base", n, 10*ms, ms)
	}
	row := m.grid(t).Row(Key{"a", "base"}, TTFT)
	if len(row) != 1 || row[0].Prompt != 128 {
		t.Errorf("row %v, want the cell with a median", row)
	}
}

func TestNewWantsFacts(t *testing.T) {
	_, err := New(trace.Run{Header: trace.Header{Scenario: "mine"}, Traces: []pipeline.Trace{{Session: 7}}})
	if want := "mine: session 7: want the facts model, variant and prompt_tokens, a number of tokens"; err == nil || err.Error() != want {
		t.Errorf("New = %v, want %s", err, want)
	}
}

// An answer that was to stream beside a request, and ended before that was sent, is no
// request of the cell.
func TestStreamThatEndedBefore(t *testing.T) {
	var m made
	m.ask("a", "base", 1024, 50*ms, 4*ms)
	x := m.ask("a", "base", 1024, 60*ms, 5*ms)
	stream := x.Requests[0]
	stream.FirstOutput, stream.Server.Prefill, stream.Server.Decode = stream.Sent+5*ms, 3*ms, 20*ms
	x.Requests = append(x.Requests, stream)
	c := &m.grid(t).Cells[0]
	for metric, want := range map[Metric]Sample{TTFT: {50e6, 60e6}, TPOT: {4e6, 5e6}, E2E: {90e6, 110e6}} {
		if got := c.Sample(metric); !slices.Equal(got, want) {
			t.Errorf("%s %v, want %v", metric, got, want)
		}
	}
	if c.Served.Says() {
		t.Errorf("the server says %+v of the stream, and nothing of the cell", c.Served)
	}
}
