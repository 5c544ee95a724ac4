package scenario

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/ending"
)

// spokenWith returns a voice scenario with these keys.
func spokenWith(keys string) string {
	return "halfsecond: 1\nkind: voice\nname: n\nvoice:\n  stt_tail: 247ms\n  tts_first_audio: 188ms\n  llm: {ttft: 98ms, tokens_per_second: 100}\n" + keys
}

func TestEnding(t *testing.T) {
	const ms = time.Millisecond
	all := []ending.Kind(nil)
	const liveKit = "livekit-turn-detector-v1"
	for _, c := range []struct {
		text string
		want Ending
	}{
		{"{fixed: {wait: 500ms}}", Ending{"", ending.Fixed{Wait: 500 * ms, From: ending.FromVADStop}, liveKit, all}},
		{"{fixed: {wait: 500ms, from: speech}, turns: [digits, list], scores: smart-turn-v3.2}", Ending{"", ending.Fixed{Wait: 500 * ms}, "smart-turn-v3.2", []ending.Kind{ending.Digits, ending.List}}},
		{"{turn_model: {threshold: 56%, compute: {exponential: 20ms}, after_final: true, from: final, min: 300ms, max: 2500ms, eager: 0.4, once: true}}",
			Ending{"", ending.TurnModel{Threshold: .56, Compute: dist.Exponential(20 * ms), AfterFinal: true, From: ending.FromFinal, Min: 300 * ms, Max: 2500 * ms, Eager: .4, Once: true}, liveKit, all}},
		{"{turn_model: {}}", Ending{"", ending.TurnModel{Threshold: .5, Compute: dist.Constant(12 * ms), From: ending.FromVADStop, Max: 3 * time.Second}, liveKit, all}},
		{"{endpointing: {silence: 400ms, threshold: 0.4, unsure: 1280ms, eager: 100ms, report: 20ms, wait: 50ms}, scores: assemblyai-universal-streaming}",
			Ending{"", ending.Endpointing{Silence: 400 * ms, Unsure: 1280 * ms, Threshold: .4, Eager: 100 * ms, Report: dist.Constant(20 * ms), Wait: 50 * ms}, "assemblyai-universal-streaming", all}},
		{"{confidence: {threshold: 0.8, eager: 0.4, timeout: 2s, report: 10ms, wait: 5ms}}", Ending{"", ending.Confidence{Threshold: .8, Eager: .4, Timeout: 2 * time.Second, Report: dist.Constant(10 * ms), Wait: 5 * ms}, liveKit, all}},
		{"{rules: {}}", Ending{"", ending.Rules{Neither: 1500 * ms, Punctuation: 100 * ms, Number: 500 * ms, From: ending.FromFinal}, liveKit, all}},
		{"{preset: model-0-or-3000-after-vad}", Ending{"model-0-or-3000-after-vad", presetNamed("model-0-or-3000-after-vad").Policy, "smart-turn-v3.2", all}},
		{"{preset: endpoint-500, scores: deepgram-flux, turns: [plain]}", Ending{"endpoint-500", ending.Endpointing{Silence: 500 * ms}, "deepgram-flux", []ending.Kind{ending.Plain}}},
	} {
		s := parse(t, spokenWith("  ending: "+c.text+"\n"))
		if got := s.Voice.Ending; !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%s is %+v, want %+v", c.text, *got, c.want)
		}
		again := parse(t, s.Canonical())
		if !reflect.DeepEqual(again.Voice, s.Voice) || again.Hash() != s.Hash() {
			t.Errorf("%s: the canonical text reads otherwise:\n%s", c.text, s.Canonical())
		}
		if strings.Contains(s.Canonical(), "end_of_turn") {
			t.Errorf("%s: the canonical text has end_of_turn", c.text)
		}
		k := s.Voice.Stack(true, 1)
		j := k.Ending.(*voice.Judge)
		if n := len(j.Turns); (n == 68) != (c.want.Kinds == nil) || n == 0 || j.Setup.Scores.Slug() != c.want.Scores {
			t.Errorf("%s: tried on %d turns with the scores of %s", c.text, n, j.Setup.Scores.Name)
		}
	}
}

