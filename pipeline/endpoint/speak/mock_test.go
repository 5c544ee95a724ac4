package speak

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestMock has every protocol speak "ab" with the mock, in one piece: the first 100 ms of
// it, all silent, come 200 ms after the text, the next 100 ms, of which half are silent,
// 50 ms later, and so on. So the speech is heard from the second chunk on.
func TestMock(t *testing.T) {
	tests := []struct {
		config Config
		rate   int
		bits   int
	}{
		{Config{Protocol: OpenAISpeech}, 24000, 16},
		{Config{Protocol: OpenAISpeech, Format: WAV}, 24000, 16},
		{Config{Protocol: OpenAISpeech, Events: true}, 24000, 16},
		{Config{Protocol: ElevenLabsStream, Rate: 16000}, 16000, 16},
		{Config{Protocol: ElevenLabsStream, Format: MuLaw}, 8000, 8},
		{Config{Protocol: ElevenLabsSocket, Rate: 16000}, 16000, 16},
		{Config{Protocol: ElevenLabsSocket, Format: ALaw, Eager: true}, 8000, 8},
		{Config{Protocol: CartesiaEvents, Rate: 16000}, 16000, 16},
		{Config{Protocol: CartesiaEvents, Format: MuLaw}, 8000, 8},
		{Config{Protocol: CartesiaSocket, Rate: 16000}, 16000, 16},
		{Config{Protocol: CartesiaSocket, Rate: 44100, Eager: true}, 44100, 16},
		{Config{Protocol: DeepgramSpeak, Rate: 24000}, 24000, 16},
		{Config{Protocol: DeepgramSpeak, Format: MuLaw, Eager: true}, 8000, 8},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s %s%d", tt.config.Protocol, tt.config.Format, tt.rate), func(t *testing.T) {
			bubble(t, mocked(t), tt.config, func(r *rig) {
				time.Sleep(time.Second)
				s := r.say("ab", false)
				ready := "-"
				if r.client.protocol.socket {
					ready = "1000"
				}
				want := fmt.Sprintf(`ready %s sent 1000..1000 ttfb 200 ttfa 200 ttaa 250 lead 150 voiced 1350 last 1350 end 1350 length 350 %dx1x%d rtf 1.000 underruns 0 0 characters 2 close 0 ok "" flags `, ready, tt.rate, tt.bits)
				if got := figures(s.wait()); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				n := tt.rate / 10
				notes := []string{fmt.Sprintf("1200:%d:false:-", n), fmt.Sprintf("1250:%d:true:1350", n), fmt.Sprintf("1300:%d:true:1350", n), fmt.Sprintf("1350:%d:true:1350", n/2)}
				if !slices.Equal(s.notes, notes) || s.doneAt != 1350*msec {
					t.Errorf("notes %q, done at %s; want %q, 1.35s", s.notes, s.doneAt, notes)
				}
			})
		})
	}
}

// TestPieces hands text over as a model streams it: the connection is opened at 0, the
// pieces come at 1 s and 2 s, and their end at 2.5 s.
func TestPieces(t *testing.T) {
	tests := []struct {
		config Config
		want   string
	}{
		// A post waits for all of the text.
		{Config{Protocol: OpenAISpeech}, `ready - sent 2500..2500 ttfb 1700 ttfa 1700 ttaa 1750 lead 150 voiced 2850 last 3100 end 3100 length 850 24000x1x16 rtf 0.706 underruns 0 0 characters 7 close 0 ok "" flags `},
		// The service gathers 120 characters, or all.
		{Config{Protocol: ElevenLabsSocket}, `ready 0 sent 1000..2000 ttfb 1700 ttfa 1700 ttaa 1750 lead 150 voiced 2850 last 3100 end 3100 length 850 24000x1x16 rtf 2.471 underruns 0 0 characters 7 close 0 ok "" flags `},
		{Config{Protocol: DeepgramSpeak}, `ready 0 sent 1000..2000 ttfb 1700 ttfa 1700 ttaa 1750 lead 150 voiced 2850 last 3100 end 3100 length 850 24000x1x16 rtf 2.471 underruns 0 0 characters 7 close 0 ok "" flags `},
		// Each piece is spoken at once. The first plays 450 ms from 1200 on, so that a player
		// has nothing from 1650 to 2200.
		{Config{Protocol: ElevenLabsSocket, Eager: true}, `ready 0 sent 1000..2000 ttfb 200 ttfa 200 ttaa 250 lead 150 voiced 1350 last 2400 end 2500 length 900 24000x1x16 rtf 1.556 underruns 1 550 characters 7 close 0 ok "" flags `},
		{Config{Protocol: CartesiaSocket, Eager: true}, `ready 0 sent 1000..2000 ttfb 200 ttfa 200 ttaa 250 lead 150 voiced 1350 last 2400 end 2500 length 900 24000x1x16 rtf 1.556 underruns 1 550 characters 7 close 0 ok "" flags `},
		{Config{Protocol: DeepgramSpeak, Eager: true}, `ready 0 sent 1000..2000 ttfb 200 ttfa 200 ttaa 250 lead 150 voiced 1350 last 2400 end 2500 length 900 24000x1x16 rtf 1.556 underruns 1 550 characters 7 close 1000 ok "" flags `},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s eager %t", tt.config.Protocol, tt.config.Eager), func(t *testing.T) {
			bubble(t, mocked(t), tt.config, func(r *rig) {
				s := r.say("", true)
				time.Sleep(time.Second)
				r.Do(func() {
					s.Record.Due = r.Loop.Now()
					r.client.Say(&s.Saying, "Abc ")
				})
				time.Sleep(time.Second)
				r.Do(func() { r.client.Say(&s.Saying, "def") })
				time.Sleep(500 * msec)
				r.Do(func() { r.client.Finish(&s.Saying) })
				if got := figures(s.wait()); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
			})
		})
	}
}
