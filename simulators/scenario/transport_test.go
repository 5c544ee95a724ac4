package scenario

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice/transport"
)

// TestTransport: a profile fills in what the file leaves out, and nothing else.
func TestTransport(t *testing.T) {
	const ms = time.Millisecond
	webrtc := profileNamed("webrtc")
	for _, c := range []struct {
		keys string
		want transport.Line
		// of capture, uplink, jitter_buffer, egress and playout
		way [5]dist.Dist
	}{
		{"  transport: webrtc\n", webrtc.Line,
			[5]dist.Dist{dist.Uniform(6500*time.Microsecond, 26500*time.Microsecond), webrtc.Uplink, webrtc.JitterBuffer, dist.Uniform(0, 20*ms), webrtc.Playout}},
		{"  transport: {profile: telephony, loss: 0%}\n  uplink: 50ms\n", transport.Line{Codec: transport.PCMU, Frame: 20 * ms, Loss: transport.Loss{Burst: 2}},
			[5]dist.Dist{dist.Uniform(0, 20*ms), dist.Constant(50 * ms), dist.Constant(0), dist.Constant(0), dist.Constant(163 * ms)}},
		// The whole ways of these were measured, frames in them.
		{"  transport: {profile: telephony, loss: 0%}\n", transport.Line{Codec: transport.PCMU, Frame: 20 * ms, Loss: transport.Loss{Burst: 2}},
			[5]dist.Dist{dist.Constant(0), dist.Constant(162 * ms), dist.Constant(0), dist.Constant(0), dist.Constant(163 * ms)}},
		{"  transport: media-streams\n", profileNamed("media-streams").Line,
			[5]dist.Dist{dist.Constant(0), dist.Uniform(75*ms, 150*ms), dist.Constant(0), dist.Constant(0), dist.Uniform(75*ms, 150*ms)}},
		{"  transport: {profile: telephony, loss: 0%}\n  playout: 50ms\n", transport.Line{Codec: transport.PCMU, Frame: 20 * ms, Loss: transport.Loss{Burst: 2}},
			[5]dist.Dist{dist.Constant(0), dist.Constant(162 * ms), dist.Constant(0), dist.Uniform(0, 20*ms), dist.Constant(50 * ms)}},
		{"  transport: {codec: opus, frame: 60ms, loss: 5%, burst: 3, repair: resent, round_trip: {uniform: [10ms, 20ms]}}\n  egress: 7ms\n",
			transport.Line{Codec: transport.Opus, Frame: 60 * ms, Loss: transport.Loss{Share: .05, Burst: 3, Repair: transport.Resent, RoundTrip: dist.Uniform(10*ms, 20*ms)}},
			[5]dist.Dist{dist.Uniform(6500*time.Microsecond, 66500*time.Microsecond), dist.Constant(40 * ms), dist.Constant(0), dist.Constant(7 * ms), dist.Constant(40 * ms)}},
	} {
		s := parse(t, spokenWith(c.keys))
		v := s.Voice
		if v.Transport.Line != c.want {
			t.Errorf("%s is %+v, want %+v", c.keys, v.Transport.Line, c.want)
		}
		if way := [5]dist.Dist{v.Capture.Dist, v.Uplink.Dist, v.JitterBuffer.Dist, v.Egress.Dist, v.Playout.Dist}; way != c.way {
			t.Errorf("%s: the way is %v, want %v", c.keys, way, c.way)
		}
		again := parse(t, s.Canonical())
		if !reflect.DeepEqual(again.Voice, v) || again.Hash() != s.Hash() {
			t.Errorf("%s: the canonical text reads otherwise:\n%s", c.keys, s.Canonical())
		}
		if line := v.Stack(true, 1).Line; (line == nil) != (c.want.Loss.Share == 0) || line != nil && *line != c.want {
			t.Errorf("%s: the line of the stack is %+v", c.keys, line)
		}
	}
	v := parse(t, spokenWith("  transport: telephony\n  uplink: 50ms\n")).Voice
	for key, want := range map[string]string{"capture": "telephony", "uplink": "", "jitter_buffer": "telephony", "egress": "telephony", "playout": "telephony", "stt_tail": ""} {
		if got := v.FilledIn(key); got != want {
			t.Errorf("%s is from %q, want %q", key, got, want)
		}
	}
	if got := parse(t, spokenWith("  transport: {codec: opus}\n")).Voice.FilledIn("capture"); got != "" {
		t.Errorf("of an own transport: %q", got)
	}
	if v := parse(t, spokenWith("")).Voice; v.Transport != nil || v.Stack(true, 1).Line != nil || v.Capture.Mean() != 0 {
		t.Errorf("without a transport: %+v", v)
	}
	for keys, want := range map[string]string{
		"  transport: telefony\n":         "nearest: telephony",
		"  transport: 3\n":                "webrtc",
		"  transport: {loss: 60%}\n":      "up to 50%",
		"  transport: {profil: webrtc}\n": "profile",
		"  transport: {repair: again}\n":  "concealed",
		"  transport: {frame: 0ms}\n":     "1ms",
	} {
		if _, err := Parse("x", []byte(spokenWith(keys)), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", keys, err, want)
		}
	}
}

// TestReferenceOfTransports: each profile with its values.
func TestReferenceOfTransports(t *testing.T) {
	for _, want := range []string{"| `webrtc` |", "| | `transport.repair` | fec |", "| | `transport.loss` | 1%, burst 2 |", "| | `uplink` | 162ms |", "capture {uniform: [6.5ms, 26.5ms]}, egress {uniform: [0s, 20ms]}"} {
		if !strings.Contains(Reference(), want) {
			t.Errorf("the reference has no %q", want)
		}
	}
}
