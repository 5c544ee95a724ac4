package listen

import (
	"net/url"
	"testing"
	"time"

	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
)

type mockCase struct {
	config Config
	rate   int
	want   string
	notes  []string
}

func (c mockCase) name() string {
	n := string(c.config.Protocol) + " " + c.config.Model
	for what, is := range map[string]bool{" forced": c.config.Force, " formatted": c.config.Format} {
		if is {
			n += what
		}
	}
	return n
}

func TestMock(t *testing.T) {
	tests := []mockCase{
		{
			config: Config{Protocol: DeepgramListen, EndSilence: 300 * msec},
			want:   `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 1 first 2640 ttfp 1540 final 2910..2910 ttfs 410 turn end 2910 end 2910 close 0 ok "" flags  text "hello there good day"`,
			notes: []string{
				`1600 SpeechStarted`,
				`2640 "hello there good"`,
				`2910 final "hello there good day" end settled`,
				`2910 speech_final end settled`,
			},
		},
		{
			config: Config{Protocol: DeepgramListen, EndSilence: 300 * msec, Force: true, ForceAfter: 50 * msec},
			want:   `ready 1000 frames 18 1100..2800 late 0 speech end 2500 partials 0 first - ttfp - final 2810..2810 ttfs 310 turn end 2910 end 2910 close 0 ok "" flags  text "hello there good day"`,
			notes: []string{
				`1600 SpeechStarted`,
				`2810 final "hello there good day" end settled`,
				`2810 from_finalize end settled`,
				`2910 speech_final end settled`,
			},
		},
		{
			config: Config{Protocol: DeepgramFlux, Model: "flux-general-en", Query: url.Values{"eager_eot_threshold": {"0.4"}}},
			want:   `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 2 first 2040 ttfp 940 final 2910..2910 ttfs 410 turn end 2910 end 2910 close 1005 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2040 "Hello"`,
				`2040 StartOfTurn`,
				`2910 "Hello there, good day."`,
				`2910 EagerEndOfTurn`,
				`2910 final "Hello there, good day." end settled`,
				`2910 EndOfTurn end settled`,
			},
		},
		{
			config: Config{Protocol: DeepgramFlux, Model: "flux-general-en", Force: true},
			want:   `ready 1000 frames 18 1100..2800 late 0 speech end 2500 partials 1 first 2040 ttfp 940 final 2810..2810 ttfs 310 turn end 2810 end 2810 close 1005 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2040 "Hello"`,
				`2040 StartOfTurn`,
				`2810 final "Hello there, good day." end settled`,
				`2810 EndOfTurn end settled`,
			},
		},
		{
			config: Config{Protocol: AssemblyAI, Model: "universal-streaming-english"},
			want:   `ready 1000 frames 20 1100..3000 late 0 speech end 2500 partials 2 first 2640 ttfp 1540 final 3000..3000 ttfs 500 turn end 3000 end 3000 close 0 ok "" flags  text "hello there good day"`,
			notes: []string{
				`1600 SpeechStarted`,
				`2640 "hello there good"`,
				`2910 "hello there good day"`,
				`2910 utterance`,
				`3000 final "hello there good day" end settled`,
				`3000 end_of_turn end settled`,
			},
		},
		{
			config: Config{Protocol: AssemblyAI, Model: "universal-streaming-english", Format: true, Frame: 80 * msec},
			want:   `ready 1000 frames 26 1080..3080 late 0 speech end 2500 partials 2 first 2640 ttfp 1560 final 2920..3120 ttfs 620 turn end 2920 end 3320 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`1640 SpeechStarted`,
				`2640 "hello there good"`,
				`2830 "hello there good day"`,
				`2830 utterance`,
				`2920 final "hello there good day" end`,
				`2920 end_of_turn end`,
				`3120 final "Hello there, good day." settled`,
				`3120 formatted settled`,
			},
		},
		{
			config: Config{Protocol: AssemblyAI, Model: "u3-rt-pro", Force: true},
			want:   `ready 1000 frames 18 1100..2800 late 0 speech end 2500 partials 1 first 2340 ttfp 1240 final 2810..2810 ttfs 310 turn end 2810 end 2810 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2340 SpeechStarted`,
				`2340 "Hello there,"`,
				`2810 final "Hello there, good day." end settled`,
				`2810 end_of_turn end settled`,
			},
		},
		{
			config: Config{Protocol: CartesiaSTT, Model: "ink-2", Force: true, ForceAfter: 200 * msec},
			want:   `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 1 first 2640 ttfp 1540 final 2910..2910 ttfs 410 turn end 2910 end 2910 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2640 "Hello there, good"`,
				`2910 final "Hello there, good day."`,
				`2910 flush_done end settled`,
			},
		},
		{
			config: Config{Protocol: CartesiaSTT, Model: "ink-whisper"},
			want:   `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 1 first 2640 ttfp 1540 final 2910..2910 ttfs 410 turn end - end 2910 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2640 "Hello there, good"`,
				`2910 final "Hello there, good day." settled`,
			},
		},
		{
			config: Config{Protocol: CartesiaTurns, Model: "ink-2"},
			want:   `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 2 first 2640 ttfp 1540 final 2910..2910 ttfs 410 turn end 2910 end 2910 close 1000 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`1600 turn.start`,
				`2640 "Hello there, good"`,
				`2910 "Hello there, good day."`,
				`2910 turn.eager_end`,
				`2910 final "Hello there, good day." end settled`,
				`2910 turn.end end settled`,
			},
		},
		{
			config: Config{Protocol: OpenAIRealtime, Model: "gpt-4o-transcribe"}, rate: 24000,
			want: `ready 1000 frames 19 1100..2900 late 0 speech end 2500 partials 6 first 2910 ttfp 1810 final 2910..2910 ttfs 410 turn end 2800 end 2910 close 1000 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`1600 input_audio_buffer.speech_started`,
				`2800 input_audio_buffer.speech_stopped`,
				`2800 input_audio_buffer.committed end`,
				`2910 "Hello"`,
				`2910 "Hello there"`,
				`2910 "Hello there,"`,
				`2910 "Hello there, good"`,
				`2910 "Hello there, good day"`,
				`2910 "Hello there, good day."`,
				`2910 final "Hello there, good day." settled`,
			},
		},
		{
			config: Config{Protocol: OpenAIRealtime, Model: "gpt-4o-transcribe", Force: true, Beta: true}, rate: 24000,
			want: `ready 1000 frames 18 1100..2800 late 0 speech end 2500 partials 6 first 2810 ttfp 1710 final 2810..2810 ttfs 310 turn end 2500 end 2810 close 1000 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2500 input_audio_buffer.committed end`,
				`2810 "Hello"`,
				`2810 "Hello there"`,
				`2810 "Hello there,"`,
				`2810 "Hello there, good"`,
				`2810 "Hello there, good day"`,
				`2810 "Hello there, good day."`,
				`2810 final "Hello there, good day." settled`,
			},
		},
		{
			config: Config{Protocol: OpenAITranscriptions, Model: "gpt-4o-transcribe"},
			want:   `ready - frames 1 2800..2800 late 0 speech end 2500 partials 4 first 2955 ttfp 155 final 3110..3110 ttfs 610 turn end 3110 end 3110 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`2955 "Hello"`,
				`2993 "Hello there,"`,
				`3032 "Hello there, good"`,
				`3071 "Hello there, good day."`,
				`3110 final "Hello there, good day." end settled`,
			},
		},
		{
			config: Config{Protocol: OpenAITranscriptions, Model: "whisper-1", Whole: true, Force: true, ForceAfter: 200 * msec},
			want:   `ready - frames 1 2700..2700 late 0 speech end 2500 partials 0 first - ttfp - final 3010..3010 ttfs 510 turn end 3010 end 3010 close 0 ok "" flags  text "Hello there, good day."`,
			notes: []string{
				`3010 final "Hello there, good day." end settled`,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name(), func(t *testing.T) {
			if tt.rate == 0 {
				tt.rate = 16000
			}
			bubble(t, mocked(t, "Hello there, good day."), tt.config, func(r *rig) {
				time.Sleep(time.Second)
				h := r.hear(peer.Spoken(tt.rate, 500*msec, 1000*msec, 300*msec), pipeline.Unknown)
				got := figures(h.wait())
				if got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
				same(t, "notes", h.notes, tt.notes)
			})
		})
	}
}
