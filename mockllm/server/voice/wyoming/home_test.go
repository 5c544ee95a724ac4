package wyoming

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

	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/wire/wyoming"
)

const ms = time.Millisecond

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

// prompted is a recognizer that needs 300 ms for a final.
func prompted(string) speech.STT {
	return speech.STT{Final: dist.Constant(300 * ms), Interim: dist.Constant(40 * ms), Turn: speech.Turn{Silence: 200 * ms}}
}

// start runs a host with a service.
func start(t *testing.T, transcript []string) (r *voicetest.Rig, s *Service) {
	r = voicetest.Start(t, talk.Config{}, func(h *talk.Host, _ *http.ServeMux) { s = service(h, transcript) })
	return r, s
}

func service(h *talk.Host, transcript []string) *Service {
	return &Service{Host: h, Ears: &ear.Models{Host: h, STT: prompted, Transcript: transcript}, Mouths: &mouth.Models{Host: h, TTS: unhurried}}
}

// alone is a connection of a service whose loop does not run.
func alone() *session {
	h := voicetest.Alone()
	return &session{Outlet: talk.NewSocket(h).Outlet, service: service(h, nil)}
}

// atHome runs a test of the Wyoming protocol inside a bubble.
func atHome(t *testing.T, transcript []string, test func(r *voicetest.Rig, h *home)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, s := start(t, transcript)
		defer r.Stop()
		ln := memnet.Listen()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, ln) }()
		conn, err := ln.DialContext(ctx, "", "")
		if err != nil {
			t.Fatal(err)
		}
		h := &home{t: t, conn: conn, from: r.From}
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
