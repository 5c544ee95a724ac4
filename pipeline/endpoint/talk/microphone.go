package talk

import (
	"encoding/binary"
	"math"
	"time"

	"halfsecond/pipeline"
)

// Microphone hands recorded speech over as a real one would: in frames, each when its last
// sample was spoken, and silence after the recording until it is stopped. Frame k of those
// from 0 is due at
//
//	Begin + (k + 1) * Frame / Pace
//
// whatever became of those before. Everything happens on the loop.
type Microphone struct {
	Loop  Loop
	Voice pipeline.Voice
	Begin time.Duration // when the first sample is spoken
	Frame time.Duration // audio in a frame
	Pace  float64       // 1 is the pace of speech, 2 twice as fast
	// Send is handed each frame, signed samples of 16 bits, little end first, and when it
	// was due. Once the recording is over they are silent.
	Send func(pcm []byte, due time.Duration)

	next  int // frame
	added []int16
	from  int // sample at which what was added begins
	timer pipeline.Timer
}

// Begins returns when the first sample is spoken of what is to begin at an instant, Unknown
// being at once, to a service that is ready at another. A patient speaker waits for it.
func Begins(due, ready time.Duration, patient bool) time.Duration {
	if due == pipeline.Unknown || patient {
		return max(due, ready)
	}
	return due
}

// Start begins. A frame that was due before now goes out at once.
func (m *Microphone) Start() { m.schedule() }

// Stop ends it.
func (m *Microphone) Stop() { m.timer.Stop() }

// Say adds a recording, which begins now, with the next sample that has not been handed
// over. It returns the instant at which its first sample is spoken.
func (m *Microphone) Say(samples []int16) time.Duration {
	spoken := float64(m.Loop.Now()-m.Begin) * m.Pace * float64(m.Voice.Rate) / float64(time.Second)
	m.added, m.from = samples, max(m.next*m.samples(), int(math.Ceil(spoken)))
	return m.At(pipeline.SamplesLast(int64(m.from), m.Voice.Rate))
}

// Hush has what is left of the recordings not spoken: the frames that follow are silent.
func (m *Microphone) Hush() { m.Voice.Samples, m.added = nil, nil }

// At returns when what plays so long after the first sample is spoken.
func (m *Microphone) At(offset time.Duration) time.Duration {
	if m.Pace == 1 {
		return m.Begin + offset
	}
	return m.Begin + time.Duration(float64(offset)/m.Pace)
}

// Out returns when all is due to have gone out that plays up to so long after the first
// sample is spoken: with the frame that holds the last of it.
func (m *Microphone) Out(offset time.Duration) time.Duration {
	n := m.samples()
	upTo := int((offset*time.Duration(m.Voice.Rate) + time.Second - 1) / time.Second)
	return m.due(max(0, (upTo+n-1)/n-1))
}

// Over reports whether all of the recording has been handed over.
func (m *Microphone) Over() bool { return m.next*m.samples() >= len(m.Voice.Samples) }

// Frames returns how many frames the recording is.
func (m *Microphone) Frames() int {
	n := m.samples()
	return (len(m.Voice.Samples) + n - 1) / n
}

// samples returns the samples of a frame.
func (m *Microphone) samples() int {
	return int(m.Frame * time.Duration(m.Voice.Rate) / time.Second)
}

func (m *Microphone) due(frame int) time.Duration {
	return m.At(pipeline.SamplesLast(int64(frame+1)*int64(m.samples()), m.Voice.Rate))
}

func (m *Microphone) schedule() {
	m.timer = m.Loop.At(max(m.due(m.next), m.Loop.Now()), pipeline.RankTimer, m.frame)
}

// frame hands the next frame over.
func (m *Microphone) frame() {
	due, n := m.due(m.next), m.samples()
	pcm := make([]byte, 2*n)
	put(pcm, m.Voice.Samples, m.next*n)
	put(pcm, m.added, m.next*n-m.from)
	m.next++
	m.schedule() // before Send, which may stop it
	m.Send(pcm, due)
}

// put writes those of the samples that are in a frame which begins at one of them.
func put(pcm []byte, samples []int16, from int) {
	for i := 0; i < len(pcm)/2; i++ {
		if k := from + i; k >= 0 && k < len(samples) {
			binary.LittleEndian.PutUint16(pcm[2*i:], uint16(samples[k]))
		}
	}
}
