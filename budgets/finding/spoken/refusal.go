package spoken

import (
	"fmt"
	"slices"
	"strings"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
)

// refusals explains the session that ended the audition before it was over.
func refusals(v *view) []finding.Finding {
	if len(v.Sessions) == 0 {
		return nil
	}
	s := &v.Sessions[len(v.Sessions)-1]
	status := s.Transport().Status
	var f finding.Finding
	switch {
	case s.Outcome() == pipeline.Cancelled:
		return nil
	case s.Outcome() == pipeline.Dropped:
		f = finding.Finding{ID: "not_sent", Title: "the session could not be asked for", Fix: "change what the message names"}
	case status == 0:
		f = v.unreachable(s)
	case status == 101, status >= 200 && status < 300 && !strings.Contains(s.Reason(), "did not open a WebSocket"):
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
	if strings.Contains(s.Reason(), "Sec-WebSocket-Accept") {
		return finding.Finding{ID: "no_upgrade", Title: "the server agrees to open a WebSocket, and its Sec-WebSocket-Accept is wrong", Fix: "see what computes it: base64 of the SHA-1 of Sec-WebSocket-Key and the GUID of RFC 6455, section 4.2.2; a proxy may answer in the server's place"}
	}
	if title, fix, ok := finding.Trouble(s.Reason()); ok {
		f.Title, f.Fix = title, fix
		if strings.HasPrefix(v.URL, "ws") {
			f.Fix = strings.NewReplacer("https://", "wss://", "http://", "ws://").Replace(fix)
		}
	} else if strings.Contains(s.Reason(), "no response within") {
		f.Title, f.Fix = "the server took the request and said nothing", "see in its log whether it works on it"
		if !slices.Contains(posts, v.Protocol) {
			f.Fix += ", and whether what stands before it passes WebSockets on (`Upgrade` and `Connection`)"
		}
	}
	return f
}

// byStatus explains a response over HTTP that accepts nothing.
func (v *view) byStatus(s *heard.Session, status int) finding.Finding {
	said := strings.ToLower(s.Reason())
	switch {
	case status == 401 || status == 403:
		return v.key()
	case status == 402:
		return finding.Finding{ID: "payment", Title: "the account has no credit", Fix: "see to the account; nothing was tried again here"}
	case status == 429:
		f := finding.Finding{ID: "rate_limit", Title: "the server limits how much may be asked, and this was too much", Fix: "hold fewer sessions at once, or have the limit raised; nothing was tried again here"}
		if wait := s.Transport().RetryAfter; wait != pipeline.Unknown {
			f.Evidence = []string{"it asks to wait " + ms(wait)}
		}
		return f
	case status >= 300 && status < 400:
		return finding.Finding{ID: "redirect", Title: "the server sends clients elsewhere, which WebSockets do not follow", Fix: "use the URL that the redirect leads to"}
	case status < 300:
		return finding.Finding{
			ID: "no_upgrade", Title: "the server answers, and opens no WebSocket", Evidence: []string{"it came by HTTP/" + s.Transport().HTTP},
			Fix: "check the path of the URL; a proxy before the server must pass upgrades on: in nginx `proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;`",
		}
	case status == 503, status == 529, status >= 500 && strings.Contains(said, "overloaded"):
		return overloaded(s, status)
	case status >= 500:
		return finding.Finding{ID: "server_error", Title: fmt.Sprintf("the server failed with HTTP %d", status), Fix: "see the server's log; the vendor's status page where it is rented"}
	case strings.Contains(said, "model"):
		return finding.Finding{ID: "model", Title: fmt.Sprintf("the server does not take the model %q", v.Model), Fix: "name another with --model"}
	case strings.Contains(said, "voice"):
		return finding.Finding{ID: "voice", Title: fmt.Sprintf("the server does not take the voice %q", v.Voice), Fix: "name another with --voice"}
	case status == 404 || status == 405 || status == 426:
		return finding.Finding{ID: "path", Title: "the server has nothing of " + v.Protocol + " at this URL", Fix: "check the URL (without the path of the protocol, which is added) and --protocol"}
	}
	return finding.Finding{ID: "refused", Title: fmt.Sprintf("the server refuses with HTTP %d", status), Fix: "do what the server's words ask for; --protocol or --model may be wrong"}
}

func overloaded(s *heard.Session, status int) finding.Finding {
	f := finding.Finding{ID: "overloaded", Title: fmt.Sprintf("the server is overloaded, or still loads the model: HTTP %d", status), Fix: "try again later, and give the server more room; nothing was tried again here"}
	if wait := s.Transport().RetryAfter; wait != pipeline.Unknown {
		f.Evidence = []string{"it asks to wait " + ms(wait)}
	}
	return f
}

func (v *view) key() finding.Finding {
	if v.KeyGiven {
		return finding.Finding{ID: "key", Title: "the server refuses the key", Fix: "check the key, that it is of this vendor and region, and that it may use this model"}
	}
	return finding.Finding{ID: "key", Title: "the server asks for a key, and none was given", Fix: "name the environment variable that holds it with --key-env"}
}
