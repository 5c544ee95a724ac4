package deepgram

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/deepgram"
)

// flux answers GET /v2/listen, which becomes a WebSocket.
func (s *Service) flux(w http.ResponseWriter, r *http.Request) {
	id := s.NewUUID()
	p := &talk.Params{Values: r.URL.Query()}
	o := fluxOptionsOf(p)
	if p.Fault != nil {
		writeError(w, http.StatusBadRequest, deepgram.CodeQuery, id, "Failed to deserialize query parameters: "+p.Fault.Error())
		return
	}
	w.Header().Set(deepgram.HeaderRequest, id)
	s.Converse(w, r, schemes, func(k *talk.Socket) talk.Session {
		return newFluxSession(s.Visit(k, r, "deepgram flux", o.model, id), s.Ears, o)
	})
}

// fluxOptions are the parameters of /v2/listen that change what comes back.
type fluxOptions struct {
	model  string
	source ear.Source
	fluxSettings
	texts []string // to be heard
}

// fluxSettings are those that a client may change while it talks.
type fluxSettings struct {
	end      float64 // confidence at which a turn ends
	eager    float64 // and at which it has probably ended; 0 is off
	timeout  time.Duration
	keyterms []string
	hints    []string // languages
}

// What Flux takes and has when nothing is said (developers.deepgram.com/docs/flux/
// configuration and configure, read 2026-11-29).
const (
	fluxEnd                       = .7
	fluxLeastEnd, fluxMostEnd     = .5, 1.
	fluxLeastEager, fluxMostEager = .3, .9
	fluxTimeout                   = 5_000 // ms
	fluxLeastTimeout              = 500
	fluxMostTimeout               = 60_000
	fluxMostKeyterms              = 100
	fluxMultilingual              = "flux-general-multi"
)

func fluxOptionsOf(p *talk.Params) fluxOptions {
	o := fluxOptions{model: p.Values.Get("model"), texts: p.Values[ear.Dictated]}
	switch {
	case o.model == "":
		p.Refuse("missing field `model`: want flux-general-en or flux-general-multi")
	case !strings.HasPrefix(o.model, "flux-"):
		p.Refuse("model is %q: want flux-general-en or flux-general-multi; other models are served at /v1/listen", o.model)
	}
	o.source, _ = sourceOf(p)
	o.end = p.Number("eot_threshold", fluxEnd, fluxLeastEnd, fluxMostEnd)
	o.eager = p.Number("eager_eot_threshold", 0, fluxLeastEager, fluxMostEager)
	o.timeout = p.Milliseconds("eot_timeout_ms", fluxTimeout, fluxLeastTimeout, fluxMostTimeout)
	o.keyterms, o.hints = p.Values["keyterm"], p.Values["language_hint"]
	if err := o.check(o.model); err != nil {
		p.Refuse("%w", err)
	}
	return o
}

// check says what is wrong with the settings together.
func (f fluxSettings) check(model string) error {
	switch {
	case f.eager > f.end:
		return errors.New("eager_eot_threshold must be less than or equal to eot_threshold")
	case len(f.keyterms) > fluxMostKeyterms:
		return fmt.Errorf("%d keyterms: at most %d are taken", len(f.keyterms), fluxMostKeyterms)
	case len(f.hints) > 0 && model != fluxMultilingual:
		return fmt.Errorf("language hints are only valid for %s, not for %s", fluxMultilingual, model)
	}
	return nil
}

// with returns the settings as a Configure changes them.
func (f fluxSettings) with(c deepgram.FluxCommand) (fluxSettings, error) {
	if c.Keyterms != nil {
		f.keyterms = *c.Keyterms
	}
	if c.LanguageHints != nil {
		f.hints = *c.LanguageHints
	}
	if c.Thresholds == nil {
		return f, nil
	}
	t := *c.Thresholds
	timeout := float64(f.timeout / time.Millisecond)
	err := errors.Join(
		talk.Change(&f.end, "eot_threshold", t.EOT, fluxLeastEnd, fluxMostEnd),
		talk.Change(&f.eager, "eager_eot_threshold", t.EagerEOT, fluxLeastEager, fluxMostEager),
		talk.Change(&timeout, "eot_timeout_ms", t.EOTTimeout, fluxLeastTimeout, fluxMostTimeout),
	)
	f.timeout = time.Duration(timeout) * time.Millisecond
	return f, err
}

// turn returns the turn detection of the settings.
func (f fluxSettings) turn() speech.Turn { return speech.FluxTurn(f.end, f.eager, f.timeout) }

// thresholds returns the settings as messages have them.
func (f fluxSettings) thresholds() deepgram.Thresholds {
	timeout := float64(f.timeout / time.Millisecond)
	t := deepgram.Thresholds{EOT: &f.end, EOTTimeout: &timeout}
	if f.eager > 0 {
		t.EagerEOT = &f.eager
	}
	return t
}
