package runner

import (
	"errors"
	"fmt"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/ide/prompt"
)

// withoutEffect refuses what a scenario sets of users and their agent that has no effect beside
// these services. What a service is itself, with its own queues, connections and delays, is in
// the place of what is set of its stage, and no reason to refuse a scenario that has both.
func (r *run) withoutEffect() error {
	v, s := r.scenario.Voice, &r.settings.Speech
	if r.settings.Target == Mock {
		return r.joinedOtherwise()
	}
	if v == nil || r.settings.Target != Endpoint {
		return nil
	}
	var errs []error
	if (s.Direct != nil || s.Bot != nil) && v.BargeIn != nil {
		errs = append(errs, errors.New("voice.barge_in has no effect on a real speech_to_speech service: nobody speaks into what it says; leave it out"))
	}
	if s.TTS != nil && v.Guess != nil && v.Guess.TTS {
		errs = append(errs, errors.New("voice.guess.tts has no effect on a real tts service: what it speaks cannot be held back, and is not asked for before the commit; leave it out, or tts: false"))
	}
	if s.TTS != nil && v.Filler != nil {
		errs = append(errs, errors.New("voice.filler has no effect on a real tts service: it is not asked for fillers, and how soon one of its would be heard is not known; leave it out"))
	}
	return errors.Join(errs...)
}

// joinedOtherwise refuses an order of a prompt that the mock's server, which joins the texts
// itself, does not have: it would keep other beginnings of prompts than the model on the target
// sim does.
func (r *run) joinedOtherwise() error {
	if r.scenario.IDE == nil {
		return nil
	}
	switch p := &r.scenario.IDE.Plugin.Prompt; {
	case p.Family != "" || p.Layout == prompt.PSM || p.Layout == prompt.PrefixOnly:
		return nil
	default:
		return fmt.Errorf("ide.plugin.prompt.layout %s is the order of a server that joins the texts itself, and the mock joins them as psm: name a family beside it, whose tokens are then written into the prompt, or use the target sim", p.Layout)
	}
}

// lossless returns the stages without that of lost speech where a service hears it: its audio
// goes by the service's own protocol, and a modelled way loses none of it.
func (r *run) lossless(all []trace.Stage) (kept []trace.Stage) {
	for _, s := range all {
		if s.Name != pipeline.SpanUplinkLoss || r.audio() == nil && !r.settings.Speech.hears() {
			kept = append(kept, s)
		}
	}
	return kept
}
