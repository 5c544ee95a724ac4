package speak

import (
	"context"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
)

// TestRealSocket speaks over a real socket: the bounds are wide, since the machine may be
// busy.
func TestRealSocket(t *testing.T) {
	m := mock.Start(t)
	loop := pipeline.NewPreciseWall()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- loop.Run(ctx) }()
	for _, p := range []Protocol{OpenAISpeech, DeepgramSpeak} {
		config := Config{Protocol: p, Model: "aura-2-thalia-en", Voice: "alloy"}
		config.URL = m.URL
		client, err := NewClient(config, loop)
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{&peer.Rig{T: t, Loop: loop}, client}
		s := r.say("Hello there.", false).wait()
		client.Close()
		if s.Outcome != pipeline.OK || s.TTAA() < 200*msec || s.TTAA() > 10*time.Second || s.TTAA() < s.TTFB() || s.Length() < 500*msec || s.Characters != 12 {
			t.Errorf("%s: %s %+v", p, figures(s), s)
		}
	}
	cancel()
	<-ran
}
