package speech

import (
	"strings"
	"time"
)

// Word is a word that was heard and where, from the first sample of the stream.
type Word struct {
	Text       string
	Start, End time.Duration
	Confidence float64 // 0 to 1
}

// Kind says what an Event is.
type Kind uint8

const (
	// SpeechStarted comes when speech is found; Start is its first sample.
	SpeechStarted Kind = iota
	// Interim comes while an utterance goes on: Words are all those heard since the
	// last Final, and may change.
	Interim
	// Final comes with words that stay as they are. Start to End is the audio that
	// they stand for, which follows on that of the Final before.
	Final
	// EagerEnd comes when an utterance has probably ended; see Turn.Eager. Words are
	// all those of the utterance since the last Final, as the Final that may follow
	// will have them.
	EagerEnd
	// Resumed comes when speech goes on after EagerEnd.
	Resumed
	// EndOfSpeech comes when an utterance has ended: End is its last sample. Its last
	// Final, which has Endpoint set, comes at the same time or later.
	EndOfSpeech
	// UtteranceEnd comes after WordGap without words; End is the end of the last word.
	UtteranceEnd
	// Closed comes once, after everything else.
	Closed
)

// Cause says why a Final came.
type Cause uint8

const (
	BySilence Cause = iota // the utterance has ended
	BySpan                 // it has become too long for one Final, or words stayed away
	ByRequest              // Finalize or EndTurn
	ByClose                // the stream has ended
)

// Event is something that a recognizer says. It is said on the loop at the loop's Now.
type Event struct {
	Kind      Kind
	Utterance int // from 0
	// Start and End are positions in the audio, from its first sample on.
	Start, End time.Duration
	Words      []Word // the receiver may keep them
	Cause      Cause  // of a Final
	// Endpoint is set on the Final, and on it alone, that ends an utterance.
	Endpoint bool
	// Confidence that the utterance has ended, 0 to 1; of Interim, Final, EagerEnd and
	// EndOfSpeech. See EndConfidence.
	Confidence float64
}

// Text returns the words with a space between.
func (e Event) Text() string { return joined(e.Words) }

func joined(words []Word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.Text)
	}
	return b.String()
}
