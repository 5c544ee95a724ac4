package dialect

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestOneInstant: there is no pace of what came at one instant.
func TestOneInstant(t *testing.T) {
	hi := delta(`"content":"Hi, "`)
	end := stop + event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":52,"completion_tokens_details":{"reasoning_tokens":32}}}`) + done
	for name, c := range map[string]struct {
		reads         []string
		tpot, visible time.Duration
	}{
		"one chunk":             {[]string{hi, end}, pipeline.Unknown, pipeline.Unknown},
		"two at once":           {[]string{hi + hi, end}, pipeline.Unknown, pipeline.Unknown},
		"text at once":          {[]string{delta(`"reasoning_content":"So"`), hi + hi, end}, time.Second / 51, pipeline.Unknown},
		"two, a second between": {[]string{hi, hi, end}, time.Second / 51, time.Second / 19},
	} {
		if r := reread(t, OpenAIChat, c.reads...); r.TPOT() != c.tpot || r.VisibleTPOT() != c.visible {
			t.Errorf("%s: %s, %s visible; want %s, %s", name, r.TPOT(), r.VisibleTPOT(), c.tpot, c.visible)
		}
	}
}
