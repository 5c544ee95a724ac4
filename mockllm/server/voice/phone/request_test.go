package phone

import (
	"fmt"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/pipeline/wire/twilio"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTwilioRefuses(t *testing.T) {
	phoning(t, Config{}, nil, func(r *voicetest.Rig, b *bot) {
		for _, c := range []struct {
			form, message string
			code          int
		}{
			{"", "No 'To' number is specified", 21201},
			{"To=1", "Url parameter is required.", 21205},
			{"To=1&Twiml=x", "From phone number is required.", 21213},
			{"To=1&From=2&Url=ftp://x", "Url is not a valid URL: ftp://x", 21205},
			{"To=1&From=2&Url=http://example.com/a", `Url is not a valid URL: "example.com" is another machine, and this server dials its own only: localhost or 127.0.0.1, unless it was told to dial anywhere`, 21205},
			{"To=1&From=2&Url=http:///a", `Url is not a valid URL: "http:///a" has no host`, 21205},
			{"To=1&From=2&Twiml=x", "read TwiML: EOF", 12100},
			{"To=1&From=2&Twiml=<Response><Connect><Stream url='http://localhost'/></Connect></Response>", `<Stream> has the url "http://localhost", want one of ws or wss`, 12100},
			{"To=1&From=2&Twiml=<Response><Connect><Stream url='ws://10.0.0.1/'/></Connect></Response>", `<Stream>: "10.0.0.1" is another machine, and this server dials its own only: localhost or 127.0.0.1, unless it was told to dial anywhere`, 12100},
			{"To=1&From=2&Url=http://localhost&Method=PUT", `Method "PUT": want GET or POST`, 400},
			{"To=1&From=2&Url=http://localhost&SendDigits=1x", `Invalid SendDigits "1x": want at most 100 of 0123456789ABCD*#wW`, 21206},
			{"To=1&From=2&Url=http://localhost&SendDigits=" + strings.Repeat("1", 101), `Invalid SendDigits "` + strings.Repeat("1", 100) + `": want at most 100 of 0123456789ABCD*#wW`, 21206},
			{"To=1&From=2&Url=http://localhost&TimeLimit=0", `TimeLimit "0": want whole seconds from 1 to 14400`, 400},
		} {
			form, err := url.ParseQuery(c.form)
			if err != nil {
				t.Fatal(err)
			}
			status, body := request(r, http.MethodPost, calls, form)
			want := string(talk.JSON(twilio.Error{Code: c.code, Message: c.message, MoreInfo: fmt.Sprintf("https://www.twilio.com/docs/errors/%d", c.code), Status: 400}))
			if status != 400 || body != want {
				t.Errorf("%s:\n got %d %s\nwant %s", c.form, status, body, want)
			}
		}
		for _, c := range []struct{ method, path string }{
			{http.MethodGet, "/2010-04-01/Accounts/AC1/Calls/CA1.json"},
			{http.MethodPost, "/2010-04-01/Accounts/AC1/Calls/CA1.json"},
			{http.MethodGet, "/v1/halfsecond/calls/CA1"},
		} {
			status, body := request(r, c.method, c.path, nil)
			if want := `{"code":20404,"message":"The requested resource ` + c.path + ` was not found","more_info":"https://www.twilio.com/docs/errors/20404","status":404}`; status != 404 || body != want {
				t.Errorf("got %d %s\nwant %s", status, body, want)
			}
		}
		sid := place(r, url.Values{"Twiml": {"<Response><Pause length='9'/></Response>"}})
		status, body := request(r, http.MethodPost, "/2010-04-01/Accounts/AC1/Calls/"+sid+".json", url.Values{"Status": {"ringing"}})
		if want := `{"code":400,"message":"Status \"ringing\": want completed or canceled; calls under way are not redirected","more_info":"https://www.twilio.com/docs/errors/400","status":400}`; status != 400 || body != want {
			t.Errorf("got %d %s\nwant %s", status, body, want)
		}
		if status, _ := request(r, http.MethodGet, "/2010-04-01/Accounts/AC2/Calls/"+sid+".json", nil); status != 404 {
			t.Errorf("another account sees the call: %d", status)
		}
	})
}

// TestCallBook checks that the oldest call that has ended makes room.
func TestCallBook(t *testing.T) {
	var b book
	first := &call{sid: "first", status: twilio.InProgress}
	b.add(first)
	for i := range mostCalls {
		c := &call{sid: fmt.Sprint(i)}
		c.set(twilio.Completed)
		b.add(c)
	}
	if b.find("first") != first || b.find("0") != nil || b.find("1") == nil || len(b.calls) != mostCalls {
		t.Errorf("%d calls, want %d with the one that goes on and without the first that ended", len(b.calls), mostCalls)
	}
}
