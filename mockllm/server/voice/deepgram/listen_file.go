package deepgram

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire"
	"halfsecond/pipeline/wire/deepgram"
)

// file answers POST /v1/listen: a whole file, and all that was heard in it.
func (s *Service) file(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	refuse := func(status int, code, message string) { writeError(w, status, code, id, message) }
	p := &talk.Params{Values: r.URL.Query()}
	o := fileOptionsOf(p)
	if p.Fault != nil {
		refuse(http.StatusBadRequest, deepgram.CodeQuery, p.Fault.Error())
		return
	}
	data, arrived, err := s.Upload(w, r)
	var large talk.TooLarge
	switch {
	case errors.As(err, &large):
		refuse(http.StatusRequestEntityTooLarge, deepgram.CodeTooLarge, err.Error())
		return
	case err != nil:
		refuse(http.StatusBadRequest, deepgram.CodeBadRequest, "the body could not be read: "+err.Error())
		return
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind == "application/json" {
		code, message := remoteFault(data)
		refuse(http.StatusBadRequest, code, message)
		return
	}
	clips, err := o.source.Clips(data, o.channels)
	var long audio.TooLong
	switch {
	case errors.As(err, &long):
		refuse(http.StatusRequestEntityTooLarge, deepgram.CodeTooLarge, err.Error())
		return
	case err != nil:
		refuse(http.StatusBadRequest, deepgram.CodeBadRequest, "Bad Request: failed to process audio: corrupt or unsupported data: "+err.Error())
		return
	}
	w.Header().Set(deepgram.HeaderRequest, id)
	e := talk.Begin("deepgram file", id, r.URL.Path, o.model, arrived)
	e.Stream = wire.AskedStream(r.Header.Get(wire.StreamHeader))
	heard := make([]ear.Heard, len(clips))
	for i, c := range clips {
		h := s.Ears.Hearing(&e, o.model, o.texts)
		h.Turn = speech.Turn{Silence: o.split}
		heard[i] = ear.Listen(c, h, e)
	}
	sum := sha256.Sum256(data)
	answer := deepgram.ListenFile{
		Metadata: metadata(id, o.model, sum[:], time.Now(), heard[0].Duration, len(heard)),
		Results:  o.results(heard),
	}
	s.Answer(w, r, "application/json", heard[0].Entry, talk.Piece{After: heard[0].Latency, Data: talk.JSON(answer)})
}

// remoteFault says why a body that names a file is refused.
func remoteFault(body []byte) (code, message string) {
	var q deepgram.ListenSource
	if err := json.Unmarshal(body, &q); err != nil {
		return deepgram.CodeBadRequest, "Content-type was application/json, but we could not process the JSON payload: " + err.Error()
	}
	if q.URL == "" {
		return deepgram.CodePayload, "the JSON body has no url; send the audio itself as the body, with a Content-Type such as audio/wav"
	}
	return deepgram.CodeRemote, fmt.Sprintf("url is %q, but this mock server fetches nothing: send the audio itself as the body, with a Content-Type such as audio/wav", q.URL)
}

// fileOptions are the parameters of POST /v1/listen that change what comes back.
type fileOptions struct {
	model      string
	source     ear.Source
	channels   int
	punctuate  bool
	paragraphs bool
	utterances bool
	split      time.Duration // silence that parts utterances
	language   string        // that is told to have been detected
	texts      []string
}

func fileOptionsOf(p *talk.Params) fileOptions {
	o := fileOptions{model: modelOf(p), texts: p.Values[ear.Dictated]}
	if strings.HasPrefix(o.model, "flux") {
		p.Refuse("model %q only hears streams, at /v2/listen", o.model)
	}
	if p.Values.Has("callback") {
		p.Refuse("callback is not supported by this mock server, which calls nobody: the answer has the transcript")
	}
	o.source, o.channels = sourceOf(p)
	smart := p.Flag("smart_format")
	o.paragraphs = p.Flag("paragraphs") || smart
	o.punctuate = p.Flag("punctuate") || o.paragraphs
	o.utterances = p.Flag("utterances")
	// .8 s is the service's default (docs/utterance-split, read 2026-11-29).
	o.split = time.Duration(p.Number("utt_split", .8, .001, 60) * float64(time.Second))
	if p.Flag("detect_language") {
		o.language = "en"
	}
	return o
}

// results returns what was heard in the channels.
func (o fileOptions) results(heard []ear.Heard) (r deepgram.FileResults) {
	for channel, h := range heard {
		a := alternative(h.Words, o.punctuate)
		if o.paragraphs {
			a.Paragraphs = paragraphsOf(h.Segments)
		}
		r.Channels = append(r.Channels, deepgram.FileChannel{Alternatives: []deepgram.Alternative{a}, DetectedLanguage: o.language})
		for _, e := range h.Segments {
			if o.utterances {
				r.Utterances = append(r.Utterances, o.utterance(h.Entry.ID, len(r.Utterances), channel, e))
			}
		}
	}
	return r
}

func (o fileOptions) utterance(id string, n, channel int, e speech.Event) deepgram.Utterance {
	a := alternative(e.Words, o.punctuate)
	first, last := e.Words[0], e.Words[len(e.Words)-1]
	return deepgram.Utterance{
		Start: talk.Seconds(first.Start), End: talk.Seconds(last.End), Confidence: a.Confidence, Channel: channel,
		Transcript: a.Transcript, Words: a.Words, ID: talk.UUID(fmt.Sprintf("%s/%d", id, n)),
	}
}

// paragraphsOf makes a paragraph of each utterance.
func paragraphsOf(utterances []speech.Event) *deepgram.Paragraphs {
	p := &deepgram.Paragraphs{Paragraphs: []deepgram.Paragraph{}}
	for _, u := range utterances {
		q := deepgram.Paragraph{NumWords: len(u.Words), Start: talk.Seconds(u.Words[0].Start), End: talk.Seconds(u.Words[len(u.Words)-1].End)}
		for _, words := range sentences(u.Words) {
			q.Sentences = append(q.Sentences, deepgram.Sentence{
				Text: ear.Spelled(words), Start: talk.Seconds(words[0].Start), End: talk.Seconds(words[len(words)-1].End),
			})
		}
		p.Paragraphs = append(p.Paragraphs, q)
		p.Transcript += "\n" + u.Text() + "\n"
	}
	return p
}

// sentences cuts words after those that end with a full stop or its like.
func sentences(words []speech.Word) (cut [][]speech.Word) {
	from := 0
	for i, w := range words {
		if i == len(words)-1 || strings.HasSuffix(w.Text, ".") || strings.HasSuffix(w.Text, "?") || strings.HasSuffix(w.Text, "!") {
			cut, from = append(cut, words[from:i+1]), i+1
		}
	}
	return cut
}
