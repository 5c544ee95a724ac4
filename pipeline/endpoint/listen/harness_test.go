package listen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
)

const msec = time.Millisecond

var _ pipeline.STT = (*Client)(nil)

// spoken returns a recording with sound that a detector takes for speech from its first to
// its last sample: a tone whose loudness goes up and down.
func spoken(rate int, before, sound, after time.Duration) pipeline.Voice {
	v := pipeline.Voice{Rate: rate, SpeechEnd: before + sound}
	v.Samples = make([]int16, audio.Samples(before+sound+after, rate))
	from := audio.Samples(before, rate)
	for i := range audio.Samples(sound, rate) {
		t := float64(i) / float64(rate)
		v.Samples[from+i] = int16(6000 * (.65 + .35*math.Sin(2*math.Pi*9*t)) * math.Sin(2*math.Pi*220*t))
	}
	return v
}

// patient is a model that is as fast whatever its name: finals 310 ms after the end of
// speech, interims every second and 40 ms behind the audio.
func patient(string) speech.STT {
	return speech.STT{
		Final: dist.Constant(310 * msec), Interim: dist.Constant(40 * msec), Every: time.Second, MaxSpan: 5 * time.Second,
		Turn: speech.Turn{Silence: 200 * msec},
	}
}

// rig is a client with its loop, and where it connects.
type rig struct {
	t      *testing.T
	loop   *pipeline.Wall
	ln     *memnet.Listener
	client *Client
	kept   []*exchange.Exchange
	mu     sync.Mutex // guards kept
}

// bubble runs a test inside a bubble, with a client of what handle serves.
func bubble(t *testing.T, handle func(*http.ServeMux) (stop func()), config Config, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{t: t, loop: pipeline.NewWall(), ln: memnet.Listen()}
		mux := http.NewServeMux()
		stop := handle(mux)
		server := &http.Server{Handler: mux}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _ = server.Serve(r.ln) })
		all.Go(func() { _ = r.loop.Run(ctx) })
		config.URL, config.Model = "http://stt.test", or(config.Model, "nova-3")
		config.Key = endpoint.NewKey("s3cret-key")
		config.DialContext = r.ln.DialContext
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

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// mocked serves the mock, which hears those texts.
func mocked(t *testing.T, texts ...string) func(*http.ServeMux) func() {
	return func(mux *http.ServeMux) func() {
		stopped := make(chan struct{})
		loop := pipeline.NewWall()
		s := voice.New(voice.Config{Loop: loop, STT: patient, Transcript: texts, Stopped: stopped, Ledger: ledger.New(ledger.Config{Began: time.Now()})})
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

// heard is what became of a recording.
type heard struct {
	pipeline.Hearing
	notes []string
	done  chan struct{}
}

// hear starts a recording on the loop.
func (r *rig) hear(v pipeline.Voice, begin time.Duration) *heard {
	h := &heard{done: make(chan struct{})}
	h.Hearing = pipeline.Hearing{Voice: v, Begin: begin, Record: pipeline.NewTranscription(1, r.loop.Elapsed())}
	h.Notify = func(n pipeline.Heard) {
		what := n.Name
		if n.Kind != pipeline.HeardEvent {
			what = fmt.Sprintf("%s%q", [...]string{"", "final "}[n.Kind], n.Text)
		}
		if n.TurnEnd {
			what += " end"
		}
		h.notes = append(h.notes, fmt.Sprintf("%d %s", n.At/msec, what))
	}
	h.Done = func() { close(h.done) }
	r.loop.Post(r.loop.Elapsed(), func() { r.client.Start(&h.Hearing) })
	return h
}

// wait waits for the end.
func (h *heard) wait() *pipeline.Transcription {
	<-h.done
	return &h.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Transcription) string {
	ms := func(d time.Duration) string {
		if d == pipeline.Unknown {
			return "-"
		}
		return fmt.Sprint(float64(d) / float64(msec))
	}
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
