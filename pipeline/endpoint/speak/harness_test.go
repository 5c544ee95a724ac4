package speak

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/mockllm/server/ledger"
	"halfsecond/mockllm/server/memnet"
	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
)

const msec = time.Millisecond

var _ pipeline.TTS = (*Client)(nil)

// steady is a voice whose every instant can be told: the first chunk of 100 ms after
// 200 ms, and another every 50 ms. "ab" plays .35 s: 150 ms of silence, two characters of
// 100 ms, and none at the end.
func steady(model string) speech.TTS {
	return speech.TTS{Name: model, FirstByte: dist.Constant(200 * msec), Speed: 2, Chunk: 100 * msec, Lead: 150 * msec, Pace: 10}
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
		config.URL, config.Model, config.Voice = "http://tts.test", cmp.Or(config.Model, "m"), cmp.Or(config.Voice, "alloy")
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

// mocked serves the mock.
func mocked(t *testing.T) func(*http.ServeMux) func() {
	return func(mux *http.ServeMux) func() {
		stopped := make(chan struct{})
		loop := pipeline.NewWall()
		s := voice.New(voice.Config{Loop: loop, TTS: steady, Stopped: stopped, Ledger: ledger.New(ledger.Config{Began: time.Now()})})
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

// serving serves a handler, and waits for those under way when it stops.
func serving(h http.HandlerFunc) func(*http.ServeMux) func() {
	return func(mux *http.ServeMux) func() {
		var handlers sync.WaitGroup
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			handlers.Add(1)
			defer handlers.Done()
			h(w, r)
		})
		return handlers.Wait
	}
}

// said is what became of a text.
type said struct {
	pipeline.Saying
	samples int
	notes   []string
	done    chan struct{}
	doneAt  time.Duration
}

// say starts a text on the loop; more is true when there is more of it.
func (r *rig) say(text string, more bool) *said {
	s := &said{done: make(chan struct{})}
	s.Saying = pipeline.Saying{Text: text, More: more, Record: pipeline.NewSpeech(1, r.loop.Elapsed())}
	s.Notify = func(n pipeline.Sound) {
		s.samples += n.Samples
		s.notes = append(s.notes, fmt.Sprintf("%d:%d:%t", n.At/msec, n.Samples, n.Audible))
	}
	s.Done = func() { s.doneAt = r.loop.Elapsed(); close(s.done) }
	r.do(func() { r.client.Start(&s.Saying) })
	return s
}

func (r *rig) do(f func()) { r.loop.Post(r.loop.Elapsed(), f) }

func (s *said) wait() *pipeline.Speech {
	<-s.done
	return &s.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Speech) string {
	ms := func(d time.Duration) string {
		if d == pipeline.Unknown {
			return "-"
		}
		return fmt.Sprint(float64(d) / float64(msec))
	}
	return fmt.Sprintf("ready %s sent %s..%s ttfb %s ttfa %s ttaa %s last %s end %s length %s %dx%dx%d rtf %.3f underruns %d %s characters %d close %d %s %q flags %s",
		ms(r.Ready), ms(r.Sent), ms(r.LastSent), ms(r.TTFB()), ms(r.TTFA()), ms(r.TTAA()), ms(r.LastAudio), ms(r.End), ms(r.Length()), r.Rate, r.Channels, r.Bits,
		r.RTF(), r.Underruns, ms(r.Stalled), r.Characters, r.Close, r.Outcome, r.Reason, strings.Join(r.Flags, ","))
}
