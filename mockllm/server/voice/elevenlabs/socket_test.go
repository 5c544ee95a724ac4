package elevenlabs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/elevenlabs"
)

const (
	elevenPath  = "/v1/text-to-speech/anyone/stream-input?model_id=eleven_flash_v2_5&output_format=pcm_8000"
	elevenMulti = "/v1/text-to-speech/anyone/multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_8000"
)

// elevenNext returns the next message in short, and keeps its audio.
func elevenNext(r *voicetest.Rig, conn *websocket.Conn, heard *[]byte) string {
	r.T.Helper()
	_, b, err := conn.ReadMessage()
	at := time.Since(r.From) / ms
	if err != nil {
		return fmt.Sprintf("%d %v", at, err)
	}
	var m elevenlabs.ServerMessage
	if err := json.Unmarshal(b, &m); err != nil {
		r.T.Fatalf("%s: %v", b, err)
	}
	text := fmt.Sprint(int(at))
	if m.ContextID != nil {
		text += " " + *m.ContextID
	}
	switch {
	case m.IsFinal != nil:
		return fmt.Sprint(text, " final ", *m.IsFinal, " ", len(m.Audio))
	case m.Audio == nil:
		return text + " " + string(b)
	}
	*heard = append(*heard, m.Audio...)
	if text += fmt.Sprint(" ", len(m.Audio)); m.Alignment == nil {
		return text
	}
	if fmt.Sprint(*m.Alignment) != fmt.Sprint(*m.Normalized) {
		r.T.Errorf("normalizedAlignment %v, want what alignment has", m.Normalized)
	}
	return text + fmt.Sprintf(" %q %v %v", strings.Join(m.Alignment.Chars, ""), m.Alignment.Starts, m.Alignment.Durations)
}

// elevenHear checks what comes next, message by message, and returns its audio.
func elevenHear(r *voicetest.Rig, conn *websocket.Conn, want ...string) (heard []byte) {
	r.T.Helper()
	for _, w := range want {
		if got := elevenNext(r, conn, &heard); got != w {
			r.T.Fatalf("got  %s\nwant %s", got, w)
		}
	}
	return heard
}

func TestElevenLabsSocket(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenPath, http.Header{"Xi-Api-Key": {"any"}})
		defer conn.Close()
		r.Say(conn, `{"text":" ","voice_settings":{"stability":0.5,"similarity_boost":0.8},"xi-api-key":"any"}`)
		r.Say(conn, `{"text":"a"}`)
		time.Sleep(100 * ms)
		r.Say(conn, `{"text":"b ","flush":true,"voice_settings":{"stability":0.5,"similarity_boost":0.8}}`)
		heard := elevenHear(r, conn, `300 1600 "ab " [50 150 250] [100 100 50]`, "350 1600", "400 1600")
		voicetest.Same(t, voicetest.PCM(heard), "ab", 8000)
		time.Sleep(100 * ms)
		r.Say(conn, `{"text":"a "}`)
		r.Say(conn, `{"text":""}`)
		r.Say(conn, `{"text":"too late"}`)
		heard = elevenHear(r, conn, `700 1600 "a " [50 150] [100 50]`, "750 1600", "750 final true 0", "750 websocket: close 1000 (normal)")
		voicetest.Same(t, voicetest.PCM(heard), "a", 8000)
		e := r.Only()
		if e.Protocol != "elevenlabs stream-input" || e.Model != "eleven_flash_v2_5" || e.Characters != 5 || e.AudioOut != 500*ms || e.First != 300*ms || e.Ended != 750*ms || e.Left != pipeline.Unknown || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// The messages have all the fields that the service sends, null where there is nothing.
