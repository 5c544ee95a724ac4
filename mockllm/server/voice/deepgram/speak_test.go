package deepgram

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// greeted opens /v1/speak and reads the metadata.
func greeted(r *voicetest.Rig, query string) *websocket.Conn {
	r.T.Helper()
	conn := r.Dial("/v1/speak?model=aura-2-thalia-en"+query, nil)
	got := r.Next(conn)
	id := idIn(r, got)
	want := fmt.Sprintf(`%d {"type":"Metadata","request_id":"%s","model_name":"aura-2-thalia-en","model_version":"halfsecond","model_uuid":"%s"}`, time.Since(r.From)/ms, id, talk.UUID("aura-2-thalia-en"))
	if got != want {
		r.T.Fatalf("got  %s\nwant %s", got, want)
	}
	return conn
}

// id returns the request_id of a message.
func idIn(r *voicetest.Rig, message string) string {
	r.T.Helper()
	_, rest, _ := strings.Cut(message, `"request_id":"`)
	id, _, found := strings.Cut(rest, `"`)
	if !found || len(id) != 36 {
		r.T.Fatalf("no request_id in %s", message)
	}
	return id
}

func TestDeepgramSpeak(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := greeted(r, "&encoding=linear16&sample_rate=16000")
		defer conn.Close()
		r.Say(conn, `{"type":"Speak","text":"a"}`)
		r.Say(conn, `{"type":"Speak","text":"b"}`)
		time.Sleep(time.Second) // without a Flush there is nothing
		r.Say(conn, `{"type":"Flush"}`)
		var heard []byte
		for _, at := range []int{1200, 1250, 1300} {
			kind, b, err := conn.ReadMessage()
			if now := int(time.Since(r.From) / ms); kind != websocket.BinaryMessage || err != nil || now != at || len(b) != 3200 {
				t.Fatalf("at %d: kind %d, %d bytes, %v, want 3200 at %d", now, kind, len(b), err, at)
			}
			heard = append(heard, b...)
		}
		voicetest.Same(t, voicetest.PCM(heard), "ab", 16000)
		r.Hear(conn, `1300 {"type":"Flushed","sequence_id":0}`)
		r.Say(conn, `{"type":"Close"}`)
		r.Hear(conn, "1300 websocket: close 1000 (normal)")
		e := r.Only()
		if e.Protocol != "deepgram speak" || e.Path != "/v1/speak" || e.Model != "aura-2-thalia-en" || e.Characters != 2 || e.AudioOut != 300*ms || e.Arrived != 0 || e.First != 1200*ms || e.Ended != 1300*ms || e.Left != pipeline.Unknown || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// Each Flush is answered once, in order; one of nothing waits for those before it, and
// for nothing when there are none.
func TestDeepgramSpeakFlushes(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := greeted(r, "&sample_rate=8000")
		defer conn.Close()
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, `0 {"type":"Flushed","sequence_id":0}`)
		r.Say(conn, `{"type":"Speak","text":"a"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Say(conn, `{"type":"Speak","text":"..."}`) // nothing to say: it stays
		r.Say(conn, `{"type":"Flush"}`)
		r.Say(conn, `{"type":"Speak","text":"b"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn,
			"200 binary 1600", "250 binary 1600",
			`250 {"type":"Flushed","sequence_id":1}`, `250 {"type":"Flushed","sequence_id":2}`, `250 {"type":"Flushed","sequence_id":3}`,
		)
		// "...b" begins when the text before has come and a chunk's time has passed.
		r.Hear(conn, "300 binary 1600", "350 binary 1600", `350 {"type":"Flushed","sequence_id":4}`)
	})
}

