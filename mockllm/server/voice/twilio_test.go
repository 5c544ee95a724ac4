package voice

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/wire/twilio"
)

// bot is a server of a user: it takes one stream, keeps what comes, and has a test
// answer it.
type bot struct {
	t    *testing.T
	from time.Time
	ln   *memnet.Listener
	web  *http.Server
	all  sync.WaitGroup

	conn *websocket.Conn
	sid  string // of the stream

	mu   sync.Mutex // guards what follows
	got  []string   // messages but media, and the end, with their instants in ms
	said []int16    // audio
	last string     // media
}

// newBot starts a bot at /stream, and other pages that a test may want.
func newBot(t *testing.T, pages map[string]http.HandlerFunc) *bot {
	b := &bot{t: t, from: time.Now(), ln: memnet.Listen()}
	mux := http.NewServeMux()
	mux.HandleFunc("/stream", b.stream)
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	b.web = &http.Server{Handler: mux}
	b.all.Go(func() { _ = b.web.Serve(b.ln) })
	return b
}

func (b *bot) stop() {
	_ = b.web.Close()
	if b.conn != nil {
		_ = b.conn.Close()
	}
	b.all.Wait()
}

// stream keeps what comes.
func (b *bot) stream(w http.ResponseWriter, r *http.Request) {
	up := websocket.Upgrader{}
	conn, err := up.Upgrade(w, r, nil)
	if err != nil {
		b.t.Error(err)
		return
	}
	b.conn = conn
	b.note("agent " + r.UserAgent())
	b.all.Add(1)
	defer b.all.Done()
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			b.note(err.Error())
			return
		}
		b.message(data)
	}
}

func (b *bot) note(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, fmt.Sprintf("%d %s", time.Since(b.from)/ms, text))
}

func (b *bot) message(data []byte) {
	var m twilio.Message
	if err := json.Unmarshal(data, &m); err != nil {
		b.t.Error(err)
	}
	if m.Event == twilio.EventStart {
		b.sid = m.StreamSid
	}
	if m.Media == nil {
		b.note(string(data))
		return
	}
	sound, err := base64.StdEncoding.DecodeString(m.Media.Payload)
	if err != nil {
		b.t.Error(err)
	}
	samples, err := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: 8000}, audio.Mix).Decode(nil, sound)
	if err != nil {
		b.t.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, samples...)
	m.Media.Payload = fmt.Sprint(len(sound))
	b.last = fmt.Sprintf("%d %s", time.Since(b.from)/ms, jsonOf(m))
}

// send sends a message to the stream.
func (b *bot) send(format string, args ...any) {
	b.t.Helper()
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "SID", b.sid)
	if err := b.conn.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		b.t.Error(err)
	}
}

// play sends silence and then sound.
func (b *bot) play(silence, sound time.Duration) {
	b.t.Helper()
	samples := append(hushed(silence, 8000), hummed(sound, 8000)...)
	b.send(`{"event":"media","streamSid":"SID","media":{"payload":"%s"}}`, base64.StdEncoding.EncodeToString(audio.Encode(nil, samples, audio.MuLaw)))
}

// expect checks what came, but for audio; SID stands for ids.
func (b *bot) expect(want ...string) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range max(len(b.got), len(want)) {
		switch {
		case i >= len(want):
			b.t.Errorf("more: %s", b.got[i])
		case i >= len(b.got):
			b.t.Errorf("lacks: %s", want[i])
		case sids.ReplaceAllString(b.got[i], "SID") != want[i]:
			b.t.Errorf("message %d:\n got %s\nwant %s", i, b.got[i], want[i])
		}
	}
	b.got = nil
}

// sids are the ids of calls and streams.
var sids = regexp.MustCompile(`\b(CA|MZ)[0-9a-f]{32}\b`)

// tenASecond is a voice that says ten characters a second.
func tenASecond(string) speech.TTS { return speech.TTS{Pace: 10} }

// phoning runs a test of calls inside a bubble.
func phoning(t *testing.T, c Config, pages map[string]http.HandlerFunc, test func(r *rig, b *bot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBot(t, pages)
		defer b.stop()
		c.TTS, c.Dial = tenASecond, b.ln.DialContext
		r := start(t, c, func(s *Service, mux *http.ServeMux) { s.handleTwilio(mux) })
		defer r.stop()
		test(r, b)
	})
}

