package converse

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/server/voice/peer"
	realtimemock "halfsecond/mockllm/server/voice/realtime"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/realtime"
)

const msec = time.Millisecond

var _ pipeline.Converser = (*Client)(nil)

// promptly is a model whose every instant can be told: audio 310 ms after the user's turn,
// 100 ms of it every 50 ms. "ab" plays .4 s: 150 ms of silence, two characters of 100 ms,
// and 50 ms of silence.
func promptly(model string) realtimemock.Model {
	return realtimemock.Model{
		Name: model, FirstAudio: dist.Constant(310 * msec), FirstText: dist.Constant(110 * msec), Token: 10 * msec,
		Voice: speech.TTS{Speed: 2, Chunk: 100 * msec, Lead: 150 * msec, Tail: 50 * msec, Pace: 10},
	}
}

// prompted is a recognizer that needs 310 ms for a final.
func prompted(string) speech.STT {
	return speech.STT{Final: dist.Constant(310 * msec), Interim: dist.Constant(40 * msec), Turn: speech.Turn{Silence: 200 * msec}}
}

// spoken returns a recording at the rate that the protocol takes.
func spoken(before, sound, after time.Duration) pipeline.Voice {
	return peer.Spoken(realtime.PCMRate, before, sound, after)
}

// mocked serves the mock, which hears and answers those texts.
func mocked(t *testing.T, heard, answers []string) peer.Serve {
	return peer.Mock(t, voice.Config{STT: prompted, Realtime: promptly, Transcript: heard, Replies: answers})
}

// session serves a script that begins with the first audio. Got is told of each text frame
// of the client that is no audio.
func session(t *testing.T, s peer.Script, got func(r *http.Request, text string)) peer.Serve {
	v := peer.Session{Script: s, Greets: []string{`{"type":"session.created"}`, `{"type":"session.updated"}`}}
	v.Begins = func(text string, _ bool) bool { return strings.Contains(text, "input_audio_buffer.append") }
	if got != nil {
		v.Heard = func(r *http.Request, _ time.Duration, text string) { got(r, text) }
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
	connect := func(p *peer.Rig) (*Client, error) {
		p.Reach(&config.Config)
		config.Model = cmp.Or(config.Model, "gpt-realtime")
		return NewClient(config, p.Loop)
	}
	peer.Bubble(t, serve, connect, func(p *peer.Rig, c *Client) { test(&rig{p, c}) })
}

// answered is what became of a turn.
type answered struct {
	pipeline.Turn
	samples int
	voiced  time.Duration // as its last Sound has it
	done    chan struct{}
}

// speak starts a turn on the loop.
func (r *rig) speak(turn pipeline.Turn) *answered {
	a := &answered{Turn: turn, done: make(chan struct{})}
	a.Begin = pipeline.Unknown
	a.Record = pipeline.NewAnswered(r.ID(), r.Now())
	a.Notify = func(s pipeline.Sound) { a.samples, a.voiced = a.samples+s.Samples, s.Voiced }
	a.Done = func() { close(a.done) }
	peer.Expect(r.Rig, a.Record.ID, &a.Record, outcome, retell)
	r.Do(func() { r.client.Start(&a.Turn) })
	return a
}

func outcome(r *pipeline.Answered) pipeline.Outcome { return r.Outcome }

func retell(x *exchange.Exchange) (pipeline.Answered, error) { return Retell(x, nil) }

func (a *answered) wait() *pipeline.Answered {
	<-a.done
	return &a.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Answered) string {
	ms := peer.MS
	return fmt.Sprintf("ready %s frames %d from %s late %s speech %s..%s end %s committed %s created %s output %s audio %s..%s audible %s v2v %s done %s samples %d underruns %d heard %q at %s said %q interrupted %s noticed %s truncated %s played %s cancelled %t %s tokens %d+%d->%d end %s %s %q",
		ms(r.Ready), r.Frames, ms(r.FirstFrame), ms(r.Late), ms(r.SpeechStarted), ms(r.SpeechStopped), ms(r.SpeechEnd), ms(r.Committed), ms(r.ResponseCreated), ms(r.FirstOutput),
		ms(r.FirstAudio), ms(r.LastAudio), ms(r.FirstAudible), ms(r.V2V()), ms(r.ResponseDone), r.Samples, r.Underruns, r.Heard, ms(r.HeardAt), r.Text,
		ms(r.Interrupted), ms(r.Noticed), ms(r.Truncated), ms(r.Played), r.Cancelled, r.Status, r.InputTokens, r.CachedTokens, r.OutputTokens, ms(r.End), r.Outcome, r.Reason)
}