func TestDeepgramSpeakClear(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := greeted(r, "&encoding=mulaw")
		defer conn.Close()
		r.Say(conn, `{"type":"Speak","text":"abcdef"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Say(conn, `{"type":"Speak","text":"never said"}`)
		r.Hear(conn, "200 binary 800", "250 binary 800")
		time.Sleep(10 * ms)
		r.Say(conn, `{"type":"Clear"}`)
		r.Hear(conn, `260 {"type":"Cleared","sequence_id":0}`)
		r.Say(conn, `{"type":"Speak","text":"ab"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, "460 binary 800", "510 binary 800", "560 binary 800", `560 {"type":"Flushed","sequence_id":1}`)
		conn.Close()
		e := r.Only()
		// What was dropped was asked for, but not heard; the client left with nothing due.
		if e.Characters != 8 || e.AudioOut != 500*ms || e.Outcome != pipeline.OK || e.Ended != 560*ms {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestDeepgramSpeakFlushLimit(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := greeted(r, "")
		defer conn.Close()
		for i := range 20 {
			r.Say(conn, `{"type":"Flush"}`)
			r.Hear(conn, fmt.Sprintf(`%d {"type":"Flushed","sequence_id":%d}`, i*1000, i))
			time.Sleep(time.Second)
		}
		const description = "at most 20 Flush messages are processed in 60 seconds: this one was not"
		warning := `{"type":"Warning","code":"EXCESSIVE_FLUSH","description":"` + description + `","warn_code":"EXCESSIVE_FLUSH","warn_msg":"` + description + `"}`
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, "20000 "+warning)
		time.Sleep(40*time.Second - ms)
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, "59999 "+warning)
		time.Sleep(ms)
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, `60000 {"type":"Flushed","sequence_id":20}`)
	})
}

func TestDeepgramSpeakEnds(t *testing.T) {
	long := strings.Repeat("a", 2001)
	most := `{"type":"Speak","text":"` + strings.Repeat("a", 2000) + `"}`
	for _, test := range []struct {
		name  string
		send  []string
		kind  int
		want  string
		after string // reason of the ledger
	}{
		{"binary", []string{"abc"}, websocket.BinaryMessage, "0 websocket: close 1003 (unsupported data): MESSAGE-0000", "MESSAGE-0000"},
		{"no JSON", []string{"speak!"}, websocket.TextMessage, "0 websocket: close 1008 (policy violation): DATA-0000", "DATA-0000"},
		{"unknown type", []string{`{"type":"Say","text":"a"}`}, websocket.TextMessage, "0 websocket: close 1008 (policy violation): DATA-0000", "DATA-0000"},
		{"long text", []string{`{"type":"Speak","text":"` + long + `"}`}, websocket.TextMessage, "0 websocket: close 1009 (message too big): BIG-0001", "BIG-0001"},
		{"throughput", []string{most, most, most, most, most, most, `{"type":"Speak","text":"a"}`}, websocket.TextMessage, "0 websocket: close 1008 (policy violation): DATA-0001", "DATA-0001"},
		{"an hour", nil, 0, "3600000 websocket: close 1011 (internal server error): NET-0003", "NET-0003"},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				conn := greeted(r, "")
				defer conn.Close()
				for _, m := range test.send {
					if err := conn.WriteMessage(test.kind, []byte(m)); err != nil {
						t.Fatal(err)
					}
				}
				r.Hear(conn, test.want)
				if e := r.Only(); e.Outcome != pipeline.Error || e.Reason != test.after || e.Left != pipeline.Unknown {
					t.Errorf("the ledger has %+v", e)
				}
			})
		})
	}
}

