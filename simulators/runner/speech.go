package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
	"halfsecond/simulators/voice"
)

// Speech is where speech services are that take the place of modelled stages of a voice
// turn. Those that are nil stay modelled.
type Speech struct {
	STT    *listen.Config
	TTS    *speak.Config
	Direct *converse.Config
	// Bot is a running bot that is called, in place of Direct.
	Bot *phone.Config
	// Voices is what users say, one after the other, at the rate that the service takes.
	Voices []voice.Said
	// MaxRequests caps the turns of all of them together, and with them the requests to a
	// language model beside them; 0 is no cap.
	MaxRequests int
	// Asked, when set, is added those turns, for runs that share the cap. What was asked before
	// this run is in Endpoint.Before.
	Asked *int
}

// any reports whether there is a service.
func (s *Speech) any() bool { return s.STT != nil || s.TTS != nil || s.Direct != nil || s.Bot != nil }

// hears reports whether users speak audio.
func (s *Speech) hears() bool { return s.STT != nil || s.Direct != nil || s.Bot != nil }

// talks returns what is set for each service, and its stage.
func (s *Speech) talks() (all []*talk.Config, stages []string) {
	add := func(c *talk.Config, stage string) { all, stages = append(all, c), append(stages, stage) }
	if s.STT != nil {
		add(&s.STT.Config, "stt")
	}
	if s.TTS != nil {
		add(&s.TTS.Config, "tts")
	}
	if s.Direct != nil {
		add(&s.Direct.Config, "speech_to_speech")
	}
	if s.Bot != nil {
		add(&s.Bot.Config, "speech_to_speech")
	}
	return all, stages
}

// setUpSpeech makes the clients of the speech services on the run's loop; stop ends their
// sessions.
func (r *run) setUpSpeech() (stop func(), err error) {
	s := &r.settings.Speech
	if !s.any() {
		return func() {}, nil
	}
	loop, ok := r.clock.(*pipeline.Wall)
	if !ok {
		return nil, errors.New("speech services are on the wall clock, not on the simulator")
	}
	if s.hears() && len(s.Voices) == 0 {
		return nil, errors.New("no recording that users say")
	}
	all, _ := s.talks()
	for _, c := range all {
		c.Keep = r.keeper()
	}
	var closers []func()
	stop = func() {
		for _, end := range closers {
			end()
		}
	}
	if s.hears() {
		r.services.Voices = s.Voices
		if r.settings.Target == Endpoint {
			if !slices.ContainsFunc(all, func(c *talk.Config) bool { return c.Cold }) {
				r.services.Last = r.last
			}
			r.services.Ahead = s.TTS != nil && !s.TTS.Cold
			r.services.Prompts = s.STT != nil && r.settings.Endpoint.URL != ""
		}
	}
	if s.STT != nil {
		c, failed := listen.NewClient(*s.STT, loop)
		if err = errors.Join(err, failed); failed == nil {
			r.services.STT, closers = c, append(closers, c.Close)
		}
	}
	if s.TTS != nil {
		c, failed := speak.NewClient(*s.TTS, loop)
		if err = errors.Join(err, failed); failed == nil {
			r.services.TTS, closers = c, append(closers, c.Close)
		}
		r.services.Pieces = !speak.Streams(s.TTS.Protocol)
	}
	if s.Direct != nil {
		c, failed := converse.NewClient(*s.Direct, loop)
		if err = errors.Join(err, failed); failed == nil {
			r.services.Direct, closers = c, append(closers, c.Close)
		}
	}
	if s.Bot != nil {
		c, failed := phone.NewClient(*s.Bot, loop)
		if err = errors.Join(err, failed); failed == nil {
			r.services.Direct, closers = c, append(closers, c.Close)
		}
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("speech services: %w", err)
	}
	r.allow(loop)
	return stop, nil
}

// last reports whether an interaction is the last of its session.
func (r *run) last(session, index int) bool {
	p := r.scenario.Arrivals
	return p.Open() || index+1 >= share(r.scenario.WarmUp+r.settings.N, p.Users, session)
}

// keeper returns what hands exchanges to the raw log; nil where there is none.
func (r *run) keeper() func(*exchange.Exchange) {
	keep := r.settings.KeepExchange
	if keep == nil {
		return nil
	}
	return func(x *exchange.Exchange) {
		if err := keep(x); err != nil {
			r.fail(err)
		}
	}
}

// setUpReal makes the language model of a run at an endpoint: a client, or where there is
// none at the endpoint the modelled one, on the wall clock.
func (r *run) setUpReal(ctx context.Context) (stop func() error, err error) {
	stop = func() error { return nil }
	switch {
	case r.settings.Endpoint.URL != "":
		stop, err = r.setUpEndpoint(ctx)
	case r.settings.Server != nil:
		stop, err = r.setUpServer(ctx)
	case r.settings.Speech.any():
		r.model, err = r.simulated(r.setUpWall())
	default:
		return nil, errors.New("no endpoint")
	}
	if err != nil {
		return nil, err
	}
	r.hearOnLoop(r.clock)
	end, err := r.setUpSpeech()
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	model := stop
	return func() error { end(); return model() }, nil
}

// real returns the names of the spans that speech services take.
func (s *Speech) real() (names []string) {
	if s.STT != nil {
		names = append(names, pipeline.SpanSTTTail)
	}
	if s.TTS != nil {
		names = append(names, pipeline.SpanTTSFirstAudio, pipeline.SpanLeading)
	}
	if s.Direct != nil || s.Bot != nil {
		names = append(names, pipeline.SpanEndOfTurn, pipeline.SpanModelAudio, pipeline.SpanLeading)
	}
	return names
}
