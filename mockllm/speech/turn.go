package speech

import (
	"fmt"
	"math"
	"time"
)

// Turn says when an utterance has ended: after how much silence, counted from the last
// sample of speech.
type Turn struct {
	// Silence ends an utterance whose text sounds finished. What is below the
	// detector's hangover waits for that.
	Silence time.Duration
	// Unfinished ends an utterance whose text does not: less than half of it was
	// heard. 0 is like Silence.
	Unfinished time.Duration
	// Eager is a silence after which EagerEnd comes when the text sounds finished; 0,
	// and what is not below Silence, is never.
	Eager time.Duration
	// Never is set when silence ends nothing: Finalize, EndTurn and Close do.
	Never bool
}

// ServerVAD is the turn detection by silence of OpenAI's Realtime API. Its threshold,
// 0 to 1 and .5 unless set, becomes the detector's margin above the noise: 2 dB at 0, 6
// at .5, 10 at 1. That mapping is ours; the schema only says that a higher one needs
// louder audio (openai-openapi, RealtimeTurnDetection, read 2026-11-29).
func ServerVAD(threshold float64, silence time.Duration) (Turn, DetectorConfig) {
	return Turn{Silence: silence}, DetectorConfig{Margin: 2 + 8*max(0, min(1, threshold))}
}

// SemanticVAD is the turn detection of OpenAI's Realtime API by what was said:
// eagerness is low, medium, high or auto, which is medium. Speech that does not sound
// finished is waited for 8, 4 or 2 s (openai-openapi, RealtimeTurnDetection, read
// 2026-11-29). What sounds finished waits for a twentieth of that, which is assumed:
// no figure was published.
func SemanticVAD(eagerness string) (Turn, error) {
	longest := map[string]time.Duration{"low": 8 * time.Second, "medium": 4 * time.Second, "auto": 4 * time.Second, "high": 2 * time.Second}[eagerness]
	if longest == 0 {
		return Turn{}, fmt.Errorf("unknown eagerness %q: want low, medium, high or auto", eagerness)
	}
	return Turn{Silence: longest / 20, Unfinished: longest}, nil
}

// FluxTurn is the turn detection of Deepgram Flux: thresholds of confidence, eager 0
// being off, and the silence after which a turn ends whatever its confidence. An end
// threshold of 1 never ends a turn before the timeout.
func FluxTurn(end, eager float64, timeout time.Duration) Turn {
	t := Turn{Silence: min(timeout, silenceFor(end, timeout)), Unfinished: timeout}
	if eager > 0 {
		t.Eager = silenceFor(eager, timeout)
	}
	return t
}

// confidenceTime is the silence after which the confidence is 1 - 1/e. It makes the
// default threshold of Flux, .7, take the 260 ms that Deepgram states for its end of
// turn (developers.deepgram.com/docs/flux, read 2026-11-29).
var confidenceTime = -float64(260*time.Millisecond) / math.Log(1-.7)

// EndConfidence is the confidence that a turn has ended after a silence, when what was
// said sounds finished: 1 - exp(-silence/T), with a T that makes it .7 at 260 ms. The
// form is assumed; a recognizer halves it while the text does not sound finished.
func EndConfidence(silence time.Duration) float64 {
	return 1 - math.Exp(-float64(max(0, silence))/confidenceTime)
}

// silenceFor is the inverse of EndConfidence, to the microsecond, and longest for a
// confidence that none has.
func silenceFor(confidence float64, longest time.Duration) time.Duration {
	if confidence >= 1 {
		return longest
	}
	d := time.Duration(-math.Log(1-max(0, confidence)) * confidenceTime)
	return d.Round(time.Microsecond)
}
