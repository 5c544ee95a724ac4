package audio

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

func file(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t testing.TB, name string) Clip {
	t.Helper()
	c, err := Read(file(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return c
}

// likeness returns the correlation of two stretches of samples, 1 for the same.
func likeness(a, b []int16) float64 {
	n := min(len(a), len(b))
	var ab, aa, bb float64
	for i := range n {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// TestFilesOfOthers reads what other programs wrote: the same speech in each.
func TestFilesOfOthers(t *testing.T) {
	want := read(t, "please.flac")
	if want.Rate != 16000 || want.Duration() != 1955*time.Millisecond {
		t.Errorf("please.flac: %s at %d Hz, want 1.955s at 16000", want.Duration(), want.Rate)
	}
	for _, c := range []struct {
		name    string
		rate    int
		delay   int // samples before the first: of MP3 a frame of information and the codec's
		longest time.Duration
	}{
		{"please.mp3", 16000, 576 + 1105, 2100 * time.Millisecond},
		{"please.opus", 48000, 0, 1955 * time.Millisecond},
	} {
		got := read(t, c.name)
		if got.Rate != c.rate || got.Duration() < want.Duration() || got.Duration() > c.longest {
			t.Errorf("%s: %s at %d Hz, want %s to %s at %d", c.name, got.Duration(), got.Rate, want.Duration(), c.longest, c.rate)
		}
		if l := likeness(got.At(16000).Samples[c.delay:], want.Samples); l < .9 {
			t.Errorf("%s is like please.flac by %.3f, want .9 or more", c.name, l)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		name, file, want string
	}{
		{"nothing", "", "the file is empty: want WAV, FLAC, MP3 or Ogg Opus"},
		{"text", "hello, world, how are you", "unknown audio file: want WAV, FLAC, MP3 or Ogg Opus"},
		{"MP4", "\x00\x00\x00\x20ftypM4A \x00\x00", "MP4 or M4A cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus"},
		{"RF64", "RF64\xff\xff\xff\xffWAVEds64", "RF64 cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus"},
		{"RIFX", "RIFX\x00\x00\x10\x00WAVEfmt ", "big-endian WAV (RIFX) cannot be decoded here"},
		{"Wave64", "riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb", "Wave64 cannot be decoded here"},
		{"AAC", "\xff\xf1\x50\x80\x04\x3f\xfc\x00\x00\x00\x00\x00", "AAC cannot be decoded here: want WAV, FLAC, MP3 or Ogg Opus"},
		{"Vorbis", string(file(t, "please.ogg")), "this Ogg file holds no Opus: of Ogg only Opus can be decoded"},
		{"FLAC that ends early", string(file(t, "please.flac")[:20_000]), "broken FLAC file"},
		{"MP3 without frames", "ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00", "broken MP3 file"},
	} {
		if _, err := Read([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestOpusGain: a file may ask for its samples to be louder or softer, by 1/256 dB.
func TestOpusGain(t *testing.T) {
	b := file(t, "please.opus")
	page := b[:pageLength(b)]
	const half = 65536 - 1541 // -6.02 dB
	binary.LittleEndian.PutUint16(page[28+16:], half)
	binary.LittleEndian.PutUint32(page[22:], 0)
	binary.LittleEndian.PutUint32(page[22:], oggSum(page))
	got, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range read(t, "please.opus").Samples {
		if d := 2*int(got.Samples[i]) - int(want); d < -16 || d > 16 {
			t.Fatalf("sample %d is %d, want half of %d", i, got.Samples[i], want)
		}
	}
}

// oggSum is the checksum of an Ogg page (RFC 3533, section 6).
func oggSum(page []byte) (sum uint32) {
	for _, b := range page {
		sum ^= uint32(b) << 24
		for range 8 {
			sum = sum<<1 ^ sum>>31*0x04C11DB7
		}
	}
	return sum
}

func TestBrokenOpusPackets(t *testing.T) {
	p, err := NewPackets(16000)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := p.Decode(nil, nil); err == nil || got != nil {
		t.Errorf("an empty packet: %v, %v, want an error", got, err)
	}
	if got, err := p.Decode(nil, []byte{0x48}); err != nil || len(got) != 320 {
		t.Errorf("a packet of 20 ms that is not coded: %d samples, %v", len(got), err)
	}
	if _, err := NewPackets(44100); err == nil || err.Error() != "sample rate 44100: Opus has 8000, 12000, 16000, 24000 and 48000" {
		t.Errorf("Opus at 44100 Hz: %v", err)
	}
}

// FuzzRead: no file crashes, and what is read can be played.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"please.flac", "please.mp3", "please.opus", "please.ogg"} {
		b := file(f, name)
		f.Add(b[:min(len(b), 3000)])
	}
	f.Add(AppendWAVHeader(nil, Format{S16LE, 16000, 2}, ToTheEnd))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(b)
		if err == nil && (c.Rate < LowestRate || c.Rate > HighestRate) {
			t.Errorf("read at %d Hz", c.Rate)
		}
	})
}