func TestElevenLabsSocketShape(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(strings.Replace(elevenPath, "pcm_8000", "ulaw_8000", 1), nil)
		defer conn.Close()
		r.Say(conn, `{"text":" "}`)
		r.Say(conn, `{"text":"a ","flush":true}`)
		first := r.Next(conn)
		const times = `{"chars":["a"," "],"charStartTimesMs":[50,150],"charDurationsMs":[100,50]}`
		head, tail, _ := strings.Cut(first, `{"audio":"`)
		sound, tail, _ := strings.Cut(tail, `"`)
		if head != "200 " || len(sound) != 1068 || tail != `,"isFinal":null,"normalizedAlignment":`+times+`,"alignment":`+times+`}` {
			t.Errorf("got %s, %d characters of audio, %s", head, len(sound), tail)
		}
		if second := r.Next(conn); !strings.HasSuffix(second, `","isFinal":null,"normalizedAlignment":null,"alignment":null}`) {
			t.Errorf("got %s", second)
		}
		r.Say(conn, `{"text":""}`)
		r.Hear(conn, `250 {"audio":null,"isFinal":true,"normalizedAlignment":null,"alignment":null}`)
	})
}

// Each generation is an MP3 of its own, which plays to its end.
func TestElevenLabsSocketMP3(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial("/v1/text-to-speech/anyone/stream-input?output_format=mp3_24000_48", nil)
		defer conn.Close()
		r.Say(conn, `{"text":" "}`)
		for i, text := range []string{"ab ", "ba "} {
			r.Say(conn, `{"text":"`+text+`","flush":true}`)
			var heard []byte
			for range 3 {
				elevenNext(r, conn, &heard)
			}
			if now := time.Since(r.From); now != time.Duration(i+1)*300*ms {
				t.Errorf("generation %d ended at %s", i, now)
			}
			voicetest.Alike(t, voicetest.Clip(t, heard, 24000), text, 24000, voicetest.MP3Delay, 12)
		}
	})
}

// hasty is a voice that says all of a text in one chunk.
func hasty(model string) speech.TTS {
	v := voicetest.Steady(model)
	v.Pace, v.Chunk, v.Speed = 10_000, time.Second, 0
	return v
}

// The first generation starts with 120 characters, the second with 160 more, and so on;
// the last of the schedule holds for all that follow.
func TestElevenLabsSchedule(t *testing.T) {
	for name, test := range map[string]struct {
		config  string
		lengths []int
	}{
		"default": {"", []int{120, 160, 250, 290, 290}},
		"set":     {`,"generation_config":{"chunk_length_schedule":[50,60]}`, []int{50, 60, 60}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, hasty)
				defer r.Stop()
				conn := r.Dial(elevenPath, nil)
				defer conn.Close()
				r.Say(conn, `{"text":" "`+test.config+`}`)
				for i, n := range test.lengths {
					at := time.Since(r.From)
					r.Say(conn, `{"text":"`+strings.Repeat("a", n-1)+`"}`)
					time.Sleep(time.Second)
					r.Say(conn, `{"text":"b"}`)
					if got, want := elevenNext(r, conn, new([]byte)), fmt.Sprintf("%d ", (at+time.Second+200*ms)/ms); !strings.HasPrefix(got, want) || strings.Count(got, "a") != n-1 || strings.Count(got, "b") != 1 {
						t.Errorf("generation %d: got %.60s, want %d characters at %s", i, got, n, want)
					}
				}
			})
		})
	}
}

func TestElevenLabsTryTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, hasty)
		defer r.Stop()
		conn := r.Dial(elevenPath, nil)
		defer conn.Close()
		r.Say(conn, `{"text":" "}`)
		r.Say(conn, `{"text":"`+strings.Repeat("a", 49)+`","try_trigger_generation":true}`)
		time.Sleep(time.Second)
		r.Say(conn, `{"text":"b","try_trigger_generation":true}`)
		if got := elevenNext(r, conn, new([]byte)); !strings.HasPrefix(got, "1200 ") || strings.Count(got, "a") != 49 {
			t.Errorf("got %.60s, want 50 characters at 1200", got)
		}
	})
}

