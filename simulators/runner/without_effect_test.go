package runner

import (
	"slices"
	"strings"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/phone"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/trace"
)

// TestWithoutEffect: what a scenario sets of users or their agent and a real service has no part
// for is refused before anything is asked, and taken on the simulator.
func TestWithoutEffect(t *testing.T) {
	const direct = "halfsecond: 1\nkind: voice\nname: direct\nvoice:\n  speech_to_speech: {first_audio: 600ms}\n  barge_in: {share: 50%}\n"
	for _, c := range []struct {
		text   string
		speech Speech
		want   string
	}{
		{direct, Speech{Direct: &converse.Config{}}, "voice.barge_in has no effect on a real speech_to_speech service"},
		{direct, Speech{Bot: &phone.Config{}}, "voice.barge_in has no effect on a real speech_to_speech service"},
		{spokenHead + "  guess: {from: vad_stop, tts: true}\n" + hostedPart, Speech{TTS: &speak.Config{}}, "voice.guess.tts has no effect on a real tts service"},
		{spokenHead + "  filler: {share: 50%}\n" + hostedPart, Speech{TTS: &speak.Config{}}, "voice.filler has no effect on a real tts service"},
	} {
		s := parse(t, c.text)
		if _, err := Run(t.Context(), s, Settings{Target: Endpoint, Seed: 1, N: 1, Speech: c.speech}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if _, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 1}); err != nil {
			t.Error(err)
		}
	}
}

// TestNothingLostOfRecordings: a way that sends again what is lost has no stage of that for
// speech that a service hears, of which it loses nothing.
func TestNothingLostOfRecordings(t *testing.T) {
	for keys, want := range map[string]bool{"": true, "  audio: {}\n": false} {
		run, err := Run(t.Context(), parse(t, audioHead+keys+"  transport: {loss: 40%, repair: resent}\n"+hostedPart), Settings{Target: Sim, Seed: 1, N: 20})
		if err != nil {
			t.Fatal(err)
		}
		lost := func(s trace.Stage) bool { return s.Name == pipeline.SpanUplinkLoss }
		there := slices.ContainsFunc(run.Traces, func(x pipeline.Trace) bool {
			return slices.ContainsFunc(x.Spans, func(s pipeline.Span) bool { return s.Name == pipeline.SpanUplinkLoss })
		})
		if got := slices.ContainsFunc(run.Header.Stages, lost); got != want || there != want {
			t.Errorf("%q: a stage of lost speech: declared %t, seen %t, want %t", keys, got, there, want)
		}
	}
}

// TestLayoutOfMock: the mock is asked in an order that it has, or that is written into the prompt.
func TestLayoutOfMock(t *testing.T) {
	const refused = "is the order of a server that joins the texts itself"
	for keys, want := range map[string]string{
		"{prompt: {layout: spm}}":                             refused,
		"{prompt: {layout: line_after_middle}}":               refused,
		"{prompt: {layout: line_after_middle, family: qwen}}": "",
		"{prompt: {layout: prefix_only}}":                     "",
	} {
		s := parse(t, strings.Replace(typedBy, "PLUGIN", keys, 1))
		_, err := Run(t.Context(), s, Settings{Target: Mock, Seed: 1, N: 3})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s on the mock: %v, want %q", keys, err, want)
		}
		if _, err := Run(t.Context(), s, Settings{Target: Sim, Seed: 1, N: 3}); err != nil {
			t.Errorf("%s on the simulator: %v", keys, err)
		}
	}
}
