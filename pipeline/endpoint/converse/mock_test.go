package converse

import (
	"testing"
	"time"

	"halfsecond/pipeline"
)

// TestMock: the user speaks from 500 to 1500. The server's detector hears the end 10 ms late
// and waits 200 ms, unless told otherwise; both are over in the frame that arrives at 1800.
// The answer comes 310 ms after that, silent for its first 150 ms, so that its second
// stretch, 50 ms later, is heard. An interruption 230 ms after that is found once 60 ms of it
// have come.
func TestMock(t *testing.T) {
	long := "ab cd ef gh ij kl mn op qr st uv wx yz ab cd ef gh ij kl mn op qr st"
	barge := spoken(0, 300*msec, 100*msec)
	tests := map[string]struct {
		config Config
		turn   pipeline.Turn
		answer string
		want   string
	}{
		"server": {config: Config{}, answer: "ab",
			want: `ready 0 frames 22 from 100 late 0 speech 600..1800 end 1500 committed 1800 created 1800 output 2110 audio 2110..2260 audible 2160 v2v 660 done 2260 samples 9600 underruns 0 heard "" at - said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 29+0->9 end 2260 ok ""`},
		"beta": {config: Config{Beta: true, Transcriber: "gpt-4o-transcribe"}, answer: "ab",
			want: `ready 0 frames 22 from 100 late 0 speech 600..1800 end 1500 committed 1800 created 1800 output 2110 audio 2110..2260 audible 2160 v2v 660 done 2260 samples 9600 underruns 0 heard "hello there" at 1910 said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 29+0->9 end 2260 ok ""`},
		"transcriber": {config: Config{Transcriber: "gpt-4o-transcribe", EndSilence: 300 * msec}, answer: "ab",
			want: `ready 0 frames 23 from 100 late 0 speech 600..1900 end 1500 committed 1900 created 1900 output 2210 audio 2210..2360 audible 2260 v2v 760 done 2360 samples 9600 underruns 0 heard "hello there" at 1910 said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 30+0->9 end 2360 ok ""`},
		"manual": {config: Config{Manual: true, CommitAfter: 50 * msec, Transcriber: "gpt-4o-transcribe"}, answer: "ab",
			want: `ready 0 frames 20 from 100 late 0 speech -..- end 1500 committed 1550 created 1550 output 1860 audio 1860..2010 audible 1910 v2v 410 done 2010 samples 9600 underruns 0 heard "hello there" at 1810 said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 28+0->9 end 2010 ok ""`},
		"interrupted": {config: Config{}, turn: pipeline.Turn{Interruption: &barge, InterruptAfter: 230 * msec}, answer: long,
			want: `ready 0 frames 25 from 100 late 0 speech 600..1800 end 1500 committed 1800 created 1800 output 2110 audio 2110..2460 audible 2160 v2v 660 done 2500 samples 19200 underruns 0 heard "" at - said "ab cd ef" interrupted 2390 noticed 2500 truncated 2500 played 390 cancelled true cancelled tokens 29+0->19 end 2500 ok ""`},
		"manually": {config: Config{Manual: true}, turn: pipeline.Turn{Interruption: &barge, InterruptAfter: 230 * msec}, answer: long,
			want: `ready 0 frames 20 from 100 late 0 speech -..- end 1500 committed 1500 created 1500 output 1810 audio 1810..2060 audible 1860 v2v 360 done 2090 samples 14400 underruns 0 heard "" at - said "ab cd" interrupted 2090 noticed - truncated 2090 played 280 cancelled true cancelled tokens 28+0->14 end 2090 ok ""`},
		"too late": {config: Config{}, turn: pipeline.Turn{Interruption: &barge, InterruptAfter: 2 * time.Second}, answer: "ab",
			want: `ready 0 frames 22 from 100 late 0 speech 600..1800 end 1500 committed 1800 created 1800 output 2110 audio 2110..2260 audible 2160 v2v 660 done 2260 samples 9600 underruns 0 heard "" at - said "ab" interrupted - noticed - truncated - played - cancelled false completed tokens 29+0->9 end 2260 ok ""`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, mocked(t, []string{"hello there", "stop"}, []string{tt.answer}), tt.config, func(r *rig) {
				tt.turn.Voice = spoken(500*msec, 1000*msec, 300*msec)
				a := r.speak(tt.turn)
				if got := figures(a.wait()); got != tt.want {
					t.Errorf("\n got %s\nwant %s", got, tt.want)
				}
				if int64(a.samples) != a.Record.Samples || a.voiced != a.Record.Voiced {
					t.Errorf("told of %d samples, voiced at %s, want %d, %s", a.samples, a.voiced, a.Record.Samples, a.Record.Voiced)
				}
			})
		})
	}
}
