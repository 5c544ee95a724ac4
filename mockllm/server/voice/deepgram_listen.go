package voice

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/deepgram"
)

// handleDeepgramListen adds the routes of Deepgram's speech to text.
func (s *Service) handleDeepgramListen(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/listen", s.deepgramListen)
	mux.HandleFunc("POST /v1/listen", s.deepgramFile)
	mux.HandleFunc("GET /v2/listen", s.flux)
}

// deepgramSchemes are the sub-protocols of a handshake that carry a key, "token, KEY":
// the server picks the first.
var deepgramSchemes = []string{"token", "bearer"}

// deepgramListen answers GET /v1/listen, which becomes a WebSocket.
func (s *Service) deepgramListen(w http.ResponseWriter, r *http.Request) {
	id := s.newUUID()
	p := &params{values: r.URL.Query()}
	o := listenOptionsOf(p)
	if p.fault != nil {
		deepgramRefuse(w, http.StatusBadRequest, deepgram.CodeQuery, id, p.fault.Error())
		return
	}
	created := time.Now()
	w.Header().Set(deepgram.HeaderRequest, id)
	s.converse(w, r, deepgramSchemes, func(k *socket) session {
		return newListenSession(s.visit(k, r, "deepgram listen", o.model, id), o, created)
	})
}

// deepgramRefuse refuses a request or a handshake; the message is in a header too,
// where clients see it whose library hides the body of a failed handshake.
func deepgramRefuse(w http.ResponseWriter, status int, code, id, message string) {
	h := w.Header()
	h.Set(deepgram.HeaderRequest, id)
	h.Set(deepgram.HeaderError, strings.ReplaceAll(message, "\n", "; "))
	h.Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(jsonOf(deepgram.ErrorBody{Code: code, Message: message, RequestID: id})) // the client may be gone
}

// listenOptions are the parameters of /v1/listen that change what comes back.
type listenOptions struct {
	model     string
	source    source
	channels  int // that are heard each for itself; 1 may be the mix of several
	interim   bool
	vad       bool        // tell when speech starts
	punctuate bool        // write words as they are written
	turn      speech.Turn // the zero Turn is the model's
	gap       time.Duration
	texts     []string // to be heard
}

// Ranges that the parameters have here; Deepgram gives no upper ones.
const (
	longestEndpoint = 60_000 // ms
	mostChannels    = 20     // docs/multichannel, read 2026-11-29
)

func listenOptionsOf(p *params) listenOptions {
	o := listenOptions{model: deepgramModel(p), texts: p.values[dictated]}
	if strings.HasPrefix(o.model, "flux") {
		p.refuse("model %q is served at /v2/listen", o.model)
	}
	if p.values.Has("callback") {
		p.refuse("callback is not supported by this mock server, which calls nobody: results come over the connection")
	}
	o.source, o.channels = deepgramSource(p)
	o.interim, o.vad = p.flag("interim_results"), p.flag("vad_events")
	o.punctuate = p.flag("punctuate") || p.flag("smart_format")
	o.turn = endpointing(p)
	if gap := p.milliseconds("utterance_end_ms", 0, 1, longestEndpoint); o.interim {
		o.gap = gap // "setting interim_results=true is also required": docs/utterance-end
	}
	return o
}

// deepgramModel returns the model: base is the service's default (docs on live
// streaming, 2025-07-03, read 2026-11-29).
func deepgramModel(p *params) string {
	if m := p.values.Get("model"); m != "" {
		return m
	}
	return "base"
}

// endpointing returns after how much silence an utterance ends.
func endpointing(p *params) speech.Turn {
	switch v := p.values.Get("endpointing"); v {
	case "", "true":
		return speech.Turn{}
	case "false":
		return speech.Turn{Never: true}
	}
	// The shortest is not 0: that would be the zero Turn.
	return speech.Turn{Silence: max(time.Millisecond, p.milliseconds("endpointing", 0, 0, longestEndpoint))}
}

// deepgramEncodings are the encodings of raw samples (docs/encoding, read 2026-11-29).
var deepgramEncodings = map[string]audio.Encoding{
	"linear16": audio.S16LE, "linear32": audio.F32LE, "mulaw": audio.MuLaw, "alaw": audio.ALaw,
}

// deepgramSource returns what the audio is and how many channels of it are heard each
// for itself.
func deepgramSource(p *params) (s source, channels int) {
	s = deepgramPackaging(p)
	if s.packaging != container && s.format.Rate == 0 {
		p.refuse("sample_rate is required when encoding is set")
		return source{}, 1
	}
	if err := s.check(); err != nil {
		p.refuse("%w", err)
		return source{}, 1
	}
	if !p.flag("multichannel") {
		return s, 1
	}
	if s.packaging != rawSamples {
		p.refuse("multichannel needs raw samples on this mock server: set encoding to linear16, linear32, mulaw or alaw, sample_rate and channels")
	}
	return s, s.format.Channels
}

func deepgramPackaging(p *params) (s source) {
	s.format.Rate = p.whole("sample_rate", 0, audio.LowestRate, audio.HighestRate)
	s.format.Channels = p.whole("channels", 1, 1, mostChannels)
	encoding := p.values.Get("encoding")
	e, raw := deepgramEncodings[encoding]
	switch {
	case raw:
		s.packaging, s.format.Encoding = rawSamples, e
	case encoding == "opus":
		s.packaging = opusPackets
	case encoding != "" && encoding != "ogg-opus":
		p.refuse("encoding is %q: this mock server decodes linear16, linear32, mulaw, alaw, opus and ogg-opus, and what WAV and Ogg Opus files hold when there is none", encoding)
	}
	return s
}

// deepgramInfo describes a model; its version is ours.
func deepgramInfo(model string) deepgram.ModelInfo {
	return deepgram.ModelInfo{Name: model, Version: "halfsecond", Arch: model}
}

// deepgramMetadata returns the metadata of audio that was heard.
func deepgramMetadata(id, model string, sum []byte, created time.Time, duration time.Duration, channels int) deepgram.Metadata {
	uuid := uuidOf(model)
	return deepgram.Metadata{
		TransactionKey: deepgram.NoTransaction, RequestID: id, SHA256: fmt.Sprintf("%x", sum),
		Created:  created.UTC().Format("2006-01-02T15:04:05.000Z"),
		Duration: inSeconds(duration), Channels: channels,
		Models: []string{uuid}, ModelInfo: map[string]deepgram.ModelInfo{uuid: deepgramInfo(model)},
	}
}

// deepgramAlternative returns what was heard as words, written as they are or plain.
func deepgramAlternative(heard []speech.Word, punctuate bool) deepgram.Alternative {
	if !punctuate {
		heard = flattened(heard)
	}
	a := deepgram.Alternative{Transcript: spelled(heard), Confidence: meanConfidence(heard), Words: []deepgram.Word{}}
	for _, w := range heard {
		word := deepgram.Word{Word: plain(w.Text), Start: inSeconds(w.Start), End: inSeconds(w.End), Confidence: w.Confidence}
		if punctuate {
			word.PunctuatedWord = w.Text
		}
		a.Words = append(a.Words, word)
	}
	return a
}
