package audio

import "testing"

// TestLongFiles: of a file that stands for more than may be decoded no more is decoded,
// whatever its header says.
func TestLongFiles(t *testing.T) {
	const rate = 16_000
	c := Clip{Rate: rate, Samples: make([]int16, 3*rate)}
	encoded := func(k Container) []byte {
		file, err := Write(c, Output{Container: k, Format: Format{Rate: rate, Channels: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	flac := encoded(FLAC)
	said := append([]byte{}, flac...)
	copy(said[8+10+3:], []byte{0xF8, 0, 0, 0, 0}) // 2^35 samples
	const problem = " file is longer than 2s, the most that is decoded at 16000 Hz: want a shorter one, or a lower rate"
	for _, f := range []struct {
		name string
		read func(most int) (Clip, error)
		want string
	}{
		{"FLAC", func(most int) (Clip, error) { return readFLAC(flac, Mix, most) }, "the FLAC" + problem},
		{"FLAC by its header", func(most int) (Clip, error) { return readFLAC(said, Mix, most) }, "the FLAC" + problem},
		{"MP3", func(most int) (Clip, error) { return readMP3(encoded(MP3), Mix, most) }, "the MP3" + problem},
		{"WAV", func(most int) (Clip, error) { return readAll("WAV", encoded(WAV), Mix, most) }, "the WAV" + problem},
	} {
		if _, err := f.read(2 * rate); err == nil || err.Error() != f.want {
			t.Errorf("%s: got %v, want %s", f.name, err, f.want)
		}
		if c, err := f.read(4 * rate); f.name != "FLAC by its header" && (err != nil || len(c.Samples) < 3*rate) {
			t.Errorf("%s: %d samples (%v), want 3 s", f.name, len(c.Samples), err)
		}
	}
	want := "the Ogg file is longer than 1s, the most that is decoded at 48000 Hz: want a shorter one, or a lower rate"
	if _, err := readAll("Ogg", file(t, "please.opus"), Mix, 48_000); err == nil || err.Error() != want {
		t.Errorf("Ogg: got %v, want %s", err, want)
	}
}
