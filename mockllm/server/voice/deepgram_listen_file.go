package voice

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/deepgram"
)

// deepgramFile answers POST /v1/listen: a whole file, and all that was heard in it.
func (s *Service) deepgramFile(w http.ResponseWriter, r *http.Request) {
	id := s.newUUID()
	refuse := func(status int, code, message string) { deepgramRefuse(w, status, code, id, message) }
	p := &params{values: r.URL.Query()}
	o := fileOptionsOf(p)
	if p.fault != nil {
		refuse(http.StatusBadRequest, deepgram.CodeQuery, p.fault.Error())
		return
	}
	data, arrived, err := s.upload(w, r)
	var large tooLarge
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
	clips, err := o.clips(data)
	if err != nil {
		refuse(http.StatusBadRequest, deepgram.CodeBadRequest, "Bad Request: failed to process audio: corrupt or unsupported data: "+err.Error())
		return
	}
	w.Header().Set(deepgram.HeaderRequest, id)
	e := ledger.Entry{ID: id, Protocol: "deepgram file", Path: r.URL.Path, Model: o.model, Arrived: arrived}
	heard := make([]heardClip, len(clips))
	for i, c := range clips {
		h := s.hearing(s.config.STT(o.model), o.texts)
		h.Turn = speech.Turn{Silence: o.split}
		heard[i] = s.listen(c, h, e)
	}
	sum := sha256.Sum256(data)
	answer := deepgram.ListenFile{
		Metadata: deepgramMetadata(id, o.model, sum[:], time.Now(), heard[0].Duration, len(heard)),
		Results:  o.results(heard),
	}
	s.answer(w, r, "application/json", heard[0].entry, piece{heard[0].latency, jsonOf(answer)})
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
	source     source
	channels   int
	punctuate  bool
	paragraphs bool
	utterances bool
	split      time.Duration // silence that parts utterances
	language   string        // that is told to have been detected
	texts      []string
}

func fileOptionsOf(p *params) fileOptions {
	o := fileOptions{model: deepgramModel(p), texts: p.values[dictated]}
	if strings.HasPrefix(o.model, "flux") {
		p.refuse("model %q only hears streams, at /v2/listen", o.model)
	}
	if p.values.Has("callback") {
		p.refuse("callback is not supported by this mock server, which calls nobody: the answer has the transcript")
	}
	o.source, o.channels = deepgramSource(p)
	smart := p.flag("smart_format")
	o.paragraphs = p.flag("paragraphs") || smart
	o.punctuate = p.flag("punctuate") || o.paragraphs
	o.utterances = p.flag("utterances")
	// .8 s is the service's default (docs/utterance-split, read 2026-11-29).
	o.split = time.Duration(p.number("utt_split", .8, .001, 60) * float64(time.Second))
	if p.flag("detect_language") {
		o.language = "en"
	}
	return o
}

// clips decodes the audio: a clip for each channel that is heard for itself.
func (o fileOptions) clips(data []byte) ([]audio.Clip, error) {
	if o.source.packaging == opusPackets {
		return nil, errors.New("raw Opus packets cannot be told apart in a file: send Ogg Opus")
	}
	if o.source.packaging == container {
		c, err := audio.Read(data)
		return []audio.Clip{c}, err
	}
	clips := make([]audio.Clip, o.channels)
	for i := range clips {
		channel := i
		if o.channels == 1 {
			channel = audio.Mix
		}
		samples, err := o.source.decoding(channel).Decode(nil, data)
		if err != nil {
			return nil, err
		}
		clips[i] = audio.Clip{Rate: o.source.format.Rate, Samples: samples}
	}
	return clips, nil
}

// results returns what was heard in the channels.
func (o fileOptions) results(heard []heardClip) (r deepgram.FileResults) {
	for channel, h := range heard {
		a := deepgramAlternative(h.Words, o.punctuate)
		if o.paragraphs {
			a.Paragraphs = paragraphsOf(h.Segments)
		}
		r.Channels = append(r.Channels, deepgram.FileChannel{Alternatives: []deepgram.Alternative{a}, DetectedLanguage: o.language})
		for _, e := range h.Segments {
			if o.utterances {
				r.Utterances = append(r.Utterances, o.utterance(h.entry.ID, len(r.Utterances), channel, e))
			}
		}
	}
	return r
}

func (o fileOptions) utterance(id string, n, channel int, e speech.Event) deepgram.Utterance {
	a := deepgramAlternative(e.Words, o.punctuate)
	first, last := e.Words[0], e.Words[len(e.Words)-1]
	return deepgram.Utterance{
		Start: inSeconds(first.Start), End: inSeconds(last.End), Confidence: a.Confidence, Channel: channel,
		Transcript: a.Transcript, Words: a.Words, ID: uuidOf(fmt.Sprintf("%s/%d", id, n)),
	}
}

// paragraphsOf makes a paragraph of each utterance.
func paragraphsOf(utterances []speech.Event) *deepgram.Paragraphs {
	p := &deepgram.Paragraphs{Paragraphs: []deepgram.Paragraph{}}
	for _, u := range utterances {
		q := deepgram.Paragraph{NumWords: len(u.Words), Start: inSeconds(u.Words[0].Start), End: inSeconds(u.Words[len(u.Words)-1].End)}
		for _, words := range sentences(u.Words) {
			q.Sentences = append(q.Sentences, deepgram.Sentence{
				Text: spelled(words), Start: inSeconds(words[0].Start), End: inSeconds(words[len(words)-1].End),
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
