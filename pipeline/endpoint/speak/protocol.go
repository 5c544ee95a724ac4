package speak

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/cartesia"
	"halfsecond/pipeline/wire/deepgram"
	"halfsecond/pipeline/wire/elevenlabs"
)

// Protocol names a service's protocol.
type Protocol string

// The protocols. What is known of them, with its sources, is in the packages below
// pipeline/wire.
const (
	OpenAISpeech     Protocol = "openai-speech"
	ElevenLabsStream Protocol = "elevenlabs-stream" // by HTTP
	ElevenLabsSocket Protocol = "elevenlabs-socket" // stream-input
	CartesiaEvents   Protocol = "cartesia-sse"
	CartesiaSocket   Protocol = "cartesia-socket"
	DeepgramSpeak    Protocol = "deepgram-speak" // by WebSocket
)

// openAIRate is the rate of OpenAI's samples: the one of openai-python's player, as the
// schema states none (openai/openai-openapi, 2026-08-21, read 2026-11-29).
const openAIRate = 24_000

// protocol is what one service does differently from others.
type protocol struct {
	name    Protocol
	path    string // VOICE stands for the voice
	socket  bool
	voiced  bool // it wants a voice
	formats []string
	query   func(c *Config) url.Values
	header  func(c *Config, h http.Header)
	// body is that of a post with the whole text.
	body func(c *Config, text string) any
	// begin is the first message of a socket, more has text that goes on, and finish says
	// that none does.
	begin  func(c *Config) any
	more   func(c *Config, id, text string) []any
	finish func(c *Config, id string) []any
	// flushes is true when the end is known by requests to speak that are done.
	flushes bool
	// decoder reads what comes; of a post with plain audio it is nil.
	decoder func(c *Config) decoder
}

var protocols = []protocol{
	{
		name: OpenAISpeech, path: "/v1/audio/speech", voiced: true, formats: []string{PCM, WAV},
		header: func(c *Config, h http.Header) { c.Key.Sign(h, "Authorization", "Bearer ") },
		body:   openAIBody,
		decoder: func(c *Config) decoder {
			if c.Events {
				return &openAIEvents{}
			}
			return nil
		},
	},
	{
		name: ElevenLabsStream, path: "/v1/text-to-speech/VOICE/stream", voiced: true, formats: []string{PCM, MuLaw, ALaw},
		query: elevenQuery, header: elevenHeader,
		body: func(c *Config, text string) any {
			return elevenlabs.Request{Text: &text, ModelID: c.Model, LanguageCode: c.Language}
		},
		decoder: func(*Config) decoder { return nil },
	},
	{
		name: ElevenLabsSocket, path: "/v1/text-to-speech/VOICE/stream-input", socket: true, voiced: true, formats: []string{PCM, MuLaw, ALaw},
		query: elevenSocketQuery, header: elevenHeader,
		begin:   func(*Config) any { return elevenText(" ") },
		more:    func(_ *Config, _, text string) []any { return []any{elevenText(text)} },
		finish:  func(*Config, string) []any { return []any{elevenText("")} },
		decoder: func(*Config) decoder { return elevenDecoder{} },
	},
	{
		name: CartesiaEvents, path: "/tts/sse", voiced: true, formats: []string{PCM, MuLaw, ALaw},
		header:  cartesiaHeader,
		body:    func(c *Config, text string) any { return generation(c, "", text) },
		decoder: func(*Config) decoder { return &cartesiaEvents{} },
	},
	{
		name: CartesiaSocket, path: "/tts/websocket", socket: true, voiced: true, formats: []string{PCM, MuLaw, ALaw},
		header: cartesiaHeader,
		more: func(c *Config, id, text string) []any {
			g := generation(c, id, text)
			g.Continue = true
			return []any{g}
		},
		finish:  func(c *Config, id string) []any { return []any{generation(c, id, "")} },
		decoder: func(*Config) decoder { return &cartesiaDecoder{} },
	},
	{
		name: DeepgramSpeak, path: "/v1/speak", socket: true, formats: []string{PCM, MuLaw, ALaw},
		query:  deepgramQuery,
		header: func(c *Config, h http.Header) { c.Key.Sign(h, "Authorization", "Token ") },
		more: func(c *Config, _, text string) []any {
			said := []any{deepgram.SpeakCommand{Type: deepgram.TypeSpeak, Text: text}}
			if c.Eager {
				said = append(said, deepgram.SpeakCommand{Type: deepgram.TypeFlush})
			}
			return said
		},
		finish: func(c *Config, _ string) []any {
			if c.Eager {
				return nil // each piece has its own
			}
			return []any{deepgram.SpeakCommand{Type: deepgram.TypeFlush}}
		},
		flushes: true,
		decoder: func(*Config) decoder { return &deepgramDecoder{} },
	},
}

