package spoken

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/talk"
)

// Limits of what is worth saying of texts.
const (
	// A wait for silence is worth cutting from here on; vendors' own defaults are 10 to 500
	// ms (the catalogue's rows for endpointing).
	longWait = 300 * time.Millisecond
	// A recognizer that takes so long after the end of speech fills the whole of half a
	// second that a reply may take.
	longTail = 500 * time.Millisecond
	// A first partial later than this, counted from the first sample of speech, is too late
	// to interrupt an answer with.
	latePartial = 1500 * time.Millisecond
)

func ttfs(s *heard.Session) time.Duration {
	if s.Transcription == nil {
		return pipeline.Unknown
	}
	return s.Transcription.TTFS()
}

// finals finds what the final text waits for: silence that shall end the turn, told from
// what recognition takes by a session in which the client ends it.
func finals(v *view) (found []finding.Finding) {
	if v.Kind != heard.Listens {
		return nil
	}
	found = append(found, v.neverFlagged()...)
	own, wait := middle(v.own, ttfs)
	told, tail := middle(v.forced, ttfs)
	switch {
	case own != nil && told != nil && wait-tail >= longWait:
		found = append(found, finding.Finding{
			ID: "endpoint_wait", Severity: finding.Slow, Cost: wait - tail, Title: fmt.Sprintf("the final text waits %s for silence to go on, not for recognition", ms(wait-tail)),
			Evidence: []string{
				fmt.Sprintf("left to the service: final %s after the end of speech (%s%s)%s", ms(wait), v.which(own), amid(v.own), by(own)),
				fmt.Sprintf("asked for at the end of speech: %s (%s%s)", ms(tail), v.which(told), amid(v.forced)),
			},
			Fix: nonEmpty(waits[v.Protocol], "shorten the silence that ends a turn, or ask for the final text when your own detector hears the end"),
		})
	case own != nil && told == nil && wait >= longWait+longTail:
		found = append(found, finding.Finding{
			ID: "slow_final", Severity: finding.Slow, Cost: wait, Title: "the final text comes late after the end of speech",
			Evidence: []string{fmt.Sprintf("%s after it (%s%s)%s; how much of this is a wait for silence %s", ms(wait), v.which(own), amid(v.own), by(own), v.untold())},
			Fix:      nonEmpty(waits[v.Protocol], "shorten the silence that ends a turn; try a faster model or a nearer region"),
		})
	}
	if told != nil && tail >= longTail {
		found = append(found, finding.Finding{
			ID: "slow_final", Severity: finding.Slow, Cost: tail, Title: fmt.Sprintf("recognition takes %s after the end of speech", ms(tail)),
			Evidence: []string{fmt.Sprintf("%s%s: the client asked for the final text when the speech ended", v.which(told), amid(v.forced))},
			Fix:      "try a faster model, or a nearer region; a service that is asked by upload begins only when all was said: one that streams is done by then",
		})
	}
	return found
}

// untold says why a wait for silence cannot be told from recognition.
func (v *view) untold() string {
	w, err := listen.WantsOf(listen.Protocol(v.Protocol))
	forced := slices.ContainsFunc(v.Sessions, func(s heard.Session) bool { return s.Forced })
	switch {
	case err != nil || !w.Forces:
		return "cannot be told, since this protocol has no way to ask for it"
	case forced:
		return "is not known, since the session in which the client asked for it did not end well"
	}
	return "is not known: hold 2 sessions (--requests 2), since in the second the client asks for it"
}

// waits say how the wait for silence is shortened.
var waits = map[string]string{
	"deepgram-listen":               "lower endpointing (10 ms is its default), or send Finalize when your own detector hears the end",
	"deepgram-flux":                 "lower eot_threshold, or begin the answer at EagerEndOfTurn (eager_eot_threshold) and cancel it at TurnResumed",
	"assemblyai":                    "lower min_turn_silence and max_turn_silence, or send ForceEndpoint when your own detector hears the end; without format_turns the first end_of_turn counts",
	"cartesia-stt":                  "send finalize when your own detector hears the end",
	"cartesia-turns":                "lower turn_end_threshold or turn_end_timeout_ms, or begin the answer at turn.eager_end",
	"openai-realtime-transcription": "lower silence_duration_ms, or commit the buffer when your own detector hears the end",
}

// by says by which word of the service a turn ended.
func by(s *heard.Session) string {
	for _, e := range s.Events {
		if e.Flag != "" {
			return ", flagged by " + e.Flag
		}
	}
	return ""
}

// neverFlagged finds services that send final texts and never say that the turn has ended.
func (v *view) neverFlagged() []finding.Finding {
	for _, s := range v.own {
		if s.Transcription.TurnEnd != pipeline.Unknown || len(s.Of(talk.KindFinal)) == 0 || v.Protocol == "cartesia-stt" {
			continue
		}
		return one(finding.Finding{
			ID: "never_flagged", Severity: finding.Broken, Cost: pipeline.Unknown, Title: "final texts come, and none is flagged as the end of the turn: an agent would wait for ever",
			Evidence: []string{fmt.Sprintf("%s: %d final texts, the last %s", v.which(s), s.Transcription.Finals, beside(s, s.Transcription.LastFinal))},
			Fix:      nonEmpty(endings[v.Protocol], "see whether the service ends turns at all"),
		})
	}
	return nil
}

