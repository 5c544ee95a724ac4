package phone

import (
	"encoding/base64"
	"encoding/json"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/twilio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

func TestTwilioHangUp(t *testing.T) {
	phoning(t, Config{}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {toBot}, "SendDigits": {"1w#W9"}})
		const uri = "/2010-04-01/Accounts/AC1/Calls/"
		time.Sleep(1310 * ms)
		status, body := request(r, http.MethodGet, uri+sid+".json", nil)
		want := `{"account_sid":"AC1","annotation":null,"answered_by":null,"api_version":"2010-04-01","caller_name":null,"date_created":"Sat, 01 Jan 2000 00:00:00 +0000","date_updated":"Sat, 01 Jan 2000 00:00:00 +0000","direction":"outbound-api","duration":null,"end_time":null,"forwarded_from":null,"from":"+15550101","from_formatted":"+15550101","group_sid":null,"parent_call_sid":null,"phone_number_sid":null,"price":null,"price_unit":"USD","queue_time":"0","sid":"SID","start_time":"Sat, 01 Jan 2000 00:00:00 +0000","status":"in-progress","subresource_uris":{"streams":"/2010-04-01/Accounts/AC1/Calls/SID/Streams.json"},"to":"+15550100","to_formatted":"+15550100","trunk_sid":"","uri":"/2010-04-01/Accounts/AC1/Calls/SID.json"}`
		if got := sids.ReplaceAllString(body, "SID"); status != http.StatusOK || got != want {
			t.Errorf("got %d %s\nwant %s", status, got, want)
		}
		status, body = request(r, http.MethodPost, uri+sid+".json", url.Values{"Status": {"completed"}})
		if status != http.StatusOK || !strings.Contains(body, `"status":"completed"`) {
			t.Errorf("%d %s, want a call that is completed", status, body)
		}
		b.expect(agent, opened, begun,
			`0 {"event":"dtmf","sequenceNumber":"2","dtmf":{"track":"inbound_track","digit":"1"},"streamSid":"SID"}`,
			`700 {"event":"dtmf","sequenceNumber":"37","dtmf":{"track":"inbound_track","digit":"#"},"streamSid":"SID"}`,
			`1310 {"event":"stop","sequenceNumber":"69","stop":{"accountSid":"AC1","callSid":"SID"},"streamSid":"SID"}`,
			`1310 websocket: close 1000 (normal)`,
		)
		status, body = request(r, http.MethodPost, uri+sid+".json", url.Values{"Status": {"completed"}})
		if want := `{"code":21220,"message":"Call is not in-progress. Cannot redirect.","more_info":"https://www.twilio.com/docs/errors/21220","status":400}`; status != 400 || body != want {
			t.Errorf("got %d %s\nwant %s", status, body, want)
		}
		if _, body = request(r, http.MethodGet, uri+sid+".json", nil); !strings.Contains(body, `"duration":"1"`) {
			t.Errorf("got %s, want one that lasted a second", body)
		}
	})
}

// TestTwilioServerEnds checks what comes after a stream that the server closes.
func TestTwilioServerEnds(t *testing.T) {
	const markup = `<Response><Say>abcdefghij</Say><Pause length="2"/><Connect><Stream url="ws://127.0.0.1/stream"><Parameter name="k" value="v"/></Stream></Connect><Pause length="60"/></Response>`
	phoning(t, Config{}, nil, func(r *voicetest.Rig, b *bot) {
		sid := place(r, url.Values{"Twiml": {markup}, "TimeLimit": {"10"}})
		time.Sleep(3500 * ms)
		b.expect("3000"+agent[1:], "3000"+opened[1:], "3000"+begun[1:])
		_ = b.conn.Close()
		synctest.Wait()
		if e := r.LastOf("twilio media stream"); e.Ended != 3500*ms || e.Reason != "the server closed the stream" {
			t.Errorf("entry %+v, want a stream that the server closed", e)
		}
		if s := reportOf(r, sid).Status; s != "in-progress" {
			t.Errorf("status %s, want in-progress", s)
		}
		time.Sleep(7 * time.Second)
		if s := reportOf(r, sid).Status; s != "completed" {
			t.Errorf("status %s, want completed: the time is over", s)
		}
	})
}

