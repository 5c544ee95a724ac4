package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
)

// utterance is what is said where the user names nothing else; utterance/README.md says what
// it is.
//
//go:embed utterance/table.wav
var utterance []byte

// mostRecording is the longest recording that is said, and mostRecordingBytes the largest
// file.
const (
	mostRecording      = time.Minute
	mostRecordingBytes = 64 << 20
)

// sentence returns what is to be said to an endpoint of a protocol: a file of any rate, made
// into the one that the protocol takes, or ours. Where there is speech in it is found by its
// energy, in steps of 10 ms, as the mock's own detector does.
func sentence(name, protocol string) (heard.Recording, pipeline.Voice, error) {
	file, shown := utterance, "ours"
	if name != "" {
		var err error
		if file, err = readRecording(name); err != nil {
			return heard.Recording{}, pipeline.Voice{}, fmt.Errorf("--wav: %w", err)
		}
		shown = filepath.Base(name)
	}
	clip, err := audio.Read(file)
	if _, isCut := cutShort(file, clip); err != nil && isCut {
		err = fmt.Errorf("%w; the file was cut", err)
	}
	if err == nil && clip.Duration() > mostRecording {
		err = fmt.Errorf("it plays %s: want %s at most", clip.Duration().Round(time.Millisecond), mostRecording)
	}
	if err != nil {
		return heard.Recording{}, pipeline.Voice{}, fmt.Errorf("--wav %s: %w", name, err)
	}
	lacks, isCut := cutShort(file, clip)
	clip = clip.At(audition.Rate(protocol, clip.Rate))
	from, to, err := speechIn(clip)
	if err != nil {
		return heard.Recording{}, pipeline.Voice{}, fmt.Errorf("--wav %s: %w%s", name, err, speechless(file, isCut))
	}
	v := pipeline.Voice{Rate: clip.Rate, Samples: clip.Samples, SpeechEnd: to}
	return heard.Recording{Name: shown, Rate: clip.Rate, Length: v.Length(), SpeechFrom: from, SpeechTo: to, Lacks: lacks, Cut: isCut}, v, nil
}

func readRecording(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostRecordingBytes {
		return nil, fmt.Errorf("%s has more than %d MiB", name, mostRecordingBytes>>20)
	}
	return readFile(name, mostRecordingBytes)
}

// lateStart is how far the beginning of speech, heard from behind, lies before the one that is
// heard from the front, where the latter is wrong.
const lateStart = 50 * time.Millisecond

// speechIn returns where speech begins and ends in a clip. A detector has to hear the noise
// before it hears speech in it, so it misses the beginning of a clip that begins with speech,
// or all of it. It listens from behind as well, where the end of the clip comes first.
func speechIn(clip audio.Clip) (from, to time.Duration, err error) {
	from, to = speechEdges(clip)
	slices.Reverse(clip.Samples)
	last, first := speechEdges(clip)
	slices.Reverse(clip.Samples)
	switch ahead, behind := to != pipeline.Unknown, first != pipeline.Unknown; {
	case !ahead && !behind:
		return from, to, noSpeech(clip)
	case !ahead:
		from, to = clip.Duration()-first, clip.Duration()-last
	case behind && from-(clip.Duration()-first) >= lateStart:
		from = clip.Duration() - first
	}
	return from, to, nil
}

// speechEdges returns where the first speech of a clip begins and the last ends, Unknown where
// there is none.
func speechEdges(clip audio.Clip) (from, to time.Duration) {
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

// speechless says why there may be no speech in a file, "" where nobody knows.
func speechless(file []byte, isCut bool) string {
	if one, err := audio.ReadChannel(file, 0); err == nil {
		if _, _, err := speechIn(one); err == nil {
			return "; there is in its first channel alone: the channels cancel each other, as where one is the other upside down. Give a file of one of them"
		}
	}
	return either(isCut, "; the file was cut", "")
}

// noSpeech says what was looked for in a clip, and what is there.
func noSpeech(clip audio.Clip) error {
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
