package voice

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/wyoming"
)

// broken decodes every byte as so many samples, until a 0.
type broken struct{ each int }

func (b broken) Rate() int { return hearingRate }

func (b broken) Decode(dst []int16, raw []byte) ([]int16, error) {
	for _, x := range raw {
		if x == 0 {
			return dst, errors.New("a zero")
		}
		dst = append(dst, slices.Repeat([]int16{int16(x)}, b.each)...)
	}
	return dst, nil
}

// TestStretches: what is cut off a frame is the frame, in order, and short.
func TestStretches(t *testing.T) {
	long := make([]byte, 100_001) // half a sample is left, which the next frame completes
	for i := range long {
		long[i] = byte(i*7 + i/256)
	}
	pcm := source{packaging: rawSamples, format: audio.Format{Rate: hearingRate, Channels: 2}}
	for _, c := range []struct {
		name   string
		d      decoders
		frames [][]byte
		want   string
	}{
		{"empty", pcm.decoders(1), [][]byte{nil}, "[]"},
		{"short", pcm.decoders(2), [][]byte{long[:8]}, "[8:8:2]"},
		{"stereo", pcm.decoders(2), [][]byte{long, long[:3]}, "[100001:32768:8192 0:32768:8192 0:32768:8192 0:1697:424 3:3:1]"},
		{"mono", pcm.decoders(1), [][]byte{long}, "[100001:32768:8192 0:32768:8192 0:32768:8192 0:1697:424]"},
		{"much of little", decoders{all: []decoding{broken{20_000}}}, [][]byte{{1, 2}}, "[2:2:16384 0:0:16384 0:0:7232]"},
		{"packets", decoders{all: []decoding{broken{1}}, whole: true}, [][]byte{bytes.Repeat([]byte{1}, 40_000)}, "[40000:40000:16384 0:0:16384 0:0:7232]"},
		{"an error", decoders{all: []decoding{broken{20_000}}}, [][]byte{{1, 0, 2}}, "[3:3:16384 0:0:3616:a zero]"},
	} {
		var got []string
		var raw []byte
		samples := make([][]int16, len(c.d.all))
		for _, frame := range c.frames {
			for s := range c.d.stretches(frame) {
				line := fmt.Sprintf("%d:%d:%d", s.frame, len(s.bytes), len(s.samples[0]))
				if s.err != nil {
					line += ":" + s.err.Error()
				}
				got = append(got, line)
				raw = append(raw, s.bytes...)
				for i := range samples {
					samples[i] = append(samples[i], s.samples[i]...)
				}
			}
		}
		if g := fmt.Sprint(got); g != c.want {
			t.Errorf("%s: got %s, want %s", c.name, g, c.want)
		}
		all := slices.Concat(c.frames...)
		if !bytes.Equal(raw, all) {
			t.Errorf("%s: %d bytes, want all %d in order", c.name, len(raw), len(all))
		}
		if c.name != "stereo" {
			continue
		}
		for channel := range samples {
			if whole, _ := audio.NewDecoder(pcm.format, channel).Decode(nil, all); !slices.Equal(samples[channel], whole) {
				t.Errorf("channel %d is not what it is in one piece", channel)
			}
		}
	}
}

// TestLongFrames: a frame as long as may be takes the loop many short times, so that what
// others are owed comes in between, in every protocol that hears.
func TestLongFrames(t *testing.T) {
	s := New(Config{Ledger: ledger.New(ledger.Config{}), Loop: pipeline.NewWall(), STT: patient})
	q := &http.Request{URL: &url.URL{Path: "/", RawQuery: "encoding=linear16&sample_rate=16000&model=flux-general-en"}}
	talk := func() visit { return s.visit(&socket{loop: s.config.Loop, out: newOutlet()}, q, "test", "m", "id") }
	listen := newListenSession(talk(), listenOptionsOf(&params{values: url.Values{"encoding": {"linear16"}, "sample_rate": {"16000"}}}), time.Time{})
	flux := newFluxSession(talk(), fluxOptionsOf(&params{values: q.URL.Query()}))
	ink := newInkSession(talk(), inkOptionsOf(&params{values: url.Values{"model": {"ink-2"}, "encoding": {"pcm_s16le"}, "sample_rate": {"16000"}}}))
	chat := s.newRealtimeTalk(&socket{loop: s.config.Loop, out: newOutlet()}, s.realtimeRequest(q, 1))

	const size = 6 << 20
	frame := make([]byte, size)
	event := fmt.Appendf(nil, `{"type":"input_audio_buffer.append","audio":%q}`, base64.StdEncoding.EncodeToString(frame))
	for _, c := range []struct {
		name  string
		steps iter.Seq[func()]
		heard func() time.Duration
		rate  int
	}{
		{"deepgram", handling(listen, websocket.BinaryMessage, frame), listen.ears[0].heard, 16_000},
		{"flux", handling(flux, websocket.BinaryMessage, frame), flux.ear.heard, 16_000},
		{"cartesia", handling(ink, websocket.BinaryMessage, frame), ink.ear.heard, 16_000},
		{"realtime", handling(chat, websocket.TextMessage, event), chat.ear.written, 24_000},
	} {
		n := 0
		for step := range c.steps {
			step()
			if n++; c.heard() != audio.Duration(n*stretchBytes/2, c.rate) {
				t.Fatalf("%s: %s heard after %d steps", c.name, c.heard(), n)
			}
		}
		if n != size/stretchBytes {
			t.Errorf("%s: %d steps, want %d", c.name, n, size/stretchBytes)
		}
	}
}

// TestLongWyomingAudio: the same of an event with a long payload.
func TestLongWyomingAudio(t *testing.T) {
	payload := make([]byte, 2*stretchBytes+1)
	payload[stretchBytes] = 1
	var got []byte
	n := 0
	for part := range wyomingParts(wyoming.Event{Type: wyoming.AudioChunk, Payload: payload}) {
		n++
		got = append(got, part.Payload...)
	}
	if n != 3 || !bytes.Equal(got, payload) {
		t.Errorf("%d parts, %d bytes; want 3 and all of them in order", n, len(got))
	}
}
