package report

import (
	"testing"

	"halfsecond/pipeline"
)

func TestUnread(t *testing.T) {
	var u Unread
	for _, events := range []int{0, 2, 1} {
		if events > 0 && u.N == 0 && u.words() != "" {
			t.Errorf("%q of nothing", u.words())
		}
		u.add(&pipeline.Request{Unread: events})
	}
	if want := "3 events could not be read, in 2 responses: not valid JSON, so tokens or counts may be missing."; u.words() != want {
		t.Errorf("%q, want %q", u.words(), want)
	}
}
