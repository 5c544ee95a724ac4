package deepgram

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/deepgram"
)

// schemes are the sub-protocols of a handshake that carry a key, "token, KEY":
// the server picks the first.
var schemes = []string{"token", "bearer"}

// listen answers GET /v1/listen, which becomes a WebSocket.
func (s *Service) listen(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	p := &talk.Params{Values: r.URL.Query()}
	o := listenOptionsOf(p)
	if p.Fault != nil {
		writeError(w, http.StatusBadRequest, deepgram.CodeQuery, id, p.Fault.Error())
		return
	}
	created := time.Now()
	w.Header().Set(deepgram.HeaderRequest, id)
	s.Converse(w, r, schemes, func(k *talk.Socket) talk.Session {
		return newListenSession(s.Visit(k, r, "deepgram listen", o.model, id), s.Ears, o, created)
	})
}

// writeError refuses a request or a handshake; the message is in a header too,
// where clients see it whose library hides the body of a failed handshake.
func writeError(w http.ResponseWriter, status int, code, id, message string) {
	h := w.Header()
	h.Set(deepgram.HeaderRequest, id)
	h.Set(deepgram.HeaderError, strings.ReplaceAll(message, "\n", "; "))
	talk.WriteJSON(w, status, deepgram.ErrorBody{Code: code, Message: message, RequestID: id})
}

// listenOptions are the parameters of /v1/listen that change what comes back.
type listenOptions struct {
	model     string
	source    ear.Source
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

func listenOptionsOf(p *talk.Params) listenOptions {
	o := listenOptions{model: modelOf(p), texts: p.Values[ear.Dictated]}
	if strings.HasPrefix(o.model, "flux") {
		p.Refuse("model %q is served at /v2/listen", o.model)
	}
	if p.Values.Has("callback") {
		p.Refuse("callback is not supported by this mock server, which calls nobody: results come over the connection")
	}
	o.source, o.channels = sourceOf(p)
	o.interim, o.vad = p.Flag("interim_results"), p.Flag("vad_events")
	o.punctuate = p.Flag("punctuate") || p.Flag("smart_format")
	o.turn = endpointing(p)
	if gap := p.Milliseconds("utterance_end_ms", 0, 1, longestEndpoint); o.interim {
		o.gap = gap // "setting interim_results=true is also required": docs/utterance-end
	}
	return o
}

// modelOf returns the model: base is the service's default (docs on live
// streaming, 2025-07-03, read 2026-11-29).
func modelOf(p *talk.Params) string {
	if m := p.Values.Get("model"); m != "" {
		return m
	}
	return "base"
}

// endpointing returns after how much silence an utterance ends.
func endpointing(p *talk.Params) speech.Turn {
	switch v := p.Values.Get("endpointing"); v {
	case "", "true":
		return speech.Turn{}
	case "false":
		return speech.Turn{Never: true}
	}
	// The shortest is not 0: that would be the zero Turn.
	return speech.Turn{Silence: max(time.Millisecond, p.Milliseconds("endpointing", 0, 0, longestEndpoint))}
}

// encodings are the encodings of raw samples (docs/encoding, read 2026-11-29).
var encodings = map[string]audio.Encoding{
	"linear16": audio.S16LE, "linear32": audio.F32LE, "mulaw": audio.MuLaw, "alaw": audio.ALaw,
}

// sourceOf returns what the audio is and how many channels of it are heard each
// for itself.
func sourceOf(p *talk.Params) (s ear.Source, channels int) {
	s = packagingOf(p)
	if s.Packaging != ear.Container && s.Format.Rate == 0 {
		p.Refuse("sample_rate is required when encoding is set")
		return ear.Source{}, 1
	}
	if err := s.Check(); err != nil {
		p.Refuse("%w", err)
		return ear.Source{}, 1
	}
	if !p.Flag("multichannel") {
		return s, 1
	}
	if s.Packaging != ear.RawSamples {
		p.Refuse("multichannel needs raw samples on this mock server: set encoding to linear16, linear32, mulaw or alaw, sample_rate and channels")
	}
	return s, s.Format.Channels
}

func packagingOf(p *talk.Params) (s ear.Source) {
	s.Format.Rate = p.Whole("sample_rate", 0, audio.LowestRate, audio.HighestRate)
	s.Format.Channels = p.Whole("channels", 1, 1, mostChannels)
	encoding := p.Values.Get("encoding")
	e, raw := encodings[encoding]
	switch {
	case raw:
		s.Packaging, s.Format.Encoding = ear.RawSamples, e
	case encoding == "opus":
		s.Packaging = ear.OpusPackets
	case encoding != "" && encoding != "ogg-opus":
		p.Refuse("encoding is %q: this mock server decodes linear16, linear32, mulaw, alaw, opus and ogg-opus, and what WAV and Ogg Opus files hold when there is none", encoding)
	}
	return s
}

// modelInfo describes a model; its version is ours.
func modelInfo(model string) deepgram.ModelInfo {
	return deepgram.ModelInfo{Name: model, Version: "halfsecond", Arch: model}
}

// metadata returns the metadata of audio that was heard.
func metadata(id, model string, sum []byte, created time.Time, duration time.Duration, channels int) deepgram.Metadata {
	uuid := talk.UUID(model)
	return deepgram.Metadata{
		TransactionKey: deepgram.NoTransaction, RequestID: id, SHA256: fmt.Sprintf("%x", sum),
		Created:  created.UTC().Format("2006-01-02T15:04:05.000Z"),
		Duration: talk.Seconds(duration), Channels: channels,
		Models: []string{uuid}, ModelInfo: map[string]deepgram.ModelInfo{uuid: modelInfo(model)},
	}
}

// alternative returns what was heard as words, written as they are or plain.
func alternative(heard []speech.Word, punctuate bool) deepgram.Alternative {
	if !punctuate {
		heard = ear.Plain(heard)
	}
	a := deepgram.Alternative{Transcript: ear.Spelled(heard), Confidence: ear.MeanConfidence(heard), Words: []deepgram.Word{}}
	for _, w := range heard {
		word := deepgram.Word{Word: ear.PlainWord(w.Text), Start: talk.Seconds(w.Start), End: talk.Seconds(w.End), Confidence: w.Confidence}
		if punctuate {
			word.PunctuatedWord = w.Text
		}
		a.Words = append(a.Words, word)
	}
	return a
}
