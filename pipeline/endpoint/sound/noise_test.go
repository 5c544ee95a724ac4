package sound

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"halfsecond/mockllm/speech/audio"
)

// TestNoisy reads a recording of speech as what it is, and as other formats.
func TestNoisy(t *testing.T) {
	file, err := os.ReadFile("../../../simulators/voice/utterance/ours/table.wav")
	if err != nil {
		t.Fatal(err)
	}
	clip, err := audio.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	pcm := audio.Encode(nil, clip.Samples, audio.S16LE)
	var loud, floats, swapped, white, both []byte
	random := rand.New(rand.NewPCG(1, 2))
	for i, s := range clip.Samples {
		loud = binary.LittleEndian.AppendUint16(loud, uint16(int16(min(max(20*int(s), math.MinInt16), math.MaxInt16))))
		floats = binary.LittleEndian.AppendUint32(floats, math.Float32bits(float32(s)/(1<<15)))
		swapped = append(swapped, pcm[2*i+1], pcm[2*i])
		white = binary.LittleEndian.AppendUint16(white, uint16(random.Int()))
		both = append(both, pcm[2*i:2*i+2]...)
		both = binary.LittleEndian.AppendUint16(both, uint16(random.Int()))
	}
	for name, tt := range map[string]struct {
		pcm  []byte
		as   Format
		want bool
	}{
		"speech":               {pcm, Format{S16, 16_000, 1}, false},
		"clipped":              {loud, Format{S16, 16_000, 1}, false},
		"mu-law":               {audio.Encode(nil, clip.Samples, audio.MuLaw), Format{MuLaw, 16_000, 1}, false},
		"A-law":                {audio.Encode(nil, clip.Samples, audio.ALaw), Format{ALaw, 16_000, 1}, false},
		"floats":               {floats, Format{F32, 16_000, 1}, false},
		"its first channel":    {both, Format{S16, 16_000, 2}, false},
		"floats as integers":   {floats, Format{S16, 16_000, 1}, true},
		"off by one":           {pcm[1:], Format{S16, 16_000, 1}, true},
		"swapped":              {swapped, Format{S16, 16_000, 1}, true},
		"integers as 24 bits":  {pcm, Format{S24, 16_000, 1}, true},
		"white noise":          {white, Format{S16, 16_000, 1}, true},
		"not enough":           {white[:15_998], Format{S16, 16_000, 1}, false},
		"NaN":                  {append(floats[:0:0], "\xff\xff\xff\x7f"...), Format{F32, 16_000, 1}, false},
		"silence":              {make([]byte, 64_000), Format{S16, 16_000, 1}, false},
		"unsigned as they are": {unsigned(clip.Samples), Format{U8, 16_000, 1}, false},
	} {
		m := NewMeter(tt.as)
		for i := 0; i < len(tt.pcm); i += 997 { // samples cut in two
			if _, err := m.Take(tt.pcm[i:min(i+997, len(tt.pcm))], 0); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.Noisy(); got != tt.want {
			t.Errorf("%s: noisy %t, want %t: r %.3f, level %.3f of %d samples", name, got, tt.want, m.grain.beside/m.grain.square, math.Sqrt(m.grain.square/float64(m.grain.n)), m.grain.n)
		}
	}
}

func unsigned(samples []int16) (all []byte) {
	for _, s := range samples {
		all = append(all, byte(int(s)>>8+128))
	}
	return all
}
