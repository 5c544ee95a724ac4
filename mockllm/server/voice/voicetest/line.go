package voicetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/speech/audio"
)

// Beat is how much audio a Line puts into a frame.
const Beat = 100 * time.Millisecond

// Line is what a test does on a WebSocket: sends audio at the pace of speech, and
// messages at their instants. It begins at the instant of its dialling.
type Line struct {
	Conn *websocket.Conn
	Rate int // of the audio

	t   testing.TB
	got chan []string
}

// Call dials and reads, until the connection ends, all that comes: every message as
// tell has it, unless that is empty, with its instant.
func (r *Rig) Call(path string, tell func([]byte) string) *Line {
	l := &Line{Conn: r.Dial(path, nil), Rate: Rate, t: r.T, got: make(chan []string, 1)}
	go func() {
		var all []string
		defer func() { l.got <- all }()
		for {
			_, data, err := l.Conn.ReadMessage()
			at := r.Now()
			if err != nil {
				all = append(all, fmt.Sprintf("%d %v", at, err))
				return
			}
			if text := tell(data); text != "" {
				all = append(all, fmt.Sprintf("%d %s", at, text))
			}
		}
	}()
	return l
}

// Speak sends the parts one after the other, each frame when its last sample would be
// there.
func (l *Line) Speak(parts ...[]int16) {
	l.t.Helper()
	samples := slices.Concat(parts...)
	n := audio.Samples(Beat, l.Rate)
	for ; len(samples) > 0; samples = samples[min(n, len(samples)):] {
		time.Sleep(Beat)
		l.Send(websocket.BinaryMessage, audio.Encode(nil, samples[:min(n, len(samples))], audio.S16LE))
	}
}

// Send sends a frame.
func (l *Line) Send(kind int, data []byte) {
	l.t.Helper()
	if err := l.Conn.WriteMessage(kind, data); err != nil {
		l.t.Error(err)
	}
}

// Command sends a text frame 10 ms from now: what was sent before is through then.
func (l *Line) Command(text string) {
	l.t.Helper()
	time.Sleep(10 * time.Millisecond)
	l.Send(websocket.TextMessage, []byte(text))
}

// All waits for the end of the connection and returns what came.
func (l *Line) All() []string { return <-l.got }

// Expect waits for the end of the connection and compares what came.
func (l *Line) Expect(want ...string) {
	l.t.Helper()
	got := l.All()
	l.Conn.Close()
	synctest.Wait()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			l.t.Errorf("message %d\n got %s\nwant %s", i, g, w)
		}
	}
	if l.t.Failed() {
		l.t.Logf("all messages:\n%s", strings.Join(got, "\n"))
	}
}

// Parsed reads a message, or fails the test.
func Parsed[M any](t testing.TB, b []byte) (m M) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Errorf("%s: %v", b, err)
	}
	return m
}
