package deepgram

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"unicode/utf8"

	"halfsecond/mockllm/server/voice/mouth"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/deepgram"
)

// speak answers GET /v1/speak, which becomes a WebSocket.
func (s *Service) speak(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	p := &talk.Params{Values: r.URL.Query()}
	o := speakOptionsOf(p)
	o.output.Container = audio.Raw
	if !slices.Contains([]string{"", "linear16", "mulaw", "alaw"}, o.encoding) {
		p.Refuse("Unsupported audio format: `encoding=%s` is for POST /v1/speak only: a WebSocket has linear16, mulaw and alaw", o.encoding)
	}
	if p.Fault != nil {
		writeError(w, http.StatusBadRequest, deepgram.CodeQuery, id, p.Fault.Error())
		return
	}
	speakHeaders(w, id, o.model)
	s.Converse(w, r, schemes, func(k *talk.Socket) talk.Session {
		return newSpeakSession(s.Visit(k, r, "deepgram speak", o.model, id), s.Mouths, o)
	})
}

// speakOnce answers POST /v1/speak: the audio of one text, as it is made.
func (s *Service) speakOnce(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	refuse := func(status int, code, message string) { writeError(w, status, code, id, message) }
	p := &talk.Params{Values: r.URL.Query()}
	if p.Values.Get("encoding") == "" {
		p.Values.Set("encoding", "mp3")
	}
	o := speakOptionsOf(p)
	if p.Values.Has("callback") {
		p.Refuse("callback is not supported by this mock server, which calls nobody: the audio is the answer")
	}
	if p.Fault != nil {
		refuse(http.StatusBadRequest, deepgram.CodeQuery, p.Fault.Error())
		return
	}
	body, arrived, err := s.Upload(w, r)
	var large talk.TooLarge
	switch {
	case errors.As(err, &large) || len(body) > deepgram.MaxSpeakBody:
		refuse(http.StatusRequestEntityTooLarge, deepgram.CodeTooLarge, "Payload size exceeds limit of 2 MB.")
		return
	case err != nil:
		refuse(http.StatusBadRequest, deepgram.CodeBadRequest, "the body could not be read: "+err.Error())
		return
	}
	text, fault := speakText(r.Header.Get("Content-Type"), body)
	if fault != nil {
		refuse(fault.status, fault.code, fault.message)
		return
	}
	speakHeaders(w, id, o.model)
	w.Header().Set(deepgram.HeaderCharacters, strconv.Itoa(utf8.RuneCountInString(text)))
	s.Mouths.Recite(w, r, arrived, mouth.Recital{
		Protocol: "deepgram speak", ID: id, Model: o.model, Text: text, Speed: o.speed, Output: o.output, Content: o.content,
	})
}

// speakHeaders sets what every answer of /v1/speak has.
func speakHeaders(w http.ResponseWriter, id, model string) {
	h := w.Header()
	h.Set(deepgram.HeaderRequest, id)
	h.Set(deepgram.HeaderModel, model)
	h.Set(deepgram.HeaderModelUUID, talk.UUID(model))
}

// speakFault is why a body is refused.
type speakFault struct {
	status        int
	code, message string
}

// speakText returns the text of a body; the statuses and messages are those of
// fern/docs/errors.mdx (deepgram/deepgram-docs, 2025-07-03, read 2026-11-29).
func speakText(contentType string, body []byte) (text string, fault *speakFault) {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "text/plain":
		text = string(body)
	case "application/json":
		if text, fault = speakJSON(body); fault != nil {
			return "", fault
		}
	default:
		return "", &speakFault{http.StatusUnsupportedMediaType, deepgram.CodeMediaType, "`Content-Type` header is not supported. `Content-Type` must be either `text/plain` or `application/json`."}
	}
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return "", &speakFault{http.StatusBadRequest, deepgram.CodePayload, "Failed to decode payload as UTF-8."}
	case n == 0:
		return "", &speakFault{http.StatusBadRequest, deepgram.CodeBadRequest, "Input text contains no characters."}
	case n > deepgram.MaxSpeakText:
		return "", &speakFault{http.StatusRequestEntityTooLarge, deepgram.CodeLongText, fmt.Sprintf("Input text exceeds maximum character limit of %d.", deepgram.MaxSpeakText)}
	}
	return text, nil
}

func speakJSON(body []byte) (text string, fault *speakFault) {
	var q deepgram.SpeakRequest
	if err := json.Unmarshal(body, &q); err != nil || (q.Text == nil) == (q.URL == nil) {
		return "", &speakFault{http.StatusBadRequest, deepgram.CodePayload, "Failed to deserialize JSON payload. Please specify exactly one of `text` or `url` in the JSON body."}
	}
	if q.URL != nil {
		return "", &speakFault{http.StatusBadRequest, deepgram.CodeRemote, fmt.Sprintf("url is %q, but this mock server fetches nothing: send the text itself", *q.URL)}
	}
	return *q.Text, nil
}

