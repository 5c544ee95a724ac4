package utterance

import (
	"math"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// TestOurs: the file that is shipped says 3.2 s, and its speech ends where package speech's
// detector hears it end.
func TestOurs(t *testing.T) {
	r, err := Read(Ours)
	if err != nil {
		t.Fatal(err)
	}
	v := r.Voice()
	if v.Rate != 16_000 || v.SpeechEnd != 3060*ms || r.From != 250*ms || v.Length() != 3245*ms {
		t.Errorf("%d samples a second, speech %s to %s of %s", v.Rate, r.From, v.SpeechEnd, v.Length())
	}
}

// tone is a voice of so many periods of 10 ms, loud and soft by turns.
func tone(length time.Duration) []int16 {
	all := make([]int16, audio.Samples(length, 16_000))
	for i := range all {
		loud := 3000 + 2500*math.Sin(2*math.Pi*float64(i)/1600)
		all[i] = int16(loud * math.Sin(2*math.Pi*300*float64(i)/16_000))
	}
	return all
}

func quiet(length time.Duration) []int16 { return make([]int16, audio.Samples(length, 16_000)) }

func clip(parts ...[]int16) Recording {
	var all []int16
	for _, p := range parts {
		all = append(all, p...)
	}
	c := audio.Clip{Rate: 16_000, Samples: all}
	from, to, err := Speech(c)
	if err != nil {
		panic(err)
	}
	return Recording{c, from, to}
}

// TestDetect: the end of speech is known when the silence has been heard, in steps of 10 ms,
// also where the recording ends sooner; a pause that lasts as long is one. What follows a
// loud sample fills the frame after it.
func TestDetect(t *testing.T) {
	r := clip(quiet(500*ms), tone(800*ms), quiet(300*ms), tone(700*ms), quiet(50*ms))
	if r.From != 500*ms || r.To != 2310*ms {
		t.Fatalf("speech from %s to %s, want 500ms to 2.31s", r.From, r.To)
	}
	d := NewDetector(r.Voice())
	for _, c := range []struct{ silence, stop, pause, resume time.Duration }{
		{100 * ms, 2410 * ms, 1410 * ms, 1660 * ms},
		{200 * ms, 2510 * ms, 1510 * ms, 1660 * ms},
		{209 * ms, 2510 * ms, 1510 * ms, 1660 * ms},
		{300 * ms, 2610 * ms, 0, 0},
		{2 * time.Second, 4310 * ms, 0, 0},
	} {
		for range 2 { // heard, and remembered
			x := d.Detect(c.silence)
			var p Pause
			if len(x.Pauses) > 0 {
				p = x.Pauses[0]
			}
			if x.Stop != c.stop || len(x.Pauses) > 1 || p != (Pause{c.pause, c.resume}) {
				t.Errorf("Detect(%s) = %+v, want a stop at %s and a pause from %s to %s", c.silence, x, c.stop, c.pause, c.resume)
			}
		}
	}
}

// TestDetectIsTheMocks: the shipped file stops where the mock's own detector says so, fed in
// pieces of any size.
func TestDetectIsTheMocks(t *testing.T) {
	r, err := Read(Ours)
	if err != nil {
		t.Fatal(err)
	}
	for _, silence := range []time.Duration{100 * ms, 200 * ms, 550 * ms} {
		var stop time.Duration
		d := speech.NewDetector(speech.DetectorConfig{Rate: r.Rate, Hangover: silence})
		all := append(append([]int16{}, r.Samples...), make([]int16, 32_000)...)
		for n := 0; len(all) > 0; n++ {
			k := min(len(all), 1+n%700)
			d.Feed(all[:k], func(e speech.Edge) {
				if !e.Speech {
					stop = e.Heard
				}
			})
			all = all[k:]
		}
		if got := NewDetector(r.Voice()).Detect(silence); got.Stop != stop || stop != r.To+silence {
			t.Errorf("Detect(%s) stops at %s, the mock's detector at %s, want %s", silence, got.Stop, stop, r.To+silence)
		}
	}
}

// TestDetectNone: of a clip that the detector hears no speech in, the end that is known counts.
func TestDetectNone(t *testing.T) {
	v := pipeline.Voice{Rate: 16_000, Samples: quiet(time.Second), SpeechEnd: 600 * ms}
	if got := NewDetector(v).Detect(200 * ms); got.Stop != 800*ms || got.Pauses != nil {
		t.Errorf("Detect = %+v, want a stop at 800ms", got)
	}
}

func TestReadRefuses(t *testing.T) {
	file := func(samples []int16) []byte {
		b, err := audio.Write(audio.Clip{Rate: 16_000, Samples: samples}, audio.Output{Container: audio.WAV, Format: audio.Format{Rate: 16_000}})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for want, file := range map[string][]byte{
		"want 1m0s at most":        file(quiet(61 * time.Second)),
		"there is no speech in it": file(quiet(time.Second)),
		"":                         []byte("none"),
	} {
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
