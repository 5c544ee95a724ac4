package cartesia

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/cartesia"
)

// stt answers a handshake with the session that begin makes.
func (s *Service) stt(w http.ResponseWriter, r *http.Request, protocol string, begin func(talk.Visit, inkOptions) talk.Session) {
	id := s.NewUUID()
	p := &talk.Params{Values: r.URL.Query()}
	o := inkOptionsOf(p)
	if p.Fault != nil {
		talk.WriteJSON(w, http.StatusBadRequest, cartesia.STTError{ErrorCode: inkInvalid, Title: inkTitle, Message: p.Fault.Error(), RequestID: id})
		return
	}
	s.Converse(w, r, nil, func(k *talk.Socket) talk.Session { return begin(s.Visit(k, r, protocol, o.model, id), o) })
}

// The error of a message or parameter that cannot be taken; the code is ours.
const inkInvalid, inkTitle = "invalid_request", "Invalid request"

// inkOptions are the parameters of both that change what comes back.
type inkOptions struct {
	model   string
	source  ear.Source
	silence time.Duration // that ends an utterance without finalize; 0 is the model's
	whisper bool          // a model that ends utterances by itself
	inkThresholds
	texts []string // to be heard
}

// inkThresholds are those of turns: of how sure it is that the user speaks. A turn ends
// below end, has probably ended below eager, and starts above start.
type inkThresholds struct {
	start, eager, end float64
	timeout           time.Duration
}

// What Cartesia takes and has when nothing is said (types of npm @cartesia/cartesia-js
// 4.2.0, read 2026-11-29).
const (
	inkStart, inkLeastStart, inkMostStart = .8, .5, .9
	inkEager, inkLeastEager, inkMostEager = .4, .3, .6
	inkEnd, inkLeastEnd, inkMostEnd       = .2, .05, .5
	inkTimeout                            = 5_600 // ms
	inkLeastTimeout, inkMostTimeout       = 640, 11_200
)

func inkOptionsOf(p *talk.Params) inkOptions {
	o := inkOptions{model: p.Values.Get("model"), texts: p.Values[ear.Dictated]}
	if o.model == "" {
		p.Refuse("model is required, such as ink-2 or ink-whisper")
	}
	o.whisper = strings.HasPrefix(o.model, "ink-whisper")
	o.source = inkSource(p)
	o.silence = time.Duration(p.Number("max_silence_duration_secs", 0, 0, 60) * float64(time.Second))
	o.inkThresholds = inkThresholds{
		start:   p.Number("turn_start_threshold", inkStart, inkLeastStart, inkMostStart),
		eager:   p.Number("turn_eager_end_threshold", inkEager, inkLeastEager, inkMostEager),
		end:     p.Number("turn_end_threshold", inkEnd, inkLeastEnd, inkMostEnd),
		timeout: p.Milliseconds("turn_end_timeout_ms", inkTimeout, inkLeastTimeout, inkMostTimeout),
	}
	if err := o.check(); err != nil {
		p.Refuse("%w", err)
	}
	return o
}

// inkEncodings are the encodings of raw samples. Of those that Cartesia names, floats
// of 16 bits are not decoded here.
var inkEncodings = map[string]audio.Encoding{
	"pcm_s16le": audio.S16LE, "pcm_s32le": audio.S32LE, "pcm_f32le": audio.F32LE, "pcm_mulaw": audio.MuLaw, "pcm_alaw": audio.ALaw,
}

func inkSource(p *talk.Params) ear.Source {
	encoding, known := inkEncodings[p.Values.Get("encoding")]
	if !known {
		p.Refuse("encoding is %q: this mock server decodes pcm_s16le, pcm_s32le, pcm_f32le, pcm_mulaw and pcm_alaw", p.Values.Get("encoding"))
	}
	rate := p.Whole("sample_rate", 0, audio.LowestRate, audio.HighestRate)
	if rate == 0 {
		p.Refuse("sample_rate is required")
	}
	return ear.Source{Packaging: ear.RawSamples, Format: audio.Format{Encoding: encoding, Rate: rate, Channels: 1}}
}

// check says what is wrong with the thresholds together.
func (t inkThresholds) check() error {
	if t.end >= t.eager || t.eager >= t.start {
		return fmt.Errorf("the thresholds are end %g, eager end %g and start %g: each must be less than the next", t.end, t.eager, t.start)
	}
	return nil
}

// turn returns the turn detection of the thresholds: the confidence that a turn has
// ended is taken to be what is left of the one that the user speaks.
func (t inkThresholds) turn() speech.Turn { return speech.FluxTurn(1-t.end, 1-t.eager, t.timeout) }

// with returns the thresholds as a config command changes them.
func (t inkThresholds) with(c cartesia.TurnsCommand) (inkThresholds, error) {
	if c.Turn == nil {
		return t, nil
	}
	timeout := float64(t.timeout / time.Millisecond)
	for _, s := range []struct {
		name        string
		into, value *float64
		least, most float64
	}{
		{"start_threshold", &t.start, c.Turn.StartThreshold, inkLeastStart, inkMostStart},
		{"eager_end_threshold", &t.eager, c.Turn.EagerEndThreshold, inkLeastEager, inkMostEager},
		{"end_threshold", &t.end, c.Turn.EndThreshold, inkLeastEnd, inkMostEnd},
		{"end_timeout_ms", &timeout, c.Turn.EndTimeout, inkLeastTimeout, inkMostTimeout},
	} {
		if err := talk.Change(s.into, s.name, s.value, s.least, s.most); err != nil {
			return t, err
		}
	}
	t.timeout = time.Duration(timeout) * time.Millisecond
	return t, t.check()
}
