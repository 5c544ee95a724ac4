package speech

import (
	"math"
	"time"

	"halfsecond/mockllm/speech/audio"
)

// DetectorConfig sets up a Detector. Zero values are the defaults.
type DetectorConfig struct {
	Rate int // of the samples
	// Margin is how far above the noise a frame must be to start speech, in dB. The
	// default is 6.
	Margin float64
	// MinSpeech is how much there must be of it. The default is 60 ms: a click is less.
	MinSpeech time.Duration
	// Hangover is the silence after which speech has ended. The default is 100 ms:
	// speech dips for 30 to 60 ms inside a sentence.
	Hangover time.Duration
}

// What the zero values of a DetectorConfig stand for.
const (
	defaultMargin    = 6
	defaultMinSpeech = 60 * time.Millisecond
	defaultHangover  = 100 * time.Millisecond
)

// Frames of a detector are 10 ms long, and its figures beside those of the
// configuration are in frames and dB.
const (
	frameLength = 10 * time.Millisecond
	framesASec  = int(time.Second / frameLength)

	hysteresis = 2  // less of the margin keeps speech going
	dynamics   = 32 // what is so far below the loudest speech is no speech
	fade       = .1 // by which the loudest speech is forgotten, a frame
	bridged    = 6  // frames without speech that a start reaches back over
	remembered = 64 // frames that a start can reach back
	lively     = 4  // between the softest and the loudest frame of a start
)

// Edge is a start or an end of speech.
type Edge struct {
	Speech bool // starts or ends
	// At is where in the audio, from its first sample on.
	At time.Duration
	// Heard is how much of the audio had to be heard to know it: At plus MinSpeech or
	// Hangover, about.
	Heard time.Duration
}

// Detector finds speech in samples by their energy. It looks at frames of 10 ms in two
// bands, all above the mains hum and what lies below 1 kHz, where voices are and white
// noise is not. The noise of a band is the least energy of the last three seconds:
// speech dips that often, and steady noise never rises far above it. A frame that is
// the margin above the noise in either band is speech, as long as it is not far below
// the loudest of the last seconds, as an echo is. It is for one goroutine.
type Detector struct {
	config           DetectorConfig
	minimum, patient int // MinSpeech and Hangover in frames
	hum, voice       filter
	sums             [bands]float64
	samples          int // heard
	inFrame          int // of them, in the frame that is not complete
	frames           int // complete
	noise            [bands]floor
	loudest          float64
	recent           [remembered][bands]float64 // levels; frame f is at f modulo remembered
	speaking         bool
	last             int // frame of speech while speaking; frames up to here are told
}

// The bands of a detector.
const (
	whole = iota
	below1kHz
	bands
)

// NewDetector returns a detector that has heard nothing yet. It panics when the rate is
// not one that package audio takes.
func NewDetector(c DetectorConfig) *Detector {
	if err := (audio.Format{Rate: c.Rate}).Validate(); err != nil {
		panic("speech: " + err.Error())
	}
	if c.Margin == 0 {
		c.Margin = defaultMargin
	}
	if c.MinSpeech == 0 {
		c.MinSpeech = defaultMinSpeech
	}
	if c.Hangover == 0 {
		c.Hangover = defaultHangover
	}
	return &Detector{
		config:  c,
		minimum: max(1, int(c.MinSpeech/frameLength)),
		patient: max(1, int(c.Hangover/frameLength)),
		hum:     newFilter(80, c.Rate),
		voice:   newFilter(1000, c.Rate),
		last:    -1,
	}
}

// Feed hears more samples and tells of the edges that they bring, in order. How the
// samples are cut changes nothing about the edges.
func (d *Detector) Feed(samples []int16, tell func(Edge)) {
	for _, s := range samples {
		if d.samples == 0 {
			d.hum.settle(float64(s))
		}
		high := float64(s) - d.hum.low(float64(s))
		low := d.voice.low(high)
		d.sums[whole] += high * high
		d.sums[below1kHz] += low * low
		d.samples++
		d.inFrame++
		if d.samples*framesASec >= (d.frames+1)*d.config.Rate {
			d.frame(tell)
		}
	}
}

// Heard returns how much audio there was.
func (d *Detector) Heard() time.Duration { return audio.Duration(d.samples, d.config.Rate) }

// wants returns how many samples the frame lacks that is being heard.
func (d *Detector) wants() int {
	next := (d.frames + 1) * d.config.Rate
	return (next+framesASec-1)/framesASec - d.samples
}

// Close says that the audio has ended: speech that has not ends with it.
func (d *Detector) Close(tell func(Edge)) {
	if d.speaking {
		d.end(d.Heard(), tell)
	}
}

// speechUntil returns where the speech ends that goes on or was the last.
func (d *Detector) speechUntil() time.Duration { return at(d.last + 1) }

