package spoken

import (
	"fmt"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/wire/realtime"
)

// stopped returns how long the server took to hear the end of speech.
func stopped(s *heard.Session) time.Duration {
	if s.Answered == nil {
		return pipeline.Unknown
	}
	return pipeline.Since(s.Answered.SpeechEnd, s.Answered.SpeechStopped)
}

// thought returns how long it took from there to the first sound.
func thought(s *heard.Session) time.Duration {
	if s.Answered == nil {
		return pipeline.Unknown
	}
	return pipeline.Since(s.Answered.ResponseCreated, s.Answered.FirstAudio)
}

// longThought is a time to the first sound of an answer, once it has begun, that fills half
// a second by itself.
const longThought = 500 * time.Millisecond

// answers finds what an answer waits for.
func answers(v *view) (found []finding.Finding) {
	if v.Kind != heard.Converses {
		return nil
	}
	found = append(found, v.intoSpeech()...)
	if s, wait := middle(v.all, stopped); s != nil && wait >= longWait {
		found = append(found, finding.Finding{
			ID: "endpoint_wait", Severity: finding.Slow, Cost: wait, Title: fmt.Sprintf("the server hears the end of speech %s late: it waits for silence to go on", ms(wait)),
			Evidence: []string{fmt.Sprintf("%s: input_audio_buffer.speech_stopped %s, the first sound of the answer %s", v.which(s), beside(s, s.Answered.SpeechStopped), beside(s, s.Answered.FirstAudio))},
			Fix:      "lower silence_duration_ms of server_vad (500 ms is its default), take semantic_vad with eagerness high, or set turn_detection to null and commit when your own detector hears the end",
		})
	}
	if s, took := middle(v.all, thought); s != nil && took >= longThought {
		found = append(found, finding.Finding{
			ID: "slow_answer", Severity: finding.Slow, Cost: took, Title: fmt.Sprintf("the answer begins to sound %s after it was begun", ms(took)),
			Evidence: []string{fmt.Sprintf("%s: response.created %s, the first audio %s", v.which(s), beside(s, s.Answered.ResponseCreated), beside(s, s.Answered.FirstAudio))},
			Fix:      "a smaller model, shorter instructions and fewer tools; see whether the session is far away",
		})
	}
	return found
}

// intoSpeech finds an answer that was begun while the speaker still spoke.
func (v *view) intoSpeech() []finding.Finding {
	for _, s := range v.all {
		for _, e := range s.Events {
			if e.Name != realtime.EventResponseCreated || e.At >= s.Answered.SpeechEnd {
				continue
			}
			return one(finding.Finding{
				ID: "turn_cut", Severity: finding.Note, Cost: pipeline.Unknown, Title: "the answer was begun in a pause, while the speaker still spoke",
				Evidence: []string{fmt.Sprintf("%s: response.created %s, input_audio_buffer.speech_stopped %s", v.which(s), beside(s, e.At), beside(s, s.Answered.SpeechStopped))},
				Fix:      "raise silence_duration_ms of server_vad, or take semantic_vad, at the price of a longer wait",
			})
		}
	}
	return nil
}
