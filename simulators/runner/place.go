package runner

import (
	"encoding/binary"

	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/voice"
)

// Place returns what a trace file says of an endpoint, and of how it is asked.
func Place(e endpoint.Config, perUser int) trace.Endpoint {
	l := e.Limits.WithDefaults()
	bytes := e.MaxBytes
	if bytes == 0 {
		bytes = reply.DefaultMaxBytes
	}
	return trace.Endpoint{
		Stage: "llm", URL: e.ShownURL(), Protocol: string(e.Protocol), Model: e.Model,
		MaxRequests: e.MaxRequests, MaxTokens: e.MaxTokens, MaxCost: e.MaxCost, PerUser: perUser, Cold: e.Cold, IgnoreEOS: e.IgnoreEOS,
		Limits: trace.Limits{Connect: l.Connect, FirstByte: l.FirstByte, Gap: l.Gap, Whole: l.Whole, Bytes: bytes},
		Price:  e.Price,
	}
}

// places returns what a trace file says of the speech services.
func (s *Speech) places() (all []trace.Endpoint) {
	configs, stages := s.talks()
	for i, c := range configs {
		l := c.Limits.WithDefaults()
		bytes := c.MaxBytes
		if bytes == 0 {
			bytes = talk.DefaultMaxBytes
		}
		e := trace.Endpoint{
			Stage: stages[i], URL: endpoint.Config{URL: c.URL}.ShownURL(), PerUser: 1, Cold: c.Cold, MaxRequests: s.MaxRequests,
			Limits: trace.Limits{Connect: l.Connect, FirstByte: l.FirstByte, Gap: l.Gap, Whole: l.Whole, Bytes: bytes},
		}
		e.Protocol, e.Model = s.named(e.Stage)
		s.told(&e)
		all = append(all, e)
	}
	return all
}

// named returns how the service of a stage is called.
func (s *Speech) named(stage string) (protocol, model string) {
	switch {
	case stage == "stt":
		return string(s.STT.Protocol), s.STT.Model
	case stage == "tts":
		return string(s.TTS.Protocol), s.TTS.Model
	case s.Bot != nil:
		return phone.Name, ""
	}
	return converse.Name, s.Direct.Model
}

// told adds what the service of a stage was told, and what users said to it.
func (s *Speech) told(e *trace.Endpoint) {
	switch {
	case e.Stage == "tts":
		e.Voice, e.Language = s.TTS.Voice, s.TTS.Language
		return
	case e.Stage == "stt":
		e.Language = s.STT.Language
	case s.Direct != nil:
		e.Voice, e.Language = s.Direct.Voice, s.Direct.Language
	}
	e.Recordings = soundSum(s.Voices)
}

// soundSum returns the SHA-256 of recordings, in hexadecimal: of the rate, the length and the
// samples of each.
func soundSum(all []voice.Said) string {
	var b []byte
	for _, v := range all {
		b = binary.LittleEndian.AppendUint64(b, uint64(v.Voice.Rate))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(v.Voice.Samples)))
		for _, sample := range v.Voice.Samples {
			b = binary.LittleEndian.AppendUint16(b, uint16(sample))
		}
	}
	return exchange.Hash(b)
}

// used returns what was used of the endpoint; none on other targets.
func (r *run) used() []trace.Used {
	if c, ok := r.direct.(*endpoint.Client); ok && r.settings.Target == Endpoint {
		return []trace.Used{{Model: r.settings.Endpoint.Model, Tally: c.Used()}}
	}
	return nil
}
