package scenario

import (
	"strings"
	"testing"
)

// TestNoEffect: what cannot act is refused, and what acts is not.
func TestNoEffect(t *testing.T) {
	const open, closed = "arrivals: {process: constant, every: 1s}\n", "arrivals: {process: closed, users: 2}\n"
	for _, c := range []struct{ keys, want string }{
		{"  tts_connect: {takes: 90ms}\n" + closed, "voice.tts_connect.takes: has no effect alone: want each: true or an idle above 0"},
		{"  llm_connect: {takes: 90ms, each: true, idle: 5s}\n" + closed, "voice.llm_connect.idle: has no effect beside each: true"},
		{"  llm_connect: {takes: 90ms, each: true}\n  tts_connect: {takes: 90ms, idle: 5s}\n" + open, ""},
		{"  llm_connect: {takes: 90ms, each: false}\n  tts_connect: {takes: 90ms, idle: 0s}\n" + open, ""},
		{"  context: {turns: 5, time_stamp: 100%}\n" + open, "voice: context.turns has no effect: in an open load each turn is a call of its own"},
		{"  context: {rewrite: 10%}\n" + open, "context.rewrite has no effect"},
		{"  context: {turns: 5, rewrite: 10%}\n" + closed, ""},
		{"  context: {time_stamp: 100%}\n" + open, ""},
	} {
		_, err := Parse("x", []byte(spokenWith(c.keys)), nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.keys, err, c.want)
		}
	}
}
