// Package voice is the fronts of a mock server for speech: to text, from text and
// both, one protocol a file.
//
// Read service.go for what is served, socket.go for a WebSocket between its client and
// the loop, stream.go for a response in stretches, outlet.go for how both get from the
// loop to their writer, stretch.go for how audio gets to the loop, ear.go and mouth.go
// for what hears and speaks, and then any protocol. How speech is heard and spoken, and when, is package speech.
package voice

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// Config sets up a Service.
type Config struct {
	// Loop is the clock that everything runs on.
	Loop *pipeline.Wall
	// Seed picks the words and latencies.
	Seed uint64
	// Transcript is what is heard, an utterance each, from the start again after the
	// last; an empty one leaves the words to the mock. Every connection and every upload
	// hears it from the start.
	Transcript []string
	// STT and TTS return how a model of that name behaves; nil ones are speech.FindSTT
	// and speech.FindTTS, which know the published latencies of named services.
	STT func(model string) speech.STT
	TTS func(model string) speech.TTS
	// Realtime returns how a model of that name behaves that hears and speaks; nil is
	// FindRealtime.
	Realtime func(model string) Realtime
	// Replies is what such a model answers, a response each, from the start again after
	// the last; an empty one leaves the words to the mock.
	Replies []string
	// Arguments makes arguments of a function that such a model calls, given the JSON
	// schema of its parameters; nil makes an empty object.
	Arguments func(schema json.RawMessage, r dist.Rand) (string, error)
	// DialAnywhere lets calls be connected to any host, not this machine alone.
	DialAnywhere bool
	// Dial opens the connections of calls; nil dials the network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// MaxBody is the largest request body in bytes, such as an upload of audio.
	MaxBody int64
	// Ledger is told of every request and write.
	Ledger *ledger.Ledger
	// Stopped is closed when the loop has ended.
	Stopped <-chan struct{}
}

// DefaultMaxBody is the largest request body when none is set, in bytes: what OpenAI
// takes as one audio file, 25 MB (platform guide "Speech to text", read 2026-11-29).
const DefaultMaxBody = 25 << 20

// Service answers the requests of speech protocols.
type Service struct {
	config  Config
	started time.Time
	nextID  atomic.Int64
	streams atomic.Int64 // recognizers and synthesizers so far
	talks   talks
	secrets realtimeSecrets
	calls   callBook
	// callerLines returns what the callers of calls say.
	callerLines func() []callerLine
}

// New returns a service.
func New(c Config) *Service {
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.STT == nil {
		c.STT = func(model string) speech.STT { p, _ := speech.FindSTT(model); return p }
	}
	if c.TTS == nil {
		c.TTS = func(model string) speech.TTS { p, _ := speech.FindTTS(model); return p }
	}
	if c.Realtime == nil {
		c.Realtime = func(model string) Realtime { p, _ := FindRealtime(model); return p }
	}
	s := &Service{config: c, started: time.Now()}
	s.callerLines = sync.OnceValue(s.sayLines)
	return s
}

// Handle adds the routes of every protocol. They answer only while the loop runs.
func (s *Service) Handle(mux *http.ServeMux) {
	s.handleRealtime(mux)
	s.handleTwilio(mux)
	s.handleTranscriptions(mux)
	s.handleDeepgramListen(mux)
	s.handleAssemblyAI(mux)
	s.handleCartesiaSTT(mux)
	s.handleOpenAISpeech(mux)
	s.handleDeepgramSpeak(mux)
	s.handleElevenLabs(mux)
	s.handleCartesiaTTS(mux)
}

// Wait, which is to be called when the loop has ended, returns when every WebSocket is
// closed: http.Server no longer knows of them. A client that does not take its leave in
// time is cut off.
func (s *Service) Wait() {
	late := time.AfterFunc(2*farewell, s.talks.cut)
	defer late.Stop()
	s.talks.Wait()
}

// newID returns an id that this service gives only once.
func (s *Service) newID(prefix string) string {
	return prefix + strconv.FormatInt(s.started.UnixNano(), 36) + strconv.FormatInt(s.nextID.Add(1), 36)
}

// stream returns the number, from 0, of another recognizer or synthesizer of this
// service: each draws its latencies from a stream of its own.
func (s *Service) stream() int { return int(s.streams.Add(1) - 1) }
