package voice

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/cartesia"
)

// handleCartesiaSTT adds the routes of Cartesia's speech to text.
func (s *Service) handleCartesiaSTT(mux *http.ServeMux) {
	mux.HandleFunc("GET /stt/websocket", func(w http.ResponseWriter, r *http.Request) {
		s.cartesiaSTT(w, r, "cartesia stt", func(v visit, o inkOptions) session { return newInkSession(v, o) })
	})
	mux.HandleFunc("GET /stt/turns/websocket", func(w http.ResponseWriter, r *http.Request) {
		s.cartesiaSTT(w, r, "cartesia turns", func(v visit, o inkOptions) session { return newInkTurns(v, o) })
	})
}

// cartesiaSTT answers a handshake with the session that begin makes.
func (s *Service) cartesiaSTT(w http.ResponseWriter, r *http.Request, protocol string, begin func(visit, inkOptions) session) {
	id := s.newUUID()
	p := &params{values: r.URL.Query()}
	o := inkOptionsOf(p)
	if p.fault != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(jsonOf(cartesia.STTError{ErrorCode: inkInvalid, Title: inkTitle, Message: p.fault.Error(), RequestID: id})) // the client may be gone
		return
	}
	s.converse(w, r, nil, func(k *socket) session { return begin(s.visit(k, r, protocol, o.model, id), o) })
}

// The error of a message or parameter that cannot be taken; the code is ours.
const inkInvalid, inkTitle = "invalid_request", "Invalid request"

// inkOptions are the parameters of both that change what comes back.
type inkOptions struct {
	model   string
	source  source
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

func inkOptionsOf(p *params) inkOptions {
	o := inkOptions{model: p.values.Get("model"), texts: p.values[dictated]}
	if o.model == "" {
		p.refuse("model is required, such as ink-2 or ink-whisper")
	}
	o.whisper = strings.HasPrefix(o.model, "ink-whisper")
	o.source = inkSource(p)
	o.silence = time.Duration(p.number("max_silence_duration_secs", 0, 0, 60) * float64(time.Second))
	o.inkThresholds = inkThresholds{
		start:   p.number("turn_start_threshold", inkStart, inkLeastStart, inkMostStart),
		eager:   p.number("turn_eager_end_threshold", inkEager, inkLeastEager, inkMostEager),
		end:     p.number("turn_end_threshold", inkEnd, inkLeastEnd, inkMostEnd),
		timeout: p.milliseconds("turn_end_timeout_ms", inkTimeout, inkLeastTimeout, inkMostTimeout),
	}
	if err := o.check(); err != nil {
		p.refuse("%w", err)
	}
	return o
}

// inkEncodings are the encodings of raw samples. Of those that Cartesia names, floats
// of 16 bits are not decoded here.
var inkEncodings = map[string]audio.Encoding{
	"pcm_s16le": audio.S16LE, "pcm_s32le": audio.S32LE, "pcm_f32le": audio.F32LE, "pcm_mulaw": audio.MuLaw, "pcm_alaw": audio.ALaw,
}

func inkSource(p *params) source {
	encoding, known := inkEncodings[p.values.Get("encoding")]
	if !known {
		p.refuse("encoding is %q: this mock server decodes pcm_s16le, pcm_s32le, pcm_f32le, pcm_mulaw and pcm_alaw", p.values.Get("encoding"))
	}
	rate := p.whole("sample_rate", 0, audio.LowestRate, audio.HighestRate)
	if rate == 0 {
		p.refuse("sample_rate is required")
	}
	return source{packaging: rawSamples, format: audio.Format{Encoding: encoding, Rate: rate, Channels: 1}}
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
		if err := changed(s.into, s.name, s.value, s.least, s.most); err != nil {
			return t, err
		}
	}
	t.timeout = time.Duration(timeout) * time.Millisecond
	return t, t.check()
}
