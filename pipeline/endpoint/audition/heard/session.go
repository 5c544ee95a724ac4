package heard

import (
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
)

// Session is one session, or one request over HTTP.
type Session struct {
	ID     int64
	Forced bool // the client itself asked for the final text when the speech ended

	// One of these is its record.
	Transcription *pipeline.Transcription
	Speech        *pipeline.Speech
	Answered      *pipeline.Answered

	Sent     time.Duration // it has its connection and goes out
	Accepted time.Duration // the server accepted: the status and the headers were there
	Headers  [][2]string   // of the response, without those that may hold secrets
	Closing  string        // words of the server's close frame
	Pace     Pace          // of the audio that was sent
	Events   []talk.Event  // what the server said
	// Promised is the rate that the server says its samples have, apart from a header before
	// them; 0 when it does not say.
	Promised int
}

// What all records have.
type common struct {
	due, end  time.Duration
	outcome   pipeline.Outcome
	reason    string
	code      int
	transport *pipeline.Transport
}

func (s *Session) common() common {
	switch {
	case s.Transcription != nil:
		r := s.Transcription
		return common{r.Due, r.End, r.Outcome, r.Reason, r.Close, &r.Transport}
	case s.Speech != nil:
		r := s.Speech
		return common{r.Due, r.End, r.Outcome, r.Reason, r.Close, &r.Transport}
	}
	r := s.Answered
	return common{r.Due, r.End, r.Outcome, r.Reason, r.Close, &r.Transport}
}

// Due returns when the session was to begin, or the text to be sent.
func (s *Session) Due() time.Duration { return s.common().due }

// End returns when it ended.
func (s *Session) End() time.Duration { return s.common().end }

// Outcome returns what became of it, and Reason why in words.
func (s *Session) Outcome() pipeline.Outcome { return s.common().outcome }

// Reason is described at Outcome.
func (s *Session) Reason() string { return s.common().reason }

// Close returns the code of the server's close frame, 0 for none; see Closed.
func (s *Session) Close() int { return s.common().code }

// Closed reports whether the server itself closed a session that did not end well. The close
// frame may answer ours, unless a text was to be spoken: then ours follows the end.
func (s *Session) Closed() bool {
	return !s.OK() && s.Close() != 0 && (s.Speech != nil || strings.Contains(s.Reason(), talk.ServerClosed))
}

// Transport returns what is known of its connection.
func (s *Session) Transport() *pipeline.Transport { return s.common().transport }

// OK reports whether it ended well.
func (s *Session) OK() bool { return s.Outcome() == pipeline.OK }

// Socket reports whether it was a WebSocket.
func (s *Session) Socket() bool { return s.Transport().Status == 101 }

// Unopened reports whether the server answered to the opening of a WebSocket with what opens
// none.
func (s *Session) Unopened() bool {
	return strings.HasPrefix(s.Reason(), talk.Unopened) || strings.HasSuffix(s.Reason(), talk.NoUpgrade)
}

// Connecting returns what opening the connection took: DNS, connecting and TLS; 0 for one
// that was open.
func (s *Session) Connecting() (sum time.Duration) {
	t := s.Transport()
	for _, d := range []time.Duration{t.DNS, t.Connect, t.TLS} {
		if d != pipeline.Unknown {
			sum += d
		}
	}
	return sum
}

// Accepting returns how long the server took to accept, once the connection was open.
func (s *Session) Accepting() time.Duration { return pipeline.Since(s.Sent, s.Accepted) }

// Ready returns when the service takes audio or text; Unknown over HTTP.
func (s *Session) Ready() time.Duration {
	switch {
	case s.Transcription != nil:
		return s.Transcription.Ready
	case s.Speech != nil:
		return s.Speech.Ready
	}
	return s.Answered.Ready
}

// Zero returns the instant that a reader counts from: the end of speech, and of a text that
// is spoken when it was to be sent. Without it, it is when the session was to begin.
func (s *Session) Zero() time.Duration {
	at := pipeline.Unknown
	switch {
	case s.Transcription != nil:
		at = s.Transcription.SpeechEnd
	case s.Answered != nil:
		at = s.Answered.SpeechEnd
	}
	if at == pipeline.Unknown {
		return s.Due()
	}
	return at
}

// Since returns the time from Zero to an instant, Unknown where that is.
func (s *Session) Since(at time.Duration) time.Duration { return pipeline.Since(s.Zero(), at) }

// Header returns a header of the response, "" when it has none of that name.
func (s *Session) Header(name string) string {
	for _, h := range s.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// Of returns the events of a kind.
func (s *Session) Of(kind string) (all []talk.Event) {
	for _, e := range s.Events {
		if e.Kind == kind {
			all = append(all, e)
		}
	}
	return all
}

// Sooner is how soon after another a final text comes that nobody can have spoken anew.
const Sooner = 300 * time.Millisecond

// Noisy reports whether the audio that came is as noise is, so that its format may be another.
func (s *Session) Noisy() bool {
	all := s.Of(talk.KindAudio)
	return len(all) > 0 && all[len(all)-1].Noisy
}

// Sound is what the audio of an answer was.
type Sound struct {
	FirstByte, First, Audible, Last time.Duration
	Lead, Voiced, Length, Stalled   time.Duration
	Rate, Underruns                 int
}

// Sound returns what the audio of an answer was; ok is false when none came.
func (s *Session) Sound() (sound Sound, ok bool) {
	switch {
	case s.Speech != nil:
		r := s.Speech
		sound = Sound{r.FirstByte, r.FirstAudio, r.FirstAudible, r.LastAudio, r.Lead, r.Voiced, r.Length(), r.Stalled, r.Rate, r.Underruns}
	case s.Answered != nil:
		r := s.Answered
		sound = Sound{r.FirstAudio, r.FirstAudio, r.FirstAudible, r.LastAudio, r.Lead, r.Voiced, pipeline.SamplesLast(r.Samples, r.Rate), r.Stalled, r.Rate, r.Underruns}
	default:
		return Sound{}, false
	}
	return sound, sound.First != pipeline.Unknown && sound.Length > 0
}
