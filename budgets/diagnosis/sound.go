package diagnosis

import (
	"fmt"
	"slices"
	"time"

	"halfsecond/pipeline"
)

// playbackGoesOn finds replies that are still heard long after the agent has stopped making
// them.
func playbackGoesOn(r *run) (Diagnosis, bool) {
	const least = 200 * time.Millisecond // of audio beyond its way to the ear: a syllable (assumed)
	var stops, on, ways []time.Duration
	stopped := 0
	for _, t := range r.all {
		stop := pipeline.Since(t.Mark(pipeline.MarkBargeIn), t.Mark(pipeline.MarkSilence))
		if stop == pipeline.Unknown {
			continue
		}
		stops = append(stops, stop)
		noticed, cancelled := noticed(t)
		if noticed == pipeline.Unknown {
			continue
		}
		if cancelled {
			stopped++
		}
		on = append(on, t.Mark(pipeline.MarkSilence)-noticed)
		ways = append(ways, sumOf(t, pipeline.SpanEgress, pipeline.SpanPlayout))
	}
	if len(on) < fewest || median(on)-median(ways) < least {
		return Diagnosis{}, false
	}
	d := Diagnosis{
		ID: PlaybackGoesOn, Cost: pipeline.Unknown, Title: "a barge-in stops the making of the reply, and its playback goes on",
		Evidence: []string{
			fmt.Sprintf("from the user's first sound to silence at the ear: %s, over %d replies that were spoken into", figures(stops), len(stops)),
			fmt.Sprintf("the agent had stopped before, and the ear heard it for %s more; the way there takes %s, the rest was sent ahead and not taken back", figures(on), figures(ways)),
		},
		Fix: curePlayback,
	}
	if stopped > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("the model's answer was cancelled in %d of them, so the agent knew", stopped))
	}
	return d, true
}

// noticed returns when the agent took a barge-in for one: by its mark, or else when it gave
// the model's answer up. Unknown where there is neither.
func noticed(t *pipeline.Trace) (at time.Duration, cancelled bool) {
	at = t.Mark(pipeline.MarkNoticed)
	if n := len(t.Requests); n > 0 && t.Requests[n-1].Outcome == pipeline.Cancelled && t.Requests[n-1].End != pipeline.Unknown {
		if at == pipeline.Unknown {
			at = t.Requests[n-1].End
		}
		return at, true
	}
	return at, false
}

func sumOf(t *pipeline.Trace, names ...string) time.Duration {
	x := turn{}
	x.Trace = t
	sum, _ := x.took(names...)
	return sum
}

// farAway finds networks that take most of what a listener bears: between the user and the
// agent, or between the agent and its model.
//
// One way of up to 150 ms is acceptable to most users (ITU-T G.114, 2003). A round trip
// above 150 ms is a routing problem (callsphere.ai, "network RTT measurement", 2026).
func farAway(r *run) (Diagnosis, bool) {
	const acceptable = 150 * time.Millisecond
	d := Diagnosis{ID: FarAway, Title: "the network is long: the agent, or a service of its, is in the wrong region, or a telephone leg lies between", Fix: cureFar}
	var spans []string
	for _, leg := range []struct {
		what  string
		spans []string
	}{
		{"from the mouth to the agent", []string{pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanJitterBuffer}},
		{"from the agent to the ear", []string{pipeline.SpanEgress, pipeline.SpanPlayout}},
	} {
		took := r.lengths(leg.spans...)
		if len(took) < fewest || median(took) <= acceptable {
			continue
		}
		spans = append(spans, leg.spans...)
		d.Evidence = append(d.Evidence, fmt.Sprintf("%s it takes %s, %s of a reply; up to %s one way is acceptable to most users (ITU-T G.114)", leg.what, figures(took), r.shareOf(leg.spans...), ms(acceptable)))
	}
	e := r.without(spans...)
	d.Cost = e.mean()
	if trips := r.roundTrips(); len(trips) >= fewest && median(trips) > acceptable {
		d.Cost += median(trips)
		d.Evidence = append(d.Evidence, fmt.Sprintf("a round trip to the language model takes %s, which every first token pays; within a continent it is 25 to 50 ms", figures(trips)))
	}
	if len(d.Evidence) == 0 {
		return Diagnosis{}, false
	}
	if len(spans) > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("replies land at %s; next door they would at %s", figures(e.was), figures(e.would)))
	}
	return d, true
}

// shareOf returns what part of replies the stages take, on average.
func (r *run) shareOf(names ...string) string {
	var took, of time.Duration
	for i := range r.turns {
		d, _ := r.turns[i].took(names...)
		took, of = took+d, of+r.turns[i].Value
	}
	return percent(float64(took) / float64(max(1, of)))
}

// roundTrips returns how long the way to the language model and back took: as it is
// modelled, or as opening a connection showed, which is one round trip.
func (r *run) roundTrips() []time.Duration {
	var trips []time.Duration
	for _, t := range r.all {
		for i := range t.Requests {
			q := &t.Requests[i]
			switch {
			case q.Way != pipeline.Way{}:
				trips = append(trips, q.Way.Out+q.Way.Back)
			case !q.Simulated && q.Transport.Connect > 0:
				trips = append(trips, q.Transport.Connect)
			}
		}
	}
	return trips
}

// leadingSilence finds audio that begins with silence.
func leadingSilence(r *run) (Diagnosis, bool) {
	const least = 50 * time.Millisecond // less is the rise of a first sound (assumed)
	e, share := r.without(pipeline.SpanLeading), r.critical(pipeline.SpanLeading)
	if share < most || e.mean() < least {
		return Diagnosis{}, false
	}
	return Diagnosis{
		ID: LeadingSilence, Cost: e.mean(), Title: "the voice's audio begins with silence, which is played before the first word",
		Evidence: []string{fmt.Sprintf("leading_silence is critical in %s of turns (%s)", percent(share), figures(r.lengths(pipeline.SpanLeading))), e.String()},
		Fix:      cureLeading,
	}, true
}

// fillerFlatters finds fillers that make the reply look quicker than it is.
func fillerFlatters(r *run) (Diagnosis, bool) {
	const least = 0.1 // of the reply: assumed
	var sound, reply []time.Duration
	filled := 0
	for i := range r.turns {
		t := &r.turns[i]
		first := t.Value
		if f := pipeline.Since(t.Trace.Due, t.Trace.Mark(pipeline.MarkFillerHeard)); f != pipeline.Unknown {
			filled++
			first = min(first, f)
		}
		sound, reply = append(sound, first), append(reply, t.Value)
	}
	was, looks := median(reply), median(sound)
	if float64(was-looks) < least*float64(was) {
		return Diagnosis{}, false
	}
	e := r.without(pipeline.SpanFiller, pipeline.SpanFillerPlays, pipeline.SpanFillerWait)
	d := Diagnosis{
		ID: FillerFlatters, Cost: e.mean(), Title: "a filler is heard in time and the answer is not: a clock that stops at the first sound flatters the agent",
		Evidence: []string{
			fmt.Sprintf("a filler is heard in %s", ofTurns(filled, len(r.turns))),
			fmt.Sprintf("first sound: %s; the answer: %s", figures(sound), figures(reply)),
		},
		Fix: cureFiller,
	}
	if later := slices.DeleteFunc(e.gains(), func(d time.Duration) bool { return d <= 0 }); len(later) > 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("the answer has to wait for the filler's end in %s, for %s", ofTurns(len(later), len(r.turns)), figures(later)))
	}
	return d, true
}
