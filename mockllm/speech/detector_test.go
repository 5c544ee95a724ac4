package speech

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
)

const ms = time.Millisecond

// edges returns what a detector tells of samples that are fed in pieces.
func edges(c DetectorConfig, samples []int16, piece func() int) (all []Edge) {
	d := NewDetector(c)
	tell := func(e Edge) { all = append(all, e) }
	for len(samples) > 0 {
		n := min(len(samples), piece())
		d.Feed(samples[:n], tell)
		samples = samples[n:]
	}
	d.Close(tell)
	return all
}

func uncut() int { return math.MaxInt }

// spokenText is a voice of ours with a pause at the comma.
func spokenText(rate int) audio.Clip {
	const text = "Please call me back after six, when the office is open again"
	return Say(text, TTS{Lead: time.Second, Tail: time.Second}, rate).Clip
}

// recording is a synthesizer of others that was made from a person's voice.
func recording(t testing.TB, rate int) audio.Clip {
	b, err := os.ReadFile("audio/testdata/please.flac")
	if err != nil {
		t.Fatal(err)
	}
	c, err := audio.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	second := make([]int16, c.Rate)
	c.Samples = slices.Concat(second, c.Samples, second)
	return c.At(rate)
}

// truth returns where clean speech begins and ends, to 5 ms: where it is less than 35 dB
// below its loudest, and louder than noise that will lie over it.
func truth(c audio.Clip, noise float64) (start, end time.Duration) {
	const step = 5 * ms
	n := audio.Samples(step, c.Rate)
	loudest := 0.
	for at := 0; at+n <= len(c.Samples); at += n {
		loudest = max(loudest, level(c.Samples[at:at+n]))
	}
	heard := max(noise, loudest*math.Pow(10, -35./20))
	start = -1
	for at := 0; at+n <= len(c.Samples); at += n {
		if level(c.Samples[at:at+n]) > heard {
			if start < 0 {
				start = audio.Duration(at, c.Rate)
			}
			end = audio.Duration(at+n, c.Rate)
		}
	}
	return start, end
}

// level returns the root of the mean square.
func level(samples []int16) float64 {
	sum := 0.
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	return math.Sqrt(sum / float64(len(samples)))
}

type condition struct {
	name   string
	noise  float64 // dB below speech
	change func(x float64) float64
}

// conditions are what happens to clean speech on its way.
var conditions = []condition{
	{"clean", 90, func(x float64) float64 { return x }},
	{"40 dB above noise", 40, func(x float64) float64 { return x }},
	{"20 dB above noise", 20, func(x float64) float64 { return x }},
	{"10 dB above noise", 10, func(x float64) float64 { return x }},
	{"a tenth as loud", 90, func(x float64) float64 { return x / 10 }},
	{"with an offset", 90, func(x float64) float64 { return x/2 + 8000 }},
	{"as mu-law", 90, func(x float64) float64 {
		b := audio.Encode(nil, []int16{int16(x)}, audio.MuLaw)
		s, _ := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: 8000}, audio.Mix).Decode(nil, b)
		return float64(s[0])
	}},
}

// TestSpeechIsFound: its start and its end are found within 10 ms where it is a voice of
// ours, which does not fade. A recording does: it is found within 30 ms, but for the last
// sound, an s, which 8 kHz leaves at the very edge of what is heard, and which noise only
// 10 dB below the vowels all but hides.
func TestSpeechIsFound(t *testing.T) {
	for _, rate := range []int{8000, 16000, 24000, 44100} {
		for source, clip := range map[string]audio.Clip{"voice": spokenText(rate), "recording": recording(t, rate)} {
			from, to := truth(clip, 0)
			speech := level(clip.Samples[audio.Samples(from, rate):audio.Samples(to, rate)])
			for _, c := range conditions {
				noise := speech * math.Pow(10, -c.noise/20)
				start, end := truth(clip, 1.41*noise)
				all := edges(DetectorConfig{Rate: rate}, c.apply(clip, noise), uncut)
				if len(all) < 2 {
					t.Errorf("%s %s at %d Hz: no speech", source, c.name, rate)
					continue
				}
				early, late := (all[0].At - start).Abs(), (all[len(all)-1].At - end).Abs()
				most, mostLate := 10*ms, 10*ms
				if source == "recording" {
					most, mostLate = 30*ms, 30*ms
					switch {
					case c.noise == 10:
						mostLate = 140 * ms
					case rate == 8000:
						mostLate = 60 * ms
					}
				}
				if early > most || late > mostLate {
					t.Errorf("%s %s at %d Hz: %s to %s, want %s to %s", source, c.name, rate, all[0].At, all[len(all)-1].At, start, end)
				}
			}
		}
	}
}

func (c condition) apply(clip audio.Clip, noise float64) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]int16, len(clip.Samples))
	for i, s := range clip.Samples {
		x := c.change(float64(s)) + noise*r.NormFloat64()
		out[i] = int16(max(math.MinInt16, min(math.MaxInt16, x)))
	}
	return out
}