// ask sends a request and returns the status and the answer.
func (r *rig) request(method, path string, form url.Values) (int, string) {
	r.t.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: r.ln.DialContext, DisableKeepAlives: true}}
	q, err := http.NewRequest(method, "http://mock"+path, strings.NewReader(form.Encode()))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(body))
}

const (
	calls  = "/2010-04-01/Accounts/AC1/Calls.json"
	toBot  = `<Response><Connect><Stream url="ws://127.0.0.1/stream"><Parameter name="k" value="v"/></Stream></Connect></Response>`
	agent  = `0 agent Twilio.TmeWs/1.0`
	opened = `0 {"event":"connected","protocol":"Call","version":"1.0.0"}`
	begun  = `0 {"event":"start","sequenceNumber":"1","start":{"accountSid":"AC1","streamSid":"SID","callSid":"SID","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"k":"v"}},"streamSid":"SID"}`
)

// place places a call and returns its id.
func (r *rig) place(form url.Values) string {
	r.t.Helper()
	form.Set("To", "+15550100")
	form.Set("From", "+15550101")
	status, body := r.request(http.MethodPost, calls, form)
	var c twilio.Call
	if err := json.Unmarshal([]byte(body), &c); err != nil || status != http.StatusCreated {
		r.t.Fatalf("%d %s, want a call", status, body)
	}
	synctest.Wait()
	return c.Sid
}

// report returns what is known of a call.
func (r *rig) report(sid string) (report callReport) {
	r.t.Helper()
	status, body := r.request(http.MethodGet, "/v1/halfsecond/calls/"+sid, nil)
	if err := json.Unmarshal([]byte(body), &report); err != nil || status != http.StatusOK {
		r.t.Fatalf("%d %s, want a report", status, body)
	}
	return report
}

// TestTwilioCall lets a caller say two texts to a bot that answers both.
func TestTwilioCall(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcde", "fg"}}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}})
		b.expect(agent, opened, begun)
		// The caller speaks after a second, from 1000 to 1500.
		time.Sleep(2 * time.Second)
		b.play(50*ms, 150*ms)
		b.send(`{"event":"mark","streamSid":"SID","mark":{"name":"one"}}`)
		time.Sleep(time.Second)
		// The mark passes at 2200; the caller speaks again a second later, at 3200.
		b.expect(`2200 {"event":"mark","sequenceNumber":"111","mark":{"name":"one"},"streamSid":"SID"}`)
		time.Sleep(600 * ms)
		// Its speech ends at 3400, and the answer is heard from 3600 to 3700.
		b.play(0, 100*ms)
		time.Sleep(2 * time.Second)
		// It hangs up with the frame that ends a second after that, at 4700.
		b.expect(
			`4700 {"event":"stop","sequenceNumber":"238","stop":{"accountSid":"AC1","callSid":"SID"},"streamSid":"SID"}`,
			`4700 websocket: close 1000 (normal)`,
		)
		if want := `4700 {"event":"media","sequenceNumber":"237","media":{"track":"inbound","chunk":"235","timestamp":"4700","payload":"160"},"streamSid":"` + b.sid + `"}`; b.last != want {
			t.Errorf("last media %s, want %s", b.last, want)
		}
		first, last := b.spoken(1000*ms, "abcde")
		again, end := b.spoken(3200*ms, "fg")
		report := r.report(sid)
		sound := audio.Duration(slices.IndexFunc(hummed(time.Second, 8000), func(s int16) bool { return s >= 328 }), 8000)
		want := []turnReport{
			reported("abcde", first, last, 2050*ms+sound, 2200*ms),
			reported("fg", again, end, 3600*ms+sound, 3700*ms),
		}
		if got := jsonOf(report.Turns); string(got) != string(jsonOf(want)) || report.Status != "completed" || report.Heard != 300 {
			t.Errorf("report %+v\n got %s\nwant %s", report, got, jsonOf(want))
		}
		all, _ := r.config.Ledger.Latest(9)
		if len(all) != 3 {
			t.Fatalf("%d entries, want two turns and a stream", len(all))
		}
		if e := all[0]; e.Protocol != "twilio turn" || e.ID != sid+"/0" || e.Arrived != last || e.First != 2050*ms+sound || e.Ended != 2200*ms || e.Outcome != pipeline.OK {
			t.Errorf("entry %+v, want the first turn", e)
		}
		if e := all[2]; e.Protocol != "twilio media stream" || e.ID != sid || e.AudioIn != 300*ms || e.AudioOut != 4700*ms || e.First != 2050*ms+sound || e.Ended != 4700*ms {
			t.Errorf("entry %+v, want the stream", e)
		}
	})
}

