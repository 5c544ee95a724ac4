package spoken

import (
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
)

// TestUnreachable: advice is of the scheme that was typed, and of WebSockets only where one was
// to be opened.
func TestUnreachable(t *testing.T) {
	const plain, silent = "no connection: tls: first record does not look like a TLS handshake", "no response within 45s (--limit-first-byte)"
	for _, c := range []struct{ url, protocol, reason, want string }{
		{"wss://h", "deepgram-listen", plain, "use ws:// in the URL"},
		{"https://h", "deepgram-listen", plain, "use http:// in the URL"},
		{"ws://h", "deepgram-listen", "malformed HTTP response", "check the port; use wss:// if it is one of TLS"},
		{"http://h", "deepgram-listen", silent, "see in its log whether it works on it, and whether what stands before it passes WebSockets on (`Upgrade` and `Connection`)"},
		{"http://h", "openai-speech", silent, "see in its log whether it works on it"},
		{"wss://h", "deepgram-listen", "no answer to the TLS handshake within 5s (--limit-connect)", "check that the port is one of TLS: else use ws:// in the URL"},
		{"https://h", "openai-speech", "no answer to the TLS handshake within 5s (--limit-connect)", "check that the port is one of TLS: else use http:// in the URL"},
		{"ws://h", "deepgram-listen", `no connection: malformed HTTP status code "smtp"`, "check the port; use wss:// if it is one of TLS"},
	} {
		r := pipeline.NewTranscription(1, 0)
		r.Outcome, r.Reason = pipeline.Error, c.reason
		f := Of(&heard.Endpoint{URL: c.url, Protocol: c.protocol, Planned: 1, Sessions: []heard.Session{{ID: 1, Transcription: &r}}})
		if len(f) != 1 || f[0].ID != "unreachable" || strings.TrimSuffix(f[0].Fix, ".") != c.want {
			t.Errorf("%s at %s, %s: %+v, want %s", c.protocol, c.url, c.reason, f, c.want)
		}
	}
}

// TestLongReason: a server that says much is quoted in part.
func TestLongReason(t *testing.T) {
	r := pipeline.NewTranscription(1, 0)
	r.Outcome, r.Transport.Status, r.Reason = pipeline.Error, 400, "HTTP 400: "+strings.Repeat("no ", 5000)
	f := Of(&heard.Endpoint{Planned: 1, Sessions: []heard.Session{{ID: 1, Transcription: &r}}})
	if len(f) != 1 || len(f[0].Evidence[0]) > mostWords+100 {
		t.Errorf("%d findings, %.100q ... of %d bytes", len(f), f[0].Evidence[0], len(f[0].Evidence[0]))
	}
}