func TestTwilioURL(t *testing.T) {
	forms := make(chan string, 3)
	pages := map[string]http.HandlerFunc{
		"/twiml": func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseForm(); err != nil {
				t.Error(err)
			}
			forms <- r.Method + " " + sids.ReplaceAllString(r.Form.Encode(), "SID")
			_, _ = io.WriteString(w, toBot)
		},
		"/moved": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://example.com/", http.StatusFound)
		},
		"/long":   func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(make([]byte, mostMarkup+1)) },
		"/broken": func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<Response>") },
		"/far": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Replace(toBot, "127.0.0.1", "example.com", 1))
		},
		"/other": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Replace(toBot, "/stream", "/nothing", 1))
		},
	}
	phoning(t, Config{}, pages, func(r *voicetest.Rig, b *bot) {
		place(r, url.Values{"Url": {"http://localhost/twiml?mine=1"}, "Twiml": {"<Response/>"}})
		b.expect(agent, opened, begun)
		const form = `AccountSid=AC1&ApiVersion=2010-04-01&CallSid=SID&CallStatus=in-progress&Called=%2B15550100&Caller=%2B15550101&Direction=outbound-api&From=%2B15550101&To=%2B15550100&mine=1`
		if got := <-forms; got != "POST "+form {
			t.Errorf("got %s\nwant POST %s", got, form)
		}
		place(r, url.Values{"Url": {"http://localhost/twiml?mine=1"}, "Method": {"get"}})
		if got := <-forms; got != "GET "+form {
			t.Errorf("got %s\nwant GET %s", got, form)
		}
		for _, c := range []struct {
			path, message string
			code          int
		}{
			{"/none", "fetch TwiML from http://localhost/none: the server answered 404 Not Found", 11200},
			{"/moved", `fetch TwiML from http://localhost/moved: Post "http://example.com/": "example.com" is another machine, and this server dials its own only: localhost or 127.0.0.1, unless it was told to dial anywhere`, 11200},
			{"/long", "fetch TwiML from http://localhost/long: the document is longer than 65536 bytes", 11200},
			{"/broken", "read TwiML: XML syntax error on line 1: unexpected EOF", 12100},
			{"/far", `<Stream>: "example.com" is another machine, and this server dials its own only: localhost or 127.0.0.1, unless it was told to dial anywhere`, 31902},
			{"/other", "Stream - WebSocket - Handshake Error: ws://127.0.0.1/nothing answered 404 Not Found, want 101", 31920},
		} {
			sid := place(r, url.Values{"Url": {"http://localhost" + c.path}})
			report := reportOf(r, sid)
			if report.Status != "failed" || len(report.Errors) != 1 || report.Errors[0].Message != c.message || report.Errors[0].Code != c.code {
				t.Errorf("%s: report %s\nwant %d %s", c.path, talk.JSON(report), c.code, c.message)
			}
		}
		_ = b.ln.Close()
		sid := place(r, url.Values{"Twiml": {toBot}})
		if report := reportOf(r, sid); len(report.Errors) != 1 || report.Errors[0].Code != 31902 {
			t.Errorf("report %s, want 31902", talk.JSON(report))
		}
	})
}

// TestTwilioStops checks that nothing is left of calls when the server stops.
func TestTwilioStops(t *testing.T) {
	phoning(t, Config{}, nil, func(r *voicetest.Rig, b *bot) {
		place(r, url.Values{"Twiml": {toBot}})
		place(r, url.Values{"Twiml": {"<Response><Pause length='99'/></Response>"}})
		time.Sleep(10 * ms)
		go r.Stop()
		b.expect(agent, opened, begun, `10 websocket: close 1001 (going away): the server is shutting down`)
	})
}

// TestTwilioSocket places a call over real sockets.
func TestTwilioSocket(t *testing.T) {
	up := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		sent := false
		for {
			var m twilio.Message
			if conn.ReadJSON(&m) != nil {
				return
			}
			if m.Media != nil && m.Media.Chunk == "70" && !sent { // 1.4 s: the caller has spoken
				sent = true
				payload := base64.StdEncoding.EncodeToString(audio.Encode(nil, voicetest.Voiced(100*ms, 8000), audio.MuLaw))
				if err := conn.WriteJSON(twilio.Message{Event: "media", StreamSid: m.StreamSid, Media: &twilio.Media{Payload: payload}}); err != nil {
					t.Error(err)
				}
			}
		}
	}))
	defer server.Close()
	r := start(t, Config{Transcript: []string{"ab"}, TTS: tenASecond})
	defer r.Stop()
	markup := strings.Replace(toBot, "ws://127.0.0.1/stream", "ws"+strings.TrimPrefix(server.URL, "http"), 1)
	form := url.Values{"Twiml": {markup}, "To": {"1"}, "From": {"2"}}
	_, body := request(r, http.MethodPost, calls, form)
	var c twilio.Call
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	deadline := time.Now().Add(20 * time.Second)
	var report callReport
	for report = reportOf(r, c.Sid); report.Status != "completed" && time.Now().Before(deadline); report = reportOf(r, c.Sid) {
		time.Sleep(50 * ms)
	}
	if len(report.Turns) != 1 || report.Turns[0].VoiceToVoice == nil || *report.Turns[0].VoiceToVoice < 150 || *report.Turns[0].VoiceToVoice > 5000 {
		t.Errorf("report %s, want a turn with an answer after 200 ms or so", talk.JSON(report))
	}
}

// TestCallsShareTheirLines: what callers say is made once, however many calls are kept.
func TestCallsShareTheirLines(t *testing.T) {
	s := New(voicetest.Alone(), Config{TTS: tenASecond, Transcript: []string{"Good day.", "..."}})
	one, two := s.lines(), s.lines()
	if len(one) != 1 || len(two) != 1 || &one[0].samples[0] != &two[0].samples[0] {
		t.Errorf("%d and %d lines, want the same one", len(one), len(two))
	}
}
