package converse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice"
	realtimemock "halfsecond/mockllm/server/voice/realtime"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint"
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

// spoken returns a recording with sound that a detector takes for speech from its first to
// its last sample: a tone whose loudness goes up and down.
func spoken(before, sound, after time.Duration) pipeline.Voice {
	const rate = realtime.PCMRate
	v := pipeline.Voice{Rate: rate, SpeechEnd: before + sound}
	v.Samples = make([]int16, audio.Samples(before+sound+after, rate))
	from := audio.Samples(before, rate)
	for i := range audio.Samples(sound, rate) {
		t := float64(i) / rate
		v.Samples[from+i] = int16(6000 * (.65 + .35*math.Sin(2*math.Pi*9*t)) * math.Sin(2*math.Pi*220*t))
	}
	return v
}

// rig is a client with its loop, and where it connects.
type rig struct {
	t      *testing.T
	loop   *pipeline.Wall
	client *Client
	mu     sync.Mutex // guards kept
	kept   []*exchange.Exchange
}

// bubble runs a test inside a bubble, with a client of what handle serves.
func bubble(t *testing.T, handle func(*http.ServeMux) (stop func()), config Config, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, loop: pipeline.NewWall()}
		ln := memnet.Listen()
		mux := http.NewServeMux()
		stop := handle(mux)
		server := &http.Server{Handler: mux}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _ = server.Serve(ln) })
		all.Go(func() { _ = r.loop.Run(ctx) })
		config.URL, config.Model = "http://realtime.test", cmp.Or(config.Model, "gpt-realtime")
		config.Key = endpoint.NewKey("s3cret-key")
		config.DialContext = ln.DialContext
		config.Keep = func(x *exchange.Exchange) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.kept = append(r.kept, x)
		}
		var err error
		if r.client, err = NewClient(config, r.loop); err != nil {
			t.Fatal(err)
		}
		test(r)
		r.client.Close()
		stop()
		cancel()
		_ = server.Close()
		all.Wait()
	})
}

// mocked serves the mock, which hears and answers those texts.
func mocked(t *testing.T, heard, answers []string) func(*http.ServeMux) func() {
	return func(mux *http.ServeMux) func() {
		stopped := make(chan struct{})
		loop := pipeline.NewWall()
		s := voice.New(voice.Config{
			Loop: loop, STT: prompted, Realtime: promptly, Transcript: heard, Replies: answers,
			Stopped: stopped, Ledger: ledger.New(ledger.Config{Began: time.Now()}),
		})
		s.Handle(mux)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := loop.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			close(stopped)
		}()
		return func() { cancel(); <-done; s.Wait() }
	}
}

// answered is what became of a turn.
type answered struct {
	pipeline.Turn
	samples int
	done    chan struct{}
}

// speak starts a turn on the loop.
func (r *rig) speak(turn pipeline.Turn) *answered {
	a := &answered{Turn: turn, done: make(chan struct{})}
	a.Begin = pipeline.Unknown
	a.Record = pipeline.NewAnswered(1, r.loop.Elapsed())
	a.Notify = func(s pipeline.Sound) { a.samples += s.Samples }
	a.Done = func() { close(a.done) }
	r.loop.Post(r.loop.Elapsed(), func() { r.client.Start(&a.Turn) })
	return a
}

func (a *answered) wait() *pipeline.Answered {
	<-a.done
	return &a.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Answered) string {
	ms := func(d time.Duration) string {
		if d == pipeline.Unknown {
			return "-"
		}
		return fmt.Sprint(float64(d) / float64(msec))
	}
	return fmt.Sprintf("ready %s frames %d from %s late %s speech %s..%s end %s committed %s created %s output %s audio %s..%s audible %s v2v %s done %s samples %d underruns %d heard %q at %s said %q interrupted %s noticed %s truncated %s played %s cancelled %t %s tokens %d+%d->%d end %s %s %q",
		ms(r.Ready), r.Frames, ms(r.FirstFrame), ms(r.Late), ms(r.SpeechStarted), ms(r.SpeechStopped), ms(r.SpeechEnd), ms(r.Committed), ms(r.ResponseCreated), ms(r.FirstOutput),
		ms(r.FirstAudio), ms(r.LastAudio), ms(r.FirstAudible), ms(r.V2V()), ms(r.ResponseDone), r.Samples, r.Underruns, r.Heard, ms(r.HeardAt), r.Text,
		ms(r.Interrupted), ms(r.Noticed), ms(r.Truncated), ms(r.Played), r.Cancelled, r.Status, r.InputTokens, r.CachedTokens, r.OutputTokens, ms(r.End), r.Outcome, r.Reason)
}
