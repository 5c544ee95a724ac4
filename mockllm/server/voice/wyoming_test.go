package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/wyoming"
)

// home is a client of the Wyoming protocol.
type home struct {
	t    *testing.T
	conn net.Conn
	from time.Time

	mu    sync.Mutex // guards what follows
	got   []string   // events, and the end, with their instants in ms
	sound []byte     // payloads
}

// unhurried is a voice whose every instant can be told: the first chunk of 100 ms after 200
// ms, and another every 50 ms; ten characters a second.
func unhurried(model string) speech.TTS {
	return speech.TTS{Name: model, FirstByte: dist.Constant(200 * ms), Speed: 2, Chunk: 100 * ms, Pace: 10}
}

// atHome runs a test of the Wyoming protocol inside a bubble.
func atHome(t *testing.T, c Config, test func(r *rig, h *home)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.STT, c.TTS = prompted, unhurried
		r := start(t, c, func(*Service, *http.ServeMux) {})
		defer r.stop()
		ln := memnet.Listen()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- r.ServeWyoming(ctx, ln) }()
		conn, err := ln.DialContext(ctx, "", "")
		if err != nil {
			t.Fatal(err)
		}
		h := &home{t: t, conn: conn, from: r.from}
		go h.read()
		test(r, h)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = conn.Close()
		synctest.Wait()
	})
}

// read keeps what comes.
func (h *home) read() {
	for events := wyoming.NewReader(h.conn); ; {
		e, err := events.Read()
		at := time.Since(h.from) / ms
		h.mu.Lock()
		if err != nil {
			h.got = append(h.got, fmt.Sprintf("%d %v", at, err))
			h.mu.Unlock()
			return
		}
		text := strings.TrimSpace(fmt.Sprintf("%d %s %s", at, e.Type, e.Data))
		if len(e.Payload) > 0 {
			text += fmt.Sprintf(" +%d", len(e.Payload))
		}
		h.got = append(h.got, text)
		h.sound = append(h.sound, e.Payload...)
		h.mu.Unlock()
	}
}

// send sends an event.
func (h *home) send(kind, data string, payload []byte) {
	h.t.Helper()
	e := wyoming.Event{Type: kind, Payload: payload}
	if data != "" {
		e.Data = json.RawMessage(data)
	}
	b, err := e.Append(nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(b)
}

func (h *home) write(b []byte) {
	h.t.Helper()
	if _, err := h.conn.Write(b); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		h.t.Error(err)
	}
}

const homeFormat = `{"rate":16000,"width":2,"channels":1}`

// say sends audio at the pace of speech, 20 ms at a time.
func (h *home) say(parts ...[]int16) {
	h.t.Helper()
	samples := slices.Concat(parts...)
	for ; len(samples) > 0; samples = samples[min(320, len(samples)):] {
		time.Sleep(20 * ms)
		h.send(wyoming.AudioChunk, homeFormat, audio.Encode(nil, samples[:min(320, len(samples))], audio.S16LE))
	}
}

// expect checks all that has come since the last time.
func (h *home) expect(want ...string) {
	h.t.Helper()
	synctest.Wait()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Equal(h.got, want) {
		h.t.Errorf("got\n%s\nwant\n%s", strings.Join(h.got, "\n"), strings.Join(want, "\n"))
	}
	h.got = nil
}

