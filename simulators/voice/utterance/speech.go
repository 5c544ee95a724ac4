package utterance

import (
	"fmt"
	"math"
	"slices"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// lateStart is how far the beginning of speech, heard from behind, lies before the one that is
// heard from the front, where the latter is wrong.
const lateStart = 50 * time.Millisecond

// Speech returns where speech begins and ends in a clip, by its energy and in steps of 10 ms.
// A detector has to hear the noise before it hears speech in it, so it misses the beginning of
// a clip that begins with speech, or all of it. It listens from behind as well, where the end
// of the clip comes first.
func Speech(clip audio.Clip) (from, to time.Duration, err error) {
	from, to = edges(clip)
	behind := clip
	behind.Samples = slices.Clone(clip.Samples)
	slices.Reverse(behind.Samples)
	last, first := edges(behind)
	switch ahead, back := to != pipeline.Unknown, first != pipeline.Unknown; {
	case !ahead && !back:
		return from, to, none(clip)
	case !ahead:
		from, to = clip.Duration()-first, clip.Duration()-last
	case back && from-(clip.Duration()-first) >= lateStart:
		from = clip.Duration() - first
	}
	return from, to, nil
}

// edges returns where the first speech of a clip begins and the last ends, Unknown where
// there is none.
func edges(clip audio.Clip) (from, to time.Duration) {
	from, to = pipeline.Unknown, pipeline.Unknown
	d := speech.NewDetector(speech.DetectorConfig{Rate: clip.Rate})
	tell := func(e speech.Edge) {
		switch {
		case e.Speech && from == pipeline.Unknown:
			from = e.At
		case !e.Speech:
			to = min(e.At, clip.Duration())
		}
	}
	d.Feed(clip.Samples, tell)
	d.Close(tell)
	return from, to
}

// none says what was looked for in a clip, and what is there.
func none(clip audio.Clip) error {
	loudest := 0.
	for piece := range slices.Chunk(clip.Samples, max(1, clip.Rate/100)) {
		sum := 0.
		for _, s := range piece {
			sum += float64(s) * float64(s)
		}
		loudest = max(loudest, sum/float64(len(piece)))
	}
	level := "silence"
	if loudest > 0 {
		level = fmt.Sprintf("%.0f dB below full scale", 20*math.Log10(math.MaxInt16)-10*math.Log10(loudest))
	}
	return fmt.Errorf("there is no speech in it: nothing that lasts 60 ms, stands 6 dB above the noise and rises and falls as voices do; it plays %s, and its loudest 10 ms are %s",
		clip.Duration().Round(time.Millisecond), level)
}