// partials finds texts that come late, together, or twice.
func partials(v *view) (found []finding.Finding) {
	if v.Kind != heard.Listens || v.Recording == nil {
		return nil
	}
	for _, s := range v.all {
		if f, ok := v.twice(s); ok {
			found = append(found, f)
			break
		}
	}
	for _, s := range v.all {
		if f, ok := v.tooEarly(s); ok && !s.Forced {
			found = append(found, f)
			break
		}
	}
	s, late := middle(v.all, v.firstPartial)
	long := v.Recording.SpeechTo-v.Recording.SpeechFrom >= latePartial
	switch {
	case !long || s == nil && len(v.ok) == 0:
	case s == nil:
		found = append(found, finding.Finding{
			ID: "no_partials", Severity: finding.Note, Cost: pipeline.Unknown, Title: "no text comes while the speaker speaks",
			Evidence: []string{fmt.Sprintf("%s: %d final texts, no partial one", v.which(v.ok[0]), v.ok[0].Transcription.Finals)},
			Fix:      "an agent cannot begin to think, nor be interrupted, before the turn has ended; ask for interim results where the service has them",
		})
	case s.Transcription.FirstPartial >= s.Transcription.SpeechEnd:
		found = append(found, finding.Finding{
			ID: "no_partials", Severity: finding.Note, Cost: pipeline.Unknown, Title: "no text comes while the speaker speaks",
			Evidence: []string{fmt.Sprintf("%s: the first partial text came %s", v.which(s), beside(s, s.Transcription.FirstPartial))},
			Fix:      "an agent cannot begin to think, nor be interrupted, before the turn has ended; where that matters use a service that streams its text",
		})
	case late > latePartial:
		found = append(found, finding.Finding{
			ID: "late_partial", Severity: finding.Slow, Cost: pipeline.Unknown, Title: "the first partial text comes late",
			Evidence: []string{fmt.Sprintf("%s: %s after the first sample of speech, of which there is %s", v.which(s), ms(late), ms(v.Recording.SpeechTo-v.Recording.SpeechFrom))},
			Fix:      "who wants to be interrupted by words waits so long; ask for interim results more often, or be interrupted by a detector of speech",
		})
	}
	return found
}

// firstPartial returns the time from the first sample of speech to the first partial text.
func (v *view) firstPartial(s *heard.Session) time.Duration {
	r := s.Transcription
	if r.FirstPartial == pipeline.Unknown || r.SpeechEnd == pipeline.Unknown {
		return pipeline.Unknown
	}
	return r.FirstPartial - (r.SpeechEnd - (v.Recording.SpeechTo - v.Recording.SpeechFrom))
}

// repeats reports whether a final text is the one before once more, to the letter, of the same
// turn or stretch of audio. Where the service does not say of which, it comes too soon to have
// been spoken anew.
func repeats(before, e *talk.Event) bool {
	if strings.TrimSpace(e.Text) == "" || e.Text != before.Text || e.Of != before.Of {
		return false
	}
	return e.Of != "" || e.At-before.At < heard.Sooner
}

// twice finds a final text that comes a second time.
func (v *view) twice(s *heard.Session) (finding.Finding, bool) {
	all := s.Of(talk.KindFinal)
	for i := 1; i < len(all); i++ {
		if !repeats(&all[i-1], &all[i]) {
			continue
		}
		return finding.Finding{
			ID: "final_twice", Severity: finding.Misleading, Cost: pipeline.Unknown, Title: "a final text comes twice: who acts on both answers twice",
			Evidence: []string{fmt.Sprintf("%s: %q %s, and again %s", v.which(s), cut(all[i].Text), beside(s, all[i-1].At), beside(s, all[i].At))},
			Fix:      "act on one of them: at AssemblyAI with format_turns on the one with turn_is_formatted, at Deepgram on speech_final; else see what between repeats messages",
		}, true
	}
	return finding.Finding{}, false
}

// tooEarly finds a turn that was ended while the speaker still spoke.
func (v *view) tooEarly(s *heard.Session) (finding.Finding, bool) {
	for _, e := range s.Events {
		if e.Flag == "" || e.At >= s.Transcription.SpeechEnd {
			continue
		}
		return finding.Finding{
			ID: "turn_cut", Severity: finding.Note, Cost: pipeline.Unknown, Title: "the turn was ended in a pause, while the speaker still spoke",
			Evidence: []string{fmt.Sprintf("%s: %s %s", v.which(s), e.Flag, beside(s, e.At))},
			Fix:      "an agent would answer into the speaker's sentence: a longer silence to end turns by, or a service that ends them by what was said, at the price of a longer wait",
		}, true
	}
	return finding.Finding{}, false
}

// cut returns the beginning of a text.
func cut(text string) string {
	if words := strings.Fields(text); len(words) > 8 {
		return strings.Join(words[:8], " ") + " ..."
	}
	return text
}

func nonEmpty(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
