package runner

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/scenario"
)

// spokenHead is a voice scenario up to its keys.
const spokenHead = `
halfsecond: 1
kind: voice
name: agree
arrivals: {process: closed, users: 1, think: 1s}
voice:
  stt_tail: {p50: 247ms, p95: 298ms}
  tts_first_audio: 188ms
  reply_tokens: {p50: 40, p95: 120}
  first_sentence_tokens: {p50: 9, p95: 20}
`

const (
	enginePart = "  prompt_tokens: 800\n  llm: {model: Mistral-NeMo-12B, hardware: L40S}\n  llm_round_trip: {uniform: [10ms, 30ms]}\n"
	hostedPart = "  llm: {component: llm-gpt-4o-mini-aiewf-eval, tokens_per_second: 90}\n"
)

// TestAgreeOnVoice: what of the answer is handed to the voice, and when, is the same where
// its text crosses a socket as where it is only counted.
func TestAgreeOnVoice(t *testing.T) {
	for name, keys := range map[string]string{
		"clause":            "  gather: {by: clause}\n" + enginePart,
		"clause, ahead":     "  gather: {by: clause, look_ahead: true}\n" + enginePart,
		"sentence, ahead":   "  gather: {look_ahead: true}\n" + enginePart,
		"characters":        "  gather: {by: characters, characters: 40}\n" + enginePart,
		"token":             "  gather: {by: token}\n" + enginePart,
		"held":              "  tts_holds: 90\n" + enginePart,
		"followed":          "  tts_factor: 1.2\n  tts_workers: 1\n" + enginePart,
		"context":           "  context: {turns: 4, rewrite: 20%, time_stamp: 10%}\n  system_tokens: 300\n" + enginePart,
		"guess":             "  end_of_turn: 300ms\n  guess: {from: final, right: 70%, tts: true}\n" + hostedPart,
		"guess, connecting": "  end_of_turn: 300ms\n  guess: {from: vad_stop, right: 70%}\n  llm_connect: {takes: 120ms, idle: 20s}\n" + hostedPart,
		"tool":              "  tool: {share: 50%, takes: 200ms}\n  filler: {after: 100ms, tools: true}\n" + enginePart,
		"ending":            "  ending: {preset: model-500-or-3000}\n" + enginePart,
		"barge in":          "  barge_in: {share: 50%, after: {uniform: [0s, 500ms]}}\n" + hostedPart,
	} {
		t.Run(name, func(t *testing.T) {
			sim, mock := onBoth(t, spokenHead+keys, 40)
			for i := range sim.Traces {
				want, got := instantsOf(&sim.Traces[i], "reply_heard"), instantsOf(&mock.Traces[i], "reply_heard")
				if strings.Contains(want.facts, "wasted_tokens") { // a client never learns the counts of what it gave up
					want.facts, got.facts = "", ""
				}
				if got != want {
					t.Fatalf("turn %d\nmock %+v\n sim %+v", i, got, want)
				}
				if got.outcome != pipeline.OK {
					t.Fatalf("turn %d: %+v", i, got)
				}
			}
		})
	}
}

// TestStagesAreDeclared: every span that an example's turns leave is of a stage that was
// declared before the run, and told apart where the scenario says that it can be.
func TestStagesAreDeclared(t *testing.T) {
	texts := map[string]string{
		"way":      "  capture: 5ms\n  jitter_buffer: 20ms\n  vad_frame: 32ms\n  vad_compute: 1ms\n  vad_workers: 1\n  stt_timer: 500ms\n  policy_wait: 10ms\n  hook: 5ms\n  post_wait: 5ms\n  pre_buffer: 20ms\n  egress: 5ms\n  leading_silence: 50ms\n" + enginePart,
		"mind":     "  reasoning_tokens: 5\n  llm_connect: {takes: 80ms, each: true}\n  tool: {takes: 100ms}\n  filler: {for: 2s}\n  gather: {look_ahead: true}\n  tts_holds: 200\n  tts_workers: 1\n  tts_factor: 1.5\n  tts_connect: {takes: 80ms, each: true}\n" + enginePart,
		"guess":    "  ending: {preset: confidence-0.7-eager-0.4}\n  guess: {from: early_end, right: 50%}\n  stt_interim: 50ms\n" + hostedPart,
		"provider": "  ending: {endpointing: {silence: 300ms, wait: 200ms}}\n" + hostedPart,
		"model":    "  ending: {turn_model: {min: 300ms}}\n  guess: {from: vad_stop}\n" + hostedPart,
	}
	for i, text := range texts {
		texts[i] = spokenHead + text
		if i == "mind" { // one alone hears a reply out before the voice has another to speak
			texts[i] = strings.Replace(texts[i], "users: 1", "users: 2", 1)
		}
	}
	for _, name := range append(scenario.Names(), scenario.Examples()...) {
		if s, err := scenario.Load(name); err == nil && s.Voice != nil {
			texts[name] = s.Canonical()
		}
	}
	for name, text := range texts {
		got, err := Run(t.Context(), parse(t, text), Settings{Target: Sim, Seed: 1, N: 60})
		if err != nil {
			t.Fatal(err)
		}
		var declared []string
		for _, s := range got.Header.Stages {
			if slices.Contains(declared, s.Name) {
				t.Errorf("%s: %s is declared twice", name, s.Name)
			}
			declared = append(declared, s.Name)
		}
		seen := map[string]bool{}
		for _, tr := range got.Traces {
			for _, s := range tr.Spans {
				if seen[s.Name] = true; s.Name != pipeline.SpanUnderrun && !slices.Contains(declared, s.Name) {
					t.Fatalf("%s: %s was not declared: %v", name, s.Name, declared)
				}
			}
		}
		if name == "provider" && (seen[pipeline.SpanVADWait] || slices.Contains(declared, pipeline.SpanVADWait)) {
			t.Errorf("%s: there is a detector", name)
		}
		if name == "way" || name == "mind" {
			for _, s := range declared {
				if !seen[s] && s != pipeline.SpanVADBacklog && s != pipeline.SpanFillerWait {
					t.Errorf("%s: %s was declared and never left a span", name, s)
				}
			}
		}
	}
}
