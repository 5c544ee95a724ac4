package cartesia

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/cartesia"
)

// sonicNext returns the next message in short, and keeps its audio.
func sonicNext(r *voicetest.Rig, conn *websocket.Conn, heard *[]byte) string {
	r.T.Helper()
	_, b, err := conn.ReadMessage()
	at := time.Since(r.From) / ms
	if err != nil {
		return fmt.Sprintf("%d %v", at, err)
	}
	var m cartesia.Chunk
	if err := json.Unmarshal(b, &m); err != nil {
		r.T.Fatalf("%s: %v", b, err)
	}
	*heard = append(*heard, m.Data...)
	switch m.Type {
	case "chunk":
		return fmt.Sprintf("%d %s %d flush %d", at, m.ContextID, len(m.Data), m.FlushID)
	case "flush_done", "done":
		if m.Done != (m.Type == "done") || m.StatusCode != 206 {
			r.T.Errorf("got %s", b)
		}
		return strings.TrimSuffix(fmt.Sprintf("%d %s %s %d", at, m.ContextID, m.Type, m.FlushID), " 0")
	}
	return fmt.Sprintf("%d %s", at, b)
}

// sonicHear checks what comes next, message by message, and returns its audio.
func sonicHear(r *voicetest.Rig, conn *websocket.Conn, want ...string) (heard []byte) {
	r.T.Helper()
	for _, w := range want {
		if got := sonicNext(r, conn, &heard); got != w {
			r.T.Fatalf("got  %s\nwant %s", got, w)
		}
	}
	return heard
}

const sonicPath = "/tts/websocket?cartesia_version=2026-03-01&api_key=any"

func TestCartesiaSocket(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		r.Say(conn, sonic("a b", `,"context_id":"x","continue":false,"add_timestamps":true`))
		heard := sonicHear(r, conn,
			"200 x 1600 flush 1",
			"250 x 1600 flush 1", `250 {"type":"timestamps","context_id":"x","status_code":206,"done":false,"word_timestamps":{"words":["a"],"start":[0.05],"end":[0.15]},"flush_id":1}`,
			"300 x 1600 flush 1",
			"350 x 1600 flush 1", `350 {"type":"timestamps","context_id":"x","status_code":206,"done":false,"word_timestamps":{"words":["b"],"start":[0.25],"end":[0.35]},"flush_id":1}`,
			"350 x done",
		)
		voicetest.Same(t, voicetest.PCM(heard), "a b", 8000)
		conn.Close()
		if e := r.Only(); e.Protocol != "cartesia tts" || e.Path != "/tts/websocket" || e.Model != "sonic-3" || e.Characters != 3 || e.AudioOut != 400*ms || e.First != 200*ms || e.Ended != 350*ms || e.Outcome != pipeline.OK || e.Left != pipeline.Unknown {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestCartesiaChunkShape(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial("/tts/websocket", http.Header{"Cartesia-Version": {"2026-03-01"}})
		defer conn.Close()
		r.Say(conn, strings.Replace(sonic("a", `,"context_id":"x"`), "pcm_s16le", "pcm_alaw", 1))
		head, tail, _ := strings.Cut(r.Next(conn), `"data":"`)
		sound, tail, _ := strings.Cut(tail, `"`)
		if head != `200 {"type":"chunk","context_id":"x","status_code":206,"done":false,` || len(sound) != 1068 || tail != `,"step_time":200,"flush_id":1}` {
			t.Errorf("got %s, %d characters of audio, %s", head, len(sound), tail)
		}
		sonicHear(r, conn, "250 x 800 flush 1")
		r.Hear(conn, `250 {"type":"done","context_id":"x","status_code":206,"done":true}`)
	})
}

// Words that two texts of a context have, and their times, are those of the whole.
func TestCartesiaContinues(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		const rest = `,"context_id":"x","continue":true,"add_timestamps":true`
		r.Say(conn, sonic("ab.", rest))
		time.Sleep(100 * ms)
		r.Say(conn, sonic(" a", rest)) // the sentence before it is complete now
		r.Say(conn, sonic("b", rest))
		time.Sleep(200 * ms)
		r.Say(conn, sonic("", `,"context_id":"x","continue":false,"add_timestamps":true`))
		heard := sonicHear(r, conn, "300 x 1600 flush 1", "350 x 1600 flush 1", "400 x 1600 flush 1")
		sonicHear(r, conn, `400 {"type":"timestamps","context_id":"x","status_code":206,"done":false,"word_timestamps":{"words":["ab."],"start":[0.05],"end":[0.25]},"flush_id":1}`)
		voicetest.Same(t, voicetest.PCM(heard), "ab. ", 8000)
		heard = sonicHear(r, conn, "500 x 1600 flush 1", "550 x 1600 flush 1", "600 x 1600 flush 1")
		voicetest.Same(t, voicetest.PCM(heard), "ab", 8000)
		sonicHear(r, conn, `600 {"type":"timestamps","context_id":"x","status_code":206,"done":false,"word_timestamps":{"words":["ab"],"start":[0.35],"end":[0.55]},"flush_id":1}`, "600 x done")
	})
}

