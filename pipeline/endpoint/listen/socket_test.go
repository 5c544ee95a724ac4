package listen

import (
	"context"
	"testing"
	"time"

	"halfsecond/mockllm/mock"
	"halfsecond/mockllm/server/voice/peer"
	"halfsecond/pipeline"
)

// TestRealSocket hears over a real socket: the bounds are wide, since the machine may be
// busy.
func TestRealSocket(t *testing.T) {
	m := mock.Start(t, mock.Hears("Hello there."))
	loop := pipeline.NewPreciseWall()
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- loop.Run(ctx) }()
	config := Config{Protocol: DeepgramListen, Model: "nova-3"}
	config.URL = m.URL
	client, err := NewClient(config, loop)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{&peer.Rig{T: t, Loop: loop}, client}
	h := r.hear(peer.Spoken(16000, 100*msec, 400*msec, 200*msec), pipeline.Unknown).wait()
	client.Close()
	cancel()
	<-ran
	if h.Outcome != pipeline.OK || h.Text != "hello there" || h.TTFS() <= 0 || h.TTFS() > 5*time.Second || h.Late < 0 || h.FirstFrame-h.Ready < 100*msec || h.Transport.Connect <= 0 {
		t.Errorf("%+v", h)
	}
}
