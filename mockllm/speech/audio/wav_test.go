package audio

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestWAVHeader(t *testing.T) {
	want := "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data\x08\x00\x00\x00"
	if got := string(AppendWAVHeader(nil, Format{S16LE, 16000, 1}, 8)); got != want {
		t.Errorf("header % x, want % x", got, want)
	}
	got := AppendWAVHeader(nil, Format{MuLaw, 8000, 1}, ToTheEnd)
	if string(got[4:8]) != "\xff\xff\xff\xff" || string(got[40:]) != "\xff\xff\xff\xff" || got[20] != 7 || got[34] != 8 {
		t.Errorf("header of a stream of mu-law: % x", got)
	}
}

// wav returns a WAV with chunks between its header and its data.
func wav(f Format, size uint32, between string, data []byte) []byte {
	h := AppendWAVHeader(nil, f, 0)
	h = append(h[:36:36], between...)
	h = binary.LittleEndian.AppendUint32(append(h, "data"...), size)
	return append(h, data...)
}

func TestWAVsAreRead(t *testing.T) {
	samples := []int16{0, 1024, -1024, 32000}
	s16 := Encode(nil, samples, S16LE)
	mono := Format{S16LE, 16000, 1}
	list := "LIST\x05\x00\x00\x00abcde\x00" // of odd length, so that a byte follows
	for _, c := range []struct {
		name string
		file []byte
		want []int16
	}{
		{"16 bits", wav(mono, 8, "", s16), samples},
		{"chunks before", wav(mono, 8, list, s16), samples},
		{"chunks behind", append(wav(mono, 8, "", s16), list...), samples},
		{"shorter than it says", wav(mono, 1<<31-1, "", s16), samples},
		{"of length 0", wav(mono, 0, "", s16), samples},
		{"of unknown length", wav(mono, 0xFFFFFFFF, "", s16), samples},
		{"half a sample at the end", wav(mono, 0, "", s16[:7]), samples[:3]},
		{"24 bits", wav(Format{S24LE, 16000, 1}, 12, "", Encode(nil, samples, S24LE)), samples},
		{"32 bits", wav(Format{S32LE, 16000, 1}, 16, "", Encode(nil, samples, S32LE)), samples},
		{"float", wav(Format{F32LE, 16000, 1}, 16, "", Encode(nil, samples, F32LE)), samples},
		{"8 bits", wav(Format{U8, 16000, 1}, 4, "", Encode(nil, samples, U8)), []int16{0, 1024, -1024, 32000}},
		{"mu-law", wav(Format{MuLaw, 16000, 1}, 4, "", Encode(nil, samples, MuLaw)), []int16{0, 1052, -1052, 32124}},
		{"A-law", wav(Format{ALaw, 16000, 1}, 4, "", Encode(nil, samples, ALaw)), []int16{8, 1056, -1008, 32256}},
		{"stereo", wav(Format{S16LE, 16000, 2}, 8, "", s16), []int16{512, 15488}},
		{"extensible", extensible(s16), samples},
	} {
		clip, err := Read(c.file)
		if err != nil || clip.Rate != 16000 || !slices.Equal(clip.Samples, c.want) {
			t.Errorf("%s: %v at %d Hz, %v, want %v at 16000", c.name, clip.Samples, clip.Rate, err, c.want)
		}
	}
}

// TestCutWAVs: what a header promises and the file does not have is told, unless the length is
// none that anybody knew.
func TestCutWAVs(t *testing.T) {
	stereo := Format{S16LE, 16000, 2}
	for size, want := range map[uint32]time.Duration{
		64_000: 0, 128_000: time.Second, 0: 0, 0xFFFFFFFF: 0, 0x7FFFF000: 0,
	} {
		if got := Lacks(wav(stereo, size, "", make([]byte, 64_000))); got != want {
			t.Errorf("a header of %d bytes before 64000: %s lacks, want %s", size, got, want)
		}
	}
}