// A sentence that ends the text waits for more, or until it has waited long enough;
// that counts from its oldest character.
func TestCartesiaBufferDelay(t *testing.T) {
	for delay, at := range map[string]int{"": 3000, `,"max_buffer_delay_ms":null`: 3000, `,"max_buffer_delay_ms":500`: 500, `,"max_buffer_delay_ms":5000`: 5000} {
		speaking(t, func(r *voicetest.Rig) {
			conn := r.Dial(sonicPath, nil)
			defer conn.Close()
			r.Say(conn, sonic("a", `,"context_id":"x","continue":true`+delay))
			time.Sleep(400 * ms)
			r.Say(conn, sonic(".", `,"context_id":"x","continue":true`+delay))
			first, second := at+200, at+250
			sonicHear(r, conn, fmt.Sprintf("%d x 1600 flush 1", first), fmt.Sprintf("%d x 1600 flush 1", second))
			// Nothing more comes, so that the context is over after a second.
			sonicHear(r, conn, fmt.Sprintf("%d x done", second+1000))
		})
	}
}

// Without a delay each input is spoken at once, and flushed.
func TestCartesiaNoBufferDelay(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		const rest = `,"context_id":"x","max_buffer_delay_ms":0`
		r.Say(conn, sonic("a", rest+`,"continue":true`))
		r.Say(conn, sonic(" ", rest+`,"continue":true`)) // nothing to say: it waits for more
		r.Say(conn, sonic("b", rest+`,"continue":true`))
		r.Say(conn, sonic("a", rest))
		sonicHear(r, conn,
			"200 x 1600 flush 1", "250 x 1600 flush 1", "250 x flush_done 1",
			"300 x 1600 flush 2", "350 x 1600 flush 2", "350 x flush_done 2",
			"400 x 1600 flush 3", "450 x 1600 flush 3", "450 x done",
		)
	})
}

func TestCartesiaFlush(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		r.Say(conn, sonic("a", `,"context_id":"x","continue":true`))
		r.Say(conn, sonic("", `,"context_id":"x","continue":true,"flush":true`))
		r.Say(conn, sonic("", `,"context_id":"x","continue":true,"flush":true`)) // of nothing
		r.Say(conn, sonic("b", `,"context_id":"x","continue":true`))
		r.Say(conn, sonic("", `,"context_id":"x"`))
		sonicHear(r, conn,
			"200 x 1600 flush 1", "250 x 1600 flush 1", "250 x flush_done 1", "250 x flush_done 2",
			"300 x 1600 flush 3", "350 x 1600 flush 3", "350 x done",
		)
	})
}

// A cancel drops what has not begun; what has is sent to its end.
func TestCartesiaCancel(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		r.Say(conn, `{"context_id":"nobody","cancel":true}`)
		const rest = `,"context_id":"x","continue":true,"max_buffer_delay_ms":0`
		r.Say(conn, sonic("a", rest))
		r.Say(conn, sonic("b", rest))
		r.Say(conn, sonic("a", `,"context_id":"y","continue":true`)) // waits for more
		sonicHear(r, conn, "200 x 1600 flush 1")
		r.Say(conn, `{"context_id":"x","cancel":true}`)
		r.Say(conn, `{"context_id":"y","cancel":true}`)
		sonicHear(r, conn, "200 y done", "250 x 1600 flush 1", "250 x done")
		r.Say(conn, sonic("b", `,"context_id":"x"`)) // a new one of the same name
		sonicHear(r, conn, "450 x 1600 flush 1", "500 x 1600 flush 1", "500 x done")
	})
}

// Contexts speak at the same time; a new input keeps one from expiring.
func TestCartesiaContexts(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		r.Say(conn, sonic("a", `,"context_id":"x","continue":true,"flush":true`))
		time.Sleep(10 * ms)
		r.Say(conn, sonic("a", `,"context_id":"y"`))
		r.Say(conn, sonic("a", ``)) // without an id
		sonicHear(r, conn,
			"200 x 1600 flush 1", "210 y 1600 flush 1", "210  1600 flush 1",
			"250 x 1600 flush 1", "250 x flush_done 1", "260 y 1600 flush 1", "260 y done", "260  1600 flush 1", "260  done",
		)
		time.Sleep(989 * ms)
		r.Say(conn, sonic("b", `,"context_id":"x","continue":true,"flush":true`))
		sonicHear(r, conn, "1449 x 1600 flush 2", "1499 x 1600 flush 2", "1499 x flush_done 2", "2499 x done")
	})
}