// spoken checks that the caller has said a text at an instant, and returns the instants
// of its first and last audible sample.
func (b *bot) spoken(at time.Duration, text string) (first, last time.Duration) {
	b.t.Helper()
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	want := speech.Say(text, tenASecond(""), 8000).Samples
	from := audio.Samples(at, 8000)
	// What is sent has passed through mu-law.
	want, err := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: 8000}, audio.Mix).Decode(nil, audio.Encode(nil, want, audio.MuLaw))
	if err != nil || !slices.Equal(b.said[from:from+len(want)], want) {
		b.t.Errorf("the caller has not said %q at %s", text, at)
	}
	first, last = -1, -1
	for i, s := range speech.Say(text, tenASecond(""), 8000).Samples {
		if s > -328 && s < 328 {
			continue
		}
		if last = at + audio.Duration(i, 8000); first < 0 {
			first = last
		}
	}
	return first, last
}

func reported(text string, start, end, first, over time.Duration) turnReport {
	at := func(d time.Duration) *float64 { x := inMilliseconds(d); return &x }
	return turnReport{text, inMilliseconds(start), inMilliseconds(end), at(first), at(first - end), at(over)}
}

// TestTwilioPlayout checks what plays when.
func TestTwilioPlayout(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcde"}}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}})
		b.expect(agent, opened, begun)
		mark := func(name string) { b.send(`{"event":"mark","streamSid":"SID","mark":{"name":%q}}`, name) }
		passed := func(at, sequence int, name string) string {
			return fmt.Sprintf(`%d {"event":"mark","sequenceNumber":"%d","mark":{"name":%q},"streamSid":"SID"}`, at, sequence, name)
		}
		time.Sleep(110 * ms)
		mark("empty")  // passes at once
		b.play(0, 200) // too short for a sample
		b.play(0, 60*ms)
		mark("first")
		b.play(0, 40*ms)
		mark("second")
		mark("third")
		time.Sleep(110 * ms)
		b.expect(passed(110, 7, "empty"), passed(170, 11, "first"), passed(210, 14, "second"), passed(210, 15, "third"))
		b.play(0, time.Second)
		mark("fourth")
		b.play(0, time.Second)
		mark("fifth")
		time.Sleep(105 * ms)
		b.send(`{"event":"clear","streamSid":"SID"}`)
		mark("sixth")
		time.Sleep(ms)
		b.expect(passed(325, 22, "fourth"), passed(325, 23, "fifth"), passed(325, 24, "sixth"))
		// What was dropped is not waited for: the caller speaks with the first frame that
		// begins a second after the clear.
		time.Sleep(2 * time.Second)
		b.spoken(1340*ms, "abcde")
		if report := r.report(sid); report.Heard != 2100 || len(report.Turns) != 1 || report.Turns[0].FirstAudible != nil {
			t.Errorf("report %+v, want a turn without an answer", report)
		}
	})
}

// TestTwilioEarly checks that a bot that does not let the caller finish is seen, and one
// that is cut off.
func TestTwilioEarly(t *testing.T) {
	phoning(t, Config{Transcript: []string{"abcdefghij"}}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}})
		time.Sleep(1500 * ms)
		b.play(0, 100*ms)
		time.Sleep(100 * ms)
		b.send(`{"event":"clear","streamSid":"SID"}`)
		time.Sleep(3 * time.Second)
		_, last := b.spoken(1000*ms, "abcdefghij")
		report := r.report(sid)
		// The answer began at 1500 and had stopped when the caller had not.
		if turn := report.Turns[0]; turn.VoiceToVoice == nil || *turn.VoiceToVoice > inMilliseconds(1510*ms-last) || *turn.AnswerEnd != 1600 {
			t.Errorf("turn %s, want an answer that was too early", jsonOf(turn))
		}
		if report.Status != "completed" {
			t.Errorf("status %s, want completed: a second of quiet has passed since 2000", report.Status)
		}
	})
}

