package listen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
)

// TestLateFinals: text of an utterance that was given up for want of it is none of the next one's.
// The first is spoken from 0 to 300, and its text waited for until 3400; the next one from 3900 to
// 4200. The text of the first comes at 4000, or at 4400, and that of the second at 4600.
func TestLateFinals(t *testing.T) {
	results := func(start, duration float64, text, words string) string {
		return fmt.Sprintf(`{"type":"Results","is_final":true,"speech_final":true,"start":%g,"duration":%g,"channel":{"alternatives":[{"transcript":"%s","words":[%s]}]}}`, start, duration, text, words)
	}
	flux := func(turn int, end float64, text string) string {
		return fmt.Sprintf(`{"type":"TurnInfo","event":"EndOfTurn","turn_index":%d,"audio_window_end":%g,"transcript":"%s"}`, turn, end, text)
	}
	turn := func(order, end int, text string) string {
		return fmt.Sprintf(`{"type":"Turn","turn_order":%d,"end_of_turn":true,"transcript":"%s","words":[{"text":"%s","end":%d}]}`, order, text, text, end)
	}
	committed := func(item string) string { return `{"type":"input_audio_buffer.committed","item_id":"` + item + `"}` }
	stopped := func(item string, end int) string {
		return fmt.Sprintf(`{"type":"input_audio_buffer.speech_stopped","item_id":"%s","audio_end_ms":%d}`, item, end)
	}
	completed := func(item, text string) string {
		return `{"type":"conversation.item.input_audio_transcription.completed","item_id":"` + item + `","transcript":"` + text + `"}`
	}
	const formatted = `{"type":"Turn","turn_order":0,"end_of_turn":true,"turn_is_formatted":true,"transcript":"A"}`
	ink := func(text string) string { return `{"type":"transcript","is_final":true,"text":"` + text + `"}` }
	inkTurn := func(text string) string { return `{"type":"turn.end","transcript":"` + text + `"}` }
	const done = `{"type":"flush_done"}`
	for name, tt := range map[string]struct {
		config Config
		greets string
		early  []string // which come in time, at 500, and say no text
		late   []string
		own    []string
	}{
		"deepgram":          {Config{Protocol: DeepgramListen}, "", nil, []string{results(0, .4, "a", "")}, []string{results(.4, 4, "b", "")}},
		"deepgram, words":   {Config{Protocol: DeepgramListen}, "", nil, []string{results(0, 4, "a", `{"end":0.3}`)}, []string{results(4, .4, "b", `{"end":4.2}`)}},
		"deepgram, an end":  {Config{Protocol: DeepgramListen}, "", nil, []string{`{"type":"UtteranceEnd","last_word_end":0.3}`}, []string{results(4, .4, "b", "")}},
		"deepgram, no time": {Config{Protocol: DeepgramListen}, "", nil, []string{results(0, 0, "a", "")}, []string{results(0, 0, "b", "")}},
		"flux":              {Config{Protocol: DeepgramFlux}, `{"type":"Connected"}`, nil, []string{flux(0, .5, "a")}, []string{flux(1, 4.5, "b")}},
		"assemblyai":        {Config{Protocol: AssemblyAI}, `{"type":"Begin"}`, nil, []string{turn(0, 300, "a")}, []string{turn(1, 4200, "b")}},
		"assemblyai, as written": {Config{Protocol: AssemblyAI, Format: true}, `{"type":"Begin"}`, nil, []string{turn(0, 300, "a"), formatted},
			[]string{turn(1, 4200, "b"), strings.ReplaceAll(strings.ReplaceAll(formatted, `order":0`, `order":1`), "A", "b")}},
		"openai":              {Config{Protocol: OpenAIRealtime}, `{"type":"session.updated"}`, []string{committed("u")}, []string{completed("u", "a")}, []string{committed("v"), completed("v", "b")}},
		"openai, all late":    {Config{Protocol: OpenAIRealtime}, `{"type":"session.updated"}`, nil, []string{stopped("u", 500), committed("u"), completed("u", "a")}, []string{stopped("v", 4500), committed("v"), completed("v", "b")}},
		"openai, told, late":  {Config{Protocol: OpenAIRealtime, Force: true}, `{"type":"session.updated"}`, nil, []string{committed("u"), completed("u", "a")}, []string{committed("v"), completed("v", "b")}},
		"cartesia":            {Config{Protocol: CartesiaSTT}, "", nil, []string{ink("a")}, []string{ink("b")}},
		"cartesia, told":      {Config{Protocol: CartesiaSTT, Force: true}, "", nil, []string{ink("a"), done}, []string{ink("b"), done}},
		"cartesia, its turns": {Config{Protocol: CartesiaTurns}, `{"type":"connected"}`, nil, []string{inkTurn("a")}, []string{inkTurn("b")}},
	} {
		for _, at := range []time.Duration{4000 * msec, 4400 * msec} {
			t.Run(fmt.Sprintf("%s at %s", name, at), func(t *testing.T) {
				script := peer.Script{400 * msec}
				for _, s := range tt.early {
					script = append(script, s)
				}
				script = append(script, at-500*msec)
				for _, s := range tt.late {
					script = append(script, s)
				}
				script = append(script, 4600*msec-at)
				for _, s := range tt.own {
					script = append(script, s)
				}
				rate := 16_000
				if tt.config.Protocol == OpenAIRealtime {
					rate = 24_000
				}
				bubble(t, session(t, tt.greets, append(script, peer.Hangs{}), nil), tt.config, func(r *rig) {
					all := r.goOn(500*msec, peer.Spoken(rate, 0, 300*msec, 100*msec), 2)
					var got []string
					for _, h := range all {
						got = append(got, fmt.Sprintf("%s %s %q %q", h.Record.Outcome, peer.MS(h.Record.TTFS()), h.Record.Text, strings.Join(h.notes, "|")))
					}
					if text, want := strings.Join(got, ", "), `truncated - "" "", ok 400 "b" "b"`; strings.ReplaceAll(text, `"b|b"`, `"b"`) != want {
						t.Errorf("\n got %s\nwant %s", text, want)
					}
				})
			})
		}
	}
}

// TestOnlyOneFinal: of a service that does not say which audio its text is of, the first text after
// an utterance without one is that one's; and the text of the next may never come.
func TestOnlyOneFinal(t *testing.T) {
	script := peer.Script{4300 * msec, `{"type":"turn.end","transcript":"a"}`, peer.Hangs{}}
	bubble(t, session(t, `{"type":"connected"}`, script, nil), Config{Protocol: CartesiaTurns}, func(r *rig) {
		all := r.goOn(500*msec, peer.Spoken(16_000, 0, 300*msec, 100*msec), 2)
		for i, h := range all {
			if h.Record.Outcome.String() != "truncated" || h.Record.Text != "" {
				t.Errorf("utterance %d: %s %q", i, h.Record.Outcome, h.Record.Text)
			}
		}
	})
}
