package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// What a network takes in one region: the defaults of a scenario.
const (
	NearWay  = 40 * time.Millisecond // from a caller, or to one
	NearTrip = 20 * time.Millisecond // to the model and back
)

// farAway finds networks that take most of what a listener bears: between the user and the
// agent, or between the agent and its model.
//
// One way of up to 150 ms is acceptable to most users (ITU-T G.114, 2003). A round trip
// above 150 ms is a routing problem (callsphere.ai, "network RTT measurement", 2026).
func farAway(r *run) (Diagnosis, bool) {
	const acceptable = 150 * time.Millisecond
	d := Diagnosis{ID: FarAway, Title: "the network is long: the agent, or a service of its, is in the wrong region, or a telephone leg lies between", Fix: cureFar}
	for _, leg := range []struct {
		what  string
		spans []string
	}{
		{"from the mouth to the agent", pipeline.ToAgent()},
		{"from the agent to the ear", pipeline.ToEar()},
	} {
		took := r.lengths(leg.spans...)
		if len(took) < fewest || median(took) <= acceptable {
			continue
		}
		d.Evidence = append(d.Evidence, fmt.Sprintf("%s it takes %s, %s of a reply; up to %s one way is acceptable to most users (ITU-T G.114)", leg.what, figures(took), r.shareOf(leg.spans...), ms(acceptable)))
	}
	if trips := r.roundTrips(); len(trips) >= fewest && median(trips) > acceptable {
		d.Evidence = append(d.Evidence, fmt.Sprintf("a round trip to the language model takes %s, which every first token pays; within a continent it is 25 to 50 ms", figures(trips)))
	}
	if len(d.Evidence) == 0 {
		return Diagnosis{}, false
	}
	e := r.near()
	d.Cost = e.mean()
	if carrier := cmp.Or(r.carrier(pipeline.SpanUplink), r.carrier(pipeline.SpanPlayout)); carrier != "" && d.Cost == 0 {
		d.Evidence = append(d.Evidence, fmt.Sprintf("those are figures of the transport %s within one region: they are that kind of way, and no other region brings them back", carrier))
		d.Cost = pipeline.Unknown
		return d, true
	}
	d.Evidence = append(d.Evidence, fmt.Sprintf("replies land at %s; in one region, with %s to the agent, %s back and a round trip of %s to the model, they would at %s",
		figures(e.was), ms(NearWay), ms(NearWay), ms(NearTrip), figures(e.would)))
	return d, true
}

// carrier returns the transport that the figure of a stage is from, which is within one region
// already; "" where it is from elsewhere.
func (r *run) carrier(stage string) string {
	for _, s := range r.Run.Header.Stages {
		if name, ok := strings.CutPrefix(s.Component, "transport "); ok && s.Name == stage {
			return name
		}
	}
	return ""
}

// near replays all turns with everything in one region.
func (r *run) near() effect {
	var e effect
	carried := map[string]bool{}
	for _, name := range [2]string{pipeline.SpanUplink, pipeline.SpanPlayout} {
		carried[name] = r.carrier(name) != ""
	}
	usual := time.Duration(0) // of requests on a connection that was open before
	if trips := r.roundTrips(); len(trips) > 0 {
		usual = median(trips)
	}
	for i := range r.turns {
		t := &r.turns[i]
		trips := t.tripsToSpare(usual)
		e.was = append(e.was, t.Value)
		e.would = append(e.would, t.With(func(id pipeline.SpanID, took time.Duration) time.Duration {
			if name := t.Trace.Spans[id].Name; (name == pipeline.SpanUplink || name == pipeline.SpanPlayout) && !carried[name] {
				return min(took, NearWay)
			}
			return max(0, took-trips[id])
		}))
	}
	return e
}

// untilFirst are the spans that a round trip to the model is in.
var untilFirst = []string{pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMFirstToken}

// tripsToSpare returns by how much each span would be shorter if the model were near: those
// of a request up to its first token, the first of them first.
func (t *turn) tripsToSpare(usual time.Duration) map[pipeline.SpanID]time.Duration {
	spare := map[pipeline.SpanID]time.Duration{}
	for i := range t.Trace.Requests {
		q := &t.Trace.Requests[i]
		trip, known := roundTrip(q)
		if !known {
			trip = usual
		}
		left := trip - NearTrip
		for id := range t.Trace.Spans {
			s := &t.Trace.Spans[id]
			if left <= 0 || !slices.Contains(untilFirst, s.Name) || s.End == pipeline.Unknown || s.Start < q.Due || s.End > q.FirstText {
				continue
			}
			if _, others := spare[pipeline.SpanID(id)]; !others {
				cut := min(left, s.For())
				spare[pipeline.SpanID(id)] = cut
				left -= cut
			}
		}
	}
	return spare
}

// roundTrips returns how long the way to the language model and back took, of each request
// of which that is known.
func (r *run) roundTrips() []time.Duration {
	var trips []time.Duration
	for _, t := range r.all {
		for i := range t.Requests {
			if trip, known := roundTrip(&t.Requests[i]); known {
				trips = append(trips, trip)
			}
		}
	}
	return trips
}

// roundTrip returns how long the way of a request and of its answer took: as it is modelled,
// or as opening a connection showed, which is one round trip.
func roundTrip(q *pipeline.Request) (trip time.Duration, known bool) {
	switch {
	case q.Way != pipeline.Way{}:
		return q.Way.Out + q.Way.Back, true
	case !q.Simulated && q.Transport.Connect > 0:
		return q.Transport.Connect, true
	}
	return 0, false
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