// extensible returns a WAV of 16 bits whose format is named by a GUID.
func extensible(data []byte) []byte {
	h := AppendWAVHeader(nil, Format{S16LE, 16000, 1}, len(data))
	fmt := append([]byte(nil), h[20:36]...)
	fmt[0], fmt[1] = 0xFE, 0xFF
	fmt = append(fmt, "\x16\x00\x10\x00\x04\x00\x00\x00\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	out := append(append([]byte(nil), h[:16]...), byte(len(fmt)), 0, 0, 0)
	return append(append(append(out, fmt...), h[36:]...), data...)
}

func TestBrokenWAVsAreRefused(t *testing.T) {
	header := AppendWAVHeader(nil, Format{S16LE, 16000, 1}, 0)
	edit := func(at int, b ...byte) []byte {
		return slices.Replace(slices.Clone(header), at, at+len(b), b...)
	}
	for _, c := range []struct {
		name, want string
		file       []byte
	}{
		{"ADPCM", "samples of format 2 with 4 bits", edit(34, 4, 0)[:0:0]},
		{"no rate", "the WAV header is wrong: 1 channels at 0 Hz", edit(24, 0, 0, 0, 0)},
		{"no channels", "the WAV header is wrong: 0 channels at 16000 Hz", edit(22, 0, 0)},
		{"large format", "a format of 65552 bytes: want 16 to 40", edit(18, 1)},
		{"small format", "a format of 2 bytes: want 16 or more", edit(16, 2)},
		{"data first", "data before its format", append(slices.Clone(header[:12]), "data\x00\x00\x00\x00"...)},
		{"no data", "the file ends within its header", header[:30]},
	} {
		if c.name == "ADPCM" {
			c.file = edit(20, 2, 0)
			c.file[34] = 4
		}
		if _, err := Read(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestStreamsTakeAnyCut: a file that arrives in pieces has the samples of the whole.
func TestStreamsTakeAnyCut(t *testing.T) {
	clip := read(t, "please.flac")
	r := rand.New(rand.NewPCG(1, 2))
	for name, file := range map[string][]byte{
		"WAV":      wav(Format{S16LE, 16000, 1}, 0, "LIST\x05\x00\x00\x00abcde\x00", Encode(nil, clip.Samples, S16LE)),
		"Ogg Opus": file(t, "please.opus"),
	} {
		want, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			var s Stream
			var got []int16
			for rest := file; len(rest) > 0; {
				n := min(len(rest), 1+r.IntN(1<<r.IntN(12)))
				if got, err = s.Decode(got, rest[:n]); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if s.Rate() != want.Rate || !slices.Equal(got, want.Samples) {
				t.Errorf("%s in pieces: %d samples at %d Hz that differ from the whole's %d at %d", name, len(got), s.Rate(), len(want.Samples), want.Rate)
			}
		}
	}
}

func TestStreamsSayWhatTheyAreNot(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"fLaC\x00\x00\x00\x22\x10\x00\x10\x00", "FLAC cannot be decoded as it arrives: want WAV or Ogg Opus"},
		{"ID3\x04\x00\x00\x00\x00\x00\x00\x00\x00", "MP3 cannot be decoded as it arrives: want WAV or Ogg Opus"},
		{"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81", "WebM or Matroska cannot be decoded as it arrives: want WAV or Ogg Opus"},
		{"hello, world", "unknown audio file: want WAV or Ogg Opus, or raw samples with their encoding and rate"},
	} {
		var s Stream
		for _, piece := range [][]byte{[]byte(c.head), []byte("more")} {
			if _, err := s.Decode(nil, piece); err == nil || err.Error() != c.want {
				t.Errorf("%q: %v, want %q", c.head, err, c.want)
			}
		}
	}
	var s Stream
	if got, err := s.Decode(nil, bytes.Repeat([]byte("a"), sniffed-1)); got != nil || err != nil || s.Rate() != 0 {
		t.Errorf("before it is known what a file is: %v, %v", got, err)
	}
}
