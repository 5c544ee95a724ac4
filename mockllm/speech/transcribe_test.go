package speech

import (
	"slices"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
)

// TestTranscribe: a clip is one utterance unless its turns are set, and its words lie
// within its speech.
func TestTranscribe(t *testing.T) {
	clip := audio.Clip{Rate: testRate, Samples: spokenTexts("one two three", "four five six")}
	script := Script{Texts: []string{"one two three four five six", "and then"}}
	got := Transcribe(clip, Hearing{Script: script})
	if got.Text() != script.Texts[0] || got.Duration != clip.Duration() || len(got.Segments) != 1 {
		t.Errorf("heard %q in %s and %d segments", got.Text(), got.Duration, len(got.Segments))
	}
	speech := edges(DetectorConfig{Rate: testRate}, clip.Samples, uncut)
	for _, w := range got.Words {
		if w.Start < speech[0].At || w.End > speech[3].At || w.Start > speech[1].At && w.Start < speech[2].At {
			t.Errorf("%v lies outside of speech, %v", w, speech)
		}
	}
	got = Transcribe(clip, Hearing{Script: script, Turn: Turn{Silence: 500 * ms}})
	texts := []string{}
	for _, s := range got.Segments {
		texts = append(texts, s.Text())
	}
	if want := []string{"one two three", "four five six"}; !slices.Equal(texts, want) {
		t.Errorf("heard %q, want %q", texts, want)
	}
	if got := Transcribe(audio.Clip{Rate: testRate, Samples: make([]int16, testRate)}, Hearing{Script: script}); got.Text() != "" || got.Duration != time.Second {
		t.Errorf("in silence, %q was heard", got.Text())
	}
	if got := Transcribe(recording(t, testRate), Hearing{}); words(got.Text()) != 4 {
		t.Errorf("in 1.6 s of a recording, %q was heard, want 4 words", got.Text())
	}
}
