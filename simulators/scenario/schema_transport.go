package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
	"halfsecond/simulators/voice/transport"
)

// Transport is how sound travels between users and the agent.
type Transport struct {
	Profile string // its name; "" where the file has all of it
	transport.Line
}

// ownWay is the word for a transport that is no profile.
const ownWay = "own"

// carried is the form of a transport: a mapping, or the name of a profile alone.
var carried = func() form[Transport] {
	all := object(settleTransport,
		can("profile", func(t *Transport) *string { return &t.Profile }, ownWay, enum(append(profileNames(), ownWay)...), "a way that is in use: it fills in what the file leaves out here and of capture, uplink, jitter_buffer, egress and playout"),
		can("codec", func(t *Transport) *transport.Codec { return &t.Codec }, transport.PCM, names(transport.PCM, transport.PCMU, transport.Opus), "samples as they are, G.711 mu-law at 8 kHz, or Opus, which looks 6.5 ms ahead").fallback("pcm; the profile's"),
		can("frame", func(t *Transport) *time.Duration { return &t.Frame }, 20*time.Millisecond, duration(time.Millisecond, time.Second), "sound that is sent at once").fallback("20ms; the profile's"),
		can("loss", func(t *Transport) *float64 { return &t.Loss.Share }, 0, lossShare, "share of frames that are lost").fallback("0; the profile's"),
		can("burst", func(t *Transport) *float64 { return &t.Loss.Burst }, 1, decimal(1, 1000), "mean length of a run of lost frames").fallback("1; the profile's"),
		can("repair", func(t *Transport) *transport.Repair { return &t.Loss.Repair }, transport.Concealed, names(transport.Concealed, transport.FEC, transport.Resent), "lost frames are made up, so that words are clipped; or all of a run but the last, of which the next frame has a copy; or sent again, as over TCP, and what comes after waits").fallback("concealed; the profile's"),
		can("round_trip", func(t *Transport) *dist.Dist { return &t.Loss.RoundTrip }, dist.Constant(50*time.Millisecond), pause, "after which a sender hears of a frame; matters where they are sent again").fallback("50ms; the profile's"),
	)
	f := all
	f.want = "the name of a profile, or a mapping"
	f.read = func(r *reader, n ast.Node) (Transport, bool) {
		if _, isMapping := strict.Mapping(n); isMapping {
			return all.read(r, n)
		}
		name, ok := enum(profileNames()...).read(r, n)
		if !ok {
			return Transport{}, false
		}
		p := profileNamed(name)
		return Transport{name, p.Line}, true
	}
	return f
}()

// lossShare is the form of a share of frames: more than half are no way to speak.
var lossShare = func() form[float64] {
	f := share
	read := f.read
	f.want = "a share such as 1%, up to 50%"
	f.read = func(r *reader, n ast.Node) (float64, bool) {
		v, ok := read(r, n)
		if ok && v > .5 {
			r.Fail(n, "%v: want %s", v, f.want)
		}
		return v, ok && v <= .5
	}
	return f
}()

// settleTransport fills in what the profile says when the file does not.
func settleTransport(_ *reader, found map[string]entry, t *Transport) {
	if t.Profile == ownWay {
		return
	}
	p := profileNamed(t.Profile)
	unless := func(key string, fill func()) {
		if _, given := found[key]; !given {
			fill()
		}
	}
	unless("codec", func() { t.Codec = p.Codec })
	unless("frame", func() { t.Frame = p.Frame })
	unless("loss", func() { t.Loss.Share = p.Loss.Share })
	unless("burst", func() { t.Loss.Burst = p.Loss.Burst })
	unless("repair", func() { t.Loss.Repair = p.Loss.Repair })
	unless("round_trip", func() { t.Loss.RoundTrip = p.Loss.RoundTrip })
}

// travel fills in the way between users and the agent, where the file does not say it: what
// follows from codec and frames, and of a profile the network and its buffers.
func (v *Voice) travel(found map[string]entry) {
	t := v.Transport
	if t == nil {
		return
	}
	unless := func(key string, at *Delay, d dist.Dist) {
		if _, given := found[key]; !given {
			*at = Delay{Dist: d}
		}
	}
	var p transport.Profile
	if t.Profile != ownWay {
		p = profileNamed(t.Profile)
	}
	framed := func(key string, d dist.Dist) dist.Dist {
		if _, given := found[key]; p.Whole && !given {
			return dist.Constant(0) // the frames are in that figure
		}
		return d
	}
	unless("capture", &v.Capture, framed("uplink", t.Capture()))
	unless("egress", &v.Egress, framed("playout", t.Egress()))
	if t.Profile == ownWay {
		return
	}
	unless("uplink", &v.Uplink, p.Uplink)
	unless("jitter_buffer", &v.JitterBuffer, p.JitterBuffer)
	unless("playout", &v.Playout, p.Playout)
}

// FilledIn returns the name of the transport that a figure of the way is from, by its key:
// "" where the file states it, and for other keys.
func (v *Voice) FilledIn(key string) string {
	if v.Transport == nil || v.Transport.Profile == ownWay {
		return ""
	}
	w, p, stated := Voice{Transport: v.Transport}, profileNamed(v.Transport.Profile), map[string]entry{}
	if v.Uplink.Dist != p.Uplink {
		stated["uplink"] = entry{}
	}
	if v.Playout.Dist != p.Playout {
		stated["playout"] = entry{}
	}
	w.travel(stated)
	for _, x := range []struct {
		key      string
		has, own Delay
	}{
		{"capture", v.Capture, w.Capture}, {"uplink", v.Uplink, w.Uplink}, {"jitter_buffer", v.JitterBuffer, w.JitterBuffer},
		{"egress", v.Egress, w.Egress}, {"playout", v.Playout, w.Playout},
	} {
		if _, is := stated[key]; x.key == key && !is && x.has == x.own {
			return v.Transport.Profile
		}
	}
	return ""
}

func profileNames() []string {
	var names []string
	for _, p := range transport.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// profileNamed returns a profile that is there.
func profileNamed(name string) transport.Profile {
	p, err := transport.Find(name)
	if err != nil {
		panic(fmt.Sprintf("scenario: %s", err))
	}
	return p
}

// writeTransports lists the profiles with what they fill in, and the source of each figure.
func writeTransports(b *strings.Builder) {
	b.WriteString("\n## Transports\n\nWhat `voice.transport` fills in by the name of a profile. A figure that the file gives stands.\n\n| profile | key | value | source |\n| --- | --- | --- | --- |\n")
	for _, p := range transport.Profiles() {
		v := Voice{Transport: &Transport{p.Name, p.Line}}
		v.travel(nil)
		values := map[string]string{
			"transport.frame": p.Frame.String() + " of " + p.Codec.String(), "transport.loss": fmt.Sprintf("%.3g%%, burst %g", 100*p.Loss.Share, p.Loss.Burst),
			"transport.repair": p.Loss.Repair.String(), "transport.round_trip": p.Loss.RoundTrip.String(),
			"uplink": p.Uplink.String(), "jitter_buffer": p.JitterBuffer.String(), "playout": p.Playout.String(),
		}
		follow := "follow from codec and frame"
		if p.Whole {
			follow = "are in uplink and playout, and follow from codec and frame beside one that the file gives"
		}
		fmt.Fprintf(b, "| `%s` | | capture %s, egress %s | %s; capture and egress %s |\n", p.Name, v.Capture, v.Egress, p.What, follow)
		for _, s := range p.Sources {
			fmt.Fprintf(b, "| | `%s` | %s | %s |\n", s.Key, values[s.Key], s.Where)
		}
	}
}
