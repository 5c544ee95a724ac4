package voicetest

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
)

// Rate is the rate of the audio that a Line sends.
const Rate = 16_000

// Voiced returns sound that a detector takes for speech from its first to its last
// sample: a tone whose loudness goes up and down.
func Voiced(d time.Duration, rate int) []int16 {
	samples := make([]int16, audio.Samples(d, rate))
	for i := range samples {
		t := float64(i) / float64(rate)
		samples[i] = int16(6000 * (.65 + .35*math.Sin(2*math.Pi*9*t)) * math.Sin(2*math.Pi*220*t))
	}
	return samples
}

// Silent returns silence.
func Silent(d time.Duration, rate int) []int16 { return make([]int16, audio.Samples(d, rate)) }

// WAV returns samples of the usual Rate as a file.
func WAV(t testing.TB, parts ...[]int16) []byte {
	t.Helper()
	c := audio.Clip{Rate: Rate, Samples: slices.Concat(parts...)}
	file, err := audio.Write(c, audio.Output{Container: audio.WAV, Format: audio.Format{Channels: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Endless returns a FLAC file whose header says that it lasts for days.
func Endless(t testing.TB) []byte {
	t.Helper()
	file, err := audio.Write(audio.Clip{Rate: Rate, Samples: make([]int16, Rate)}, audio.Output{Container: audio.FLAC, Format: audio.Format{Channels: 1}})
	if err != nil {
		t.Fatal(err)
	}
	copy(file[21:], []byte{0xF8, 0, 0, 0, 0}) // of STREAMINFO, how many samples: 2^35
	return file
}

// PCM returns the samples of raw audio of 16 bits.
func PCM(b []byte) []int16 {
	samples := make([]int16, len(b)/2)
	for i := range samples {
		samples[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return samples
}

// Clip returns the samples of a file.
func Clip(t testing.TB, file []byte, rate int) audio.Clip {
	t.Helper()
	c, err := audio.Read(file)
	if err != nil || c.Rate != rate {
		t.Fatalf("the audio is at %d Hz (%v), want %d", c.Rate, err, rate)
	}
	return c
}

// Spoken returns what a Steady voice says.
func Spoken(text string, rate int) []int16 { return speech.Say(text, Steady(""), rate).Samples }

// Same checks that samples are exactly those of a text spoken by a Steady voice, its
// silences included.
func Same(t testing.TB, got []int16, text string, rate int) {
	t.Helper()
	if want := Spoken(text, rate); !slices.Equal(got, want) {
		t.Fatalf("%d samples that are not the %d of %q", len(got), len(want), text)
	}
	Audible(t, got, rate)
}

// Audible checks that samples begin with 50 ms of silence, and that a voice follows.
func Audible(t testing.TB, got []int16, rate int) {
	t.Helper()
	lead := audio.Samples(50*ms, rate)
	if slices.ContainsFunc(got[:lead], func(s int16) bool { return s != 0 }) {
		t.Error("the audio does not begin with silence")
	}
	if !slices.ContainsFunc(got[lead:lead+audio.Samples(100*ms, rate)], func(s int16) bool { return s > 1000 }) {
		t.Error("no voice is heard after the silence")
	}
}

// MP3Delay is how many samples later a decoder of MP3 gives a sample back.
const MP3Delay = 1057

// Alike checks that decoded samples are those of a text but for a codec's noise and
// delay: the noise is at least so many dB below the voice.
func Alike(t testing.TB, got audio.Clip, text string, rate, delay int, decibels float64) {
	t.Helper()
	want := Spoken(text, rate)
	if got.Rate != rate || len(got.Samples) < len(want)+delay {
		t.Fatalf("%d samples at %d Hz, want %d or more at %d Hz", len(got.Samples), got.Rate, len(want)+delay, rate)
	}
	var power, noise float64
	for i, w := range want {
		d := float64(w) - float64(got.Samples[i+delay])
		power, noise = power+float64(w)*float64(w), noise+d*d
	}
	if ratio := 10 * math.Log10(power/noise); ratio < decibels {
		t.Errorf("the voice is %.1f dB above the noise, want %.1f or more", ratio, decibels)
	}
}
