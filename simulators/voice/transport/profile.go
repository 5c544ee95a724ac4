package transport

import (
	"fmt"
	"strings"
	"time"

	"halfsecond/pipeline/dist"
)

// Profile is a way between users and an agent that is in use.
type Profile struct {
	Name string
	What string
	Line
	// From the mouth to the agent and back to the ear, beside what the line itself takes:
	// the network, and the buffers against uneven arrival.
	Uplink, JitterBuffer, Playout dist.Dist
	// Whole says that Uplink and Playout are of the way from mouth to agent and back to the ear
	// as it was measured: the frames are in them, too.
	Whole   bool
	Sources []Source
}

// Source says where a figure of a profile is from.
type Source struct {
	Key   string // of a scenario's, that the figure stands in
	Where string // with its date
}

const ms = time.Millisecond

// Sources that several profiles share.
const (
	opusFrame  = "20 ms, the usual frame of Opus, with 6.5 ms of look-ahead: RFC 6716, 2012; docs.oracle.com/cd/E92503_01, read 2026-11-30"
	phoneFrame = "20 ms of G.711: 160 bytes of mu-law at 8 kHz in a message, docs.fonoster.com/reference/twilio-compatibility, 2026"
	apiTrip    = "a round trip of 25 to 50 ms inside the continental US, docs.rime.ai/docs/latency.md, 2026"
	ownGuess   = "assumed: 1 %, in runs of 2; one network loses none and another 10 %"
	devices    = "the device is left out, of which nobody publishes a figure"
)

var profiles = []Profile{
	{
		Name: "webrtc", What: "an app or a browser in the agent's region: Opus over UDP",
		Line:   Line{Codec: Opus, Frame: 20 * ms, Loss: Loss{Share: .01, Burst: 2, Repair: FEC}},
		Uplink: dist.Uniform(30*ms, 35*ms), JitterBuffer: dist.Uniform(20*ms, 40*ms), Playout: dist.Uniform(50*ms, 75*ms),
		Sources: []Source{
			{"transport.frame", opusFrame},
			{"uplink", "half of a round trip of 60 to 70 ms: callsphere.ai/blog/vw8c-network-rtt-measurement-ai-voice-agents-2026, 2026"},
			{"jitter_buffer", "one or two steps of 20 ms, in which libwebrtc's NetEq sets its target to the 95th percentile of the delays that it sees (delay_manager.cc and underrun_optimizer.cc, read 2026-11-30); it begins with 80 ms. Which of the two: assumed"},
			{"playout", "the same network and the same buffer; " + devices + ". Agora's typical range from capture to playback is 150 to 300 ms with devices, docs.agora.io conversational-ai/best-practices/optimize-latency, 2026"},
			{"transport.repair", "in-band FEC of Opus is one of the measures that WebRTC has, www.rtcbits.com/2024/05/the-impact-of-bursty-packet-loss-on.html, 2024; that it is on, and nothing is sent again: assumed"},
			{"transport.loss", ownGuess},
		},
	},
	{
		Name: "telephony", What: "a caller on the telephone network, by a SIP trunk to an agent in the same region: G.711 over UDP",
		Line:   Line{Codec: PCMU, Frame: 20 * ms, Loss: Loss{Share: .01, Burst: 2, Repair: Concealed}},
		Uplink: dist.Constant(162 * ms), JitterBuffer: dist.Constant(0), Playout: dist.Constant(163 * ms), Whole: true,
		Sources: []Source{
			{"transport.frame", phoneFrame},
			{"uplink", "half of the 325 ms that a round trip takes a caller longer than the agent's recording shows, frames and buffers in it, Twilio to LiveKit SIP, same region: a user's measurement, community.livekit.io/t/270, 2026"},
			{"jitter_buffer", "in that figure"},
			{"playout", "the other half. A floor for SIP and Asterisk is 150 to 300 ms for both ways: freya-end-to-end-latency.pages.dev/parts/10-network-telephony.html, 2026"},
			{"transport.repair", "G.711 Appendix I makes up what is lost from the last pitch periods and is silent after 60 ms: drdobbs.com/error-resilient-coding-for-audio-communi/207801324, read 2026-11-30"},
			{"transport.loss", ownGuess},
		},
	},
	{
		Name: "media-streams", What: "a caller on the telephone network whose carrier streams the call to the agent over a WebSocket: G.711 over TCP",
		Line:   Line{Codec: PCMU, Frame: 20 * ms, Loss: Loss{Share: .01, Burst: 2, Repair: Resent, RoundTrip: dist.Uniform(25*ms, 50*ms)}},
		Uplink: dist.Uniform(75*ms, 150*ms), JitterBuffer: dist.Constant(0), Playout: dist.Uniform(75*ms, 150*ms), Whole: true,
		Sources: []Source{
			{"transport.frame", phoneFrame},
			{"uplink", "half of the floor of 150 to 300 ms of a media path, packets of 20 ms each way and jitter buffers of 100 to 200 in it: freya-end-to-end-latency.pages.dev/parts/10-network-telephony.html, 2026"},
			{"jitter_buffer", "in that figure"},
			{"playout", "the other half"},
			{"transport.repair", "a WebSocket is TCP, which sends again: RFC 8985, 2021"},
			{"transport.round_trip", apiTrip},
			{"transport.loss", ownGuess},
		},
	},
	{
		Name: "websocket", What: "an app that sends samples over a WebSocket in the agent's region: PCM over TCP",
		Line:   Line{Codec: PCM, Frame: 100 * ms, Loss: Loss{Share: .01, Burst: 2, Repair: Resent, RoundTrip: dist.Uniform(25*ms, 50*ms)}},
		Uplink: dist.Uniform(12500*time.Microsecond, 25*ms), JitterBuffer: dist.Constant(0), Playout: dist.Uniform(12500*time.Microsecond, 25*ms),
		Sources: []Source{
			{"transport.frame", "100 ms of sound in a message, of 20 to 250 that are allowed: github:deepgram/deepgram-docs measuring-streaming-latency.mdx, 2025"},
			{"uplink", "half of " + apiTrip},
			{"jitter_buffer", "none: TCP brings frames in their order, and a recognizer takes them as they come"},
			{"playout", "half of " + apiTrip + "; " + devices},
			{"transport.repair", "a WebSocket is TCP, which sends again: RFC 8985, 2021"},
			{"transport.round_trip", apiTrip},
			{"transport.loss", ownGuess},
		},
	},
}

// Profiles returns all of them.
func Profiles() []Profile { return append([]Profile(nil), profiles...) }

// Find returns the profile of a name; the error says which there are.
func Find(name string) (Profile, error) {
	names := make([]string, len(profiles))
	for i, p := range profiles {
		if p.Name == name {
			return p, nil
		}
		names[i] = p.Name
	}
	return Profile{}, fmt.Errorf("no transport %q: want %s", name, strings.Join(names, ", "))
}
