package wyoming

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/wyoming"
)

func TestWyomingSynthesize(t *testing.T) {
	atHome(t, nil, func(r *voicetest.Rig, h *home) {
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
		want := append(speech.Say("abc", unhurried(""), voiceRate).Samples, speech.Say("de", unhurried(""), voiceRate).Samples...)
		if string(h.sound) != string(audio.Encode(nil, want, audio.S16LE)) {
			t.Error("the audio is not that of the texts")
		}
		all, _ := r.Ledger.Latest(9)
		if e := all[0]; e.ID == "" || e.ID == all[1].ID || e.Path != "synthesize" || e.Protocol != "wyoming tts" || e.Model != "amy" || e.Characters != 3 || e.First != 200*ms || e.Ended != 300*ms || e.AudioOut != 300*ms {
			t.Errorf("entry %+v, want the first text", e)
		}
		if e := all[1]; e.Model != "piper" || e.Arrived != 300*ms || e.AudioOut != 200*ms {
			t.Errorf("entry %+v, want the second text", e)
		}
	})
}

func TestWyomingStreams(t *testing.T) {
	atHome(t, nil, func(r *voicetest.Rig, h *home) {
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

// TestWyomingSocket speaks over a real socket.
func TestWyomingSocket(t *testing.T) {
	r, s := start(t, nil)
	defer r.Stop()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, ln) }()
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

// TestWyomingEndlessSentence: text that no sentence ends is not kept for ever.
func TestWyomingEndlessSentence(t *testing.T) {
	atHome(t, nil, func(_ *voicetest.Rig, h *home) {
		h.send(wyoming.SynthesizeStart, ``, nil)
		half := `{"text":"` + strings.Repeat("a", longestSentence/2) + `"}`
		h.send(wyoming.SynthesizeChunk, half, nil)
		h.send(wyoming.SynthesizeChunk, half, nil)
		h.expect()
		h.send(wyoming.SynthesizeChunk, `{"text":"a"}`, nil)
		h.expect(`0 error {"code":"invalid-event","text":"the text has 32769 bytes without the end of a sentence, want at most 32768"}`, `0 EOF`)
	})
}

// TestWyomingManyTexts: texts that wait to be spoken are not kept for ever.
func TestWyomingManyTexts(t *testing.T) {
	atHome(t, nil, func(_ *voicetest.Rig, h *home) {
		h.send(wyoming.Synthesize, `{"text":"`+strings.Repeat("a", mouth.MostQueued-1)+`"}`, nil)
		h.send(wyoming.Synthesize, `{"text":"b","voice":{"name":"another"}}`, nil)
		h.expect()
		h.send(wyoming.Synthesize, `{"text":"c"}`, nil)
		h.expect(`0 error {"code":"invalid-event","text":"3 texts of 200001 bytes wait to be spoken, want at most 10000 of 200000"}`, `0 EOF`)
	})
}
