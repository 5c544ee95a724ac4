package audition

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/exchange"
)

// Again adds to an endpoint, of which all but the sessions is known, the sessions of a raw
// log, made of their bytes alone. Where these are fewer than were planned and it is not known
// why, the last of them says it, or else the audition was interrupted. It returns what the
// bytes have otherwise than it was known. The error says what cannot be read.
func Again(e *heard.Endpoint, log *exchange.Reader) (otherwise []Difference, err error) {
	for {
		x, err := log.Next()
		if errors.Is(err, io.EOF) {
			if n := len(e.Sessions); e.Stopped == "" && n < e.Planned {
				e.Stopped = heard.Interrupted
				if n > 0 {
					e.Stopped = cmp.Or(stops(&e.Sessions[n-1]), heard.Interrupted)
				}
			}
			return otherwise, nil
		}
		if err != nil {
			return nil, err
		}
		if KindOf(x.Protocol) != e.Kind {
			return nil, fmt.Errorf("conversation %d is of protocol %s, not of one that %s", x.Request, x.Protocol, e.Kind)
		}
		s, err := see(&heard.Session{ID: x.Request}, x)
		if err != nil {
			return nil, fmt.Errorf("conversation %d: %w", x.Request, err)
		}
		e.Sessions = append(e.Sessions, s)
		found, err := differ(e, x)
		if err != nil {
			return nil, err
		}
		otherwise = append(otherwise, found...)
	}
}

// Difference is something that was known of an endpoint, and that the bytes of a session have
// otherwise.
type Difference struct {
	Session   int64
	Name      string // as in the document of doctor
	Known, Is string
}

// differ returns what the bytes of a session have otherwise than it is known of its endpoint.
func differ(e *heard.Endpoint, x *exchange.Exchange) (all []Difference, err error) {
	say := func(name, known, is string) {
		// What the bytes do not say is no difference, nor a key that was taken out of them.
		if is != "" && known != is && !strings.Contains(is, "****") {
			all = append(all, Difference{x.Request, name, known, is})
		}
	}
	say("protocol", e.Protocol, x.Protocol)
	say("model", e.Model, x.Model)
	if u, err := url.Parse(e.URL); err == nil && !strings.HasPrefix(x.Path, strings.TrimRight(u.Path, "/")) {
		say("url", u.Path, x.Path)
	}
	if e.Kind == heard.Speaks {
		asked, err := speak.AskedOf(x)
		say("samples", e.Format, asked.Format)
		if asked.Rate != 0 {
			say("rate", strconv.Itoa(e.Rate), strconv.Itoa(asked.Rate))
		}
		say("text", strings.TrimSpace(e.Text), asked.Text)
		say("voice", e.Voice, asked.Voice)
		return all, err
	}
	timing := listen.TimingOf
	if e.Kind == heard.Converses {
		timing = converse.TimingOf
	}
	speechEnd, begin, err := timing(x)
	if err != nil {
		return nil, err
	}
	if e.Recording != nil {
		say("recording.speech_to_ms", inMS(e.Recording.SpeechTo), inMS(speechEnd))
	}
	if begin != pipeline.Unknown && x.Method != "POST" {
		say("idle_ms", inMS(e.Idle), inMS(begin))
	}
	return all, nil
}

func inMS(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', -1, 64)
}
