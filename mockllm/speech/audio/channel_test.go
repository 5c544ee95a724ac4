package audio

import (
	"strings"
	"testing"
)

// TestReadChannel: channels of opposite phase cancel in their mean, and each is there by itself.
func TestReadChannel(t *testing.T) {
	samples := []int16{1000, -1000, -3000, 3000, 0, 0}
	pcm := Encode(nil, samples, S16LE)
	wav := append(AppendWAVHeader(nil, Format{Encoding: S16LE, Rate: 8000, Channels: 2}, len(pcm)), pcm...)
	for channel, want := range map[int][]int16{Mix: {0, 0, 0}, 0: {1000, -3000, 0}, 1: {-1000, 3000, 0}} {
		c, err := ReadChannel(wav, channel)
		if err != nil || len(c.Samples) != 3 || c.Samples[0] != want[0] || c.Samples[1] != want[1] {
			t.Errorf("channel %d: %v, %v, want %v", channel, c.Samples, err, want)
		}
	}
	if _, err := ReadChannel(wav, 2); err == nil || err.Error() != "there is no channel 2: the file has 2" {
		t.Errorf("error %v", err)
	}
	for name, channels := range map[string]int{"please.flac": 1, "please.opus": 1, "please.mp3": 2} {
		if _, err := ReadChannel(file(t, name), channels); err == nil || !strings.HasPrefix(err.Error(), "there is no channel") {
			t.Errorf("%s: error %v", name, err)
		}
		mix, err := Read(file(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if c, err := ReadChannel(file(t, name), 0); err != nil || len(c.Samples) != len(mix.Samples) {
			t.Errorf("%s: %d samples, want %d, %v", name, len(c.Samples), len(mix.Samples), err)
		}
	}
}