func TestTwilioNoAnswer(t *testing.T) {
	phoning(t, Config{Transcript: []string{"ab", "...", "cd"}}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}})
		time.Sleep(40 * time.Second)
		_, last := b.spoken(1000*ms, "ab")
		// The next text comes with the first frame that is 15 s after the last sample.
		next := (last + 15*time.Second + 19*ms).Truncate(20 * ms)
		b.spoken(next, "cd")
		report := r.report(sid)
		if len(report.Turns) != 2 || report.Turns[1].FirstAudible != nil || report.Turns[1].VoiceToVoice != nil || report.Turns[1].AnswerEnd != nil || report.Status != "completed" {
			t.Errorf("report %s, want two turns without an answer", jsonOf(report))
		}
		all, _ := r.config.Ledger.Latest(9)
		if e := all[1]; e.Outcome != pipeline.Timeout || e.Reason != "no answer was heard" || e.First != pipeline.Unknown {
			t.Errorf("entry %+v, want a turn without an answer", e)
		}
	})
}

func TestTwilioHangUp(t *testing.T) {
	phoning(t, Config{}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}, "SendDigits": {"1w#W9"}})
		const uri = "/2010-04-01/Accounts/AC1/Calls/"
		time.Sleep(1310 * ms)
		status, body := r.request(http.MethodGet, uri+sid+".json", nil)
		want := `{"account_sid":"AC1","annotation":null,"answered_by":null,"api_version":"2010-04-01","caller_name":null,"date_created":"Sat, 01 Jan 2000 00:00:00 +0000","date_updated":"Sat, 01 Jan 2000 00:00:00 +0000","direction":"outbound-api","duration":null,"end_time":null,"forwarded_from":null,"from":"+15550101","from_formatted":"+15550101","group_sid":null,"parent_call_sid":null,"phone_number_sid":null,"price":null,"price_unit":"USD","queue_time":"0","sid":"SID","start_time":"Sat, 01 Jan 2000 00:00:00 +0000","status":"in-progress","subresource_uris":{"streams":"/2010-04-01/Accounts/AC1/Calls/SID/Streams.json"},"to":"+15550100","to_formatted":"+15550100","trunk_sid":"","uri":"/2010-04-01/Accounts/AC1/Calls/SID.json"}`
		if got := sids.ReplaceAllString(body, "SID"); status != http.StatusOK || got != want {
			t.Errorf("got %d %s\nwant %s", status, got, want)
		}
		status, body = r.request(http.MethodPost, uri+sid+".json", url.Values{"Status": {"completed"}})
		if status != http.StatusOK || !strings.Contains(body, `"status":"completed"`) {
			t.Errorf("%d %s, want a call that is completed", status, body)
		}
		b.expect(agent, opened, begun,
			`0 {"event":"dtmf","sequenceNumber":"2","dtmf":{"track":"inbound_track","digit":"1"},"streamSid":"SID"}`,
			`700 {"event":"dtmf","sequenceNumber":"37","dtmf":{"track":"inbound_track","digit":"#"},"streamSid":"SID"}`,
			`1310 {"event":"stop","sequenceNumber":"69","stop":{"accountSid":"AC1","callSid":"SID"},"streamSid":"SID"}`,
			`1310 websocket: close 1000 (normal)`,
		)
		status, body = r.request(http.MethodPost, uri+sid+".json", url.Values{"Status": {"completed"}})
		if want := `{"code":21220,"message":"Call is not in-progress. Cannot redirect.","more_info":"https://www.twilio.com/docs/errors/21220","status":400}`; status != 400 || body != want {
			t.Errorf("got %d %s\nwant %s", status, body, want)
		}
		if _, body = r.request(http.MethodGet, uri+sid+".json", nil); !strings.Contains(body, `"duration":"1"`) {
			t.Errorf("got %s, want one that lasted a second", body)
		}
	})
}

