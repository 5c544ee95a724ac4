package wyoming

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

func TestWyomingTranscribe(t *testing.T) {
	atHome(t, []string{"turn on the lights", "stop"}, func(r *voicetest.Rig, h *home) {
		h.send(wyoming.Transcribe, `{"name":"whisper","language":"en"}`, nil)
		h.send(wyoming.AudioStart, `{"rate":16000,"width":2,"channels":1,"timestamp":0}`, nil)
		h.say(voicetest.Silent(time.Second, 16000), voicetest.Voiced(1200*ms, 16000), voicetest.Silent(300*ms, 16000))
		h.expect(
			// A word has been said after (1 + its letters) / 18 s of speech, is certain 100 ms
			// later, and told 40 ms after that.
			`1420 transcript-start {"language":"en"}`,
			`1420 transcript-chunk {"text":"turn"}`,
			`1600 transcript-chunk {"text":" on"}`,
			`1820 transcript-chunk {"text":" the"}`,
			`2200 transcript-chunk {"text":" lights"}`,
		)
		h.send(wyoming.AudioStop, `{"timestamp":2500}`, nil)
		time.Sleep(500 * ms)
		h.expect(
			// Speech ended at 2200, and a final takes 300 ms.
			`2520 transcript {"language":"en","text":"turn on the lights"}`,
			`2520 transcript-stop`,
		)
		if e := r.LastOf("wyoming asr"); e.ID == "" || e.Path != "transcribe" || e.Model != "whisper" || e.AudioIn != 2500*ms || e.First != 1420*ms || e.Ended != 2520*ms || e.Outcome != pipeline.OK {
			t.Errorf("entry %+v, want a transcript of 2.5 s", e)
		}
		// The next audio has the next text, whole, however short it is cut.
		h.send(wyoming.Transcribe, ``, nil)
		h.say(voicetest.Silent(500*ms, 16000), voicetest.Voiced(200*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		time.Sleep(500 * ms)
		h.expect(`4000 transcript-start`, `4000 transcript-chunk {"text":"stop"}`, `4000 transcript {"text":"stop"}`, `4000 transcript-stop`)
		// Silence has none.
		h.send(wyoming.Transcribe, ``, nil)
		h.say(voicetest.Silent(100*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		h.expect(`4300 transcript-start`, `4300 transcript {"text":""}`, `4300 transcript-stop`)
	})
}

func TestWyomingDetect(t *testing.T) {
	atHome(t, []string{"hello"}, func(r *voicetest.Rig, h *home) {
		h.send(wyoming.Detect, `{"names":["ok_nabu"]}`, nil)
		h.send(wyoming.AudioStart, `{"rate":16000,"width":2,"channels":1,"timestamp":5000}`, nil)
		h.say(voicetest.Silent(time.Second, 16000), voicetest.Voiced(500*ms, 16000), voicetest.Silent(500*ms, 16000), voicetest.Voiced(200*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		h.expect(
			`1080 voice-started {"timestamp":6000}`,
			`1820 voice-stopped {"timestamp":6510}`,
			`2060 voice-started {"timestamp":7000}`,
			`2200 voice-stopped {"timestamp":7200}`,
			`2200 not-detected`,
		)
		// Audio that nobody asked for anything gets both.
		h.say(voicetest.Silent(time.Second, 16000), voicetest.Voiced(500*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		time.Sleep(time.Second)
		h.expect(
			`3280 voice-started {"timestamp":1000}`,
			`3680 transcript-start`, `3680 transcript-chunk {"text":"hello"}`,
			`3700 voice-stopped {"timestamp":1500}`,
			`4000 transcript {"text":"hello"}`, `4000 transcript-stop`,
		)
	})
}

func TestWyomingInfo(t *testing.T) {
	atHome(t, nil, func(r *voicetest.Rig, h *home) {
		h.send(wyoming.Ping, `{"text":"x"}`, nil)
		h.send("run-satellite", `{"unknown":1}`, nil)
		h.expect(`0 pong {"text":"x"}`)
		h.send(wyoming.Describe, ``, nil)
		synctest.Wait()
		_, text, _ := strings.Cut(h.got[0], "info ")
		var info wyoming.Info
		if err := json.Unmarshal([]byte(text), &info); err != nil {
			t.Fatal(err)
		}
		if len(info.ASR) != 1 || len(info.TTS) != 1 || !*info.ASR[0].TranscriptStreaming || !*info.TTS[0].SynthesizeStreaming {
			t.Errorf("info %s, want a program of each kind that streams", text)
		}
		if m, v := info.ASR[0].Models[0], info.TTS[0].Voices[0]; m.Name != "faster-whisper" || !m.Installed || v.Name != "piper" || v.Languages[0] != "en" {
			t.Errorf("first model %+v and voice %+v, want the usual ones", m, v)
		}
		if !strings.Contains(text, `"wake":[]`) || !strings.Contains(text, `"attribution":{"name":"halfsecond","url":""}`) {
			t.Errorf("info %s, want lists and attributions everywhere", text)
		}
	})
}

func TestWyomingRefuses(t *testing.T) {
	event := func(kind, data string) string {
		b, err := wyoming.Event{Type: kind, Data: []byte(data)}.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct{ sent, want string }{
		{"hello\n", "the line of an event is not a JSON object of the right form: invalid character 'h' looking for beginning of value"},
		{`{"type":"audio-chunk","payload_length":1000000000}` + "\n", "the payload_length of an event is 1000000000, want at most 8388608"},
		{event("audio-start", `{"rate":16000,"width":5,"channels":1}`), "audio has a width of 5 bytes, want 1 to 4"},
		{event("audio-start", `{"rate":16000,"width":2,"channels":0}`), "audio has 0 channels, want at least 1"},
		{event("audio-start", `{"rate":1,"width":2,"channels":1}`), "audio: sample rate 1: want 4000 to 192000"},
		{event("audio-start", `{"rate":"x"}`), "data of audio-start: json: cannot unmarshal string into Go struct field Audio.rate of type int"},
		{event("audio-start", homeFormat) + event("audio-start", homeFormat), "audio-start came before audio-stop of the audio before"},
		{event("audio-start", homeFormat) + event("audio-chunk", `{"rate":8000,"width":2,"channels":1}`), "audio-chunk has 8000 Hz, 2 bytes and 1 channels, but the audio began with 16000, 2 and 1"},
		{event("audio-stop", `{}`), "audio-stop came without audio-start"},
		{event("synthesize-chunk", `{"text":"a"}`), "synthesize-chunk came without synthesize-start"},
		{event("synthesize-stop", `{}`), "synthesize-stop came without synthesize-start"},
		{event("synthesize-start", `{}`) + event("synthesize-start", `{}`), "synthesize-start came before synthesize-stop of the texts before"},
		{event("synthesize", `{"text":7}`), "data of synthesize: json: cannot unmarshal number into Go struct field Speak.text of type string"},
	} {
		atHome(t, nil, func(r *voicetest.Rig, h *home) {
			h.write([]byte(c.sent))
			h.expect(`0 error `+string(talk.JSON(map[string]string{"text": c.want, "code": "invalid-event"})), `0 EOF`)
		})
	}
}

func TestWyomingGone(t *testing.T) {
	atHome(t, nil, func(r *voicetest.Rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"abcdefghij"}`, nil)
		h.say(voicetest.Silent(250*ms, 16000))
		_ = h.conn.Close()
		synctest.Wait()
		all, _ := r.Ledger.Latest(9)
		if len(all) != 2 {
			t.Fatalf("%d entries, want one each of hearing and speaking", len(all))
		}
		if e := all[0]; e.Protocol != "wyoming asr" || e.Left != 260*ms || e.Outcome != pipeline.Cancelled || e.AudioIn != 250*ms {
			t.Errorf("entry %+v, want audio that was not heard out", e)
		}
		if e := all[1]; e.Protocol != "wyoming tts" || e.Left != 260*ms || e.AudioOut != 200*ms || e.Reason != "the client closed the connection" {
			t.Errorf("entry %+v, want a text that was not heard out", e)
		}
	})
}

func TestWyomingServerStops(t *testing.T) {
	atHome(t, nil, func(r *voicetest.Rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"abcdefghij"}`, nil)
		time.Sleep(10 * ms)
		go r.Stop()
		h.expect(`10 EOF`)
	})
}

// TestWyomingListener checks that a listener that fails ends the service.
func TestWyomingListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := start(t, nil)
		defer r.Stop()
		ln := memnet.Listen()
		_ = ln.Close()
		if err := s.Serve(t.Context(), ln); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want that the listener is closed", err)
		}
	})
}

func FuzzWyoming(f *testing.F) {
	f.Add("audio-chunk", `{"rate":16000,"width":2,"channels":1}`, []byte("ab"))
	f.Add("synthesize", `{"text":"a. b","voice":{}}`, []byte(nil))
	f.Add("audio-start", `{"rate":8000,"width":1,"channels":32,"timestamp":-5}`, []byte(nil))
	f.Fuzz(func(t *testing.T, kind, data string, payload []byte) {
		if !json.Valid([]byte(data)) {
			data = "{}"
		}
		session := alone()
		session.handle(wyoming.Event{Type: "synthesize-start"})
		session.handle(wyoming.Event{Type: "audio-chunk", Data: json.RawMessage(`{"rate":16000,"width":2,"channels":1}`), Payload: payload})
		session.handle(wyoming.Event{Type: kind, Data: json.RawMessage(data), Payload: payload})
		session.handle(wyoming.Event{Type: "audio-stop"})
		session.Gone(nil)
	})
}

// TestWyomingLongSpeech: speech of any length is heard to its end.
func TestWyomingLongSpeech(t *testing.T) {
	session := alone()
	format, err := wyoming.New(wyoming.AudioChunk, wyoming.Audio{Rate: voicetest.Rate, Width: 2, Channels: 1})
	if err != nil {
		t.Fatal(err)
	}
	format.Payload = audio.Encode(nil, slices.Concat(voicetest.Silent(500*ms, voicetest.Rate), voicetest.Voiced(5*time.Minute, voicetest.Rate)), audio.S16LE)
	for part := range parts(format) {
		session.handle(part)
	}
	session.handle(wyoming.Event{Type: wyoming.AudioStop})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	h := session.ended[0]
	go func() {
		for ctx.Err() == nil {
			session.Loop.Post(session.Loop.Elapsed(), func() {
				if len(session.ended) == 0 {
					session.Loop.Stop()
				}
			})
			time.Sleep(10 * ms)
		}
	}()
	if err := session.Loop.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(h.words); n != 750 {
		t.Errorf("%d words, want 750: 2.5 a second", n)
	}
}

// TestLongWyomingAudio: an event with a long payload takes the loop many short times.
func TestLongWyomingAudio(t *testing.T) {
	payload := make([]byte, 2*ear.StretchBytes+1)
	payload[ear.StretchBytes] = 1
	var got []byte
	n := 0
	for part := range parts(wyoming.Event{Type: wyoming.AudioChunk, Payload: payload}) {
		n++
		got = append(got, part.Payload...)
	}
	if n != 3 || !bytes.Equal(got, payload) {
		t.Errorf("%d parts, %d bytes; want 3 and all of them in order", n, len(got))
	}
}
