package speech

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

// booth is a synthesizer and what it has told, a line a chunk.
type booth struct {
	loop pipeline.Virtual
	*Synthesizer
	told    []string
	samples map[int][]int16 // by job
	text    map[int]string
}

// reader is a voice of one character a 100 ms, in chunks of that, twice as fast as it
// speaks, after 300 ms.
var reader = TTS{FirstByte: dist.Constant(300 * ms), Speed: 2, Chunk: 100 * ms, Pace: 10}

func newBooth(p TTS) *booth {
	b := &booth{samples: map[int][]int16{}, text: map[int]string{}}
	b.Synthesizer = NewSynthesizer(&b.loop, Speaking{Rate: 8000, Profile: p}, func(c Chunk) {
		line := fmt.Sprintf("%v job %d at %v: %d samples", b.loop.Now(), c.Job, c.Start, c.Length)
		if c.Last {
			line += ", last"
		}
		b.told = append(b.told, line)
		b.samples[c.Job] = append(b.samples[c.Job], c.Samples()...)
		for _, character := range c.Characters {
			b.text[c.Job] += character.Text
		}
	})
	return b
}

func (b *booth) run(t *testing.T) {
	t.Helper()
	if err := b.loop.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func (b *booth) check(t *testing.T, want ...string) {
	t.Helper()
	b.run(t)
	if !slices.Equal(b.told, want) {
		t.Errorf("told %q, want %q", b.told, want)
	}
}

func TestChunksComeInTime(t *testing.T) {
	b := newBooth(reader)
	b.loop.At(time.Second, pipeline.RankInput, func() { b.Speak("abc") })
	b.check(t,
		"1.3s job 0 at 0s: 800 samples",
		"1.35s job 0 at 100ms: 800 samples",
		"1.4s job 0 at 200ms: 800 samples, last",
	)
	if want := Say("abc", reader, 8000); !slices.Equal(b.samples[0], want.Samples) || b.text[0] != "abc" || b.Busy() {
		t.Errorf("chunks of %q differ from the whole", b.text[0])
	}
}

// TestJobsFollow: a job begins when it is ready and one chunk's work after the one before.
func TestJobsFollow(t *testing.T) {
	b := newBooth(reader)
	b.loop.At(0, pipeline.RankInput, func() {
		if one, two := b.Speak("ab"), b.Speak("cd."); one != 0 || two != 1 {
			t.Errorf("jobs %d and %d, want 0 and 1", one, two)
		}
	})
	b.loop.At(390*ms, pipeline.RankInput, func() { b.Speak("e") })
	b.loop.At(400*ms, pipeline.RankInput, func() { b.Speak("!") })
	b.check(t,
		"300ms job 0 at 0s: 800 samples",
		"350ms job 0 at 100ms: 800 samples, last",
		"400ms job 1 at 0s: 800 samples",
		"450ms job 1 at 100ms: 800 samples, last",
		"690ms job 2 at 0s: 800 samples, last",
		"740ms job 3 at 0s: 0 samples, last",
	)
	if b.text[1] != "cd." || b.text[3] != "!" {
		t.Errorf("characters %v", b.text)
	}
}

func TestClear(t *testing.T) {
	b := newBooth(reader)
	b.loop.At(0, pipeline.RankInput, func() { b.Speak("abcdef"); b.Speak("g") })
	b.loop.At(360*ms, pipeline.RankInput, func() {
		b.Clear()
		if b.Busy() {
			t.Error("busy after Clear")
		}
		b.Speak("h")
	})
	b.check(t,
		"300ms job 0 at 0s: 800 samples",
		"350ms job 0 at 100ms: 800 samples",
		"660ms job 2 at 0s: 800 samples, last",
	)
}

// TestClearForgetsWork: after it nothing has to be waited for.
func TestClearForgetsWork(t *testing.T) {
	p := reader
	p.FirstByte = dist.Constant(10 * ms)
	b := newBooth(p)
	b.loop.At(0, pipeline.RankInput, func() { b.Speak("a") })
	b.loop.At(20*ms, pipeline.RankInput, func() { b.Clear(); b.Speak("b") })
	b.check(t, "10ms job 0 at 0s: 800 samples, last", "30ms job 1 at 0s: 800 samples, last")
}

func TestCancel(t *testing.T) {
	b := newBooth(reader)
	b.loop.At(0, pipeline.RankInput, func() { b.Speak("abcdef"); b.Speak("g"); b.Speak("h") })
	b.loop.At(310*ms, pipeline.RankInput, func() { b.Cancel(1) })
	b.loop.At(360*ms, pipeline.RankInput, func() { b.Cancel(0); b.Cancel(0); b.Cancel(7) })
	b.check(t,
		"300ms job 0 at 0s: 800 samples",
		"350ms job 0 at 100ms: 800 samples",
		"360ms job 2 at 0s: 800 samples, last",
	)
}

// TestCallbacksMaySpeak: who hears a chunk may hand in text, or clear.
func TestCallbacksMaySpeak(t *testing.T) {
	var loop pipeline.Virtual
	var s *Synthesizer
	chunks := 0
	s = NewSynthesizer(&loop, Speaking{Rate: 8000, Profile: reader}, func(c Chunk) {
		switch chunks++; {
		case c.Job == 0 && c.Last:
			s.Speak("ab")
		case c.Job == 1:
			s.Clear()
		}
	})
	loop.At(0, pipeline.RankInput, func() { s.Speak("a") })
	if err := loop.Run(context.Background()); err != nil || chunks != 2 || s.Busy() {
		t.Errorf("%d chunks, busy %t, %v", chunks, s.Busy(), err)
	}
}

// TestLeadAndSpeed: silence in front, an end that is no whole chunk, everything at once,
// and a user in a hurry.
func TestLeadAndSpeed(t *testing.T) {
	p := reader
	p.Lead, p.Tail, p.Speed = 150*ms, 20*ms, 0
	b := newBooth(p)
	b.loop.At(0, pipeline.RankInput, func() { b.Speak("ab") })
	b.check(t,
		"300ms job 0 at 0s: 800 samples",
		"300ms job 0 at 100ms: 800 samples",
		"300ms job 0 at 200ms: 800 samples",
		"300ms job 0 at 300ms: 560 samples, last",
	)
	var loop pipeline.Virtual
	length := 0
	s := NewSynthesizer(&loop, Speaking{Rate: 8000, Profile: reader, Rush: 2}, func(c Chunk) { length += c.Length })
	loop.At(0, pipeline.RankInput, func() { s.Speak("abcdefgh") })
	if err := loop.Run(context.Background()); err != nil || audio.Duration(length, 8000) != 400*ms {
		t.Errorf("8 characters at twice the pace take %s, want 400ms (%v)", audio.Duration(length, 8000), err)
	}
}

// TestFirstBytesAreDrawn: from the profile's distribution, by seed and stream.
func TestFirstBytesAreDrawn(t *testing.T) {
	p := reader
	p.FirstByte = dist.Uniform(100*ms, 900*ms)
	first := func(seed uint64, stream int) (at time.Duration) {
		var loop pipeline.Virtual
		s := NewSynthesizer(&loop, Speaking{Rate: 8000, Profile: p, Seed: seed, Stream: stream}, func(Chunk) { at = loop.Now() })
		loop.At(0, pipeline.RankInput, func() { s.Speak("a") })
		if err := loop.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return at
	}
	r := dist.Stream(5, "speech/first bytes", 3)
	if got, want := first(5, 3), p.FirstByte.Draw(&r); got != want {
		t.Errorf("first byte at %s, want %s", got, want)
	}
	if first(5, 3) == first(6, 3) || first(5, 3) == first(5, 4) {
		t.Error("another seed or stream has the same first byte")
	}
}
