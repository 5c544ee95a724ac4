package sound

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

const ms = time.Millisecond

// file returns a WAV header that says so many bytes of samples follow, and a chunk before.
func file(code, channels uint16, rate uint32, bits uint16, size uint32) []byte {
	le := binary.LittleEndian
	b := append([]byte("RIFF\xff\xff\xff\xffWAVELIST\x03\x00\x00\x00abc\x00fmt \x10\x00\x00\x00"), le.AppendUint16(le.AppendUint16(nil, code), channels)...)
	b = le.AppendUint32(le.AppendUint32(b, rate), 0)
	b = le.AppendUint16(le.AppendUint16(b, 0), bits)
	return le.AppendUint32(append(b, "data"...), size)
}

// tell tells of a meter in a line.
func tell(m *Meter, err error) string {
	at := func(d time.Duration) string {
		if d == pipeline.Unknown {
			return "-"
		}
		return fmt.Sprint(d)
	}
	return fmt.Sprintf("%d Hz %d channels %d bits header %t audio %s..%s audible %s samples %d underruns %d %s error %v",
		m.Format.Rate, m.Format.Channels, m.Format.Bits(), m.Headered, at(m.FirstAudio), at(m.LastAudio), at(m.FirstAudible), m.Samples, m.Underruns, m.Stalled, err)
}

// fed is bytes and when they come.
type fed struct {
	at   time.Duration
	data []byte
}

func measure(f Format, all []fed) (*Meter, error) {
	m := NewMeter(f)
	var last time.Duration
	for _, x := range all {
		if _, err := m.Take(x.data, x.at); err != nil {
			return m, err
		}
		last = x.at
	}
	_, err := m.End(last)
	return m, err
}

func TestMeter(t *testing.T) {
	pcm := Format{S16, 8000, 1}
	quiet, loud := make([]byte, 160), []byte{0x48, 0x01} // 328
	header := file(1, 2, 16_000, 16, 0xffffffff)
	tests := map[string]struct {
		format Format
		fed    []fed
		want   string
	}{
		"nothing":         {pcm, nil, "8000 Hz 1 channels 16 bits header false audio -..- audible - samples 0 underruns 0 0s error <nil>"},
		"silence":         {pcm, []fed{{5, quiet}}, "8000 Hz 1 channels 16 bits header false audio 5ns..5ns audible - samples 80 underruns 0 0s error <nil>"},
		"quieter":         {pcm, []fed{{5, []byte{0x47, 0x01, 0xb9, 0xfe}}}, "8000 Hz 1 channels 16 bits header false audio 5ns..5ns audible - samples 2 underruns 0 0s error <nil>"},
		"cut sample":      {pcm, []fed{{1, quiet[:3]}, {2, []byte{0, 0x48}}, {3, []byte{0x01}}}, "8000 Hz 1 channels 16 bits header false audio 1ns..3ns audible 3ns samples 3 underruns 0 0s error <nil>"},
		"below zero":      {pcm, []fed{{7, []byte{0xb8, 0xfe}}}, "8000 Hz 1 channels 16 bits header false audio 7ns..7ns audible 7ns samples 1 underruns 0 0s error <nil>"},
		"header, cut":     {pcm, []fed{{1, header[:3]}, {2, header[3:30]}, {3, header[30:]}, {4, quiet}, {9, loud}}, "16000 Hz 2 channels 16 bits header true audio 4ns..9ns audible 9ns samples 40 underruns 0 0s error <nil>"},
		"header and more": {pcm, []fed{{1, append(header[:len(header):len(header)], loud...)}}, "16000 Hz 2 channels 16 bits header true audio 1ns..1ns audible 1ns samples 0 underruns 0 0s error <nil>"},
		"known length":    {pcm, []fed{{1, file(7, 1, 8000, 8, 3)}, {2, []byte{0xff, 0xff, 0xff, 0x00}}}, "8000 Hz 1 channels 8 bits header true audio 2ns..2ns audible - samples 3 underruns 0 0s error <nil>"},
		"header alone":    {pcm, []fed{{1, header}}, "16000 Hz 2 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error <nil>"},
		"half a header":   {pcm, []fed{{1, header[:20]}}, "8000 Hz 1 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error the audio ended within its header"},
		"no header":       {pcm, []fed{{1, []byte("RIFF")}, {2, []byte("_is_no_f")}}, "8000 Hz 1 channels 16 bits header false audio 2ns..2ns audible 2ns samples 6 underruns 0 0s error <nil>"},
		"start of none":   {pcm, []fed{{1, []byte("RI")}}, "8000 Hz 1 channels 16 bits header false audio 1ns..1ns audible 1ns samples 1 underruns 0 0s error <nil>"},
		"other format":    {pcm, []fed{{1, file(2, 1, 8000, 4, 0)}}, "8000 Hz 1 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error a WAV of format 2 with 4 bits a sample cannot be measured"},
		"odd rate":        {pcm, []fed{{1, file(1, 1, 1, 16, 0)}}, "8000 Hz 1 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error 1 samples a second: want 4000 to 192000"},
		"no format":       {pcm, []fed{{1, []byte("RIFF\x00\x00\x00\x00WAVEdata\x00\x00\x00\x00")}}, "8000 Hz 1 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error the WAV has samples before it says what they are"},
		"huge format":     {pcm, []fed{{1, []byte("RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\x7f")}}, "8000 Hz 1 channels 16 bits header true audio -..- audible - samples 0 underruns 0 0s error the WAV header has a format of 2147483647 bytes: want 16 to 40"},
		"mu-law":          {Format{MuLaw, 8000, 1}, []fed{{1, []byte{0xff, 0x7f}}, {2, []byte{0x00}}}, "8000 Hz 1 channels 8 bits header false audio 1ns..2ns audible 2ns samples 3 underruns 0 0s error <nil>"},
		// 10 ms of audio at each; the player has 10 ms when the second comes after 10, 5 too
		// few when the third comes after 15 more, and then 2.
		"underruns": {pcm, []fed{{100 * ms, quiet}, {110 * ms, quiet}, {125 * ms, quiet}, {137 * ms, quiet}}, "8000 Hz 1 channels 16 bits header false audio 100ms..137ms audible - samples 320 underruns 2 7ms error <nil>"},
	}
	for name, tt := range tests {
		if m, err := measure(tt.format, tt.fed); tell(m, err) != tt.want {
			t.Errorf("%s\n got %s\nwant %s", name, tell(m, err), tt.want)
		}
	}
}

