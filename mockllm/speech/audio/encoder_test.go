package audio

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pieces encodes a clip in pieces of any size.
func pieces(t *testing.T, c Clip, o Output) []byte {
	t.Helper()
	o.Format.Rate = c.Rate
	e, err := NewEncoder(o)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	var out []byte
	for rest := c.Samples; len(rest) > 0; {
		n := min(len(rest), r.IntN(3000))
		out = e.Encode(out, rest[:n])
		rest = rest[n:]
	}
	return e.Close(out)
}

// TestLossless: what is written in pieces is what is written at once, and reads back
// as it was.
func TestLossless(t *testing.T) {
	clip := read(t, "please.flac")
	for _, c := range []Container{WAV, FLAC} {
		o := Output{Container: c}
		streamed := pieces(t, clip, o)
		whole, err := Write(clip, o)
		if err != nil {
			t.Fatal(err)
		}
		if c == FLAC && !bytes.Equal(streamed, whole) {
			t.Errorf("%s in pieces differs from the whole", c)
		}
		for _, b := range [][]byte{streamed, whole} {
			if back, err := Read(b); err != nil || back.Rate != clip.Rate || !slices.Equal(back.Samples, clip.Samples) {
				t.Errorf("%s reads back as %d samples at %d Hz, %v", c, len(back.Samples), back.Rate, err)
			}
		}
	}
	if raw := pieces(t, clip, Output{Container: Raw, Format: Format{Encoding: ALaw}}); !bytes.Equal(raw, Encode(nil, clip.Samples, ALaw)) {
		t.Error("raw samples in pieces differ from the whole")
	}
	if b, _ := Write(clip, Output{Container: WAV}); string(b[40:44]) != "\x60\xf4\x00\x00" { // 31280 samples
		t.Errorf("length of the WAV: % x", b[40:44])
	}
}

// TestMP3: the samples come back mp3Delay later, with noise far below them, in as many
// bytes as the rate says.
func TestMP3(t *testing.T) {
	clip := read(t, "please.flac")
	for _, c := range []struct {
		rate, kbps int
		noise      float64 // dB below the speech, at least
	}{
		{16000, 32, 25}, {22050, 32, 25}, {24000, 64, 35}, {24000, 160, 50},
		{32000, 48, 30}, {44100, 32, 25}, {44100, 128, 50}, {48000, 192, 55}, {48000, 320, 55},
	} {
		want := clip.At(c.rate)
		b := pieces(t, want, Output{Container: MP3, Kbps: c.kbps})
		if whole, _ := Write(want, Output{Container: MP3, Kbps: c.kbps}); !bytes.Equal(b, whole) {
			t.Errorf("%d kbit/s at %d Hz: in pieces differs from the whole", c.kbps, c.rate)
		}
		got, err := Read(b)
		if err != nil || got.Rate != c.rate {
			t.Fatalf("%d kbit/s at %d Hz reads back at %d Hz, %v", c.kbps, c.rate, got.Rate, err)
		}
		if len(got.Samples) < len(want.Samples)+mp3Delay {
			t.Errorf("%d kbit/s at %d Hz: %d samples come back, want %d and %d", c.kbps, c.rate, len(got.Samples), mp3Delay, len(want.Samples))
		}
		if n := noise(got.Samples[mp3Delay:], want.Samples); n < c.noise {
			t.Errorf("%d kbit/s at %d Hz: noise is %.1f dB below speech, want %.0f or more", c.kbps, c.rate, n, c.noise)
		}
		if exact := float64(len(got.Samples)) / float64(c.rate) * float64(c.kbps) * 1000 / 8; math.Abs(float64(len(b))-exact) > 1 {
			t.Errorf("%d kbit/s at %d Hz: %d bytes, want %.1f", c.kbps, c.rate, len(b), exact)
		}
	}
}

// noise returns how far the difference of two stretches is below the second, in dB.
func noise(got, want []int16) float64 {
	var signal, difference float64
	for i, w := range want {
		signal += float64(w) * float64(w)
		difference += (float64(got[i]) - float64(w)) * (float64(got[i]) - float64(w))
	}
	return 10 * math.Log10(signal/difference)
}

// The extremes of what a spectrum can hold.
func TestMP3OfAnySamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	square, loud := make([]int16, 5000), make([]int16, 5000)
	for i := range square {
		square[i] = math.MaxInt16
		if i/40%2 == 0 {
			square[i] = math.MinInt16
		}
		loud[i] = int16(r.Uint32())
	}
	for name, samples := range map[string][]int16{"silence": make([]int16, 5000), "square": square, "noise": loud, "nothing": nil} {
		for _, kbps := range []int{8, 160} {
			b, err := Write(Clip{24000, samples}, Output{Container: MP3, Kbps: kbps})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Read(b)
			if err != nil || len(got.Samples) < len(samples)+mp3Delay {
				t.Errorf("%s at %d kbit/s: %d samples of %d, %v", name, kbps, len(got.Samples), len(samples), err)
			}
			if name == "silence" && slices.ContainsFunc(got.Samples, func(s int16) bool { return s != 0 }) {
				t.Errorf("silence at %d kbit/s is not silent", kbps)
			}
		}
	}
}

func TestOutputsThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		o    Output
		want string
	}{
		{Output{MP3, Format{Rate: 8000}, 0}, "MP3 at 8000 Hz: want 16000, 22050, 24000, 32000, 44100 or 48000"},
		{Output{MP3, Format{Rate: 24000}, 192}, "MP3 of 192 kbit/s at 24000 Hz: want one of [8 16 24 32 40 48 56 64 80 96 112 128 144 160]"},
		{Output{WAV, Format{Rate: 8000, Channels: 2}, 0}, "2 channels: only one is written"},
		{Output{WAV, Format{Rate: 0}, 0}, "sample rate 0: want 4000 to 192000"},
	} {
		if _, err := NewEncoder(c.o); err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, want %q", c.o, err, c.want)
		}
	}
}

func BenchmarkMP3(b *testing.B) {
	clip := read(b, "please.flac").At(24000)
	e, err := NewEncoder(Output{Container: MP3, Format: Format{Rate: 24000}})
	if err != nil {
		b.Fatal(err)
	}
	var out []byte
	for b.Loop() {
		out = e.Encode(out[:0], clip.Samples[12000:12000+2400]) // 100 ms
	}
}
