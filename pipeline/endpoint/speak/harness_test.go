package speak

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
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

// mocked serves the mock.
func mocked(t *testing.T) peer.Serve { return peer.Mock(t, voice.Config{TTS: steady}) }

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
		config.Model, config.Voice = cmp.Or(config.Model, "m"), cmp.Or(config.Voice, "alloy")
		return NewClient(config, p.Loop)
	}
	peer.Bubble(t, serve, connect, func(p *peer.Rig, c *Client) { test(&rig{p, c}) })
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
	s.Saying = pipeline.Saying{Text: text, More: more, Record: pipeline.NewSpeech(r.ID(), r.Now())}
	s.Notify = func(n pipeline.Sound) {
		s.samples += n.Samples
		s.notes = append(s.notes, fmt.Sprintf("%d:%d:%t:%s", n.At/msec, n.Samples, n.Audible, peer.MS(n.Voiced)))
	}
	s.Done = func() { s.doneAt = r.Now(); close(s.done) }
	peer.Expect(r.Rig, s.Record.ID, &s.Record, outcome, retell)
	r.Do(func() { r.client.Start(&s.Saying) })
	return s
}

func outcome(r *pipeline.Speech) pipeline.Outcome { return r.Outcome }

func retell(x *exchange.Exchange) (pipeline.Speech, error) { return Retell(x, nil) }

func (s *said) wait() *pipeline.Speech {
	<-s.done
	return &s.Record
}

// figures tells of a record in a line, in ms.
func figures(r *pipeline.Speech) string {
	ms := peer.MS
	return fmt.Sprintf("ready %s sent %s..%s ttfb %s ttfa %s ttaa %s lead %s voiced %s last %s end %s length %s %dx%dx%d rtf %.3f underruns %d %s characters %d close %d %s %q flags %s",
		ms(r.Ready), ms(r.Sent), ms(r.LastSent), ms(r.TTFB()), ms(r.TTFA()), ms(r.TTAA()), ms(r.Lead), ms(r.Voiced), ms(r.LastAudio), ms(r.End), ms(r.Length()), r.Rate, r.Channels, r.Bits,
		r.RTF(), r.Underruns, ms(r.Stalled), r.Characters, r.Close, r.Outcome, r.Reason, strings.Join(r.Flags, ","))
}