func TestElevenLabsAutoMode(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenPath+"&auto_mode=true", nil)
		defer conn.Close()
		r.Say(conn, `{"text":" "}`)
		r.Say(conn, `{"text":"a "}`)
		r.Say(conn, `{"text":"... "}`) // nothing to say: it waits for more
		r.Say(conn, `{"text":"b "}`)
		elevenHear(r, conn, `200 1600 "a " [50 150] [100 50]`, "250 1600", `300 1600 "... b " [50 50 50 50 50 150] [0 0 0 0 100 50]`, "350 1600")
	})
}

func TestElevenLabsSyncAlignment(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenPath+"&sync_alignment=true", nil)
		defer conn.Close()
		r.Say(conn, `{"text":" "}`)
		r.Say(conn, `{"text":"abc ","flush":true}`)
		elevenHear(r, conn, `200 1600 "a" [50] [100]`, `250 1600 "b" [50] [100]`, `300 1600 "c" [50] [100]`, `350 1600 " " [50] [0]`)
	})
}

func TestElevenLabsInactivity(t *testing.T) {
	for query, seconds := range map[string]int{"": 20, "&inactivity_timeout=180": 180} {
		speaking(t, func(r *voicetest.Rig) {
			conn := r.Dial(elevenPath+query, nil)
			defer conn.Close()
			r.Say(conn, `{"text":" "}`)
			time.Sleep(time.Duration(seconds)*time.Second - ms)
			r.Say(conn, `{"text":" "}`) // keeps it open
			at := 2000*seconds - 1
			r.Hear(conn,
				fmt.Sprintf(`%d {"message":"Have not received a new text input within the timeout of %d seconds. Streaming input terminated. Please make sure to either feed the input in the timely manner, or to send the end of input text (empty string \"\") when done.","error":"input_timeout_exceeded","code":1008}`, at, seconds),
				fmt.Sprintf("%d websocket: close 1008 (policy violation): %s", at, clipped(timeoutMessage(time.Duration(seconds)*time.Second))),
			)
			if e := r.Only(); e.Outcome != pipeline.Error || !strings.HasPrefix(e.Reason, "input_timeout_exceeded: ") {
				t.Errorf("the ledger has %+v", e)
			}
		})
	}
}

func TestElevenLabsBadMessages(t *testing.T) {
	const first = `{"text":" "}`
	much := `{"text":"` + strings.Repeat("a", 39_999) + ` "}`
	for _, test := range []struct {
		name     string
		messages []string
		want     string
	}{
		{"first text", []string{`{"text":"Hello "}`}, `text is "Hello " in the first message: it must be a blank, " ", with the settings beside it`},
		{"no text", []string{first, `{"flush":true}`}, `text is missing: want the text to be spoken, or "" to end the stream`},
		{"no JSON", []string{`hello`}, "the message is not a JSON object of the protocol: invalid character 'h' looking for beginning of value"},
		{"settings", []string{first, `{"text":"a ","voice_settings":{"stability":0.1}}`}, "voice_settings field must be provided in the first message and then either be not provided or not change"},
		{"schedule changed", []string{first, `{"text":"a ","generation_config":{"chunk_length_schedule":[50]}}`}, "generation_config field must be provided in the first message and then either be not provided or not change"},
		{"schedule", []string{`{"text":" ","generation_config":{"chunk_length_schedule":[120,10]}}`}, "generation_config.chunk_length_schedule is [120 10]: each item must be from 50 to 500"},
		{"speed", []string{`{"text":" ","voice_settings":{"speed":3}}`}, "voice_settings.speed is 3: it must be from 0.7 to 1.2"},
		{"much", []string{first, much, much, much, much, much, much, much}, "240000 characters wait to be spoken: this mock server takes 200000"},
		{"many lengths", []string{`{"text":" ","generation_config":{"chunk_length_schedule":[` + strings.Repeat("50,", 100) + `50]}}`}, "generation_config.chunk_length_schedule has 101 items: this mock server takes 100"},
		{"id", []string{`{"text":" ","context_id":"` + strings.Repeat("x", 1001) + `"}`}, "context_id has 1001 bytes: this mock server takes 1000"},
		{"long first text", []string{`{"text":"` + strings.Repeat("a", 2000) + `"}`}, `text is "` + strings.Repeat("a", 1000) + `..." in the first message: it must be a blank, " ", with the settings beside it`},
		{"long", []string{first, `{"text":"` + strings.Repeat("a", 40_001) + `"}`}, "text has 40001 characters and exceeds the character limit of 40000 characters"},
	} {
		t.Run(test.name, func(t *testing.T) {
			speaking(t, func(r *voicetest.Rig) {
				conn := r.Dial(elevenPath, nil)
				defer conn.Close()
				for _, m := range test.messages {
					r.Say(conn, m)
				}
				r.Hear(conn,
					"0 "+string(talk.JSON(elevenlabs.SocketError{Message: test.want + ".", Error: "invalid_message", Code: 1008})),
					"0 websocket: close 1008 (policy violation): "+clipped(test.want+"."),
				)
			})
		})
	}
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenPath, nil)
		defer conn.Close()
		if err := conn.WriteMessage(websocket.BinaryMessage, []byte("a")); err != nil {
			t.Fatal(err)
		}
		r.Hear(conn, `0 {"message":"A message must be a text frame with a JSON object.","error":"invalid_message","code":1008}`)
	})
}

