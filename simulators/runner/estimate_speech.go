package runner

import (
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/simulators/scenario"
)

// SpeechUse is what a run would have of a speech service, warm-up included.
type SpeechUse struct {
	Stage    string `json:"stage"` // "stt", "tts" or "speech_to_speech"
	URL      string `json:"url"`
	Protocol string `json:"protocol"`
	Model    string `json:"model"` // "" for a bot
	// Requests are turns of users: recordings, replies, or turns of a conversation. A service
	// that takes whole texts may have several for a reply.
	Requests int `json:"requests"`
	// Sessions are those that are opened; 0 where each request opens one, or none does.
	Sessions int `json:"sessions"`
	// Speech is how long users speak, in seconds; Audio is how much of it is sent with the silence
	// around it, until the last final text of a call, or the end of its last answer. Characters
	// are those of replies. 0 is none of it.
	Speech     float64 `json:"speech_s"`
	Audio      float64 `json:"audio_s"`
	Characters int     `json:"characters"`
}

// charactersPerToken is how many characters of English a token is: OpenAI's rule of thumb
// (help.openai.com, "What are tokens and how to count them", read 2026-11-30).
const charactersPerToken = 4

// uses returns what a run would have of its speech services, whose replies have so many tokens
// in all, and which hear so much.
func (s *Speech) uses(of *scenario.Scenario, n, spoken int, air []*airtime) (all []SpeechUse) {
	configs, stages := s.talks()
	for i, c := range configs {
		protocol, model := s.named(stages[i])
		u := SpeechUse{Stage: stages[i], URL: endpoint.Config{URL: c.URL}.ShownURL(), Protocol: protocol, Model: model, Requests: n}
		if u.Stage == "tts" {
			u.Characters = charactersPerToken * spoken
		} else {
			u.Speech, u.Audio = (time.Duration(n) * s.usual(func(v *pipeline.Voice) time.Duration { return v.Length() })).Seconds(), air[i].all.Seconds()
		}
		if u.Stage == "speech_to_speech" {
			u.Sessions = callsOf(of, n)
		}
		all = append(all, u)
	}
	return all
}

// usual returns the mean of a length of the recordings.
func (s *Speech) usual(length func(*pipeline.Voice) time.Duration) time.Duration {
	var sum time.Duration
	for i := range s.Voices {
		sum += length(&s.Voices[i].Voice)
	}
	return sum / time.Duration(max(1, len(s.Voices)))
}

// callsOf returns how many calls so many turns are.
func callsOf(s *scenario.Scenario, n int) (calls int) {
	turns := max(1, s.Voice.Stack(false, s.Arrivals.Users).Context.Turns)
	if s.Arrivals.Open() {
		return n
	}
	for user := range s.Arrivals.Users {
		calls += (share(n, s.Arrivals.Users, user) + turns - 1) / turns
	}
	return calls
}

// Spoken returns how long users speak.
func (u *SpeechUse) Spoken() time.Duration { return time.Duration(u.Speech * float64(time.Second)) }

// Sent returns how much audio that is with the silence around it.
func (u *SpeechUse) Sent() time.Duration { return time.Duration(u.Audio * float64(time.Second)) }

// Bot reports whether the service is a bot that is called.
func (u *SpeechUse) Bot() bool { return u.Protocol == phone.Name }