// TestPausesAreFound: a voice of ours says 29 characters, pauses for four at the comma
// and says 29 more, 18 a second; no dip between its words is a pause.
func TestPausesAreFound(t *testing.T) {
	got := edges(DetectorConfig{Rate: 16000}, spokenText(16000).Samples, uncut)
	want := []Edge{
		{true, 1000 * ms, 1070 * ms}, {false, 2620 * ms, 2720 * ms}, // it ends at 2611
		{true, 2830 * ms, 2890 * ms}, {false, 4450 * ms, 4550 * ms}, // 2833 and 4444
	}
	if !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
}

// TestDipsAreNoEnds: 30 to 60 ms of silence inside a sentence do not end it; 100 do.
func TestDipsAreNoEnds(t *testing.T) {
	const rate = 16000
	vowel := Say("aeiouaeiouaeiou", TTS{}, rate).Samples
	for dip, want := range map[time.Duration]int{30 * ms: 2, 60 * ms: 2, 90 * ms: 2, 130 * ms: 4} {
		quiet := make([]int16, audio.Samples(dip, rate))
		samples := slices.Concat(make([]int16, rate), vowel, quiet, vowel, quiet[:0], make([]int16, rate))
		if got := edges(DetectorConfig{Rate: rate}, samples, uncut); len(got) != want {
			t.Errorf("a dip of %s: edges %v, want %d", dip, got, want)
		}
	}
}

// TestNoiseIsNoSpeech: what is steady is not speech, however loud, from its first sample
// on or from a later one, and neither is a click.
func TestNoiseIsNoSpeech(t *testing.T) {
	for _, rate := range []int{8000, 16000, 48000} {
		for name, wave := range map[string]func(r *rand.Rand, i int) float64{
			"silence":              func(*rand.Rand, int) float64 { return 0 },
			"an offset":            func(*rand.Rand, int) float64 { return 5000 },
			"noise":                func(r *rand.Rand, _ int) float64 { return 1000 * r.NormFloat64() },
			"loud noise":           func(r *rand.Rand, _ int) float64 { return 8000 * r.NormFloat64() },
			"noise that sets in":   func(r *rand.Rand, i int) float64 { return float64(i/rate/4) * 300 * r.NormFloat64() },
			"hum":                  func(_ *rand.Rand, i int) float64 { return 3000 * math.Sin(2*math.Pi*50*float64(i)/float64(rate)) },
			"a tone":               func(_ *rand.Rand, i int) float64 { return 3000 * math.Sin(2*math.Pi*440*float64(i)/float64(rate)) },
			"clicks, one a second": func(r *rand.Rand, i int) float64 { return click(i%rate, rate) + 10*r.NormFloat64() },
		} {
			r := rand.New(rand.NewPCG(3, 4))
			samples := make([]int16, 20*rate)
			for i := range samples {
				samples[i] = int16(max(math.MinInt16, min(math.MaxInt16, wave(r, i))))
			}
			if got := edges(DetectorConfig{Rate: rate}, samples, uncut); len(got) > 0 {
				t.Errorf("%s at %d Hz is taken for speech: %v", name, rate, got)
			}
		}
	}
}

// click is a knock that rings for some milliseconds.
func click(i, rate int) float64 {
	at := float64(i) / float64(rate)
	return 20_000 * math.Exp(-at/.004) * math.Sin(2*math.Pi*1500*at)
}

// TestDetectorsTakeAnyCut: how samples are cut does not matter.
func TestDetectorsTakeAnyCut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, rate := range []int{8000, 11025, 22050, 48000} {
		samples := recording(t, rate).Samples
		want := edges(DetectorConfig{Rate: rate}, samples, uncut)
		if len(want) < 2 {
			t.Fatalf("no speech at %d Hz", rate)
		}
		for range 10 {
			if got := edges(DetectorConfig{Rate: rate}, samples, func() int { return 1 + r.IntN(1<<r.IntN(13)) }); !slices.Equal(got, want) {
				t.Errorf("at %d Hz, cut: %v, want %v", rate, got, want)
			}
		}
	}
}

// TestSpeechThatIsCutOff: the audio ends within speech, and begins within it, so that
// only a dip tells that it was none of the noise.
func TestSpeechThatIsCutOff(t *testing.T) {
	const rate = 16000
	s := Say("Please call me back after six", TTS{}, rate)
	got := edges(DetectorConfig{Rate: rate}, s.Samples, uncut)
	if len(got) != 2 || got[0].At > 100*ms || got[1].At < s.Duration()-20*ms || got[1].At > s.Duration() {
		t.Errorf("edges %v, want about 0s to %s", got, s.Duration())
	}
}

func BenchmarkDetector(b *testing.B) {
	samples := spokenText(16000).Samples[:1600] // 100 ms
	d := NewDetector(DetectorConfig{Rate: 16000})
	b.ReportAllocs()
	for b.Loop() {
		d.Feed(samples, func(Edge) {})
	}
}
