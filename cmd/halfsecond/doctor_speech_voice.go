package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/simulators/voice/utterance"
)

// sentence returns what is to be said to an endpoint of a protocol: a file of any rate, made
// into the one that the protocol takes, or ours. Where there is speech in it is found by its
// energy, in steps of 10 ms, as the mock's own detector does.
func sentence(name, protocol string) (heard.Recording, pipeline.Voice, error) {
	file, shown := utterance.Ours, "ours"
	if name != "" {
		var err error
		if file, err = readRecording(name); err != nil {
			return heard.Recording{}, pipeline.Voice{}, fmt.Errorf("--wav: %w", err)
		}
		shown = filepath.Base(name)
	}
	clip, err := audio.Read(file)
	if err != nil && utterance.CutBroken(file, err) {
		err = fmt.Errorf("%w; the file was cut", err)
	}
	if err == nil && clip.Duration() > utterance.Longest {
		err = fmt.Errorf("it plays %s: want %s at most", clip.Duration().Round(time.Millisecond), utterance.Longest)
	}
	if err != nil {
		return heard.Recording{}, pipeline.Voice{}, fmt.Errorf("--wav %s: %w", name, err)
	}
	lacks, isCut := utterance.CutShort(file, clip)
	clip = clip.At(audition.Rate(protocol, clip.Rate))
	from, to, err := utterance.Speech(clip)
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
	if info.Size() > utterance.MostBytes {
		return nil, fmt.Errorf("%s has more than %d MiB", name, utterance.MostBytes>>20)
	}
	return readFile(name, utterance.MostBytes)
}

// speechless says why there may be no speech in a file, "" where nobody knows.
func speechless(file []byte, isCut bool) string {
	if one, err := audio.ReadChannel(file, 0); err == nil {
		if _, _, err := utterance.Speech(one); err == nil {
			return "; there is in its first channel alone: the channels cancel each other, as where one is the other upside down. Give a file of one of them"
		}
	}
	return either(isCut, "; the file was cut", "")
}
