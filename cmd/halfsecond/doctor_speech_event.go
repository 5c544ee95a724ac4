package main

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/exchange"
)

// documentSpeech returns what happened in a session, in order: what the server said, and
// between that what the client did.
func documentSpeech(s *heard.Session) []speechEvent {
	all := []timedEvent{}
	did := func(at time.Duration, kind, text string) {
		if at != pipeline.Unknown {
			all = append(all, timedEvent{at, speechEvent{From: exchange.Client, Kind: kind, Text: text}})
		}
	}
	did(s.Sent, "connected", "")
	switch {
	case s.Transcription != nil:
		r := s.Transcription
		did(r.FirstFrame, "first audio", "")
		did(r.SpeechEnd, "speech ends", "")
		did(r.LastFrame, "last audio", "")
	case s.Speech != nil:
		did(s.Speech.Sent, "text", "")
	default:
		r := s.Answered
		did(r.FirstFrame, "first audio", "")
		did(r.SpeechEnd, "speech ends", "")
		did(r.LastFrame, "last audio", "")
	}
	if s.Accepted != pipeline.Unknown {
		all = append(all, timedEvent{s.Accepted, speechEvent{From: exchange.Server, Kind: "accepted"}})
	}
	for _, e := range s.Events {
		all = append(all, timedEvent{e.At, speechEvent{nil, exchange.Server, e.Kind, e.Name, e.Bytes, e.Text, e.Flag, e.Samples}})
	}
	if s.Close() != 0 {
		all = append(all, timedEvent{s.End(), speechEvent{From: exchange.Server, Kind: exchange.Close, Name: fmt.Sprintf("code %d", s.Close()), Text: s.Closing}})
	}
	slices.SortStableFunc(all, func(a, b timedEvent) int { return int(a.at - b.at) })
	events := make([]speechEvent, len(all))
	for i, e := range all {
		events[i] = e.speechEvent
		events[i].AtMS = spanMS(s.Since(e.at))
	}
	return events
}

type timedEvent struct {
	at time.Duration
	speechEvent
}
