package listen

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/assemblyai"
	"halfsecond/pipeline/wire/cartesia"
	"halfsecond/pipeline/wire/deepgram"
	"halfsecond/pipeline/wire/realtime"
)

// Protocol names a service's protocol.
type Protocol string

// The protocols. What is known of them, with its sources, is in the packages below
// pipeline/wire.
const (
	OpenAITranscriptions Protocol = "openai-transcriptions" // a whole recording by HTTP
	OpenAIRealtime       Protocol = "openai-realtime-transcription"
	DeepgramListen       Protocol = "deepgram-listen"
	DeepgramFlux         Protocol = "deepgram-flux"
	AssemblyAI           Protocol = "assemblyai"
	CartesiaSTT          Protocol = "cartesia-stt" // the client ends utterances
	CartesiaTurns        Protocol = "cartesia-turns"
)

// protocol is what one service does differently from others.
type protocol struct {
	name   Protocol
	path   string
	socket bool
	query  func(c *Config, rate int) url.Values
	header func(c *Config, h http.Header)
	// begin returns what the client says first.
	begin func(c *Config) [][]byte
	// awaits is the service's word that audio is to wait for; "" is that it waits just for the
	// connection.
	awaits string
	// audio returns a frame of audio; nil is a binary frame as it is.
	audio func(pcm []byte) talk.Frame
	// force asks for the final text now, finish ends the session and alive keeps it open
	// while nothing is said; nil is that there is no such thing.
	force, finish, alive []byte
	// manual is true where utterances end with what the client says, when it does: silence
	// between them would be part of the next one.
	manual bool
	// last is true when the service ends a session with a message of its own.
	last bool
	// rates are those that it takes; nil is any.
	rates []int
	// shortest is the least audio in a frame; 0 is any.
	shortest time.Duration
	// glue joins final texts.
	glue    string
	decoder func(c *Config) decoder
}

// Streams reports whether a service hears all of a call by a protocol, the silence between
// utterances too.
func Streams(name Protocol) bool {
	p, err := find(name)
	return err == nil && p.socket && !p.manual
}

// decoder reads what a service says. One is made for each session.
type decoder interface {
	// read takes a message, or of an upload what one read brought, and notes in s what it
	// says.
	read(m talk.Message, s *step)
}

// ender is a decoder that still knows something when a body ends cleanly.
type ender interface {
	end(s *step)
}

// keepAlive is how often a session without audio is kept open. Deepgram wants that every 3
// to 5 s (developers.deepgram.com/docs/audio-keep-alive, read 2026-11-29).
const keepAlive = 4 * time.Second

