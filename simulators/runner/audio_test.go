package runner

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// audioHead is a voice scenario whose users say the recording that is shipped, up to its keys.
const audioHead = `
halfsecond: 1
kind: voice
name: agree
arrivals: {process: closed, users: 1, think: 1s}
voice:
  stt_tail: {p50: 247ms, p95: 298ms}
  tts_first_audio: {p50: 188ms, p95: 300ms}
  leading_silence: 120ms
  reply_tokens: {p50: 40, p95: 120}
  first_sentence_tokens: {p50: 9, p95: 20}
`

// session is what the two targets must agree on of what was heard and said, from the turn's
// due instant.
func session(t *pipeline.Trace) string {
	var b strings.Builder
	from := func(at ...interface{ Nanoseconds() int64 }) {
		for _, x := range at {
			if n := x.Nanoseconds(); n != pipeline.Unknown.Nanoseconds() {
				fmt.Fprintf(&b, " %d", n-t.Due.Nanoseconds())
			} else {
				b.WriteString(" -")
			}
		}
	}
	for i := range t.Hearings {
		h := &t.Hearings[i]
		b.WriteString("\nheard")
		from(h.Due, h.Ready, h.FirstFrame, h.LastFrame, h.SpeechEnd, h.FirstPartial, h.FirstFinal, h.LastFinal, h.TurnEnd, h.End)
		fmt.Fprintf(&b, " %d frames %d partials %d finals %q %s %q %v", h.Frames, h.Partials, h.Finals, h.Text, h.Outcome, h.Reason, h.Flags)
		for _, e := range h.Events {
			b.WriteString(" " + e.Name)
			from(e.At)
		}
	}
	for i := range t.Sayings {
		s := &t.Sayings[i]
		b.WriteString("\nsaid")
		from(s.Due, s.Sent, s.LastSent, s.FirstAudio, s.FirstAudible, s.LastAudio, s.Voiced, s.End)
		fmt.Fprintf(&b, " lead %s, %d characters, %d samples at %d, %d waits of %s %s %q", s.Lead, s.Characters, s.Samples, s.Rate, s.Underruns, s.Stalled, s.Outcome, s.Reason)
	}
	for _, m := range t.Marks {
		b.WriteString("\nmark " + m.Name)
		from(m.At)
	}
	return b.String()
}

