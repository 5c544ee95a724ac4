package peer

import (
	"fmt"
	"math"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// Spoken returns a recording with sound that a detector takes for speech from its first to
// its last sample: a tone whose loudness goes up and down.
func Spoken(rate int, before, sound, after time.Duration) pipeline.Voice {
	v := pipeline.Voice{Rate: rate, SpeechEnd: before + sound}
	v.Samples = make([]int16, audio.Samples(before+sound+after, rate))
	from := audio.Samples(before, rate)
	for i := range audio.Samples(sound, rate) {
		t := float64(i) / float64(rate)
		v.Samples[from+i] = int16(6000 * (.65 + .35*math.Sin(2*math.Pi*9*t)) * math.Sin(2*math.Pi*220*t))
	}
	return v
}

// MS returns an instant in ms, and a dash for one that is unknown.
func MS(d time.Duration) string {
	if d == pipeline.Unknown {
		return "-"
	}
	return fmt.Sprint(float64(d) / float64(time.Millisecond))
}
