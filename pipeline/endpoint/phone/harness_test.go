package phone

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/twilio"
)

const msec = time.Millisecond

var _ pipeline.Converser = (*Client)(nil)

// spoken returns a recording at the rate of a telephone.
func spoken(before, sound, after time.Duration) pipeline.Voice {
	return peer.Spoken(rate, before, sound, after)
}

// What a script of a bot can hold beside spans, texts, in which SID is the stream's, and
// bytes.
type (
	until  time.Duration // waits until so long after start came
	breaks struct{}
	hangs  struct{}
	closes int
)

// bot is a bot that does what a script says from the instant at which it has read start.
type bot struct {
	t      *testing.T
	script []any
	early  string // is said before start is read
	start  time.Time

	mu    sync.Mutex // guards what follows
	said  []string   // by the caller, but for its audio
	codes []byte     // its audio
	last  string     // message of it
}

func (b *bot) serve() peer.Serve {
	b.start = time.Time{}
	return peer.Handle(func(w http.ResponseWriter, r *http.Request) {
		up := websocket.Upgrader{}
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		b.note("agent %s, key %s", r.UserAgent(), r.Header.Get("Authorization"))
		if b.early != "" {
			_ = conn.WriteMessage(websocket.TextMessage, []byte(b.early))
		}
		gone, begun := make(chan struct{}), make(chan string, 1)
		go b.hear(conn, gone, begun)
		select {
		case stream := <-begun:
			b.play(conn, stream, gone, b.script)
		case <-gone:
		}
	})
}

func (b *bot) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, fmt.Sprintf(format, args...))
}

func (b *bot) hear(conn *websocket.Conn, gone chan struct{}, begun chan string) {
	defer close(gone)
	for {
		_, data, err := conn.ReadMessage()
		if err != nil {
			return
		}
		var m twilio.Message
		if err := json.Unmarshal(data, &m); err != nil {
			b.t.Error(err)
		}
		if m.Event == twilio.EventStart {
			b.start = time.Now()
			begun <- m.StreamSid
		}
		if m.Media != nil {
			codes, err := base64.StdEncoding.DecodeString(m.Media.Payload)
			if err != nil {
				b.t.Error(err)
			}
			b.mu.Lock()
			b.codes = append(b.codes, codes...)
			m.Media.Payload = fmt.Sprint(len(codes))
			again, _ := json.Marshal(m)
			b.last = fmt.Sprintf("%d %s", time.Since(b.start)/msec, again)
			b.mu.Unlock()
			continue
		}
		b.note("%v %s", b.since(), data)
	}
}

// since returns how long ago start came, 0 before that.
func (b *bot) since() string {
	if b.start.IsZero() {
		return "0s"
	}
	return time.Since(b.start).String()
}

func (b *bot) play(conn *websocket.Conn, stream string, gone chan struct{}, script []any) {
	wait := func(d time.Duration) bool {
		select {
		case <-time.After(d):
			return true
		case <-gone:
			return false
		}
	}
	for _, x := range script {
		switch x := x.(type) {
		case time.Duration:
			if !wait(x) {
				return
			}
		case until:
			if !wait(time.Until(b.start.Add(time.Duration(x)))) {
				return
			}
		case breaks:
			return
		case hangs:
			<-gone
		case closes:
			_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(int(x), "so it is"), time.Now().Add(time.Second))
			<-gone
		case string:
			_ = conn.WriteMessage(websocket.TextMessage, []byte(strings.ReplaceAll(x, "SID", stream)))
		case []byte:
			_ = conn.WriteMessage(websocket.BinaryMessage, x)
		case []any:
			b.play(conn, stream, gone, x)
		}
	}
}

// sound is a message with silence and then a sound.
func sound(silence, loud time.Duration) string {
	codes := append(flat(silence, 0xff), flat(loud, 0x80)...)
	return payload(base64.StdEncoding.EncodeToString(codes))
}

func payload(text string) string {
	return `{"event":"media","streamSid":"SID","media":{"payload":"` + text + `"}}`
}