func TestDeepgramSpeakClientGone(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := greeted(r, "")
		r.Say(conn, `{"type":"Speak","text":"abcdef"}`)
		r.Say(conn, `{"type":"Flush"}`)
		r.Hear(conn, "200 binary 4800")
		time.Sleep(20 * ms)
		conn.Close()
		if e := r.Only(); e.Outcome != pipeline.Cancelled || e.Left != 220*ms || e.AudioOut != 100*ms || e.Reason == "" {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

func TestDeepgramSpeakHandshake(t *testing.T) {
	for query, want := range map[string]string{
		"encoding=mp3":                     "Unsupported audio format: `encoding=mp3` is for POST /v1/speak only: a WebSocket has linear16, mulaw and alaw",
		"sample_rate=44100":                "Unsupported audio format: `sample_rate` must be one of [8000 16000 24000 32000 48000] when `encoding=linear16`",
		"encoding=alaw&sample_rate=24000":  "Unsupported audio format: `sample_rate` must be one of [8000 16000] when `encoding=alaw`",
		"encoding=linear16&bit_rate=32000": "Unsupported audio format: `bit_rate` is not applicable when `encoding=linear16`",
		"speed=2":                          `speed is "2": want a number from 0.7 to 1.5`,
	} {
		speaking(t, func(r *voicetest.Rig) {
			d := websocket.Dialer{NetDialContext: r.DialContext}
			_, answer, err := d.Dial("ws://mock/v1/speak?"+query, nil)
			if err == nil {
				t.Fatalf("%s was taken", query)
			}
			if got := answer.Header.Get("dg-error"); answer.StatusCode != 400 || got != want {
				t.Errorf("%s: status %d, dg-error %q, want 400 and %q", query, answer.StatusCode, got, want)
			}
		})
	}
}

func TestDeepgramSpeakProtocols(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		d := websocket.Dialer{NetDialContext: r.DialContext, Subprotocols: []string{"token", "secret"}}
		conn, answer, err := d.Dial("ws://mock/v1/speak", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if conn.Subprotocol() != "token" || answer.Header.Get("dg-model-name") != "aura-asteria-en" || len(answer.Header.Get("dg-request-id")) != 36 {
			t.Errorf("sub-protocol %q, headers %v", conn.Subprotocol(), answer.Header)
		}
	})
}

func TestDeepgramSpeakOnce(t *testing.T) {
	for _, test := range []struct {
		name, query, kind, body string
		content, pieces         string
		check                   func(t *testing.T, body []byte)
	}{
		{"wav", "&encoding=linear16", "application/json", `{"text":"ab"}`, "audio/wav", "200:4844 250:4800 300:4800", func(t *testing.T, b []byte) {
			voicetest.Same(t, voicetest.Clip(t, b, 24000).Samples, "ab", 24000)
		}},
		{"raw", "&encoding=linear16&container=none&sample_rate=8000", "text/plain", "ab", "audio/l16;rate=8000", "200:1600 250:1600 300:1600", func(t *testing.T, b []byte) {
			voicetest.Same(t, voicetest.PCM(b), "ab", 8000)
		}},
		{"A-law", "&encoding=alaw&container=none", "text/plain; charset=utf-8", "ab", "audio/alaw;rate=8000", "200:800 250:800 300:800", func(t *testing.T, b []byte) {
			got, _ := audio.NewDecoder(audio.Format{Encoding: audio.ALaw, Rate: 8000}, 0).Decode(nil, b)
			voicetest.Alike(t, audio.Clip{Rate: 8000, Samples: got}, "ab", 8000, 0, 30)
		}},
		{"MP3 by default", "", "application/json", `{"text":"ab"}`, "audio/mpeg", "", func(t *testing.T, b []byte) {
			voicetest.Alike(t, voicetest.Clip(t, b, 22050), "ab", 22050, voicetest.MP3Delay, 13)
		}},
		{"FLAC", "&encoding=flac&sample_rate=16000", "application/json", `{"text":"ab"}`, "audio/flac", "", func(t *testing.T, b []byte) {
			voicetest.Same(t, voicetest.Clip(t, b, 16000).Samples, "ab", 16000)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post("/v1/speak?model=aura-2-thalia-en"+test.query, test.kind, test.body)
				if a.Status != 200 || a.Header.Get("Content-Type") != test.content || test.pieces != "" && a.Pieces != test.pieces {
					t.Errorf("status %d, %s, %s, want 200, %s, %s", a.Status, a.Header.Get("Content-Type"), a.Pieces, test.content, test.pieces)
				}
				h := a.Header
				if h.Get("dg-char-count") != "2" || h.Get("dg-model-name") != "aura-2-thalia-en" || h.Get("dg-model-uuid") != talk.UUID("aura-2-thalia-en") || len(h.Get("dg-request-id")) != 36 {
					t.Errorf("headers %v", h)
				}
				test.check(t, a.Body)
				if e := r.Only(); e.Characters != 2 || e.AudioOut != 300*ms || e.First != 200*ms || e.Ended != 300*ms || e.Outcome != pipeline.OK || e.ID != h.Get("dg-request-id") {
					t.Errorf("the ledger has %+v", e)
				}
			})
		})
	}
}

