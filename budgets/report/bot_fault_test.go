package report

import "testing"

// TestFaultWords: what is wrong with what a bot sends is said, with how often.
func TestFaultWords(t *testing.T) {
	v := &Voice{BotFaults: []BotFault{{"audio_file", 2}, {"not_json", 1}}}
	if got, want := v.faultWords(), "The bot sent what a telephone provider would not take, or would play as noise: audio_file in 2 turns, not_json in 1 turn."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (&Voice{}).faultWords(); got != "" {
		t.Errorf("%q of none", got)
	}
}
