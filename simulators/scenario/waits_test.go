package scenario

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// waitsIn reads a scenario whose model has these times to the first token, with a file beside it.
func waitsIn(ttft, file string) (*Scenario, error) {
	const text = "halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: TTFT, tokens_per_second: 50}\n"
	return Parse("f", []byte(strings.Replace(text, "TTFT", ttft, 1)), func(name string) ([]byte, error) {
		if name != "w.csv" {
			return nil, errors.New("no file " + name)
		}
		return []byte(file), nil
	})
}

// TestWaits: measured times stand in the scenario, or in a file beside it, and are written such
// that they are read again.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		name, ttft, file, want, written string
	}{
		{"a list", "{waits: [2s, 30ms, 30ms]}", "", "{waits: [30ms, 30ms, 2s]}", "ttft: {waits: [30ms, 30ms, 2s]}"},
		{"one", "{waits: [30ms]}", "", "30ms", "ttft: 30ms"},
		{"a file of milliseconds", "{waits: w.csv}", "30\n# ours\n\n2000\n30.5\n", "{waits: [30ms, 30.5ms, 2s]}", "ttft: {waits: w.csv}"},
		{"a file of durations", "{waits: w.csv}", "30ms\n2s\n", "{waits: [30ms, 2s]}", "ttft: {waits: w.csv}"},
		{"CSV with a heading", "{waits: w.csv}", "ttft_ms,status\r\n30,ok\r\n\"2000\",ok\r\n", "{waits: [30ms, 2s]}", "ttft: {waits: w.csv}"},
	} {
		s, err := waitsIn(c.ttft, c.file)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := s.IDE.LLM.TTFT.Dist.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if !strings.Contains(s.Canonical(), c.written) {
			t.Errorf("%s is written as\n%s\nwant in it %s", c.name, s.Canonical(), c.written)
		}
		again, err := Parse("again", []byte(s.Canonical()), func(string) ([]byte, error) { return []byte(c.file), nil })
		if err != nil || again.IDE.LLM.TTFT != s.IDE.LLM.TTFT || again.Hash() != s.Hash() {
			t.Errorf("%s: read again from\n%s\nit is %v, %v", c.name, s.Canonical(), again, err)
		}
	}
	one, _ := waitsIn("{waits: w.csv}", "30\n40\n")
	two, _ := waitsIn("{waits: w.csv}", "30\n50\n")
	if one.Hash() == two.Hash() {
		t.Error("files of other times have the same hash")
	}
}

func TestWaitsRefuse(t *testing.T) {
	const at = "f:6:23: ide.llm.ttft.waits: "
	const want = `; want a number of milliseconds, such as 180.5, or a duration, such as 2.1s, from 0 to 1h0m0s`
	for _, c := range []struct{ ttft, file, want string }{
		{"{waits: []}", "", at + "no durations were measured"},
		{"{waits: [30ms, fast]}", "", `f:6:30: ide.llm.ttft.waits[1]: want a duration with its unit, such as 180ms; found "fast"`},
		{"{waits: [2h]}", "", "f:6:24: ide.llm.ttft.waits[0]: 2h is not possible: it must be from 0s to 1h0m0s"},
		{"{waits: x.csv}", "", at + "no file x.csv"},
		{"{waits: w.csv}", "", at + "w.csv has no durations; want one in a line, such as 180.5 for milliseconds, or 2.1s"},
		{"{waits: w.csv}", "ms\n", at + "w.csv has no durations; want one in a line, such as 180.5 for milliseconds, or 2.1s"},
		{"{waits: w.csv}", "30\nfast\n", at + `w.csv:2: found "fast"` + want},
		{"{waits: w.csv}", "ms\n30\n-1\n", at + `w.csv:3: found "-1"` + want},
		{"{waits: w.csv}", "-1\n30\n", at + `w.csv:1: found "-1"` + want},
		{"{waits: w.csv}", "30\nNaN\n", at + `w.csv:2: found "NaN"` + want},
		{"{waits: w.csv}", "30\n3600001\n", at + `w.csv:2: found "3600001"` + want},
	} {
		if _, err := waitsIn(c.ttft, c.file); err == nil || err.Error() != c.want {
			t.Errorf("%s of %q:\n%v\nwant\n%s", c.ttft, c.file, err, c.want)
		}
	}
	if _, err := Parse("f", []byte("halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {profile: fast}\n  llm: {ttft: {waits: w.csv}, tokens_per_second: 50}\n"), nil); err == nil || !strings.Contains(err.Error(), "a built-in scenario has none beside it") {
		t.Errorf("without files: %v", err)
	}
}

// A model with measured times has each of them as often as the others.
func TestWaitsAreDrawn(t *testing.T) {
	s, err := waitsIn("{waits: [30ms, 60ms]}", "")
	if err != nil {
		t.Fatal(err)
	}
	if d := s.IDE.LLM.TTFT; d.Quantile(.5) != 30*time.Millisecond || d.Quantile(.51) != 60*time.Millisecond {
		t.Errorf("quantiles %s and %s, want 30ms and 60ms", d.Quantile(.5), d.Quantile(.51))
	}
}