// TestEndingPresets: each preset is known by its name, and comes with its detector's
// silence unless the file states that.
func TestEndingPresets(t *testing.T) {
	for _, p := range ending.Presets() {
		s := parse(t, spokenWith("  ending: {preset: "+p.Name+"}\n"))
		if got := s.Voice.VADSilence; got != (Delay{Dist: p.Stop}) || s.Voice.Ending.Scores != p.Scores.Slug() {
			t.Errorf("%s: a silence of %s and the scores of %s, want %s and %s", p.Name, got, s.Voice.Ending.Scores, p.Stop, p.Scores.Slug())
		}
		s = parse(t, spokenWith("  vad_silence: 333ms\n  ending: {preset: "+p.Name+"}\n"))
		if got := s.Voice.VADSilence.Mean(); got != 333*time.Millisecond {
			t.Errorf("%s: a silence of %s, want the file's 333ms", p.Name, got)
		}
	}
}

func TestEndingProblems(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"  ending: {preset: endpoint-501}\n", `f:8:20: voice.ending.preset: found "endpoint-501"; nearest: endpoint-500`},
		{"  ending: {}\n", "f:8:11: voice.ending: want an end-of-turn policy: one of the keys preset, fixed, turn_model, endpointing, confidence, rules is missing"},
		{"  ending: {preset: endpoint-500, fixed: {wait: 1s}}\n", "f:8:11: voice.ending: want an end-of-turn policy: preset and fixed cannot stand together"},
		{"  ending: {fixed: {}}\n", "f:8:12: voice.ending.fixed: wait is missing: want a duration with its unit, such as 180ms"},
		{"  ending: {fixed: {wait: 1s, from: stop}}\n", `f:8:36: voice.ending.fixed.from: found "stop"; want one of speech, vad_stop, final`},
		{"  ending: {turn_model: {min: 2s, max: 1s}}\n", "f:8:24: voice.ending.turn_model: min 2s is above max 1s"},
		{"  ending: {endpointing: {silence: 2s, threshold: 0.5}}\n", "f:8:25: voice.ending.endpointing: silence 2s is above unsure 0s"},
		{"  ending: {rules: {}, turns: [digit]}\n", `f:8:31: voice.ending.turns[0]: found "digit"; nearest: digits`},
		{"  ending: {rules: {}, scores: flux}\n", "f:8:31: voice.ending.scores: found \"flux\""},
		{"  end_of_turn: 12ms\n  ending: {rules: {}}\n", "f:8:16: voice.end_of_turn: ending decides when the turn is over: leave out one of the two"},
		{"  ending: {rules: {}}\n  guess: {from: early_end}\n", "f:9:10: voice.guess: from: early_end goes with an ending whose eager is above 0"},
		{"  guess: {from: early_end}\n", "f:8:10: voice.guess: from: early_end goes with an ending whose eager is above 0"},
	} {
		_, err := Parse("f", []byte(spokenWith(c.keys)), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s:\n%v\nwant\n%s", c.keys, err, c.want)
		}
	}
	parse(t, spokenWith("  ending: {preset: confidence-0.7-eager-0.4}\n  guess: {from: early_end}\n"))
}

// TestAlone: sessions of open arrivals have one turn, users of a closed loop go on.
func TestAlone(t *testing.T) {
	s := parse(t, spokenWith("  context: {turns: 8}\n"))
	if open, closed := s.Voice.Stack(true, 0), s.Voice.Stack(true, 3); !open.Context.Alone || closed.Context.Alone || closed.Context.Turns != 8 || !closed.Context.Grows {
		t.Errorf("open %+v, closed %+v", open.Context, closed.Context)
	}
}