func flat(d time.Duration, code byte) []byte {
	codes := make([]byte, d*rate/time.Second)
	for i := range codes {
		codes[i] = code
	}
	return codes
}

// paced is sound at the pace of speech.
func paced(loud time.Duration) (all []any) {
	for ; loud > 0; loud -= span {
		all = append(all, sound(0, min(loud, span)), span)
	}
	return all
}

const (
	clearing = `{"event":"clear","streamSid":"SID"}`
	marking  = `{"event":"mark","streamSid":"SID","mark":{"name":"m"}}`
)

// rig is a client, and what it runs on.
type rig struct {
	*peer.Rig
	client *Client
}

// bubble runs a test inside a bubble, with a client of what is served.
func bubble(t *testing.T, serve peer.Serve, config Config, test func(r *rig)) {
	t.Helper()
	connect := func(p *peer.Rig) (*Client, error) {
		url := config.URL
		p.Reach(&config.Config)
		config.URL = cmp.Or(url, config.URL)
		return NewClient(config, p.Loop)
	}
	peer.Bubble(t, serve, connect, func(p *peer.Rig, c *Client) { test(&rig{p, c}) })
}

// answering is what became of a turn.
type answering struct {
	pipeline.Turn
	samples int
	done    chan struct{}
}

// speak starts a turn on the loop.
func (r *rig) speak(turn pipeline.Turn) *answering {
	a := &answering{Turn: turn, done: make(chan struct{})}
	a.Begin = pipeline.Unknown
	a.Record = pipeline.NewAnswered(r.ID(), r.Now())
	a.Notify = func(s pipeline.Sound) { a.samples += s.Samples }
	a.Done = func() { close(a.done) }
	peer.Expect(r.Rig, a.Record.ID, &a.Record,
		func(r *pipeline.Answered) pipeline.Outcome { return r.Outcome },
		func(x *exchange.Exchange) (pipeline.Answered, error) { return Retell(x, nil) })
	r.Do(func() { r.client.Start(&a.Turn) })
	return a
}

func (a *answering) wait() *Record {
	<-a.done
	if r, _ := Details(&a.Turn); r != nil {
		return r
	}
	r := NewRecord(a.Record.ID, a.Record.Due)
	r.Answered = a.Record
	return &r
}

// figures tells of a record in a line, in ms.
func figures(r *Record) string {
	ms := peer.MS
	var faults, names []string
	for _, f := range r.Faults {
		faults, names = append(faults, fmt.Sprintf("%s*%d", f.Name, f.Count)), append(names, f.Name)
	}
	text := fmt.Sprintf("speech %s..%s audio %s..%s audible %s heard %s..%s lead %s v2v %s samples %d queued %s",
		ms(r.SpeechStart), ms(r.SpeechEnd), ms(r.FirstAudio), ms(r.LastAudio), ms(r.FirstAudible), ms(r.Voiced), ms(r.Over), ms(r.Lead), ms(r.V2V()), r.Samples, ms(r.MaxQueued))
	if r.Underruns > 0 {
		text += fmt.Sprintf(" underruns %d %s longest %s", r.Underruns, ms(r.Stalled), ms(r.LongestGap))
	}
	if r.CutIns > 0 {
		text += fmt.Sprintf(" cut-ins %d from %s", r.CutIns, ms(r.FirstCutIn))
	}
	if r.Interrupted != pipeline.Unknown || r.Truncated != pipeline.Unknown {
		text += fmt.Sprintf(" interrupted %s cleared %s stopped %s after %s backlog %s on %s played %s dropped %s",
			ms(r.Interrupted), ms(r.Truncated), ms(r.Stopped), ms(r.BargeIn()), ms(r.Backlog), ms(r.PlayedOn), ms(r.Played), ms(r.Dropped))
	}
	if faults != nil {
		text += " faults " + strings.Join(faults, ",")
	}
	if !slices.Equal(r.Flags, names) {
		text += fmt.Sprintf(" flags %q", r.Flags)
	}
	return text + fmt.Sprintf(" end %s %s %q", ms(r.End), r.Outcome, r.Reason)
}
