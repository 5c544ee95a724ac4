package cartesia

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/cartesia"
)

// sonicBytes answers POST /tts/bytes: audio as it is made. The types of what is not
// named in the answer are ours.
func (s *Service) sonicBytes(w http.ResponseWriter, r *http.Request) {
	c, _, answered := s.sonicRecital(w, r, "raw", "wav", "mp3")
	if answered {
		return
	}
	c.Content = map[audio.Container]string{audio.Raw: "application/octet-stream", audio.WAV: "audio/wav", audio.MP3: "audio/mpeg"}[c.Output.Container]
	s.Mouths.Recite(w, r, c.arrived, c.Recital)
}

// sonicEvents answers POST /tts/sse: the messages of a WebSocket as events.
func (s *Service) sonicEvents(w http.ResponseWriter, r *http.Request) {
	c, g, answered := s.sonicRecital(w, r, "raw")
	if answered {
		return
	}
	c.Content = "text/event-stream"
	var words sonicWords
	stepped := c.arrived
	c.Form = func(chunk speech.Chunk, at time.Duration, encoded []byte) (events []byte) {
		event := func(kind string, message any) { events = wire.AppendEvent(events, kind, talk.JSON(message)) }
		if len(encoded) > 0 {
			event(cartesia.TypeChunk, cartesia.Chunk{Base: sonicBase(cartesia.TypeChunk, g.ContextID), Data: encoded, StepTime: talk.Milliseconds(at - stepped)})
			stepped = at
		}
		if said := words.take(chunk, 0); g.Timestamps && len(said) > 0 {
			event(cartesia.TypeTimestamps, cartesia.Timestamps{Base: sonicBase(cartesia.TypeTimestamps, g.ContextID), Words: sonicTimes(said)})
		}
		if chunk.Last {
			event(cartesia.TypeDone, sonicDone(g.ContextID))
		}
		return events
	}
	s.Mouths.Recite(w, r, c.arrived, c.Recital)
}

// sonicRecital is what a request over HTTP asks for.
type sonicRecital struct {
	mouth.Recital
	arrived time.Duration
}

// sonicRecital reads a request. Answered is true when it was refused.
func (s *Service) sonicRecital(w http.ResponseWriter, r *http.Request, containers ...string) (c sonicRecital, g cartesia.Generation, answered bool) {
	id := s.NewUUID()
	version, fault := sonicVersion(r)
	if fault == nil {
		var err error
		if c.arrived, err = mouth.ReadRequest(s.Host, w, r, &g); err != nil {
			fault = &sonicFault{"Invalid request body", err.Error()}
		}
	}
	if fault == nil {
		c.Output, fault = sonicCheck(&g, containers...)
	}
	if fault == nil && !mouth.Speakable(*g.Transcript) {
		fault = &sonicFault{sonicSilent, "there is nothing to be spoken in it"}
	}
	if fault != nil {
		fault.tell(w, version, id)
		return c, g, true
	}
	c.Protocol, c.ID, c.Model, c.Text, c.Speed = "cartesia tts", id, g.ModelID, *g.Transcript, sonicSpeed(&g)
	return c, g, false
}

// sonicVersion returns the version of the API that a request is for: the parameter's,
// else the header's; without one it is the first with structured errors.
func sonicVersion(r *http.Request) (string, *sonicFault) {
	v := r.URL.Query().Get("cartesia_version")
	if v == "" {
		v = r.Header.Get("Cartesia-Version")
	}
	if v == "" {
		return cartesia.StructuredErrors, nil
	}
	if _, err := time.Parse(time.DateOnly, v); err != nil {
		return cartesia.StructuredErrors, &sonicFault{"Invalid version", fmt.Sprintf("the version of the API is %q: want a date such as %q", v, cartesia.StructuredErrors)}
	}
	return v, nil
}

// sonicFault is why a request is refused, always with status 400.
type sonicFault struct{ title, message string }

// sonicSilent is the title of the error of a text with nothing to say
// (livekit/agents pull request 3080, read 2026-11-29).
const sonicSilent = "transcript empty or contains only punctuation"

// sonicCode is the error_code of a request that is refused; the service's own codes for
// that are not known.
var sonicCode = "invalid_request"

// tell refuses a request over HTTP in the manner of a version.
func (f *sonicFault) tell(w http.ResponseWriter, version, id string) {
	if version >= cartesia.StructuredErrors {
		talk.WriteJSON(w, http.StatusBadRequest, cartesia.TTSError{ErrorCode: &sonicCode, Title: f.title, Message: f.message, RequestID: id})
		return
	}
	http.Error(w, f.title+": "+f.message, http.StatusBadRequest)
}