// TestAgreeOnAudio: a recognizer and a synthesizer on the loop take to the nanosecond as long
// as those behind sockets, with all that they say and when, and the turn with them.
func TestAgreeOnAudio(t *testing.T) {
	for name, keys := range map[string]string{
		"asked":           "  audio: {}\n" + enginePart,
		"told":            "  audio: {finals: told, silence: 500ms}\n  stt_interim: 60ms\n" + enginePart,
		"told in a pause": "  audio: {finals: told, silence: 40ms}\n" + hostedPart,
		"never flagged":   "  audio: {}\n  stt_timer: 500ms\n" + hostedPart,
		"whole":           "  audio: {speech: whole}\n" + enginePart,
		"slow voice":      "  audio: {speech: whole}\n  tts_factor: 1.4\n" + hostedPart,
		"slow stream":     "  audio: {}\n  tts_factor: 1.4\n  gather: {by: clause, look_ahead: true}\n" + hostedPart,
		"small frames":    "  audio: {frame: 20ms}\n  vad_frame: 32ms\n  vad_compute: 1ms\n  vad_silence: {p50: 300ms, p95: 500ms}\n" + enginePart,
		"way":             "  audio: {}\n  capture: 5ms\n  uplink: {uniform: [20ms, 90ms]}\n  jitter_buffer: 40ms\n  egress: 20ms\n  post_wait: 5ms\n" + enginePart,
		"ending":          "  audio: {}\n  ending: {preset: model-500-or-3000}\n" + hostedPart,
		"guess":           "  audio: {}\n  end_of_turn: 500ms\n  guess: {from: vad_stop, right: 70%}\n" + hostedPart,
		"characters":      "  audio: {}\n  gather: {by: characters, characters: 60}\n" + hostedPart,
		"context":         "  audio: {}\n  context: {turns: 4}\n" + enginePart,
		"tool":            "  audio: {}\n  tool: {share: 50%, takes: 200ms}\n" + hostedPart,
		"filler":          "  audio: {}\n  filler: {share: 50%, after: {uniform: [0s, 100ms]}, for: {uniform: [100ms, 900ms]}}\n" + hostedPart,
		"several calls":   "  audio: {frame: 20ms}\n" + enginePart,
		"open load":       "  audio: {}\n" + enginePart,
		"barge in":        "  audio: {}\n  barge_in: {share: 50%, after: {uniform: [0s, 500ms]}}\n" + hostedPart,
	} {
		t.Run(name, func(t *testing.T) {
			head := audioHead
			switch name {
			case "several calls":
				head = strings.Replace(head, "users: 1, think: 1s", "users: 5, think: {uniform: [0s, 4s]}", 1)
			case "open load":
				head = strings.Replace(head, "{process: closed, users: 1, think: 1s}", "{process: poisson, rate: 3/s}", 1)
			}
			sim, mock := onBoth(t, head+keys, 12)
			for i := range sim.Traces {
				s, m := &sim.Traces[i], &mock.Traces[i]
				want, got := instantsOf(s, "reply_heard"), instantsOf(m, "reply_heard")
				if strings.Contains(want.facts, "wasted_tokens") { // a client never learns the counts of what it gave up
					want.facts, got.facts = "", ""
				}
				if got != want {
					t.Fatalf("turn %d\nmock %+v\n sim %+v", i, got, want)
				}
				if got.outcome != pipeline.OK {
					t.Fatalf("turn %d: %+v", i, got)
				}
				if want, got := session(s), session(m); got != want {
					t.Fatalf("turn %d\nmock %s\n\n sim %s", i, got, want)
				}
				if s.Due != m.Due {
					t.Fatalf("turn %d is due at %s on mock, at %s on sim", i, m.Due, s.Due)
				}
			}
		})
	}
}

// TestAudioKeepsDraws: what a service draws for a turn is the same under other settings of the
// rest, though turns overlap and their connections come in another order.
func TestAudioKeepsDraws(t *testing.T) {
	head := strings.Replace(audioHead, "{process: closed, users: 1, think: 1s}", "{process: poisson, rate: 2/s}", 1)
	for name, keys := range map[string]string{"streams": "  audio: {}\n", "whole": "  audio: {speech: whole}\n"} {
		t.Run(name, func(t *testing.T) {
			const n = 100
			with := func(ttft string) []pipeline.Trace {
				return judged(t, head+keys+"  llm: {ttft: "+ttft+", tokens_per_second: 90}\n", n).Traces
			}
			quick, slow := with("300ms"), with("900ms")
			for i := range quick {
				for _, span := range []string{pipeline.SpanSTTTail, pipeline.SpanTTSFirstAudio} {
					if got, want := length(&slow[i], span), length(&quick[i], span); got != want || got == 0 {
						t.Fatalf("turn %d: %s takes %s with a slower model, %s before", i, span, got, want)
					}
				}
			}
		})
	}
}

// length returns how long the spans of a name take together.
func length(t *pipeline.Trace, name string) (all time.Duration) {
	for _, s := range t.Spans {
		if s.Name == name {
			all += s.End - s.Start
		}
	}
	return all
}

// TestFillerOnAudio: a filler takes the voice's first audio, drawn for its turn, whether users
// speak audio or not.
func TestFillerOnAudio(t *testing.T) {
	with := func(keys string) []pipeline.Trace {
		return judged(t, audioHead+keys+"  filler: {after: 10ms}\n"+hostedPart, 20).Traces
	}
	plain, audio := with(""), with("  audio: {}\n")
	for i := range plain {
		got, want := length(&audio[i], pipeline.SpanFiller), length(&plain[i], pipeline.SpanFiller)
		if voice := length(&plain[i], pipeline.SpanTTSFirstAudio); got != want || want != voice+10*time.Millisecond {
			t.Errorf("turn %d: %s until the filler can be sent, %s without audio; want the voice's %s and 10ms", i, got, want, voice)
		}
	}
}
