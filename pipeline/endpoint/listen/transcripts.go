package listen

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire"
)

// transcripts reads the answer to an upload: events, or JSON as a whole.
type transcripts struct {
	contentType string
	events      wire.EventDecoder
	whole       []byte
	soFar       string
}

// typed says what the answer is.
func (d *transcripts) typed(contentType string, s *step) {
	mediaType, _, _ := strings.Cut(contentType, ";")
	d.contentType = strings.ToLower(strings.TrimSpace(mediaType))
	switch d.contentType {
	case "text/event-stream", "application/json":
		return
	}
	s.failure = &reply.Failure{Kind: reply.BadType, Message: d.contentType}
}

func (d *transcripts) read(m talk.Message, s *step) {
	if d.contentType == "application/json" {
		d.whole = append(d.whole, m.Data...)
		return
	}
	err := d.events.Feed(m.Data, m.At, func(e wire.Event) bool { d.event(e.Data, s); return !s.last && s.failure == nil })
	if err != nil {
		s.unreadable(err)
	}
}

func (d *transcripts) end(s *step) {
	if d.contentType == "application/json" {
		d.answer(s)
		return
	}
	d.events.Flush(func(e wire.Event) bool {
		if json.Valid(e.Data) {
			d.event(e.Data, s)
		}
		return true
	})
}

// event takes one event. Each text that is added makes a partial of all so far.
func (d *transcripts) event(data []byte, s *step) {
	if string(bytes.TrimSpace(data)) == wire.Done {
		return
	}
	var e struct {
		Type  string          `json:"type"`
		Delta string          `json:"delta"`
		Text  string          `json:"text"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		s.unreadable(fmt.Errorf("an event that is not JSON: %w", err))
		return
	}
	switch {
	case reply.MemberFailure(e.Error) != nil:
		s.failure = reply.MemberFailure(e.Error)
	case e.Type == wire.TranscriptDeltaType:
		d.soFar += e.Delta
		s.partial = d.soFar
	case e.Type == wire.TranscriptDoneType:
		s.final("", e.Text)
		s.turnEnd, s.settled, s.last = true, true, true
	}
}

// answer takes a whole answer.
func (d *transcripts) answer(s *step) {
	var a struct {
		Text  *string         `json:"text"`
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(d.whole, &a)
	switch {
	case err != nil:
		s.unreadable(fmt.Errorf("an answer that is not JSON: %w", err))
	case reply.MemberFailure(a.Error) != nil:
		s.failure = reply.MemberFailure(a.Error)
	case a.Text == nil:
		s.unreadable(errors.New("an answer without a text"))
	default:
		s.final("", *a.Text)
		s.turnEnd, s.settled, s.last = true, true, true
	}
}

// boundary stands between the parts of an upload. Nothing that is uploaded holds it.
const boundary = "halfsecond-5b1f0c9a7e3d4286b0a1c2d3e4f50617"

// upload returns the body of an upload of the recording up to an instant in it.
func upload(c *Config, v pipeline.Voice, upTo time.Duration) ([]byte, error) {
	n := min(len(v.Samples), int(upTo*time.Duration(v.Rate)/time.Second))
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	if err := form.SetBoundary(boundary); err != nil {
		return nil, err
	}
	fields := [][2]string{{"model", c.Model}, {"response_format", wire.TranscriptJSON}, {"stream", fmt.Sprint(!c.Whole)}}
	if c.Language != "" {
		fields = append(fields, [2]string{"language", c.Language})
	}
	for _, name := range sorted(c.Query) {
		for _, value := range c.Query[name] {
			fields = append(fields, [2]string{name, value})
		}
	}
	for _, f := range fields {
		if err := form.WriteField(f[0], f[1]); err != nil {
			return nil, err
		}
	}
	file, err := form.CreateFormFile("file", "speech.wav")
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(wav(v.Rate, v.Samples[:n])); err != nil {
		return nil, err
	}
	err = form.Close()
	return b.Bytes(), err
}

// wav returns the samples as a WAV of one channel.
func wav(rate int, samples []int16) []byte {
	le := binary.LittleEndian
	b := append([]byte("RIFF"), le.AppendUint32(nil, uint32(36+2*len(samples)))...)
	b = append(b, "WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"...)
	b = le.AppendUint32(le.AppendUint32(b, uint32(rate)), uint32(2*rate))
	b = append(b, "\x02\x00\x10\x00data"...)
	b = le.AppendUint32(b, uint32(2*len(samples)))
	for _, s := range samples {
		b = le.AppendUint16(b, uint16(s))
	}
	return b
}
