package realtime

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline/wire/realtime"
)

// TestRealtimeLimits: what a client says is bounded, and the session goes on.
func TestRealtimeLimits(t *testing.T) {
	asking(t, config{}, gptRealtime, nil, func(_ *voicetest.Rig, a *ask) {
		a.begin()
		text := func(n int) string {
			return `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + strings.Repeat("a", n) + `"}]}}`
		}
		a.send(text(mostWords - len(text(0))))
		a.expect("0 conversation.item.added...", "0 conversation.item.done...")
		a.send(text(mostWords - len(text(0)) + 1))
		a.expectFault("words", "string_above_max_length", "Invalid event: its texts are too long. Expected an event with a maximum length of 262144 bytes beside audio and images, but got one with 262145 bytes instead.", "")
		a.send(`{"type":"` + strings.Repeat("x", 2000) + `"}`)
		if got := a.take(); len(got) != 1 || !strings.Contains(got[0], "Invalid value: '"+strings.Repeat("x", 1000)+"...'") {
			t.Errorf("got %q, want the beginning of the word", got)
		}
		for range mostReplies {
			a.send(`{"type":"response.create","response":{"conversation":"none","input":[]}}`)
			a.take()
		}
		a.send(`{"type":"response.create","response":{"conversation":"none","input":[]}}`)
		a.expectFault("responses", "too_many_responses", "100 responses are under way, the most that this server makes at once. Wait until one is finished.", "")
	})
}

// fuzzed is a session on a loop that does not run.
func fuzzed() *session {
	h := voicetest.Alone()
	s := New(h, &ear.Models{Host: h, STT: prompted}, Config{})
	return s.newSession(talk.NewSocket(h), s.request(httptest.NewRequest(http.MethodGet, "/v1/realtime?model=gpt-realtime", nil), 1))
}

// TestRealtimeManyItems: a conversation has so many items, and so much in them.
func TestRealtimeManyItems(t *testing.T) {
	s := fuzzed()
	for i := range mostItems {
		s.items = append(s.items, &item{Item: realtime.Item{ID: fmt.Sprint(i)}})
	}
	if f := s.fits(&item{}); f == nil || f.code != "item_create_too_many_items" {
		t.Errorf("got %+v, want that there are too many items", f)
	}
	s.items = s.items[:9]
	large := &item{Item: realtime.Item{Content: []realtime.Content{{ImageURL: strings.Repeat("a", mostContent/2)}}}}
	s.items = append(s.items, large)
	if f := s.fits(large); f != nil {
		t.Errorf("got %+v, want room", f)
	}
	text := "a"
	if f := s.fits(&item{Item: realtime.Item{Content: large.Content, Output: &text}}); f == nil || f.code != "item_create_too_large" {
		t.Errorf("got %+v, want that there is too much", f)
	}
}

// TestLongFrames: an event with a lot of audio takes the loop many short times.
func TestLongFrames(t *testing.T) {
	s := fuzzed()
	event := fmt.Appendf(nil, `{"type":"input_audio_buffer.append","audio":%q}`, base64.StdEncoding.EncodeToString(make([]byte, voicetest.Long)))
	voicetest.Chopped(t, s.Text(event), 24_000, s.ear.written)
}

// TestReadsAhead: an event is read before the loop has its turn.
func TestReadsAhead(t *testing.T) {
	s := fuzzed()
	event := fmt.Appendf(nil, `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_audio","audio":%q}]}}`, base64.StdEncoding.EncodeToString(make([]byte, 4800)))
	handles := s.Text(event)
	clear(event)
	voicetest.Do(handles)
	if len(s.items) != 1 || s.items[0].length.Milliseconds() != 100 || len(s.items[0].audio) != 4800 {
		t.Errorf("%d items, want one with 100 ms of audio", len(s.items))
	}
}
