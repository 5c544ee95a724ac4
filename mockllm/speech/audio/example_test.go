package audio_test

import (
	"fmt"

	"halfsecond/mockllm/speech/audio"
)

// Half a second of mu-law from a telephone becomes a WAV at 16 kHz.
func Example() {
	d := audio.NewDecoder(audio.Format{Encoding: audio.MuLaw, Rate: 8000}, audio.Mix)
	samples, err := d.Decode(nil, make([]byte, 4000))
	if err != nil {
		fmt.Println(err)
		return
	}
	clip := audio.Clip{Rate: d.Rate(), Samples: samples}.At(16000)
	wav, err := audio.Write(clip, audio.Output{Container: audio.WAV})
	fmt.Println(clip.Duration(), len(wav), err)
	// Output: 500ms 16044 <nil>
}