func TestCartesiaErrors(t *testing.T) {
	for _, test := range []struct {
		name           string
		messages       []string
		context        string
		title, message string
	}{
		{"no JSON", []string{"hello"}, "", "Invalid JSON", "invalid character 'h' looking for beginning of value"},
		{"no model", []string{`{"context_id":"x"}`}, "x", "Invalid request", `model_id is required, such as "sonic-3"`},
		{"container", []string{strings.Replace(sonic("a", `,"context_id":"x"`), `"raw"`, `"wav"`, 1)}, "x", "Invalid request", `output_format: container is "wav": want raw`},
		{"silent", []string{sonic(" ", `,"context_id":"x","continue":true`)}, "x", "transcript empty or contains only punctuation", "first transcript for WS is empty or contains only punctuation"},
		{"delay", []string{sonic("a", `,"context_id":"x","max_buffer_delay_ms":5001`)}, "x", "Invalid request", "max_buffer_delay_ms is 5001: it must be from 0 to 5000"},
		{"pending", []string{sonic("a", `,"context_id":"x","continue":true`), sonic(strings.Repeat(".", 50_000), `,"context_id":"x","continue":true`)}, "x", "Invalid request", "the context holds back 50001 characters that cannot be spoken: this mock server takes 50000"},
		{"changed", []string{sonic("a", `,"context_id":"x","continue":true`), strings.Replace(sonic("b", `,"context_id":"x"`), "8000", "16000", 1)}, "x", "Invalid request", "output_format differs from that of the context's first input: it must be the same in all of them"},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				conn := r.Dial(sonicPath, nil)
				defer conn.Close()
				for _, m := range test.messages {
					r.Say(conn, m)
				}
				got := r.Next(conn)
				code := "invalid_request"
				base := &cartesia.Base{Type: "error", ContextID: test.context, StatusCode: 400, Done: true}
				id := idOf(r, got)
				if want := strings.TrimSuffix(idOf(r, got), ":x"); len(want) != 36 || test.context != "" && id == want {
					t.Errorf("request_id %q, want a UUID and the context", id)
				}
				want := "0 " + string(talk.JSON(cartesia.TTSError{Base: base, ErrorCode: &code, Title: test.title, Message: test.message, RequestID: id}))
				if got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
				// The connection stays.
				r.Say(conn, sonic("a", `,"context_id":"z"`))
				sonicHear(r, conn, "200 z 1600 flush 1", "250 z 1600 flush 1", "250 z done")
			})
		})
	}
	// Before 2026-03-01 errors are one string; the parameter counts more than the header.
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial("/tts/websocket?cartesia_version=2025-04-16", http.Header{"Cartesia-Version": {"2026-03-01"}})
		defer conn.Close()
		r.Say(conn, sonic("", `,"context_id":"x"`))
		r.Hear(conn, `0 {"type":"error","context_id":"x","status_code":400,"done":true,"error":"transcript empty or contains only punctuation: first transcript for WS is empty or contains only punctuation"}`)
		if err := conn.WriteMessage(websocket.BinaryMessage, []byte("a")); err != nil {
			t.Fatal(err)
		}
		r.Hear(conn, `0 {"type":"error","status_code":400,"done":true,"error":"Invalid message: a message must be a text frame with a JSON object"}`)
	})
}

// idOf returns the request_id of a message, whatever it is.
func idOf(r *voicetest.Rig, message string) string {
	_, rest, _ := strings.Cut(message, `"request_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

func TestCartesiaIdle(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		defer conn.Close()
		time.Sleep(time.Minute)
		r.Say(conn, sonic("a", `,"context_id":"x"`))
		sonicHear(r, conn, "60200 x 1600 flush 1", "60250 x 1600 flush 1", "60250 x done")
		r.Hear(conn, "360000 websocket: close 1000 (normal): connection idle timeout")
		if e := r.Only(); e.Outcome != pipeline.OK || e.Reason != "connection idle timeout" || e.Ended != 360*time.Second {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestCartesiaClientGone(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(sonicPath, nil)
		r.Say(conn, sonic("abcdef", `,"context_id":"x"`))
		sonicHear(r, conn, "200 x 1600 flush 1")
		time.Sleep(20 * ms)
		conn.Close()
		if e := r.Only(); e.Outcome != pipeline.Cancelled || e.Left != 220*ms || e.AudioOut != 100*ms {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestCartesiaSentences(t *testing.T) {
	for text, want := range map[string]string{
		"One. Two": "One. ", "One.": "", "One. ": "", "One.Two": "", "3.5 is": "", "\"One!\" Two": "\"One!\" ",
		"One? Two. Three": "One? Two. ", "一。二": "一。", "One\nTwo": "One\n", "One. é": "One. ",
	} {
		c := &sonicContext{pending: text}
		if got := c.complete(); got != want || got+c.pending != text {
			t.Errorf("%q: %q is complete and %q is left, want %q", text, got, c.pending, want)
		}
	}
}
