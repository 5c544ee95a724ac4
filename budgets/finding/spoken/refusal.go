package spoken

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/speak"
)

// refusals explains the first session that was not accepted. There is none after it.
func refusals(v *view) []finding.Finding {
	for i := range v.Sessions {
		if found := v.refused(&v.Sessions[i]); found != nil {
			return found
		}
	}
	return nil
}

func (v *view) refused(s *heard.Session) []finding.Finding {
	status := s.Transport().Status
	var f finding.Finding
	switch {
	case s.Outcome() == pipeline.Cancelled:
		return nil
	case s.Outcome() == pipeline.Dropped:
		f = finding.Finding{ID: "not_sent", Title: "the session could not be asked for", Fix: "change what the message names"}
	case status == 0:
		f = v.unreachable(s)
	case s.Unopened():
		f = unopened(s, status)
	case status == 101, status >= 200 && status < 300:
		return nil
	default:
		f = v.byStatus(s, status)
	}
	f.Severity, f.Cost = finding.Broken, pipeline.Unknown
	f.Evidence = append([]string{v.which(s) + ": " + brief(s.Reason())}, f.Evidence...)
	return one(f)
}

// posts are the protocols of requests over HTTP; the others are of WebSockets.
var posts = []string{string(listen.OpenAITranscriptions), string(speak.OpenAISpeech), string(speak.ElevenLabsStream), string(speak.CartesiaEvents)}

func (v *view) unreachable(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "unreachable", Title: "there was no response", Fix: "look into the log of the server, or of what is before it"}
	switch {
	case strings.Contains(s.Reason(), "no answer to the TLS handshake"):
		f.Title = "the connection opens, and what listens there does not answer the TLS handshake"
		f.Fix = "check that the port is one of TLS: else use http:// in the URL"
		if strings.HasPrefix(v.URL, "ws") {
			f.Fix = strings.ReplaceAll(f.Fix, "http://", "ws://")
		}
		return f
	case strings.Contains(s.Reason(), "malformed HTTP"):
		f.Title = "what listens there answers, and does not speak HTTP"
		f.Fix = "check the port; use https:// if it is one of TLS"
		if strings.HasPrefix(v.URL, "ws") {
			f.Fix = strings.ReplaceAll(f.Fix, "https://", "wss://")
		}
		return f
	}
	if title, fix, ok := finding.Trouble(s.Reason()); ok {
		f.Title, f.Fix = title, fix
		if strings.HasPrefix(v.URL, "ws") {
			f.Fix = strings.NewReplacer("https://", "wss://", "http://", "ws://").Replace(fix)
		}
	} else if strings.Contains(s.Reason(), "no response within") {
		f.Title, f.Fix = "the server took the request and said nothing", "see in its log whether it works on it"
		if !v.posted() {
			f.Fix += ", and whether what stands before it passes WebSockets on (`Upgrade` and `Connection`)"
		}
	}
	return f
}

// unopened explains what answers to the opening of a WebSocket, and opens none.
func unopened(s *heard.Session, status int) finding.Finding {
	f := finding.Finding{ID: "no_upgrade", Title: "the server answers, and opens no WebSocket"}
	switch said := s.Reason(); {
	case status != 101:
		f.Evidence = []string{"it came by HTTP/" + s.Transport().HTTP}
		f.Fix = "check the path of the URL; a proxy before the server must pass upgrades on: in nginx `proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;`"
	case strings.Contains(said, "an extension"):
		f.Title = "the server agrees to open a WebSocket, with an extension that nobody asked for"
		f.Fix = "have it leave out Sec-WebSocket-Extensions where the client's handshake has none (RFC 6455, section 4.1)"
	default:
		f.Title = "the server agrees to open a WebSocket, and its Sec-WebSocket-Accept is wrong"
		f.Fix = "see what computes it: base64 of the SHA-1 of Sec-WebSocket-Key and the GUID of RFC 6455, section 4.2.2; a proxy may answer in the server's place"
	}
	return f
}

// posted reports whether the protocol is one of requests over HTTP.
func (v *view) posted() bool { return slices.Contains(posts, v.Protocol) }

// byStatus explains a response over HTTP that accepts nothing.
func (v *view) byStatus(s *heard.Session, status int) finding.Finding {
	said := strings.ToLower(s.Reason())
	switch {
	case status == 402, strings.Contains(said, "quota_exceeded"), strings.Contains(said, "insufficient_quota"):
		return finding.Finding{ID: "payment", Title: "the account has no credit", Fix: "see to the account; nothing was tried again here"}
	case status == 401 || status == 403:
		return v.key()
	case status == 429:
		f := finding.Finding{ID: "rate_limit", Title: "the server limits how much may be asked, and this was too much", Fix: "hold fewer sessions at once, or have the limit raised; nothing was tried again here"}
		if wait := s.Transport().RetryAfter; wait != pipeline.Unknown {
			f.Evidence = []string{asksToWait(s, wait)}
		}
		return f
	case status >= 300 && status < 400:
		f := finding.Finding{ID: "redirect", Title: "the server sends clients elsewhere, which WebSockets do not follow", Fix: "use the URL that the redirect leads to"}
		if v.posted() {
			f.Title = "the server sends clients elsewhere, and nothing was sent there"
		}
		return f
	case status == 503, status == 529, status >= 500 && strings.Contains(said, "overloaded"), loads(said):
		return overloaded(s, status)
	case status >= 500:
		return finding.Finding{ID: "server_error", Title: fmt.Sprintf("the server failed with HTTP %d", status), Fix: "see the server's log; the vendor's status page where it is rented"}
	case word(said, "model"):
		return finding.Finding{ID: "model", Title: fmt.Sprintf("the server does not take the model %q", v.Model), Fix: "name another with --model"}
	case word(said, "voice"):
		return finding.Finding{ID: "voice", Title: fmt.Sprintf("the server does not take the voice %q", v.Voice), Fix: "name another with --voice"}
	case status == 404 || status == 405 || status == 426:
		return finding.Finding{ID: "path", Title: "the server has nothing of " + v.Protocol + " at this URL", Fix: "check the URL (without the path of the protocol, which is added) and --protocol"}
	}
	return finding.Finding{ID: "refused", Title: fmt.Sprintf("the server refuses with HTTP %d", status), Fix: "do what the server's words ask for; --protocol or --model may be wrong"}
}

// asksToWait says how long the server asks to wait.
func asksToWait(s *heard.Session, wait time.Duration) string {
	return finding.Waits(wait, slices.ContainsFunc(s.Transport().Headers, func(f pipeline.Fact) bool { return f.Name == reply.OurDate }))
}

func overloaded(s *heard.Session, status int) finding.Finding {
	f := finding.Finding{ID: "overloaded", Title: fmt.Sprintf("the server is overloaded, or still loads the model: HTTP %d", status), Fix: "try again later, and give the server more room; nothing was tried again here"}
	if wait := s.Transport().RetryAfter; wait != pipeline.Unknown {
		f.Evidence = []string{asksToWait(s, wait)}
	}
	return f
}

func (v *view) key() finding.Finding {
	if v.KeyGiven {
		return finding.Finding{ID: "key", Title: "the server refuses the key", Fix: "check the key, that it is of this vendor and region, and that it may use this model"}
	}
	return finding.Finding{ID: "key", Title: "the server asks for a key, and none was given", Fix: "name the environment variable that holds it with --key-env"}
}