func TestDeepgramSpeakOnceRefuses(t *testing.T) {
	for _, test := range []struct {
		name, query, kind, body string
		status                  int
		code, message           string
	}{
		{"opus", "?encoding=opus", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "Unsupported audio format: `encoding=opus`: this mock server writes linear16, mulaw, alaw, mp3 and flac, not opus and aac"},
		{"container", "?container=wav", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "Unsupported audio format: `container` is not applicable when `encoding=mp3`"},
		{"unknown container", "?encoding=mulaw&container=ogg", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "Unsupported audio format: `container=ogg` is invalid when `encoding=mulaw`"},
		{"rate of MP3", "?sample_rate=22050", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "Unsupported audio format: `sample_rate` is not applicable when `encoding=mp3`"},
		{"bit rate", "?bit_rate=64000", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "Unsupported audio format: `bit_rate` must be one of [32000 48000] when `encoding=mp3`"},
		{"callback", "?callback=http://a", "application/json", `{"text":"a"}`, 400, "INVALID_QUERY_PARAMETER", "callback is not supported by this mock server, which calls nobody: the audio is the answer"},
		{"media type", "", "audio/wav", "a", 415, "UNSUPPORTED_MEDIA_TYPE", "`Content-Type` header is not supported. `Content-Type` must be either `text/plain` or `application/json`."},
		{"no JSON", "", "application/json", "a", 400, "PAYLOAD_ERROR", "Failed to deserialize JSON payload. Please specify exactly one of `text` or `url` in the JSON body."},
		{"both", "", "application/json", `{"text":"a","url":"b"}`, 400, "PAYLOAD_ERROR", "Failed to deserialize JSON payload. Please specify exactly one of `text` or `url` in the JSON body."},
		{"url", "", "application/json", `{"url":"http://a"}`, 400, "REMOTE_CONTENT_ERROR", `url is \"http://a\", but this mock server fetches nothing: send the text itself`},
		{"empty", "", "application/json", `{"text":""}`, 400, "Bad Request", "Input text contains no characters."},
		{"UTF-8", "", "text/plain", "\xff", 400, "PAYLOAD_ERROR", "Failed to decode payload as UTF-8."},
		{"long", "", "text/plain", strings.Repeat("a", 2001), 413, "Payload Too Large", "Input text exceeds maximum character limit of 2000."},
		{"body", "", "text/plain", strings.Repeat("a", 2<<20+1), 413, "PAYLOAD_TOO_LARGE", "Payload size exceeds limit of 2 MB."},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				a := r.Post("/v1/speak"+test.query, test.kind, test.body)
				a.Refused(t, test.status, fmt.Sprintf(`{"err_code":"%s","err_msg":"%s","request_id":"%s"}`, test.code, test.message, a.Header.Get("dg-request-id")))
			})
		})
	}
}

func TestDeepgramSpeakOnceClientGone(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
		answer, err := client.Post("http://mock/v1/speak", "text/plain", strings.NewReader("abcdefgh"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(60 * ms)
		answer.Body.Close()
		synctest.Wait()
		if e := r.Only(); e.Outcome != pipeline.Cancelled || e.Left != 260*ms || e.AudioOut != 200*ms || e.First != 200*ms {
			t.Errorf("the ledger has %+v", e)
		}
	})
}