func TestElevenLabsHandshake(t *testing.T) {
	for query, want := range map[string]string{
		"?model_id=eleven_v3":              `{"detail":{"status":"unsupported_model","message":"Model 'eleven_v3' cannot be used over a WebSocket: use POST /v1/text-to-speech/{voice_id}/stream."}}`,
		"?inactivity_timeout=181":          `{"detail":[{"loc":["query"],"msg":"inactivity_timeout is \"181\": want a whole number from 1 to 180","type":"value_error"}]}`,
		"?output_format=opus_48000_32":     `{"detail":[{"loc":["query","output_format"],"msg":"this mock server cannot write opus_48000_32: use a format of mp3, pcm, ulaw, alaw or wav","type":"value_error"}]}`,
		"?auto_mode=perhaps&model_id=some": `{"detail":[{"loc":["query"],"msg":"auto_mode is \"perhaps\": want true, false","type":"value_error"}]}`,
	} {
		for _, path := range []string{"stream-input", "multi-stream-input"} {
			speaking(t, func(r *voicetest.Rig) {
				d := websocket.Dialer{NetDialContext: r.DialContext}
				_, answer, err := d.Dial("ws://mock/v1/text-to-speech/anyone/"+path+query, nil)
				if err == nil {
					t.Fatalf("%s was taken", query)
				}
				body := make([]byte, 1000)
				n, _ := answer.Body.Read(body)
				if got := strings.TrimSpace(string(body[:n])); got != want {
					t.Errorf("%s: got %d %s, want %s", query, answer.StatusCode, got, want)
				}
			})
		}
	}
}

func TestElevenLabsClientGone(t *testing.T) {
	for name, path := range map[string]string{"stream-input": elevenPath, "multi-stream-input": elevenMulti} {
		speaking(t, func(r *voicetest.Rig) {
			conn := r.Dial(path, nil)
			r.Say(conn, `{"text":" "}`)
			r.Say(conn, `{"text":"abcdef ","flush":true}`)
			elevenNext(r, conn, new([]byte))
			time.Sleep(20 * ms)
			conn.Close()
			if e := r.Only(); e.Protocol != "elevenlabs "+name || e.Outcome != pipeline.Cancelled || e.Left != 220*ms || e.AudioOut != 100*ms {
				t.Errorf("the ledger has %+v", e)
			}
		})
	}
}