// speakOptions are the parameters of /v1/speak.
type speakOptions struct {
	model    string
	encoding string // as asked for
	speed    float64
	output   audio.Output
	content  string // type of an answer over HTTP
}

// minSpeakSpeed and maxSpeakSpeed are the bounds of speed
// (developers.deepgram.com/docs/tts-voice-controls, read 2026-11-29).
const minSpeakSpeed, maxSpeakSpeed = .7, 1.5

func speakOptionsOf(p *talk.Params) speakOptions {
	o := speakOptions{model: p.Values.Get("model"), encoding: p.Values.Get("encoding"), speed: p.Number("speed", 1, minSpeakSpeed, maxSpeakSpeed)}
	if o.model == "" {
		o.model = deepgram.DefaultVoice
	}
	o.output, o.content = speakOutput(p, o.encoding)
	return o
}

// speakEncoding is what may be combined with an encoding: of each list the first value
// holds when none is asked for, and one that is empty takes no value.
type speakEncoding struct {
	container  audio.Container
	encoding   audio.Encoding
	rates      []int
	fixed      int      // rate that cannot be asked for
	containers []string // "wav" or "none"
	bitRates   []int    // bit/s
	content    string   // type of the answer; a rate follows where there is no container
}

// speakEncodings are those that can be written, by the page tts-media-output-settings
// (deepgram/deepgram-docs, 2025-07-03, read 2026-11-29). It names no default rate of
// FLAC: the highest is assumed.
var speakEncodings = map[string]speakEncoding{
	"linear16": {encoding: audio.S16LE, rates: []int{24000, 8000, 16000, 32000, 48000}, containers: []string{"wav", "none"}, content: "audio/l16"},
	"mulaw":    {encoding: audio.MuLaw, rates: []int{8000, 16000}, containers: []string{"wav", "none"}, content: "audio/mulaw"},
	"alaw":     {encoding: audio.ALaw, rates: []int{8000, 16000}, containers: []string{"wav", "none"}, content: "audio/alaw"},
	"mp3":      {container: audio.MP3, fixed: 22050, bitRates: []int{48000, 32000}, content: "audio/mpeg"},
	"flac":     {container: audio.FLAC, rates: []int{48000, 8000, 16000, 22050, 32000}, content: "audio/flac"},
}

// speakOutput returns the audio that is asked for, with the type of an answer.
func speakOutput(p *talk.Params, encoding string) (o audio.Output, content string) {
	if encoding == "" {
		encoding = "linear16"
	}
	e, known := speakEncodings[encoding]
	if !known {
		p.Refuse("Unsupported audio format: `encoding=%s`: this mock server writes linear16, mulaw, alaw, mp3 and flac, not opus and aac", encoding)
		return speakOutput(p, "linear16")
	}
	o = audio.Output{Container: e.container, Format: audio.Format{Encoding: e.encoding, Rate: e.fixed}}
	if e.fixed == 0 {
		o.Format.Rate = speakNumber(p, "sample_rate", encoding, e.rates)
	} else {
		speakNumber(p, "sample_rate", encoding, nil)
	}
	o.Kbps = speakNumber(p, "bit_rate", encoding, e.bitRates) / 1000
	content = e.content
	switch c := speakContainer(p, encoding, e.containers); c {
	case "wav":
		o.Container, content = audio.WAV, "audio/wav"
	case "none":
		content += ";rate=" + strconv.Itoa(o.Format.Rate)
	}
	return o, content
}

// speakNumber returns a parameter that is one of some numbers, the first when it is not
// there.
func speakNumber(p *talk.Params, name, encoding string, of []int) int {
	v := p.Values.Get(name)
	n, err := strconv.Atoi(v)
	switch {
	case v == "" && len(of) == 0:
		return 0
	case v == "":
		return of[0]
	case len(of) == 0:
		p.Refuse("Unsupported audio format: `%s` is not applicable when `encoding=%s`", name, encoding)
	case err != nil || !slices.Contains(of, n):
		p.Refuse("Unsupported audio format: `%s` must be one of %v when `encoding=%s`", name, sorted(of), encoding)
	}
	return n
}

func sorted(numbers []int) []int {
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	return numbers
}

// speakContainer returns the container, or "" for an encoding that is one.
func speakContainer(p *talk.Params, encoding string, of []string) string {
	v := p.Values.Get("container")
	switch {
	case v == "" && len(of) == 0:
		return ""
	case v == "":
		return of[0]
	case len(of) == 0:
		p.Refuse("Unsupported audio format: `container` is not applicable when `encoding=%s`", encoding)
	case !slices.Contains(of, v):
		p.Refuse("Unsupported audio format: `container=%s` is invalid when `encoding=%s`", v, encoding)
	}
	return v
}
