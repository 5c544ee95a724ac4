package bot

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/dist"
)

const ms = time.Millisecond

// promptly is a bot that greets, and answers 300 ms after it has heard 200 ms of silence.
func promptly() Config {
	return Config{
		Greeting: "ab", Replies: []string{"cd"}, Ahead: -1, STT: speech.STT{Turn: speech.Turn{Silence: 200 * ms}},
		Voice: speech.TTS{FirstByte: dist.Constant(300 * ms), Pace: 10, Chunk: time.Second},
	}
}

const begins = `{"event":"start","streamSid":"MZ1"}`

func media(samples []int16) string {
	return `{"event":"media","streamSid":"MZ1","media":{"payload":"` + base64.StdEncoding.EncodeToString(audio.Encode(nil, samples, audio.MuLaw)) + `"}}`
}

// calling runs a test with a call that was put through.
func calling(t *testing.T, test func(r *voicetest.Rig, conn *websocket.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		r := voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) { New(h, promptly()).Handle(mux) })
		defer r.Stop()
		conn := r.Dial(Path, nil)
		defer conn.Close()
		test(r, conn)
	})
}

// brief leaves out what audio sounds like.
func brief(message string) string {
	if i := strings.Index(message, `"payload":"`); i >= 0 {
		return message[:i+11]
	}
	return message
}

func TestBot(t *testing.T) {
	calling(t, func(r *voicetest.Rig, conn *websocket.Conn) {
		r.Say(conn, `{"event":"connected","protocol":"Call","version":"1.0.0"}`)
		r.Say(conn, begins)
		if got, want := brief(r.Next(conn)), `300 {"event":"media","media":{"payload":"`; got != want {
			t.Errorf("the greeting is %s, want %s", got, want)
		}
		r.Say(conn, media(voicetest.Silent(500*ms, 8000)))
		// The caller cuts in: 200 ms of the greeting have not been played. It is answered 10 ms
		// and 200 ms after the last of it, and 300 ms for the words.
		r.Say(conn, media(voicetest.Voiced(400*ms, 8000)))
		if got, want := r.Next(conn), `300 {"event":"clear","streamSid":"MZ1"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		r.Say(conn, media(voicetest.Silent(300*ms, 8000)))
		if got, want := brief(r.Next(conn)), `600 {"event":"media","media":{"payload":"`; got != want {
			t.Errorf("the answer is %s, want %s", got, want)
		}
		r.Say(conn, `{"event":"stop","streamSid":"MZ1"}`)
		if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
			t.Errorf("got %v, want a normal end", err)
		}
	})
}

// TestBotRefuses: what Twilio would not say ends the call.
func TestBotRefuses(t *testing.T) {
	for text, want := range map[string]string{
		media(make([]int16, 160)): "audio came before start",
		"{":                       "unexpected end of JSON input",
		`{"event":"media","media":{"payload":"?"}}`: "illegal base64 data at input byte 0",
		begins + "\n" + media(make([]int16, 8001)):  "a message has more than a second of audio",
	} {
		calling(t, func(r *voicetest.Rig, conn *websocket.Conn) {
			for _, line := range strings.Split(text, "\n") {
				r.Say(conn, line)
			}
			if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseUnsupportedData) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func FuzzBot(f *testing.F) {
	f.Add([]byte{0}, []byte(begins))
	f.Add([]byte{}, []byte(media(make([]int16, 160))))
	f.Add([]byte{}, []byte(`{"event":"media","media":null}`))
	f.Add([]byte{}, []byte(`{"event":"stop"}`))
	s := New(voicetest.Alone(), promptly())
	f.Fuzz(func(t *testing.T, sound, text []byte) {
		t1 := s.stream(talk.NewSocket(s.Host), httptest.NewRequest("GET", Path, nil))
		voicetest.Do(t1.Text([]byte(begins)))
		voicetest.Fuzz(t1, sound, text)
	})
}