func TestElevenLabsContexts(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenMulti, nil)
		defer conn.Close()
		r.Say(conn, `{"text":" ","context_id":"x","voice_settings":{"stability":0.5}}`)
		r.Say(conn, `{"text":"ab ","context_id":"x"}`)
		r.Say(conn, `{"text":"a ","contextId":"y","flush":true}`) // the other spelling; text in the first message
		time.Sleep(10 * ms)
		r.Say(conn, `{"context_id":"x","flush":true}`)
		r.Say(conn, `{"text":"never said ","context_id":"x"}`)
		r.Say(conn, `{"context_id":"x","close_context":true}`)
		elevenHear(r, conn,
			`200 y 1600 "a " [50 150] [100 50]`, `210 x 1600 "ab " [50 150 250] [100 100 50]`,
			"250 y 1600", "260 x 1600", "310 x 1600", "310 x final true 0",
		)
		r.Say(conn, `{"text":"b ","context_id":"y"}`)
		r.Say(conn, `{"text":"a ","context_id":"x"}`) // a new one of the same name
		r.Say(conn, `{"close_socket":true}`)
		r.Say(conn, `{"text":"too late ","context_id":"z"}`)
		elevenHear(r, conn,
			`510 y 1600 "b " [50 150] [100 50]`, `510 x 1600 "a " [50 150] [100 50]`,
			"560 y 1600", "560 y final true 0", "560 x 1600", "560 x final true 0", "560 websocket: close 1000 (normal)",
		)
		if e := r.Only(); e.Protocol != "elevenlabs multi-stream-input" || e.Characters != 9 || e.AudioOut != 900*ms || e.First != 200*ms || e.Ended != 560*ms || e.Outcome != pipeline.OK {
			t.Errorf("the ledger has %+v", e)
		}
	})
}

// Without an id there is one context; an empty text without an id opens none.
func TestElevenLabsContextWithoutID(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenMulti, nil)
		defer conn.Close()
		r.Say(conn, `{"text":""}`)
		r.Say(conn, `{"text":" ","voice_settings":{"stability":0.5}}`)
		r.Say(conn, `{"text":"a ","flush":true}`)
		elevenHear(r, conn, `200 1600 "a " [50 150] [100 50]`, "250 1600")
		r.Say(conn, `{"close_context":true}`)
		elevenHear(r, conn, "250 final true 0")
		r.Say(conn, `{"close_context":true}`) // there is none: nothing happens
		r.Say(conn, `{"close_socket":true}`)
		elevenHear(r, conn, "250 websocket: close 1000 (normal)")
	})
}

func TestElevenLabsContextLimit(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenMulti, nil)
		defer conn.Close()
		for i := range 6 {
			r.Say(conn, fmt.Sprintf(`{"text":" ","context_id":"%d"}`, i))
		}
		const message = "Maximum simultaneous contexts per WebSocket connection exceeded (5). Please close an existing context before opening a new one."
		r.Hear(conn, `0 {"message":"`+message+`","error":"max_active_conversations","code":1008}`, "0 websocket: close 1008 (policy violation): "+clipped(message))
	})
}

// A context whose client is silent ends by itself, and does not count any more; a
// connection whose client is silent is closed.
func TestElevenLabsContextInactivity(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenMulti+"&inactivity_timeout=5", nil)
		defer conn.Close()
		r.Say(conn, `{"text":" ","context_id":"x"}`)
		time.Sleep(2 * time.Second)
		r.Say(conn, `{"text":" ","context_id":"y"}`)
		time.Sleep(2 * time.Second)
		r.Say(conn, `{"text":"","context_id":"x"}`)
		r.Say(conn, `{"text":""}`)
		elevenHear(r, conn, "7000 y final true 0", "9000 x final true 0")
		r.Hear(conn, `9000 `+string(talk.JSON(elevenlabs.SocketError{Message: timeoutMessage(5 * time.Second), Error: "input_timeout_exceeded", Code: 1008})))
	})
}

// Settings that come after the first message of a context are refused, even when that
// was one that only kept it alive.
func TestElevenLabsContextSettings(t *testing.T) {
	speaking(t, func(r *voicetest.Rig) {
		conn := r.Dial(elevenMulti, nil)
		defer conn.Close()
		r.Say(conn, `{"text":"","context_id":"x"}`)
		r.Say(conn, `{"text":" ","context_id":"x","voice_settings":{"stability":0.5}}`)
		r.Hear(conn, `0 {"message":"voice_settings field must be provided in the first message and then either be not provided or not change.","error":"invalid_message","code":1008}`)
	})
}
