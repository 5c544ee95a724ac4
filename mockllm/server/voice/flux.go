package voice

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/deepgram"
)

// flux answers GET /v2/listen, which becomes a WebSocket.
func (s *Service) flux(w http.ResponseWriter, r *http.Request) {
	id := s.newUUID()
	p := &params{values: r.URL.Query()}
	o := fluxOptionsOf(p)
	if p.fault != nil {
		deepgramRefuse(w, http.StatusBadRequest, deepgram.CodeQuery, id, "Failed to deserialize query parameters: "+p.fault.Error())
		return
	}
	w.Header().Set(deepgram.HeaderRequest, id)
	s.converse(w, r, deepgramSchemes, func(k *socket) session {
		return newFluxSession(s.visit(k, r, "deepgram flux", o.model, id), o)
	})
}

// fluxOptions are the parameters of /v2/listen that change what comes back.
type fluxOptions struct {
	model  string
	source source
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

func fluxOptionsOf(p *params) fluxOptions {
	o := fluxOptions{model: p.values.Get("model"), texts: p.values[dictated]}
	switch {
	case o.model == "":
		p.refuse("missing field `model`: want flux-general-en or flux-general-multi")
	case !strings.HasPrefix(o.model, "flux-"):
		p.refuse("model is %q: want flux-general-en or flux-general-multi; other models are served at /v1/listen", o.model)
	}
	o.source, _ = deepgramSource(p)
	o.end = p.number("eot_threshold", fluxEnd, fluxLeastEnd, fluxMostEnd)
	o.eager = p.number("eager_eot_threshold", 0, fluxLeastEager, fluxMostEager)
	o.timeout = p.milliseconds("eot_timeout_ms", fluxTimeout, fluxLeastTimeout, fluxMostTimeout)
	o.keyterms, o.hints = p.values["keyterm"], p.values["language_hint"]
	if err := o.check(o.model); err != nil {
		p.refuse("%w", err)
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
		changed(&f.end, "eot_threshold", t.EOT, fluxLeastEnd, fluxMostEnd),
		changed(&f.eager, "eager_eot_threshold", t.EagerEOT, fluxLeastEager, fluxMostEager),
		changed(&timeout, "eot_timeout_ms", t.EOTTimeout, fluxLeastTimeout, fluxMostTimeout),
	)
	f.timeout = time.Duration(timeout) * time.Millisecond
	return f, err
}

// changed changes a setting to a value, when there is one, from least to most.
func changed(setting *float64, name string, value *float64, least, most float64) error {
	if value == nil {
		return nil
	}
	if *value < least || *value > most {
		return fmt.Errorf("%s is %g: want a number from %g to %g", name, *value, least, most)
	}
	*setting = *value
	return nil
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
