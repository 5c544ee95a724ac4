package audio

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"
)

func TestEncodings(t *testing.T) {
	samples := []int16{0, 1, -1, 32767, -32768, 0x1234}
	for _, c := range []struct {
		e    Encoding
		want []byte
		back []int16 // nil for the samples themselves
	}{
		{S16LE, []byte{0, 0, 1, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0x80, 0x34, 0x12}, nil},
		{S24LE, []byte{0, 0, 0, 0, 1, 0, 0, 0xFF, 0xFF, 0, 0xFF, 0x7F, 0, 0, 0x80, 0, 0x34, 0x12}, nil},
		{S32LE, []byte{0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0xFF, 0x7F, 0, 0, 0, 0x80, 0, 0, 0x34, 0x12}, nil},
		{F32LE, []byte{0, 0, 0, 0, 0, 0, 0, 0x38, 0, 0, 0, 0xB8, 0, 0xFE, 0x7F, 0x3F, 0, 0, 0x80, 0xBF, 0, 0xA0, 0x11, 0x3E}, nil},
		{U8, []byte{128, 128, 127, 255, 0, 146}, []int16{0, 0, -256, 32512, -32768, 0x1200}},
		{MuLaw, []byte{0xFF, 0xFF, 0x7F, 0x80, 0x00, 0xAD}, []int16{0, 0, 0, 32124, -32124, 4604}},
		{ALaw, []byte{0xD5, 0xD5, 0x55, 0xAA, 0x2A, 0x87}, []int16{8, 8, -8, 32256, -32256, 4736}},
	} {
		got := Encode([]byte("x"), samples, c.e)
		if !bytes.Equal(got, append([]byte("x"), c.want...)) {
			t.Errorf("%s: % x, want % x", c.e, got[1:], c.want)
		}
		want := c.back
		if want == nil {
			want = samples
		}
		d := NewDecoder(Format{Encoding: c.e, Rate: 8000}, Mix)
		if back, _ := d.Decode(nil, got[1:]); !slices.Equal(back, want) {
			t.Errorf("%s decoded: %v, want %v", c.e, back, want)
		}
	}
}

func TestFloatsBeyondTheRange(t *testing.T) {
	for x, want := range map[float32]int16{
		2: 32767, -2: -32768, 1: 32767, -1: -32768, .5: 16384,
		float32(math.Inf(1)): 32767, float32(math.NaN()): 0, 1e-9: 0,
	} {
		if got := fromFloat(x); got != want {
			t.Errorf("%v is %d, want %d", x, got, want)
		}
	}
	if got := fromFloat(float32(math.NaN())); got != 0 {
		t.Errorf("NaN is %d, want 0", got)
	}
}

func TestDurations(t *testing.T) {
	for _, rate := range []int{8000, 11025, 16000, 22050, 44100, 48000} {
		for _, n := range []int{0, 1, 2, 441, rate - 1, rate, rate + 1, 12_345_678} {
			d := Duration(n, rate)
			if got := Samples(d, rate); got != n {
				t.Errorf("Samples(Duration(%d, %d)) = %d", n, rate, got)
			}
		}
	}
	if got := Duration(22050/2, 22050); got != 500*time.Millisecond {
		t.Errorf("half of a second's samples are %s", got)
	}
	f := Format{S16LE, 24000, 2}
	if got := f.Duration(24000 * 2 * 2 / 10); got != 100*time.Millisecond {
		t.Errorf("a tenth of a second's bytes are %s", got)
	}
}

func TestFormatsAreChecked(t *testing.T) {
	for _, c := range []struct {
		f    Format
		want string // "" when it is right
	}{
		{Format{MuLaw, 8000, 0}, ""},
		{Format{S16LE, 4000, 32}, ""},
		{Format{S16LE, 0, 1}, "sample rate 0: want 4000 to 192000"},
		{Format{200, 400_000, 33}, "unknown encoding 200\nsample rate 400000: want 4000 to 192000\n33 channels: want 1 to 32"},
	} {
		got := ""
		if err := c.f.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.f, got, c.want)
		}
	}
}