func TestWyomingTranscribe(t *testing.T) {
	atHome(t, Config{Transcript: []string{"turn on the lights", "stop"}}, func(r *rig, h *home) {
		h.send(wyoming.Transcribe, `{"name":"whisper","language":"en"}`, nil)
		h.send(wyoming.AudioStart, `{"rate":16000,"width":2,"channels":1,"timestamp":0}`, nil)
		h.say(hushed(time.Second, 16000), hummed(1200*ms, 16000), hushed(300*ms, 16000))
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
		if e := r.entryOf("wyoming asr"); e.Model != "whisper" || e.AudioIn != 2500*ms || e.First != 1420*ms || e.Ended != 2520*ms || e.Outcome != pipeline.OK {
			t.Errorf("entry %+v, want a transcript of 2.5 s", e)
		}
		// The next audio has the next text, whole, however short it is cut.
		h.send(wyoming.Transcribe, ``, nil)
		h.say(hushed(500*ms, 16000), hummed(200*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		time.Sleep(500 * ms)
		h.expect(`4000 transcript-start`, `4000 transcript-chunk {"text":"stop"}`, `4000 transcript {"text":"stop"}`, `4000 transcript-stop`)
		// Silence has none.
		h.send(wyoming.Transcribe, ``, nil)
		h.say(hushed(100*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		h.expect(`4300 transcript-start`, `4300 transcript {"text":""}`, `4300 transcript-stop`)
	})
}

func TestWyomingDetect(t *testing.T) {
	atHome(t, Config{Transcript: []string{"hello"}}, func(r *rig, h *home) {
		h.send(wyoming.Detect, `{"names":["ok_nabu"]}`, nil)
		h.send(wyoming.AudioStart, `{"rate":16000,"width":2,"channels":1,"timestamp":5000}`, nil)
		h.say(hushed(time.Second, 16000), hummed(500*ms, 16000), hushed(500*ms, 16000), hummed(200*ms, 16000))
		h.send(wyoming.AudioStop, ``, nil)
		h.expect(
			`1080 voice-started {"timestamp":6000}`,
			`1820 voice-stopped {"timestamp":6510}`,
			`2060 voice-started {"timestamp":7000}`,
			`2200 voice-stopped {"timestamp":7200}`,
			`2200 not-detected`,
		)
		// Audio that nobody asked for anything gets both.
		h.say(hushed(time.Second, 16000), hummed(500*ms, 16000))
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

func TestWyomingSynthesize(t *testing.T) {
	atHome(t, Config{}, func(r *rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"abc","voice":{"name":"amy"}}`, nil)
		h.send(wyoming.Synthesize, `{"text":"de"}`, nil) // another voice: it waits
		time.Sleep(time.Second)
		const format = `{"channels":1,"rate":22050,"timestamp":%d,"width":2} +%d`
		h.expect(
			`200 audio-start {"channels":1,"rate":22050,"timestamp":0,"width":2}`,
			fmt.Sprintf(`200 audio-chunk `+format, 0, 4410), fmt.Sprintf(`250 audio-chunk `+format, 100, 4410), fmt.Sprintf(`300 audio-chunk `+format, 200, 4410),
			`300 audio-stop {"timestamp":300}`,
			`500 audio-start {"channels":1,"rate":22050,"timestamp":0,"width":2}`,
			fmt.Sprintf(`500 audio-chunk `+format, 0, 4410), fmt.Sprintf(`550 audio-chunk `+format, 100, 4410),
			`550 audio-stop {"timestamp":200}`,
		)
		want := append(speech.Say("abc", unhurried(""), wyomingRate).Samples, speech.Say("de", unhurried(""), wyomingRate).Samples...)
		if string(h.sound) != string(audio.Encode(nil, want, audio.S16LE)) {
			t.Error("the audio is not that of the texts")
		}
		all, _ := r.config.Ledger.Latest(9)
		if e := all[0]; e.Protocol != "wyoming tts" || e.Model != "amy" || e.Characters != 3 || e.First != 200*ms || e.Ended != 300*ms || e.AudioOut != 300*ms {
			t.Errorf("entry %+v, want the first text", e)
		}
		if e := all[1]; e.Model != "piper" || e.Arrived != 300*ms || e.AudioOut != 200*ms {
			t.Errorf("entry %+v, want the second text", e)
		}
	})
}

func TestWyomingStreams(t *testing.T) {
	atHome(t, Config{}, func(r *rig, h *home) {
		h.send(wyoming.SynthesizeStart, `{"voice":{"name":"amy"}}`, nil)
		h.send(wyoming.SynthesizeChunk, `{"text":"a"}`, nil)
		h.send(wyoming.SynthesizeChunk, `{"text":"b. c"}`, nil) // a sentence is complete
		time.Sleep(400 * ms)
		h.send(wyoming.SynthesizeChunk, `{"text":"d"}`, nil)
		h.send(wyoming.Synthesize, `{"text":"ab. cd"}`, nil) // for servers that take no pieces
		h.send(wyoming.SynthesizeStop, ``, nil)
		time.Sleep(600 * ms)
		const format = `{"channels":1,"rate":22050,"timestamp":%d,"width":2} +4410`
		h.expect(
			`200 audio-start {"channels":1,"rate":22050,"timestamp":0,"width":2}`,
			fmt.Sprintf(`200 audio-chunk `+format, 0), fmt.Sprintf(`250 audio-chunk `+format, 100), `250 audio-stop {"timestamp":200}`,
			`600 audio-start {"channels":1,"rate":22050,"timestamp":0,"width":2}`,
			fmt.Sprintf(`600 audio-chunk `+format, 0), fmt.Sprintf(`650 audio-chunk `+format, 100), `650 audio-stop {"timestamp":200}`,
			`650 synthesize-stopped`,
		)
		// A stream whose last sentence was complete ends without more audio.
		h.send(wyoming.SynthesizeStart, ``, nil)
		h.send(wyoming.SynthesizeChunk, `{"text":"a.\n"}`, nil)
		h.send(wyoming.SynthesizeStop, ``, nil)
		time.Sleep(time.Second)
		h.expect(
			`1200 audio-start {"channels":1,"rate":22050,"timestamp":0,"width":2}`,
			fmt.Sprintf(`1200 audio-chunk `+format, 0), `1200 audio-stop {"timestamp":100}`,
			`1250 synthesize-stopped`,
		)
	})
}

func TestWyomingInfo(t *testing.T) {
	atHome(t, Config{}, func(r *rig, h *home) {
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
		atHome(t, Config{}, func(r *rig, h *home) {
			h.write([]byte(c.sent))
			h.expect(`0 error `+string(jsonOf(map[string]string{"text": c.want, "code": "invalid-event"})), `0 EOF`)
		})
	}
}

func TestWyomingGone(t *testing.T) {
	atHome(t, Config{}, func(r *rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"abcdefghij"}`, nil)
		h.say(hushed(250*ms, 16000))
		_ = h.conn.Close()
		synctest.Wait()
		all, _ := r.config.Ledger.Latest(9)
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
	atHome(t, Config{}, func(r *rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"abcdefghij"}`, nil)
		time.Sleep(10 * ms)
		go r.stop()
		h.expect(`10 EOF`)
	})
}

// TestWyomingListener checks that a listener that fails ends the service.
func TestWyomingListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{}, func(*Service, *http.ServeMux) {})
		defer r.stop()
		ln := memnet.Listen()
		_ = ln.Close()
		if err := r.ServeWyoming(t.Context(), ln); !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v, want that the listener is closed", err)
		}
	})
}

// TestWyomingSocket speaks over a real socket.
func TestWyomingSocket(t *testing.T) {
	r := start(t, Config{TTS: unhurried}, func(*Service, *http.ServeMux) {})
	defer r.stop()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.ServeWyoming(ctx, ln) }()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, `{"type":"synthesize","data":{"text":"abc"}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for events := wyoming.NewReader(conn); len(kinds) < 5; {
		e, err := events.Read()
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, e.Type)
	}
	if want := "[audio-start audio-chunk audio-chunk audio-chunk audio-stop]"; fmt.Sprint(kinds) != want {
		t.Errorf("got %v, want %s", kinds, want)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func FuzzWyoming(f *testing.F) {
	f.Add("audio-chunk", `{"rate":16000,"width":2,"channels":1}`, []byte("ab"))
	f.Add("synthesize", `{"text":"a. b","voice":{}}`, []byte(nil))
	f.Add("audio-start", `{"rate":8000,"width":1,"channels":32,"timestamp":-5}`, []byte(nil))
	s := New(Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{})})
	f.Fuzz(func(t *testing.T, kind, data string, payload []byte) {
		if !json.Valid([]byte(data)) {
			data = "{}"
		}
		talk := &wyomingTalk{service: s, loop: s.config.Loop, out: newOutlet()}
		talk.handle(wyoming.Event{Type: "synthesize-start"})
		talk.handle(wyoming.Event{Type: "audio-chunk", Data: json.RawMessage(`{"rate":16000,"width":2,"channels":1}`), Payload: payload})
		talk.handle(wyoming.Event{Type: kind, Data: json.RawMessage(data), Payload: payload})
		talk.handle(wyoming.Event{Type: "audio-stop"})
		talk.gone()
	})
}

// TestWyomingEndlessSentence: text that no sentence ends is not kept for ever.
func TestWyomingEndlessSentence(t *testing.T) {
	s := New(Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{})})
	talk := &wyomingTalk{service: s, loop: s.config.Loop, out: newOutlet()}
	chunk := func(text string) wyoming.Event {
		e, err := wyoming.New(wyoming.SynthesizeChunk, wyoming.Text{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	talk.handle(wyoming.Event{Type: wyoming.SynthesizeStart})
	half := strings.Repeat("a", mostText/2)
	talk.handle(chunk(half))
	talk.handle(chunk(half))
	if talk.over {
		t.Fatal("the longest text was refused")
	}
	talk.handle(chunk("a"))
	frames, ended, _ := talk.out.take()
	if want := "the text has 1048577 bytes without the end of a sentence, want at most 1048576"; !ended || !strings.Contains(string(frames[0].data), want) {
		t.Errorf("ended %t with %q, want %q", ended, frames[0].data, want)
	}
}

// TestWyomingLongSpeech: speech of any length is heard to its end.
func TestWyomingLongSpeech(t *testing.T) {
	s := New(Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{}), STT: prompted})
	talk := &wyomingTalk{service: s, loop: s.config.Loop, out: newOutlet()}
	format, err := wyoming.New(wyoming.AudioChunk, wyoming.Audio{Rate: hearingRate, Width: 2, Channels: 1})
	if err != nil {
		t.Fatal(err)
	}
	format.Payload = audio.Encode(nil, slices.Concat(silent(500*ms), voiced(5*time.Minute)), audio.S16LE)
	for part := range wyomingParts(format) {
		talk.handle(part)
	}
	talk.handle(wyoming.Event{Type: wyoming.AudioStop})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	h := talk.ended[0]
	go func() {
		for ctx.Err() == nil {
			s.config.Loop.Post(s.config.Loop.Elapsed(), func() {
				if len(talk.ended) == 0 {
					s.config.Loop.Stop()
				}
			})
			time.Sleep(10 * ms)
		}
	}()
	if err := s.config.Loop.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(h.words); n != 750 {
		t.Errorf("%d words, want 750: 2.5 a second", n)
	}
}
