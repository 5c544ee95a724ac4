package phone

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/server/voice/voicetest"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline/wire/twilio"
)

const ms = time.Millisecond

// start runs a service.
func start(t *testing.T, c Config) *voicetest.Rig {
	return voicetest.Start(t, talk.Config{}, func(h *talk.Host, mux *http.ServeMux) { New(h, c).Handle(mux) })
}

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
	b.last = fmt.Sprintf("%d %s", time.Since(b.from)/ms, talk.JSON(m))
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
	samples := append(voicetest.Silent(silence, 8000), voicetest.Voiced(sound, 8000)...)
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
func phoning(t *testing.T, c Config, pages map[string]http.HandlerFunc, test func(r *voicetest.Rig, b *bot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBot(t, pages)
		defer b.stop()
		c.TTS, c.Dial = tenASecond, b.ln.DialContext
		r := start(t, c)
		defer r.Stop()
		test(r, b)
	})
}

// ask sends a request and returns the status and the answer.
func request(r *voicetest.Rig, method, path string, form url.Values) (int, string) {
	r.T.Helper()
	client := &http.Client{Transport: &http.Transport{DialContext: r.DialContext, DisableKeepAlives: true}}
	q, err := http.NewRequest(method, "http://mock"+path, strings.NewReader(form.Encode()))
	if err != nil {
		r.T.Fatal(err)
	}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := client.Do(q)
	if err != nil {
		r.T.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		r.T.Fatal(err)
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
func place(r *voicetest.Rig, form url.Values) string {
	r.T.Helper()
	form.Set("To", "+15550100")
	form.Set("From", "+15550101")
	status, body := request(r, http.MethodPost, calls, form)
	var c twilio.Call
	if err := json.Unmarshal([]byte(body), &c); err != nil || status != http.StatusCreated {
		r.T.Fatalf("%d %s, want a call", status, body)
	}
	synctest.Wait()
	return c.Sid
}

// reportOf returns what is known of a call.
func reportOf(r *voicetest.Rig, sid string) (report callReport) {
	r.T.Helper()
	status, body := request(r, http.MethodGet, "/v1/halfsecond/calls/"+sid, nil)
	if err := json.Unmarshal([]byte(body), &report); err != nil || status != http.StatusOK {
		r.T.Fatalf("%d %s, want a report", status, body)
	}
	return report
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