// TestLoud compares what can be heard with the mock's own codecs: of every sample of 16
// bits near the limit and far from it, in every encoding.
func TestLoud(t *testing.T) {
	codecs := map[Encoding]audio.Encoding{S16: audio.S16LE, U8: audio.U8, S24: audio.S24LE, S32: audio.S32LE, F32: audio.F32LE, MuLaw: audio.MuLaw, ALaw: audio.ALaw}
	for e, codec := range codecs {
		d := audio.NewDecoder(audio.Format{Encoding: codec, Rate: 8000, Channels: 1}, audio.Mix)
		for s := math.MinInt16; s <= math.MaxInt16; s++ {
			b := audio.Encode(nil, []int16{int16(s)}, codec)
			back, err := d.Decode(nil, b)
			if err != nil || len(back) != 1 {
				t.Fatal(err, back)
			}
			want := int(back[0]) >= pipeline.Audible || int(back[0]) <= -pipeline.Audible
			if got := e.loud(b, pipeline.Audible); got != want {
				t.Fatalf("encoding %d: %d, which is %d again, is loud: %t, want %t", e, s, back[0], got, want)
			}
		}
	}
}

// FuzzMeter: no bytes, however cut, break a meter, and cuts change no count.
func FuzzMeter(f *testing.F) {
	f.Add(append(file(1, 1, 24_000, 16, 0xffffffff), 0, 0, 0x48, 1), uint8(5), uint8(0))
	f.Add(append(file(3, 2, 16_000, 32, 4), 0, 0, 0x80, 0x3f, 9, 9), uint8(3), uint8(6))
	f.Add([]byte("RIFF"), uint8(1), uint8(1))
	f.Add([]byte("RIFF\xff\xff\xff\xffWAVEJUNK\xff\xff\xff\xff"), uint8(7), uint8(0))
	f.Add(file(0xfffe, 1, 8000, 16, 0), uint8(40), uint8(2))
	f.Fuzz(func(t *testing.T, p []byte, step, encoding uint8) {
		format := Format{Encoding(encoding) % Encoding(len(sizes)), 8000, 1}
		whole, err := measure(format, []fed{{1, p}})
		var pieces []fed
		for n := int(step)%64 + 1; len(p) > 0; p = p[min(n, len(p)):] {
			pieces = append(pieces, fed{1, p[:min(n, len(p))]})
		}
		cut, cutErr := measure(format, pieces)
		if tell(whole, err) != tell(cut, cutErr) {
			t.Errorf("at once %s\nin pieces %s", tell(whole, err), tell(cut, cutErr))
		}
	})
}