// sonicEncodings are the encodings of samples.
var sonicEncodings = map[string]audio.Encoding{
	"pcm_f32le": audio.F32LE, "pcm_s16le": audio.S16LE, "pcm_mulaw": audio.MuLaw, "pcm_alaw": audio.ALaw,
}

// sonicLongest is the most characters of a transcript. It is ours: the service's is not
// documented.
const sonicLongest = 50_000

// sonicCheck returns the audio that a request asks for, in one of some containers, or
// what is wrong with the request.
func sonicCheck(g *cartesia.Generation, containers ...string) (audio.Output, *sonicFault) {
	refuse := func(format string, args ...any) (audio.Output, *sonicFault) {
		return audio.Output{}, &sonicFault{"Invalid request", fmt.Sprintf(format, args...)}
	}
	switch {
	case g.ModelID == "":
		return refuse("model_id is required, such as \"sonic-3\"")
	case g.Transcript == nil:
		return refuse("transcript is required")
	case g.Voice == nil || g.Voice.ID == "" && len(g.Voice.Embedding) == 0:
		return refuse("voice is required: want the id of a voice or an object with it")
	case g.OutputFormat == nil:
		return refuse("output_format is required")
	}
	if n := utf8.RuneCountInString(*g.Transcript); n > sonicLongest {
		return refuse("transcript has %d characters: this mock server takes %d", n, sonicLongest)
	}
	if v := sonicSpeed(g); v != 0 && !(v >= cartesia.MinSpeed && v <= cartesia.MaxSpeed) {
		return refuse("generation_config.speed is %g: it must be from %g to %g", v, cartesia.MinSpeed, cartesia.MaxSpeed)
	}
	o, err := sonicOutput(g.OutputFormat, containers)
	if err != nil {
		return refuse("output_format: %v", err)
	}
	return o, nil
}

// sonicOutput returns the audio of a format.
func sonicOutput(f *cartesia.OutputFormat, containers []string) (o audio.Output, err error) {
	encoding, known := sonicEncodings[f.Encoding]
	switch {
	case !slices.Contains(containers, f.Container):
		return o, fmt.Errorf("container is %q: want %s", f.Container, strings.Join(containers, ", "))
	case !slices.Contains(cartesia.SampleRates, f.SampleRate):
		return o, fmt.Errorf("sample_rate is %d: want one of %v", f.SampleRate, cartesia.SampleRates)
	case f.Container != "mp3" && !known:
		return o, fmt.Errorf("encoding is %q: want pcm_f32le, pcm_s16le, pcm_mulaw or pcm_alaw", f.Encoding)
	case f.Container == "mp3" && !slices.Contains(cartesia.BitRates, f.BitRate):
		return o, fmt.Errorf("bit_rate is %d: want one of %v", f.BitRate, cartesia.BitRates)
	}
	o.Format = audio.Format{Encoding: encoding, Rate: f.SampleRate}
	switch f.Container {
	case "wav":
		o.Container = audio.WAV
	case "mp3":
		o.Container, o.Kbps = audio.MP3, f.BitRate/1000
	}
	if err := mouth.Writable(o); err != nil {
		return o, fmt.Errorf("this mock server cannot write it: %w", err)
	}
	return o, nil
}

// sonicSpeed returns the speed that a request asks for; 0 is none.
func sonicSpeed(g *cartesia.Generation) float64 {
	if g.Config == nil || g.Config.Speed == nil {
		return 0
	}
	return *g.Config.Speed
}

// sonicBase returns what every message has that is not the last.
func sonicBase(kind, context string) cartesia.Base {
	return cartesia.Base{Type: kind, ContextID: context, StatusCode: http.StatusPartialContent}
}

func sonicDone(context string) cartesia.Base {
	b := sonicBase(cartesia.TypeDone, context)
	b.Done = true
	return b
}

// sonicWords puts characters together into words.
type sonicWords struct {
	letters []speech.Character // of a word that may go on
}

// take returns the words that are whole with a chunk, of audio that begins at an
// offset.
func (s *sonicWords) take(c speech.Chunk, offset time.Duration) []speech.Word {
	whole := len(s.letters)
	if !c.Last {
		whole = 0
	}
	for _, x := range c.Characters {
		x.Start, x.End = x.Start+offset, x.End+offset
		s.letters = append(s.letters, x)
		if c.Last || strings.TrimSpace(x.Text) == "" {
			whole = len(s.letters)
		}
	}
	words := speech.Words(s.letters[:whole])
	s.letters = s.letters[whole:]
	return words
}

// sonicTimes returns words as a message has them.
func sonicTimes(words []speech.Word) (t cartesia.WordTimes) {
	for _, w := range words {
		t.Words = append(t.Words, w.Text)
		t.Starts = append(t.Starts, talk.Seconds(w.Start))
		t.Ends = append(t.Ends, talk.Seconds(w.End))
	}
	return t
}
