package scenario

import (
	"strings"
	"testing"
)

// TestContextOfDirect: a model that hears and speaks has calls of several turns, and nothing else of
// a context.
func TestContextOfDirect(t *testing.T) {
	for keys, want := range map[string]string{
		"turns: 3":                   "",
		"turns: 3, time_stamp: 10%":  "speech_to_speech is one model: leave all but turns out",
		"turns: 3, tool_order: 100%": "leave all but turns out",
		"rewrite: 5%":                "leave all but turns out",
	} {
		text := "halfsecond: 1\nkind: voice\nname: x\narrivals: {process: closed, users: 1, think: 1s}\nvoice: {speech_to_speech: {first_audio: 600ms}, context: {" + keys + "}}\n"
		s, err := Parse("x.yaml", []byte(text), nil)
		switch {
		case want == "" && err != nil, want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", keys, err, want)
		case want == "" && s.Voice.Context.Turns != 3:
			t.Errorf("%s: %+v", keys, s.Voice.Context)
		}
	}
}