// frame handles a frame that is complete.
func (d *Detector) frame(tell func(Edge)) {
	levels := &d.recent[d.frames%remembered]
	for b := range bands {
		levels[b] = 10 * math.Log10(d.sums[b]/float64(d.inFrame)+1)
		d.noise[b].hear(levels[b])
		d.sums[b] = 0
	}
	d.inFrame = 0
	d.frames++
	d.loudest = max(levels[whole], d.loudest-fade)
	if d.speaking {
		d.keepOn(tell)
	} else {
		d.begin(tell)
	}
}

// keepOn decides whether speech goes on or has ended.
func (d *Detector) keepOn(tell func(Edge)) {
	if d.isSpeech(d.frames-1, d.config.Margin-hysteresis) {
		d.last = d.frames - 1
	}
	if d.frames-1-d.last >= d.patient {
		d.end(at(d.frames), tell)
	}
}

func (d *Detector) end(heard time.Duration, tell func(Edge)) {
	d.speaking = false
	tell(Edge{At: d.speechUntil(), Heard: heard})
}

// begin decides whether speech has begun: whether enough of the last frames are speech,
// and, the first aside, which may be cut by the onset, not all as loud as each other,
// which noise that has just set in is. Speech that goes on after a pause may be.
func (d *Detector) begin(tell func(Edge)) {
	if !d.isSpeech(d.frames-1, d.config.Margin) {
		return
	}
	n, softest, loudest := 0, math.Inf(1), math.Inf(-1)
	for f := max(d.earliest(), d.frames-d.minimum*3/2); f < d.frames; f++ {
		if !d.isSpeech(f, d.config.Margin) {
			continue
		}
		if n++; n > 1 {
			level := d.recent[f%remembered][whole]
			softest, loudest = min(softest, level), max(loudest, level)
		}
	}
	goesOn := d.last >= 0 && d.frames-d.last <= framesASec
	if n >= d.minimum && (goesOn || loudest-softest >= lively) {
		first := d.reachBack()
		d.speaking, d.last = true, d.frames-1
		tell(Edge{Speech: true, At: at(first), Heard: at(d.frames)})
	}
}

// reachBack returns the first frame of the speech that goes on now.
func (d *Detector) reachBack() int {
	first := d.frames - 1
	for f := first; f >= d.earliest() && first-f <= bridged+1; f-- {
		if d.isSpeech(f, d.config.Margin) {
			first = f
		}
	}
	return first
}

// earliest returns the first frame that may be part of new speech.
func (d *Detector) earliest() int { return max(d.last+1, d.frames-remembered, 0) }

// isSpeech reports whether a frame is so much above the noise as it is now known.
func (d *Detector) isSpeech(f int, margin float64) bool {
	levels := &d.recent[f%remembered]
	return levels[whole] >= d.loudest-dynamics &&
		(levels[whole] >= d.noise[whole].level()+margin || levels[below1kHz] >= d.noise[below1kHz].level()+margin)
}

func at(frame int) time.Duration { return time.Duration(frame) * frameLength }

// filter is a low pass of the first order.
type filter struct{ share, state float64 }

func newFilter(hertz float64, rate int) filter {
	return filter{share: 1 - math.Exp(-2*math.Pi*hertz/float64(rate))}
}

// settle lets the filter start as if the signal had always been x.
func (f *filter) settle(x float64) { f.state = x }

func (f *filter) low(x float64) float64 {
	f.state += f.share * (x - f.state)
	return f.state
}

// floor is the least level of the last three seconds, in blocks of half a second.
type floor struct {
	blocks  [6]float64
	used    int // blocks that hold something
	inBlock int
	last    [4]float64 // levels before
}

const (
	blockFrames = 50
	// quiet is the level, as the mean square of samples in dB, below which there is no
	// speech: 69 dB below full scale.
	quiet = 21
)

// hear adds the mean of five frames, of which a single one can be low by chance.
func (f *floor) hear(level float64) {
	if f.used == 0 {
		f.last = [4]float64{level, level, level, level}
	}
	mean := level
	for _, l := range f.last {
		mean += l
	}
	mean /= float64(len(f.last) + 1)
	copy(f.last[1:], f.last[:])
	f.last[0] = level
	if f.inBlock == 0 {
		copy(f.blocks[1:], f.blocks[:])
		f.blocks[0] = mean
		f.used = min(f.used+1, len(f.blocks))
	}
	f.blocks[0] = min(f.blocks[0], mean)
	f.inBlock = (f.inBlock + 1) % blockFrames
}

// level returns the noise, and quiet when there is less.
func (f *floor) level() float64 {
	least := f.blocks[0]
	for _, b := range f.blocks[:f.used] {
		least = min(least, b)
	}
	return max(quiet, least)
}
