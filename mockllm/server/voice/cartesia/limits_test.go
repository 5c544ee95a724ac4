package cartesia

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline/wire/cartesia"
)

// TestCartesiaCrowded: one context too many is refused as the service refuses it, and the
// others go on.
func TestCartesiaCrowded(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		for i := range sonicMost + 1 {
			r.Say(conn, sonic("a", fmt.Sprintf(`,"context_id":"c%d","continue":true`, i)))
		}
		code := "concurrency_limited"
		got := r.Next(conn)
		want := "0 " + string(talk.JSON(cartesia.TTSError{
			Base:      &cartesia.Base{Type: "error", ContextID: "c100", StatusCode: 429, Done: true},
			ErrorCode: &code, Title: "Too many concurrent requests",
			Message:   "You have exceeded your plan's concurrency limit: this mock server takes 100 contexts at once on a connection.",
			RequestID: idOf(r, got),
		}))
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		r.Say(conn, `{"context_id":"c0","cancel":true}`)
		if got := r.Next(conn); !strings.Contains(got, `"context_id":"c0"`) {
			t.Errorf("got %s, want a message of the first context", got)
		}
	})
}

// TestCartesiaQueue: texts that wait in a context are not kept for ever, nor are long ids.
func TestCartesiaQueue(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		long := strings.Repeat("a", sonicLongest)
		for range 6 {
			r.Say(conn, sonic(long, `,"context_id":"x","continue":true,"flush":true`))
		}
		if got, want := r.Next(conn), `"message":"10 inputs with 250000 characters wait to be spoken in the context: this mock server takes 10000 and 200000"`; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
		r.Say(conn, sonic("a", `,"context_id":"`+strings.Repeat("x", 1001)+`"`))
		if got, want := r.Next(conn), `"message":"context_id has 1001 bytes: this mock server takes 1000"`; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	if mouth.MostQueued != 200_000 {
		t.Error("the limit is not that of the test")
	}
}

// TestReadsAhead: a message is read before the loop has its turn.
func TestReadsAhead(t *testing.T) {
	s, v := fuzzed()
	session := newSonicTalk(v, s.Mouths, "")
	message := []byte(sonic("a", `,"context_id":"x"`))
	handles := session.Text(message)
	clear(message)
	voicetest.Do(handles)
	if len(session.contexts) != 1 || session.contexts[0].id != "x" {
		t.Errorf("%d contexts, want that of the message", len(session.contexts))
	}
}
