package speech

import (
	"context"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// Transcript is all that was heard in a clip.
type Transcript struct {
	Words    []Word
	Segments []Event // the Finals that have words, in order
	Duration time.Duration
}

// Text returns the words with a space between.
func (t Transcript) Text() string { return joined(t.Words) }

// Transcribe hears a whole clip at once: what a Recognizer would say of it. Without a
// Turn the clip is one utterance, and one text of the script is heard in it, whatever
// pauses it has. It may be called from any goroutine. When a transcript is there is for
// the caller: STT.Latency says how long it takes.
func Transcribe(c audio.Clip, h Hearing) Transcript {
	h.Rate = c.Rate
	if h.Turn == (Turn{}) {
		h.Turn = Turn{Never: true}
	}
	t := Transcript{Duration: c.Duration()}
	var loop pipeline.Virtual
	r := NewRecognizer(&loop, h, func(e Event) {
		if e.Kind == Final && len(e.Words) > 0 {
			t.Words, t.Segments = append(t.Words, e.Words...), append(t.Segments, e)
		}
	})
	r.Feed(c.Samples)
	r.Close()
	if err := loop.Run(context.Background()); err != nil {
		panic("speech: " + err.Error()) // the context does not end
	}
	return t
}