// Protocols returns the names of all protocols.
func Protocols() []string {
	var names []string
	for _, p := range protocols {
		names = append(names, string(p.name))
	}
	return names
}

// Voiced reports whether a protocol must be told whose voice it is.
func Voiced(name Protocol) bool {
	p, err := find(name)
	return err == nil && p.voiced
}

// Streams reports whether a protocol takes text as it comes; others take whole texts.
func Streams(name Protocol) bool {
	p, err := find(name)
	return err == nil && p.socket
}

func find(name Protocol) (*protocol, error) {
	i := slices.IndexFunc(protocols, func(p protocol) bool { return p.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown protocol %q of text to speech; want %s", name, strings.Join(Protocols(), ", "))
	}
	return &protocols[i], nil
}

func openAIBody(c *Config, text string) any {
	q := wire.SpeechRequest{Model: c.Model, Input: text, Voice: wire.SpeechVoice{Name: c.Voice}, Format: c.Format}
	if c.Events {
		q.StreamFormat = wire.SpeechAsEvents
	}
	return q
}

func elevenHeader(c *Config, h http.Header) { c.Key.Sign(h, "xi-api-key", "") }

func elevenQuery(c *Config) url.Values {
	codec := map[string]string{PCM: "pcm", MuLaw: "ulaw", ALaw: "alaw"}[c.Format]
	return url.Values{"output_format": {codec + "_" + strconv.Itoa(c.Rate)}}
}

func elevenSocketQuery(c *Config) url.Values {
	q := elevenQuery(c)
	q.Set("model_id", c.Model)
	q.Set("auto_mode", strconv.FormatBool(c.Eager))
	if c.Language != "" {
		q.Set("language_code", c.Language)
	}
	return q
}

func elevenText(text string) elevenlabs.ClientMessage { return elevenlabs.ClientMessage{Text: &text} }

// cartesiaVersion is the version of the API that is spoken: the first whose errors have a
// shape.
const cartesiaVersion = cartesia.StructuredErrors

func cartesiaHeader(c *Config, h http.Header) {
	h.Set("Cartesia-Version", cartesiaVersion)
	c.Key.Sign(h, "X-API-Key", "")
}

// generation returns a request for a text. All those of one context repeat the same fields.
func generation(c *Config, id, text string) cartesia.Generation {
	encoding := map[string]string{PCM: "pcm_s16le", MuLaw: "pcm_mulaw", ALaw: "pcm_alaw"}[c.Format]
	g := cartesia.Generation{
		ModelID: c.Model, Transcript: &text, Voice: &cartesia.Voice{Mode: "id", ID: c.Voice}, Language: c.Language, ContextID: id,
		OutputFormat: &cartesia.OutputFormat{Container: "raw", Encoding: encoding, SampleRate: c.Rate},
	}
	if id != "" && c.Eager {
		g.BufferDelay = new(float64)
	}
	return g
}

func deepgramQuery(c *Config) url.Values {
	codec := map[string]string{PCM: "linear16", MuLaw: "mulaw", ALaw: "alaw"}[c.Format]
	return url.Values{"model": {c.Model}, "encoding": {codec}, "sample_rate": {strconv.Itoa(c.Rate)}}
}

// encode returns a message as it is sent.
func encode(message any) []byte {
	b, err := json.Marshal(message)
	if err != nil {
		panic("speak: " + err.Error()) // our own types always encode
	}
	return b
}
