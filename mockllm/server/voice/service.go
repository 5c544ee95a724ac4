// Package voice is the fronts of a mock server for speech: to text, from text and both.
//
// This package only puts them together: read service.go. Each protocol is a package of
// its own below, one a vendor: openai, realtime, deepgram, assemblyai, cartesia,
// elevenlabs, phone and wyoming. They share ear, which hears, mouth, which speaks, and
// talk, which lies between a client and the loop. How speech is heard and spoken, and
// when, is package speech.
package voice

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/voice/assemblyai"
	"halfsecond/mockllm/server/voice/bot"
	"halfsecond/mockllm/server/voice/cartesia"
	"halfsecond/mockllm/server/voice/deepgram"
	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/elevenlabs"
	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/openai"
	"halfsecond/mockllm/server/voice/phone"
	"halfsecond/mockllm/server/voice/realtime"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/wyoming"
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
	// hears it from the start. Callers say it.
	Transcript []string
	// STT and TTS return how a model of that name behaves; nil ones are speech.FindSTT
	// and speech.FindTTS, which know the published latencies of named services.
	STT func(model string) speech.STT
	TTS func(model string) speech.TTS
	// Realtime returns how a model of that name behaves that hears and speaks; nil is
	// realtime.FindModel.
	Realtime func(model string) realtime.Model
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
	// MaxBody is the largest request body in bytes, such as an upload of audio; 0 means
	// talk.DefaultMaxBody.
	MaxBody int64
	// Ledger is told of every request and write.
	Ledger *ledger.Ledger
	// Stopped is closed when the loop has ended.
	Stopped <-chan struct{}
}

// Service answers the requests of speech protocols.
type Service struct {
	host    *talk.Host
	fronts  []front
	wyoming *wyoming.Service
}

// front is a protocol over HTTP.
type front interface{ Handle(*http.ServeMux) }

// New returns a service.
func New(c Config) *Service {
	if c.STT == nil {
		c.STT = func(model string) speech.STT { p, _ := speech.FindSTT(model); return p }
	}
	if c.TTS == nil {
		c.TTS = func(model string) speech.TTS { p, _ := speech.FindTTS(model); return p }
	}
	h := talk.New(talk.Config{Loop: c.Loop, Seed: c.Seed, MaxBody: c.MaxBody, Ledger: c.Ledger, Stopped: c.Stopped})
	ears := &ear.Models{Host: h, STT: c.STT, Transcript: c.Transcript}
	mouths := &mouth.Models{Host: h, TTS: c.TTS}
	return &Service{
		host: h,
		fronts: []front{
			realtime.New(h, ears, realtime.Config{Model: c.Realtime, Replies: c.Replies, Arguments: c.Arguments}),
			bot.New(h, usualBot(&c)),
			phone.New(h, phone.Config{Transcript: c.Transcript, TTS: c.TTS, DialAnywhere: c.DialAnywhere, Dial: c.Dial}),
			&openai.Service{Host: h, Ears: ears, Mouths: mouths},
			&deepgram.Service{Host: h, Ears: ears, Mouths: mouths},
			&assemblyai.Service{Host: h, Ears: ears},
			&cartesia.Service{Host: h, Ears: ears, Mouths: mouths},
			&elevenlabs.Service{Host: h, Mouths: mouths},
		},
		wyoming: &wyoming.Service{Host: h, Ears: ears, Mouths: mouths},
	}
}

// usualBot is a bot that callers can be tried on. From the end of a turn to its first audio
// it takes 600 ms (assumed).
func usualBot(c *Config) bot.Config {
	b := bot.Config{Greeting: "Hello. How can I help you?", Replies: c.Replies, STT: c.STT(""), Voice: c.TTS(""), Ahead: 200 * time.Millisecond}
	b.Voice.FirstByte = dist.Constant(600 * time.Millisecond)
	if len(b.Replies) == 0 {
		b.Replies = []string{"Sure. I have done that for you. Is there anything else?"}
	}
	return b
}

// Handle adds the routes of every protocol. They answer only while the loop runs.
func (s *Service) Handle(mux *http.ServeMux) {
	for _, f := range s.fronts {
		f.Handle(mux)
	}
}

// ServeWyoming serves the Wyoming protocol, which is no HTTP, on a listener of its own.
// It returns when ctx ends, with nil, or when the listener fails; it closes the listener.
// It serves only while the loop runs.
func (s *Service) ServeWyoming(ctx context.Context, ln net.Listener) error {
	return s.wyoming.Serve(ctx, ln)
}

// Wait, which is to be called when the loop has ended, returns when every WebSocket and
// every call has ended: http.Server no longer knows of them. A client that does not take
// its leave in time is cut off.
func (s *Service) Wait() { s.host.Wait() }
