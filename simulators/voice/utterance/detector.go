package utterance

import (
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
)

// Detection is what a voice activity detector makes of a recording, counted from its first
// sample.
type Detection struct {
	// Stop is how much must be heard until it reports that speech has ended for good.
	Stop time.Duration
	// Pauses are those in which it reported the same before.
	Pauses []Pause
}

// Pause is silence inside speech that lasted until a detector reported it.
type Pause struct {
	Stop   time.Duration // how much must be heard until it reports the silence
	Resume time.Duration // and until it reports that speech goes on
}

// Detector hears a recording offline, with the detector that the mock's recognizers have. It
// keeps what it found, and is for one goroutine.
type Detector struct {
	voice pipeline.Voice
	found map[time.Duration]Detection
}

// NewDetector returns a detector of a recording, which silence follows.
func NewDetector(v pipeline.Voice) *Detector {
	return &Detector{voice: v, found: map[time.Duration]Detection{}}
}

// step is a frame of the mock's detector, whose silence is a whole number of them.
const step = 10 * time.Millisecond

// Detect returns what it makes of the recording when so much silence ends speech; 10 ms is
// the least. Where it never hears speech, as in a clip that begins with it and has no pause,
// the silence counts from the end of speech that is known.
func (d *Detector) Detect(silence time.Duration) Detection {
	silence = max(step, silence/step*step)
	if x, known := d.found[silence]; known {
		return x
	}
	x := d.listen(silence)
	d.found[silence] = x
	return x
}

func (d *Detector) listen(silence time.Duration) Detection {
	x := Detection{Stop: d.voice.SpeechEnd + silence}
	stopped, at := false, time.Duration(0)
	inner := speech.NewDetector(speech.DetectorConfig{Rate: d.voice.Rate, Hangover: silence})
	tell := func(e speech.Edge) {
		if e.Speech && stopped {
			x.Pauses = append(x.Pauses, Pause{Stop: at, Resume: e.Heard})
		}
		stopped, at = !e.Speech, e.Heard
	}
	inner.Feed(d.voice.Samples, tell)
	inner.Feed(make([]int16, int((silence+time.Second)*time.Duration(d.voice.Rate)/time.Second)), tell)
	if stopped {
		x.Stop = at
	}
	return x
}
