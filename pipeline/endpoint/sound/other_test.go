package sound

import (
	"bytes"
	"errors"
	"testing"
)

// mp3 is two frames of Layer III at 128 kbit/s and 44,100 samples a second, 417 bytes each;
// aac two of ADTS of 100 bytes.
var (
	mp3 = bytes.Repeat(append([]byte{0xff, 0xfb, 0x90, 0}, make([]byte, 413)...), 2)
	aac = bytes.Repeat(append([]byte{0xff, 0xf1, 0x50, 0x80, 100 >> 3, 100 << 5 & 0xff, 0xfc}, make([]byte, 93)...), 2)
)

// TestOther: what is no samples is known by how it begins, however it is cut, and samples are
// not taken for it.
func TestOther(t *testing.T) {
	for name, tt := range map[string]struct {
		bytes []byte
		want  string
		text  bool
	}{
		"tag":        {[]byte("ID3\x04\x00\x00\x00\x00"), "MP3", false},
		"mp3":        {mp3, "MP3", false},
		"aac":        {aac, "AAC", false},
		"ogg":        {[]byte("OggS\x00\x02"), "Ogg", false},
		"flac":       {[]byte("fLaC\x00\x00"), "FLAC", false},
		"webm":       {[]byte("\x1aE\xdf\xa3\x01"), "WebM", false},
		"mp4":        {[]byte("\x00\x00\x00\x20ftypM4A "), "MP4", false},
		"rf64":       {[]byte("RF64\xff\xff\xff\xffWAVEds64"), "RF64", false},
		"json":       {[]byte(`{"error":{"message":"no"}}`), "text", true},
		"page":       {[]byte("<!DOCTYPE html><html>"), "text", true},
		"one frame":  {append(bytes.Clone(mp3[:417]), make([]byte, 5000)...), "", false},
		"minus one":  {bytes.Repeat([]byte{0xff}, 5000), "", false},
		"zero":       {make([]byte, 5000), "", false},
		"brace":      {append([]byte{'{', 0}, make([]byte, 5000)...), "", false},
		"wave":       {[]byte("{zyxwvutsrqponmlkj{zyxwvutsrqponmlkj"), "", false},
		"wave again": {[]byte("<:8642.,*('&%$##$%&'(*,.2468:<"), "", false},
	} {
		for _, cut := range []int{1, 7, len(tt.bytes)} {
			m := NewMeter(Format{Encoding: S16, Rate: 24_000, Channels: 1})
			var err error
			for b := tt.bytes; len(b) > 0 && err == nil; b = b[min(cut, len(b)):] {
				_, err = m.Take(b[:min(cut, len(b))], 0)
			}
			var o *OtherError
			switch {
			case !errors.As(err, &o):
				if err != nil || tt.want != "" {
					t.Errorf("%s by %d: %v, want %q", name, cut, err, tt.want)
				}
			case o.What != tt.want || o.Text != nil != tt.text:
				t.Errorf("%s by %d: %q, text %q, want %q, %t", name, cut, o.What, o.Text, tt.want, tt.text)
			}
		}
	}
}
