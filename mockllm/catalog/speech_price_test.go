package catalog

import (
	"testing"
	"time"
)

// TestSpeechPrices: speech to text is paid for by the minute, text to speech by the character.
// Other lists agree with each figure: see the table.
func TestSpeechPrices(t *testing.T) {
	for _, tt := range []struct{ kind, model, want string }{
		{"stt", "nova-3", "0.024 USD"},
		{"stt", "nova-3-medical", "0.024 USD"},
		{"stt", "Whisper-1", "0.03 USD"},
		{"tts", "tts-1", "0.0003 USD"},
		{"tts", "aura-2-thalia-en", "0.0006 USD"},
		{"tts", "nova-3", ""},
		{"stt", "whisper", ""},
		{"stt", "", ""},
	} {
		p, known := FindSpeechPrice(tt.kind, tt.model)
		got := ""
		if known {
			got = p.Hearing(5*time.Minute).Add(p.Speaking(20)).Exact() + " USD"
		}
		if got != tt.want {
			t.Errorf("%s %q: 5 minutes or 20 characters cost %q, want %q", tt.kind, tt.model, got, tt.want)
		}
	}
	p, _ := FindSpeechPrice("tts", "sonic-3")
	if got, want := p.String(), "50 USD a million characters; apio.sh/apis/cartesia and docs.cartesia.ai/pricing, 2026-06-21"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