// TestTwilioServerEnds checks what comes after a stream that the server closes.
func TestTwilioServerEnds(t *testing.T) {
	const markup = `<Response><Say>abcdefghij</Say><Pause length="2"/><Connect><Stream url="ws://127.0.0.1/stream"><Parameter name="k" value="v"/></Stream></Connect><Pause length="60"/></Response>`
	phoning(t, Config{}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {markup}, "TimeLimit": {"10"}})
		time.Sleep(3500 * ms)
		b.expect("3000"+agent[1:], "3000"+opened[1:], "3000"+begun[1:])
		_ = b.conn.Close()
		synctest.Wait()
		if e := r.entryOf("twilio media stream"); e.Ended != 3500*ms || e.Reason != "the server closed the stream" {
			t.Errorf("entry %+v, want a stream that the server closed", e)
		}
		if s := r.report(sid).Status; s != "in-progress" {
			t.Errorf("status %s, want in-progress", s)
		}
		time.Sleep(7 * time.Second)
		if s := r.report(sid).Status; s != "completed" {
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
	phoning(t, Config{}, pages, func(r *rig, b *bot) {
		r.place(url.Values{"Url": {"http://localhost/twiml?mine=1"}, "Twiml": {"<Response/>"}})
		b.expect(agent, opened, begun)
		const form = `AccountSid=AC1&ApiVersion=2010-04-01&CallSid=SID&CallStatus=in-progress&Called=%2B15550100&Caller=%2B15550101&Direction=outbound-api&From=%2B15550101&To=%2B15550100&mine=1`
		if got := <-forms; got != "POST "+form {
			t.Errorf("got %s\nwant POST %s", got, form)
		}
		r.place(url.Values{"Url": {"http://localhost/twiml?mine=1"}, "Method": {"get"}})
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
			sid := r.place(url.Values{"Url": {"http://localhost" + c.path}})
			report := r.report(sid)
			if report.Status != "failed" || len(report.Errors) != 1 || report.Errors[0].Message != c.message || report.Errors[0].Code != c.code {
				t.Errorf("%s: report %s\nwant %d %s", c.path, jsonOf(report), c.code, c.message)
			}
		}
		_ = b.ln.Close()
		sid := r.place(url.Values{"Twiml": {toBot}})
		if report := r.report(sid); len(report.Errors) != 1 || report.Errors[0].Code != 31902 {
			t.Errorf("report %s, want 31902", jsonOf(report))
		}
	})
}

func TestTwilioRefuses(t *testing.T) {
	phoning(t, Config{}, nil, func(r *rig, b *bot) {
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
			status, body := r.request(http.MethodPost, calls, form)
			want := string(jsonOf(twilio.Error{Code: c.code, Message: c.message, MoreInfo: fmt.Sprintf("https://www.twilio.com/docs/errors/%d", c.code), Status: 400}))
			if status != 400 || body != want {
				t.Errorf("%s:\n got %d %s\nwant %s", c.form, status, body, want)
			}
		}
		for _, c := range []struct{ method, path string }{
			{http.MethodGet, "/2010-04-01/Accounts/AC1/Calls/CA1.json"},
			{http.MethodPost, "/2010-04-01/Accounts/AC1/Calls/CA1.json"},
			{http.MethodGet, "/v1/halfsecond/calls/CA1"},
		} {
			status, body := r.request(c.method, c.path, nil)
			if want := `{"code":20404,"message":"The requested resource ` + c.path + ` was not found","more_info":"https://www.twilio.com/docs/errors/20404","status":404}`; status != 404 || body != want {
				t.Errorf("got %d %s\nwant %s", status, body, want)
			}
		}
		sid := r.place(url.Values{"Twiml": {"<Response><Pause length='9'/></Response>"}})
		status, body := r.request(http.MethodPost, "/2010-04-01/Accounts/AC1/Calls/"+sid+".json", url.Values{"Status": {"ringing"}})
		if want := `{"code":400,"message":"Status \"ringing\": want completed or canceled; calls under way are not redirected","more_info":"https://www.twilio.com/docs/errors/400","status":400}`; status != 400 || body != want {
			t.Errorf("got %d %s\nwant %s", status, body, want)
		}
		if status, _ := r.request(http.MethodGet, "/2010-04-01/Accounts/AC2/Calls/"+sid+".json", nil); status != 404 {
			t.Errorf("another account sees the call: %d", status)
		}
	})
}