var protocols = []protocol{
	{
		name: OpenAITranscriptions, path: "/v1/audio/transcriptions", last: true, glue: " ",
		header:  bearer,
		decoder: func(*Config) decoder { return &transcripts{} },
	},
	{
		name: OpenAIRealtime, path: "/v1/realtime", socket: true, manual: true, awaits: "session.updated", glue: " ", rates: []int{realtime.PCMRate},
		query:  func(*Config, int) url.Values { return url.Values{"intent": {"transcription"}} },
		header: realtimeHeader, begin: realtimeBegin, audio: appended,
		force:   []byte(`{"type":"input_audio_buffer.commit"}`),
		decoder: func(*Config) decoder { return &realtimeDecoder{soFar: map[string]string{}} },
	},
	{
		name: DeepgramListen, path: "/v1/listen", socket: true, last: true, glue: " ",
		query: deepgramQuery, header: token,
		force: command(deepgram.TypeFinalize), finish: command(deepgram.TypeCloseStream), alive: command(deepgram.TypeKeepAlive),
		decoder: func(*Config) decoder { return deepgramDecoder{} },
	},
	{
		name: DeepgramFlux, path: "/v2/listen", socket: true, awaits: deepgram.TypeConnected, glue: " ",
		query:  func(c *Config, rate int) url.Values { return raw(c, rate, "linear16") },
		header: token,
		force:  command(deepgram.TypeForceEndTurn), finish: command(deepgram.TypeCloseStream),
		decoder: func(*Config) decoder { return fluxDecoder{} },
	},
	{
		name: AssemblyAI, path: "/v3/ws", socket: true, awaits: assemblyai.TypeBegin, last: true, glue: " ", shortest: 50 * time.Millisecond,
		query:  assemblyQuery,
		header: func(c *Config, h http.Header) { c.Key.Sign(h, "Authorization", "") },
		force:  command(assemblyai.TypeForceEndpoint), finish: command(assemblyai.TypeTerminate), alive: command(assemblyai.TypeKeepAlive),
		decoder: func(c *Config) decoder { return &assemblyDecoder{formats: c.Format} },
	},
	{
		name: CartesiaSTT, path: "/stt/websocket", socket: true, manual: true, last: true,
		query: cartesiaQuery, header: cartesiaHeader,
		force: []byte(cartesia.CommandFinalize), finish: []byte(cartesia.CommandClose),
		decoder: func(c *Config) decoder { return inkDecoder{forced: c.Force} },
	},
	{
		name: CartesiaTurns, path: "/stt/turns/websocket", socket: true, awaits: cartesia.TypeConnected, glue: " ",
		query: cartesiaQuery, header: cartesiaHeader, finish: command(cartesia.TypeTurnsClose),
		decoder: func(*Config) decoder { return inkTurns{} },
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

// Wants is what a protocol takes.
type Wants struct {
	Rates  []int         // samples a second of a recording; nil is any
	Frame  time.Duration // the least audio at once; 0 is any
	Forces bool          // it can be asked for the final text
	Manual bool          // the client says where an utterance ends
}

// WantsOf returns what a protocol takes.
func WantsOf(name Protocol) (Wants, error) {
	p, err := find(name)
	if err != nil {
		return Wants{}, err
	}
	return Wants{Rates: p.rates, Frame: p.shortest, Forces: !p.socket || p.force != nil, Manual: !p.socket || p.name == CartesiaSTT}, nil
}

func find(name Protocol) (*protocol, error) {
	i := slices.IndexFunc(protocols, func(p protocol) bool { return p.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown protocol %q of speech to text; want %s", name, strings.Join(Protocols(), ", "))
	}
	return &protocols[i], nil
}

// command returns a text frame that says no more than its type.
func command(kind string) []byte {
	b, err := json.Marshal(map[string]string{"type": kind})
	if err != nil {
		panic("listen: " + err.Error()) // a string always encodes
	}
	return b
}

func bearer(c *Config, h http.Header) { c.Key.Sign(h, "Authorization", "Bearer ") }

func token(c *Config, h http.Header) { c.Key.Sign(h, "Authorization", "Token ") }

// raw returns the parameters of raw samples as most services have them.
func raw(c *Config, rate int, encoding string) url.Values {
	q := url.Values{"model": {c.Model}, "encoding": {encoding}, "sample_rate": {strconv.Itoa(rate)}}
	if c.Language != "" {
		q.Set("language", c.Language)
	}
	return q
}

// deepgramQuery asks for interim results, and for word of both kinds of a turn's end: by
// silence, and by the gap between words that noise does not hide.
func deepgramQuery(c *Config, rate int) url.Values {
	q := raw(c, rate, "linear16")
	q.Set("interim_results", "true")
	q.Set("vad_events", "true")
	q.Set("utterance_end_ms", "1000")
	if c.EndSilence > 0 {
		q.Set("endpointing", ms(c.EndSilence))
	}
	if c.Format {
		q.Set("smart_format", "true")
	}
	return q
}

func assemblyQuery(c *Config, rate int) url.Values {
	q := url.Values{
		"speech_model": {c.Model}, "encoding": {"pcm_s16le"}, "sample_rate": {strconv.Itoa(rate)},
		"format_turns": {strconv.FormatBool(c.Format)},
	}
	if c.EndSilence > 0 {
		q.Set("min_turn_silence", ms(c.EndSilence))
	}
	return q
}

func cartesiaQuery(c *Config, rate int) url.Values { return raw(c, rate, "pcm_s16le") }

// cartesiaVersion is the version of the API that is spoken.
const cartesiaVersion = "2025-04-16"

func cartesiaHeader(c *Config, h http.Header) {
	h.Set("Cartesia-Version", cartesiaVersion)
	c.Key.Sign(h, "X-API-Key", "")
}

func ms(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// appended returns a frame as the realtime API takes it.
func appended(pcm []byte) talk.Frame {
	b := append([]byte(`{"type":"input_audio_buffer.append","audio":"`), base64.StdEncoding.EncodeToString(pcm)...)
	return talk.Frame{Data: append(b, `"}`...)}
}

// check says why a recording cannot be sent.
func (p *protocol) check(v pipeline.Voice) error {
	switch {
	case v.Rate < 4000 || v.Rate > 192_000:
		return fmt.Errorf("the recording has %d samples a second: want 4000 to 192000", v.Rate)
	case len(v.Samples) == 0:
		return fmt.Errorf("the recording is empty")
	case p.rates != nil && !slices.Contains(p.rates, v.Rate):
		return fmt.Errorf("the recording has %d samples a second: %s takes %v", v.Rate, p.name, p.rates)
	case v.SpeechEnd != pipeline.Unknown && (v.SpeechEnd < 0 || v.SpeechEnd > v.Length()):
		return fmt.Errorf("speech ends %s into a recording of %s", v.SpeechEnd, v.Length())
	}
	return nil
}
