package stage

import (
	"slices"
	"time"

	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
)

// measure is what a player that begins with the first sample makes of chunks as they come.
type measure struct {
	rate    int
	samples int64
	first   time.Duration // Unknown before the first sample
	last    time.Duration
	audible time.Duration // when the chunk came that has the first sample that can be heard
	lead    time.Duration // how long the samples before that one play
	voiced  time.Duration // when the player plays it
	waits   int
	stalled time.Duration
}

func newMeasure(rate int) measure {
	return measure{rate: rate, first: pipeline.Unknown, last: pipeline.Unknown, audible: pipeline.Unknown, lead: pipeline.Unknown, voiced: pipeline.Unknown}
}

// take takes a chunk that comes at an instant. Samples are made only until one can be heard:
// what sounds after it changes nothing.
func (m *measure) take(c speech.Chunk, at time.Duration) {
	if c.Length == 0 {
		return
	}
	m.play(at)
	m.last = at
	if m.audible == pipeline.Unknown {
		loud := func(s int16) bool { return s >= pipeline.Audible || -s >= pipeline.Audible }
		if i := slices.IndexFunc(c.Samples(), loud); i >= 0 {
			m.audible, m.lead = at, pipeline.SamplesLast(m.samples+int64(i), m.rate)
			m.voiced = m.first + m.stalled + m.lead
		}
	}
	m.samples += int64(c.Length)
}

// play notes whether the player still had something to play.
func (m *measure) play(at time.Duration) {
	if m.first == pipeline.Unknown {
		m.first = at
		return
	}
	if late := at - (m.first + m.stalled + pipeline.SamplesLast(m.samples, m.rate)); late > 0 {
		m.waits++
		m.stalled += late
	}
}

// sound returns word of a chunk that was taken.
func (m *measure) sound(c speech.Chunk, at time.Duration) pipeline.Sound {
	return pipeline.Sound{At: at, Samples: c.Length, Rate: m.rate, Audible: m.audible != pipeline.Unknown, Voiced: m.voiced}
}
