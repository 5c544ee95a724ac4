package listen

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

const msec = time.Millisecond

var _ pipeline.STT = (*Client)(nil)

// patient is a model that is as fast whatever its name: finals 310 ms after the end of
// speech, interims every second and 40 ms behind the audio.
func patient(string) speech.STT {
	return speech.STT{
		Final: dist.Constant(310 * msec), Interim: dist.Constant(40 * msec), Every: time.Second, MaxSpan: 5 * time.Second,
		Turn: speech.Turn{Silence: 200 * msec},
	}
}

// mocked serves the mock, which hears those texts.
func mocked(t *testing.T, texts ...string) peer.Serve {
	return peer.Mock(t, voice.Config{STT: patient, Transcript: texts})
}

// session serves a script that begins with the first audio. It first says what greets,
// unless that is empty; got is told of every text frame of the client with its instant.
func session(t *testing.T, greets string, s peer.Script, got func(at time.Duration, text string)) peer.Serve {
	v := peer.Session{Script: s, Begins: func(text string, binary bool) bool {
		return binary || strings.Contains(text, "input_audio_buffer.append")
	}}
	if greets != "" {
		v.Greets = []string{greets}
	}
	if got != nil {
		v.Heard = func(_ *http.Request, at time.Duration, text string) { got(at, text) }
	}
	return v.Serve(t)
}

// rig is a client, and what it runs on.
type rig struct {
	*peer.Rig
	client *Client
}

// bubble runs a test inside a bubble, with a client of what is served.
func bubble(t *testing.T, serve peer.Serve, config Config, test func(r *rig)) {
	t.Helper()
	bubbleOn(t, func(l *pipeline.Wall) talk.Loop { return l }, serve, config, test)
}

// bubbleOn has the client see another loop than its own.
func bubbleOn(t *testing.T, see func(*pipeline.Wall) talk.Loop, serve peer.Serve, config Config, test func(r *rig)) {
	t.Helper()
	connect := func(p *peer.Rig) (*Client, error) {
		p.Reach(&config.Config)
		config.Model = cmp.Or(config.Model, "nova-3")
		return NewClient(config, see(p.Loop))
	}
	peer.Bubble(t, serve, connect, func(p *peer.Rig, c *Client) { test(&rig{p, c}) })
}

// heard is what became of a recording.
type heard struct {
	pipeline.Hearing
	notes []string
	done  chan struct{}
}

// hear starts a recording on the loop.
func (r *rig) hear(v pipeline.Voice, begin time.Duration) *heard {
	h := &heard{done: make(chan struct{})}
	h.Hearing = pipeline.Hearing{Voice: v, Begin: begin, Record: pipeline.NewTranscription(r.ID(), r.Now())}
	h.Notify = func(n pipeline.Heard) {
		what := n.Name
		if n.Kind != pipeline.HeardEvent {
			what = fmt.Sprintf("%s%q", [...]string{"", "final "}[n.Kind], n.Text)
		}
		if n.TurnEnd {
			what += " end"
		}
		if n.Settled {
			what += " settled"
		}
		h.notes = append(h.notes, fmt.Sprintf("%d %s", n.At/msec, what))
	}
	h.Done = func() { close(h.done) }
	peer.Expect(r.Rig, h.Record.ID, &h.Record, outcome, retell)
	r.Do(func() { r.client.Start(&h.Hearing) })
	return h
}

func outcome(r *pipeline.Transcription) pipeline.Outcome { return r.Outcome }

func retell(x *exchange.Exchange) (pipeline.Transcription, error) { return Retell(x, nil) }

// wait waits for the end.
func (h *heard) wait() *pipeline.Transcription {
	<-h.done
	return &h.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Transcription) string {
	ms := peer.MS
	return fmt.Sprintf("ready %s frames %d %s..%s late %s speech end %s partials %d first %s ttfp %s final %s..%s ttfs %s turn end %s end %s close %d %s %q flags %s text %q",
		ms(r.Ready), r.Frames, ms(r.FirstFrame), ms(r.LastFrame), ms(r.Late), ms(r.SpeechEnd), r.Partials, ms(r.FirstPartial), ms(r.TTFP()), ms(r.FirstFinal), ms(r.LastFinal), ms(r.TTFS()),
		ms(r.TurnEnd), ms(r.End), r.Close, r.Outcome, r.Reason, strings.Join(r.Flags, ","), r.Text)
}

func same(t *testing.T, name string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got %s\nwant %s", name, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
