package sound

import (
	"bytes"
	"errors"
	"time"

	"halfsecond/pipeline"
)

// Meter measures audio as it comes. Make one with NewMeter.
type Meter struct {
	Format Format // of the samples; of a WAV once its header is through
	// Headered is true when the samples had a header, asked for or not.
	Headered bool

	FirstAudio   time.Duration // first byte of a sample
	FirstAudible time.Duration // first sample that can be heard
	LastAudio    time.Duration // last byte of a sample
	Lead         time.Duration // how long the samples before the first audible one play
	Voiced       time.Duration // when a player that begins with the first sample plays that one
	Samples      int64         // of one channel, whole
	Bytes        int64         // of samples
	// Underruns is how often a player that begins with the first sample would have had
	// nothing to play, and Stalled how long it would have waited in all.
	Underruns int
	Stalled   time.Duration

	header  header
	begun   []byte // what may be the start of a header
	opening []byte // of what has no header, as far as it is looked at
	where   phase
	part    []byte // of a sample that has not come whole
	grain   grain  // of the first channel
	channel int    // of the next sample
}

type phase uint8

const (
	sniffing phase = iota
	heading
	sampling
	over // of a WAV that says how long it is
)

// NewMeter returns a meter of audio that should be samples of that format. A WAV header
// before them is seen, and believed.
func NewMeter(f Format) *Meter {
	return &Meter{Format: f, FirstAudio: pipeline.Unknown, FirstAudible: pipeline.Unknown, LastAudio: pipeline.Unknown, Lead: pipeline.Unknown, Voiced: pipeline.Unknown}
}

// Take takes bytes that came at an instant, and returns how many samples they complete. The
// error says what cannot be measured; nothing must be taken after it.
func (m *Meter) Take(p []byte, at time.Duration) (samples int, err error) {
	if m.where == sniffing {
		p = m.sniff(p)
	}
	if m.where == heading {
		if p, err = m.head(p); err != nil {
			return 0, err
		}
	}
	if m.where != sampling || len(p) == 0 {
		return 0, nil
	}
	if o := m.look(p); o != nil {
		*m = *NewMeter(m.Format) // what was taken for samples before was none
		return 0, o
	}
	return m.sample(p, at), nil
}

// End says that no more comes. What could have been the start of a header was audio then.
func (m *Meter) End(at time.Duration) (samples int, err error) {
	switch {
	case m.where == heading:
		return 0, errors.New("the audio ended within its header")
	case m.where == sniffing && len(m.begun) > 0:
		m.where = sampling
		return m.sample(m.begun, at), nil
	}
	return 0, nil
}

// look looks at the beginning of samples that have no header. It returns what they are when
// they are none.
func (m *Meter) look(p []byte) *OtherError {
	left := longestOpening - len(m.opening)
	if m.Headered || left <= 0 {
		return nil
	}
	m.opening = append(m.opening, p[:min(left, len(p))]...)
	return other(m.opening)
}

const riff, wave = "RIFF", "WAVE"

// sniff looks for a header. It returns what is known to be one, or samples.
func (m *Meter) sniff(p []byte) []byte {
	m.begun = append(m.begun, p...)
	n := min(len(m.begun), len(riff))
	switch {
	case string(m.begun[:n]) != riff[:n]:
		m.where = sampling
	case len(m.begun) < riffBytes:
		return nil
	case string(m.begun[8:riffBytes]) == wave:
		m.where, m.Headered = heading, true
	default:
		m.where = sampling
	}
	p, m.begun = m.begun, nil
	return p
}

// head reads the header, and returns the samples after it.
func (m *Meter) head(p []byte) ([]byte, error) {
	rest, whole, err := m.header.read(bytes.Clone(p))
	if whole && err == nil {
		m.where, m.Format = sampling, m.header.format
	}
	return rest, err
}

// sample measures bytes of samples.
func (m *Meter) sample(p []byte, at time.Duration) int {
	if m.Headered && m.header.left != toTheEnd {
		p = p[:min(int64(len(p)), m.header.left)]
		if m.header.left -= int64(len(p)); m.header.left == 0 {
			m.where = over
		}
	}
	if len(p) == 0 {
		return 0
	}
	m.play(at)
	m.LastAudio = at
	m.Bytes += int64(len(p))
	m.listen(p, at)
	frame := int64(m.Format.frame())
	before := m.Samples
	m.Samples = m.Bytes / frame
	return int(m.Samples - before)
}

// play notes whether the player still had something to play when these samples came.
func (m *Meter) play(at time.Duration) {
	if m.FirstAudio == pipeline.Unknown {
		m.FirstAudio = at
		return
	}
	if late := at - m.PlayedUp(); late > 0 {
		m.Underruns++
		m.Stalled += late
	}
}

// PlayedUp returns the instant at which a player that begins with the first sample has
// played all that has come, its waits included; Unknown when nothing has.
func (m *Meter) PlayedUp() time.Duration {
	if m.FirstAudio == pipeline.Unknown {
		return pipeline.Unknown
	}
	return m.FirstAudio + m.Stalled + m.Length()
}

// Missing returns how many bytes of samples are still to come by what a header says; 0 when
// it does not.
func (m *Meter) Missing() int64 {
	if !m.Headered || m.where != sampling {
		return 0
	}
	return max(0, m.header.left)
}

// Length returns how long the samples play.
func (m *Meter) Length() time.Duration { return pipeline.SamplesLast(m.Samples, m.Format.Rate) }

// Audible reports whether one of the samples can be heard.
func (m *Meter) Audible() bool { return m.FirstAudible != pipeline.Unknown }

// Noisy reports whether the audio is as noise is, and as loud as no noise of a voice: most
// likely its format is another. The first 48,000 samples that can be heard tell it: 2 s at 24 kHz.
func (m *Meter) Noisy() bool { return m.grain.noisy(m.Format.Rate) }

// listen looks for the first sample that can be heard, and at those after it.
func (m *Meter) listen(p []byte, at time.Duration) {
	if m.Audible() && m.grain.full() {
		return
	}
	size := sizes[m.Format.Encoding]
	if len(m.part) > 0 {
		n := min(size-len(m.part), len(p))
		m.part, p = append(m.part, p[:n]...), p[n:]
		if len(m.part) < size {
			return
		}
		m.heed(m.part, at, len(p)+size)
	}
	for ; len(p) >= size && !m.grain.full(); p = p[size:] {
		m.heed(p, at, len(p))
	}
	if m.grain.full() {
		return
	}
	m.part = append(m.part[:0], p...)
}

// heed looks at a sample, which begins so many bytes before the end of what has come.
func (m *Meter) heed(b []byte, at time.Duration, left int) {
	if !m.Audible() && m.Format.Encoding.loud(b, pipeline.Audible) {
		m.hear(at, left)
	}
	if m.Audible() && m.channel == 0 {
		m.grain.add(m.Format.Encoding.value(b))
	}
	if m.channel++; m.channel >= m.Format.Channels {
		m.channel = 0
	}
}

// hear notes the first sample that can be heard, which begins so many bytes before the end
// of what has come.
func (m *Meter) hear(at time.Duration, left int) {
	m.FirstAudible = at
	m.Lead = pipeline.SamplesLast((m.Bytes-int64(left))/int64(m.Format.frame()), m.Format.Rate)
	m.Voiced = m.FirstAudio + m.Stalled + m.Lead
}
