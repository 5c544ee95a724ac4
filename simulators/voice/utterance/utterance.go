// Package utterance is what users say in recordings: the sentence that is shipped, where
// speech is in a clip, and when a voice activity detector has heard its end.
//
// Read utterance.go for the recordings, speech.go for where speech is in them, and
// detector.go for what a detector makes of one; cut.go says whether a file is whole.
package utterance

import (
	_ "embed"
	"fmt"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// Ours is the file that is shipped, and OursText what it says; ours/README.md tells where it
// is from.
//
//go:embed ours/table.wav
var Ours []byte

// OursText is described at Ours.
const OursText = "Please book a table for two people tomorrow evening."

// Longest is the longest recording that is said, and MostBytes the largest file.
const (
	Longest   = time.Minute
	MostBytes = 64 << 20
)

// Recording is speech of one channel.
type Recording struct {
	audio.Clip
	From, To time.Duration // its first and its last sample of speech
}

// Read reads a file of any kind that package audio knows. One that was cut is a CutError.
func Read(file []byte) (Recording, error) {
	clip, err := audio.Read(file)
	if err != nil && CutBroken(file, err) {
		err = fmt.Errorf("%w; the file was cut", err)
	}
	if err == nil {
		err = Whole(file, clip)
	}
	if err != nil {
		return Recording{}, err
	}
	if clip.Duration() > Longest {
		return Recording{}, fmt.Errorf("it plays %s: want %s at most", clip.Duration().Round(time.Millisecond), Longest)
	}
	from, to, err := Speech(clip)
	return Recording{clip, from, to}, err
}

// Voice returns the recording as stages take it.
func (r Recording) Voice() pipeline.Voice {
	return pipeline.Voice{Rate: r.Rate, Samples: r.Samples, SpeechEnd: r.To}
}
