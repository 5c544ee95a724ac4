package phone

import (
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/pipeline"
)

// playout plays the audio that a server sends into a call: at once when nothing plays,
// else after what is queued. It runs on the loop.
type playout struct {
	loop pipeline.Scheduler
	rate int
	// end is the instant at which all that is queued will have played.
	end time.Duration
	// heard is told the instant of the first audible sample of each stretch that plays.
	heard func(at time.Duration)
	// passed is told the name of a mark when what was queued before it has played, or
	// is dropped.
	passed func(name string)

	sounds []playSound
	marks  []*playMark
}

// playSound is the first audible sample of a stretch that has not played.
type playSound struct {
	at    time.Duration
	timer pipeline.Timer
}

type playMark struct {
	name  string
	timer pipeline.Timer
}

// audibleLevel is the least sample that can be heard, 40 dB below full scale. It is
// assumed: a telephone's own noise is below, and the softest speech above.
const audibleLevel = 328

// firstAudible and lastAudible return which sample can be heard, or -1.
func firstAudible(samples []int16) int {
	for i, s := range samples {
		if s >= audibleLevel || s <= -audibleLevel {
			return i
		}
	}
	return -1
}

func lastAudible(samples []int16) int {
	for i := len(samples) - 1; i >= 0; i-- {
		if s := samples[i]; s >= audibleLevel || s <= -audibleLevel {
			return i
		}
	}
	return -1
}

// queued returns how much audio is still to play.
func (p *playout) queued() time.Duration { return max(0, p.end-p.loop.Now()) }

// play queues samples that arrive now.
func (p *playout) play(samples []int16) {
	start := max(p.end, p.loop.Now())
	p.end = start + audio.Duration(len(samples), p.rate)
	p.forget()
	if i := firstAudible(samples); i >= 0 {
		at := start + audio.Duration(i, p.rate)
		p.sounds = append(p.sounds, playSound{at, p.loop.At(at, pipeline.RankOutput, func() { p.heard(at) })})
	}
}

// forget drops sounds that have played.
func (p *playout) forget() {
	for len(p.sounds) > 0 && p.sounds[0].at < p.loop.Now() {
		p.sounds = p.sounds[1:]
	}
}

// mark notes a place after all that is queued.
func (p *playout) mark(name string) {
	m := &playMark{name: name}
	m.timer = p.loop.At(max(p.end, p.loop.Now()), pipeline.RankOutput, func() {
		p.marks = p.marks[1:] // they pass in the order in which they came
		p.passed(name)
	})
	p.marks = append(p.marks, m)
}

// clear drops what has not played. Marks pass at once.
func (p *playout) clear() {
	p.stop()
	marks := p.marks
	p.sounds, p.marks = nil, nil
	p.end = min(p.end, p.loop.Now())
	for _, m := range marks {
		p.passed(m.name)
	}
}

// stop plays nothing any more.
func (p *playout) stop() {
	for _, s := range p.sounds {
		s.timer.Stop()
	}
	for _, m := range p.marks {
		m.timer.Stop()
	}
}
