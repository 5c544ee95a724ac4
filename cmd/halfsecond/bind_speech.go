package main

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/simulators/runner"
	"halfsecond/simulators/scenario"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/utterance"
)

// boundStages are the stages that --endpoint can name a service for.
var boundStages = []string{"llm", "stt", "tts", "speech_to_speech"}

// speechServices returns the services of a scenario's voice turns, with the URLs that were
// typed, in the order of boundStages.
func (o *runOptions) speechServices(s *scenario.Scenario) (stt, tts, direct *scenario.SpeechService, err error) {
	stt, tts, direct = s.Endpoints.STT, s.Endpoints.TTS, s.Endpoints.Direct
	for _, binding := range o.endpoints {
		stage, url, _ := strings.Cut(binding, "=")
		at := map[string]**scenario.SpeechService{"stt": &stt, "tts": &tts, "speech_to_speech": &direct}[stage]
		switch {
		case at == nil || url == "":
		case *at == nil:
			err = errors.Join(err, fmt.Errorf("--endpoint %s: which protocol and model? Give the scenario endpoints: {%s: {url, protocol, model}}; --endpoint then names another place of it", binding, stage))
		default:
			moved := **at
			moved.URL = url
			*at = &moved
		}
	}
	return stt, tts, direct, err
}

// hasSpeech reports whether there is a service other than a language model.
func (o *runOptions) hasSpeech(s *scenario.Scenario) bool {
	stt, tts, direct, err := o.speechServices(s)
	return stt != nil || tts != nil || direct != nil || err != nil
}

// speech resolves the speech services of a run.
func (o *runOptions) speech(s *scenario.Scenario) (runner.Speech, error) {
	var out runner.Speech
	stt, tts, direct, err := o.speechServices(s)
	if stt == nil && tts == nil && direct == nil {
		return out, errors.Join(err, o.noRecordings())
	}
	errs := []error{err}
	out.MaxRequests = o.guard.caps.requests
	if s.Voice == nil {
		return out, fmt.Errorf("endpoints stt, tts and speech_to_speech are of kind voice, not of kind %s", s.Kind)
	}
	if direct != nil != (s.Voice.Direct != nil) {
		errs = append(errs, errors.New("endpoints.speech_to_speech and voice.speech_to_speech go together: the one is where the other is"))
	}
	if direct != nil && (stt != nil || tts != nil) {
		errs = append(errs, errors.New("endpoints: speech_to_speech stands for stt and tts as well: want one or the other"))
	}
	protocol := ""
	if stt != nil {
		protocol = stt.Protocol
		c := &listen.Config{Protocol: listen.Protocol(stt.Protocol), Model: stt.Model, Language: stt.Language, Force: true}
		errs = append(errs, o.reach(&c.Config, "stt", stt))
		if a := s.Voice.Audio; a != nil {
			c.Frame = a.Frame
			if c.Force = a.Finals == scenario.FinalsAsked; !c.Force {
				c.EndSilence = a.Silence
			}
		}
		if c.Check() != nil { // a service that ends turns itself
			c.Force = false
		}
		out.STT, errs = c, append(errs, c.Check())
	}
	if tts != nil {
		c := &speak.Config{Protocol: speak.Protocol(tts.Protocol), Model: tts.Model, Voice: tts.Voice, Language: tts.Language, Eager: true}
		errs = append(errs, o.reach(&c.Config, "tts", tts), c.Check())
		out.TTS = c
	}
	if direct != nil {
		protocol = direct.Protocol
	}
	switch {
	case direct == nil:
	case direct.Protocol == phone.Name:
		c := &phone.Config{}
		errs = append(errs, o.reach(&c.Config, "speech_to_speech", direct), c.Check())
		out.Bot = c
	default:
		c := &converse.Config{Model: direct.Model, Voice: direct.Voice, Language: direct.Language}
		errs = append(errs, o.reach(&c.Config, "speech_to_speech", direct), c.Check())
		out.Direct = c
	}
	if protocol != "" {
		out.Voices, err = o.recordings(s.Voice.Audio, protocol)
		errs = append(errs, err)
	} else {
		errs = append(errs, o.noRecordings())
	}
	return out, errors.Join(errs...)
}

// reach sets where a service is.
func (o *runOptions) reach(c *talk.Config, stage string, e *scenario.SpeechService) error {
	key, err := o.serviceKey(stage, e.KeyEnv)
	roots, unread := readRoots(o.caFile)
	var limits endpoint.Config
	o.guard.limits.bind(&limits)
	c.URL, c.Key, c.Roots, c.Limits, c.MaxBytes, c.Cold = e.URL, key, roots, limits.Limits, limits.MaxBytes, o.cold
	return errors.Join(err, unread)
}

// recordings returns what users say to a service of a protocol: the scenario's recordings,
// unless --wav names others, and our sentence where neither does.
func (o *runOptions) recordings(a *scenario.Audio, protocol string) (all []voice.Said, err error) {
	if a != nil && len(o.wavs) == 0 {
		for _, s := range a.Says {
			clip := s.Recording
			clip.Clip = clip.At(audition.Rate(protocol, clip.Rate))
			all = append(all, runner.Said(clip.Voice(), s.Text))
		}
		return all, nil
	}
	names := o.wavs
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		said, v, failed := sentence(name, protocol)
		if failed == nil {
			failed = uncut(name, said)
		}
		if err = errors.Join(err, failed); failed == nil {
			all = append(all, runner.Said(v, ""))
		}
	}
	return all, err
}

// uncut refuses a recording that was cut: the end of its speech is not in it. A doctor only
// says so.
func uncut(name string, r heard.Recording) error {
	if !r.Cut || r.Lacks > 0 && r.Lacks < utterance.LeastLack {
		return nil
	}
	return fmt.Errorf("--wav %s: %w", name, utterance.CutError{Lacks: r.Lacks})
}

// noRecordings refuses recordings that nobody would say.
func (o *runOptions) noRecordings() error {
	if len(o.wavs) > 0 {
		return errors.New("--wav goes with a service that hears: endpoints.stt or endpoints.speech_to_speech")
	}
	return nil
}
