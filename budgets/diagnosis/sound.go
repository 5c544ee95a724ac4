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
		ways = append(ways, sumOf(t, pipeline.ToEar()...))
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