// TestTwilioComplains sends what Twilio does not take: the call goes on.
func TestTwilioComplains(t *testing.T) {
	phoning(t, Config{Transcript: []string{"ab"}}, nil, func(r *rig, b *bot) {
		sid := r.place(url.Values{"Twiml": {toBot}})
		b.send(`no json`)
		b.send(`{"event":"media","streamSid":"MZother","media":{"payload":""}}`)
		b.send(`{"event":"media","streamSid":"SID"}`)
		b.send(`{"event":"stop","streamSid":"SID"}`)
		b.send(`{"event":"media","streamSid":"SID","media":{"payload":"*"}}`)
		if err := b.conn.WriteMessage(websocket.BinaryMessage, []byte{1}); err != nil {
			t.Fatal(err)
		}
		for range 11 { // 11 minutes, of which the last does not fit
			b.play(0, time.Minute)
		}
		synctest.Wait()
		var got []string
		for _, e := range r.report(sid).Errors {
			got = append(got, fmt.Sprint(e.Code, " ", sids.ReplaceAllString(e.Message, "SID")))
		}
		const bad = "31924 Stream - WebSocket - Protocol Error: "
		want := []string{
			bad + "a message is not JSON of the right form: invalid character 'o' in literal null (expecting 'u')",
			bad + `a "media" message is for the stream "MZother", want "SID"`,
			bad + `a message has the event "media", want media, mark or clear with its contents`,
			bad + `a message has the event "stop", want media, mark or clear with its contents`,
			bad + "the payload of a media message is not base64: illegal base64 data at input byte 0",
			bad + "a binary message came, want text",
			"31931 Stream - Media buffer overflow: audio of 10m0s is queued, and 1m0s more is dropped",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		b.send(`{"event":"clear","streamSid":"SID"}`)
		time.Sleep(1500 * ms)
		b.spoken(1000*ms, "ab")
	})
}

// TestTwilioStops checks that nothing is left of calls when the server stops.
func TestTwilioStops(t *testing.T) {
	phoning(t, Config{}, nil, func(r *rig, b *bot) {
		r.place(url.Values{"Twiml": {toBot}})
		r.place(url.Values{"Twiml": {"<Response><Pause length='99'/></Response>"}})
		time.Sleep(10 * ms)
		go r.stop()
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
				payload := base64.StdEncoding.EncodeToString(audio.Encode(nil, hummed(100*ms, 8000), audio.MuLaw))
				if err := conn.WriteJSON(twilio.Message{Event: "media", StreamSid: m.StreamSid, Media: &twilio.Media{Payload: payload}}); err != nil {
					t.Error(err)
				}
			}
		}
	}))
	defer server.Close()
	r := start(t, Config{Transcript: []string{"ab"}, TTS: tenASecond}, func(s *Service, mux *http.ServeMux) { s.handleTwilio(mux) })
	defer r.stop()
	markup := strings.Replace(toBot, "ws://127.0.0.1/stream", "ws"+strings.TrimPrefix(server.URL, "http"), 1)
	form := url.Values{"Twiml": {markup}, "To": {"1"}, "From": {"2"}}
	_, body := r.request(http.MethodPost, calls, form)
	var c twilio.Call
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	deadline := time.Now().Add(20 * time.Second)
	var report callReport
	for report = r.report(c.Sid); report.Status != "completed" && time.Now().Before(deadline); report = r.report(c.Sid) {
		time.Sleep(50 * ms)
	}
	if len(report.Turns) != 1 || report.Turns[0].VoiceToVoice == nil || *report.Turns[0].VoiceToVoice < 150 || *report.Turns[0].VoiceToVoice > 5000 {
		t.Errorf("report %s, want a turn with an answer after 200 ms or so", jsonOf(report))
	}
}

// TestCallBook checks that the oldest call that has ended makes room.
func TestCallBook(t *testing.T) {
	var b callBook
	first := &phoneCall{sid: "first", status: twilio.InProgress}
	b.add(first)
	for i := range mostCalls {
		c := &phoneCall{sid: fmt.Sprint(i)}
		c.set(twilio.Completed)
		b.add(c)
	}
	if b.find("first") != first || b.find("0") != nil || b.find("1") == nil || len(b.calls) != mostCalls {
		t.Errorf("%d calls, want %d with the one that goes on and without the first that ended", len(b.calls), mostCalls)
	}
}

func FuzzTwilioStream(f *testing.F) {
	f.Add(`{"event":"media","streamSid":"MZ","media":{"payload":"AAAA"}}`)
	f.Add(`{"event":"mark","streamSid":"MZ","mark":{}}`)
	f.Add(`{"event":"clear","streamSid":"MZ","media":null}`)
	s := New(Config{Loop: pipeline.NewWall(), Ledger: ledger.New(ledger.Config{})})
	f.Fuzz(func(t *testing.T, text string) {
		c := &phoneCall{}
		stream := s.newTwilioStream(&socket{loop: s.config.Loop, out: newOutlet()}, c, twilio.Stream{})
		stream.text([]byte(strings.ReplaceAll(text, "MZ", stream.sid)))
		stream.text([]byte(text))
		stream.gone()
	})
}

// TestCallsShareTheirLines: what callers say is made once, however many calls are kept.
func TestCallsShareTheirLines(t *testing.T) {
	s := New(Config{Loop: pipeline.NewWall(), Transcript: []string{"Good day.", "..."}})
	one, two := s.callerLines(), s.callerLines()
	if len(one) != 1 || len(two) != 1 || &one[0].samples[0] != &two[0].samples[0] {
		t.Errorf("%d and %d lines, want the same one", len(one), len(two))
	}
}
