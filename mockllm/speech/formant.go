package speech

import (
	"math"
	"strings"
	"time"

	"halfsecond/mockllm/speech/audio"
)

// voice makes the samples of a text, in order. It is not meant to be understood: it has
// what a detector of speech looks for, a pitch with the formants of vowels, hissing
// consonants, dips between syllables and pauses at marks. Silence before, after and
// within is digital zero, so that where speech begins and ends is exact.
type voice struct {
	characters []Character
	length     int // samples in all
	rate       int
	made       int
	current    int     // character
	begun      bool    // something was audible
	from       int     // sample at which it begins
	until      int     // sample at which it ends
	sound      sound   // of it
	phase      float64 // of the pitch, 0 to 1
	loudness   float64 // follows the sound's
	noise      uint32
}

// sound is how a character sounds.
type sound struct {
	vowel    *[period]float64 // nil for one that hisses
	loudness float64
	closure  bool // it is shut for its first half, as p and t are
}

const (
	period    = 256 // points of one period of the pitch
	pitch     = 125 // Hz at the start of a text
	fall      = .85 // of the pitch at its end
	swell     = .004 * float64(time.Second)
	least     = .4 // loudness of a sound at its start and end, as a share
	harmonics = 28 // up to 3.5 kHz, which 8 kHz can carry
)

func newVoice(text string, p TTS, rate int) *voice {
	characters, length := align(text, p)
	return &voice{characters: characters, length: audio.Samples(length, rate), rate: rate, current: -1, noise: 1}
}

// left returns how many samples are still to come.
func (v *voice) left() int { return v.length - v.made }

// speak makes the next n samples, or as many as are left.
func (v *voice) speak(n int) []int16 {
	out := make([]int16, min(n, v.left()))
	follow := 1 - math.Exp(-float64(time.Second)/(swell*float64(v.rate)))
	for i := range out {
		for v.current < len(v.characters) && v.made >= v.until {
			v.turn()
		}
		out[i] = v.sample(follow)
		v.made++
	}
	return out
}

// turn goes on to the next character, and to silence after the last. The first one
// that is spoken is loud at once.
func (v *voice) turn() {
	v.current++
	if v.current >= len(v.characters) {
		v.sound, v.loudness = sound{}, 0
		return
	}
	c := v.characters[v.current]
	start := audio.Samples(c.Start, v.rate)
	if v.made < start { // the lead
		v.current, v.until = v.current-1, start
		return
	}
	v.from, v.until = v.made, audio.Samples(c.End, v.rate)
	v.sound = soundOf(c.Text)
	if !v.begun && v.sound.loudness > 0 {
		v.begun = true
		v.sound.closure, v.loudness, v.phase = false, v.sound.loudness*least, 0
		if v.sound.vowel == nil {
			v.sound.vowel = &hum
		}
	}
}

// sample makes one sample. A sound swells and fades, from a share of its loudness and
// back to it.
func (v *voice) sample(follow float64) int16 {
	x := v.loudness * v.wave()
	v.loudness += follow * (v.target() - v.loudness)
	if v.loudness < 1 {
		v.loudness = 0
	}
	return int16(math.Round(x))
}

// target returns the loudness that the sound has now.
func (v *voice) target() float64 {
	if v.sound.loudness == 0 {
		return 0
	}
	share := float64(v.made-v.from) / float64(v.until-v.from)
	if v.sound.closure && share < .5 {
		return 0
	}
	return v.sound.loudness * (least + (1-least)*math.Sin(math.Pi*share))
}

// wave returns the next point of the sound's wave, -1 to 1.
func (v *voice) wave() float64 {
	v.phase += pitch * (1 - (1-fall)*float64(v.made)/float64(v.length)) / float64(v.rate)
	v.phase -= math.Floor(v.phase)
	if v.sound.vowel == nil {
		v.noise = v.noise*1664525 + 1013904223 // a linear congruence, as in Numerical Recipes
		return float64(int32(v.noise)) / (1 << 31)
	}
	return v.sound.vowel[int(v.phase*period)]
}

// soundOf returns how a character sounds.
func soundOf(text string) sound {
	c := []rune(strings.ToLower(text))[0]
	switch {
	case !spokenCharacter(c):
		return sound{vowel: &hum}
	case strings.ContainsRune("sfxzhc", c):
		return sound{loudness: 2500}
	case strings.ContainsRune("ptkbdgq", c):
		return sound{loudness: 3500, closure: true}
	case strings.ContainsRune("mnlrwvj", c):
		return sound{vowel: &hum, loudness: 7000}
	}
	i := strings.IndexRune("aeiouy", c)
	if i < 0 {
		i = int(c) % len(vowels)
	}
	return sound{vowel: &vowels[i], loudness: 12000}
}

// One period of the pitch as vowels shape it. The formants are those of the adult male
// speakers of Peterson and Barney, "Control methods used in a study of the vowels", J.
// Acoust. Soc. Am. 24 (1952), table II, rounded: the vowels of father, bet, heed,
// bought, who'd and bit; and a hum with one low formant.
var (
	vowels = [...][period]float64{
		shape(730, 1090, 2440), shape(530, 1840, 2480), shape(270, 2290, 3010),
		shape(570, 840, 2410), shape(300, 870, 2240), shape(390, 1990, 2550),
	}
	hum = shape(250)
)

// shape adds up the harmonics of a pitch, each as loud as the formants near it make it,
// with their peaks at the start.
func shape(formants ...float64) (wave [period]float64) {
	most := 0.
	for i := range wave {
		for h := 1; h <= harmonics; h++ {
			wave[i] += gain(float64(h*pitch), formants) * math.Cos(2*math.Pi*float64(h*i)/period)
		}
		most = max(most, math.Abs(wave[i]))
	}
	for i := range wave {
		wave[i] /= most
	}
	return wave
}

// gain is that of resonances of 100 Hz, the higher the weaker.
func gain(hertz float64, formants []float64) (sum float64) {
	for i, f := range formants {
		off := (hertz - f) / 100
		sum += 1 / (float64(i+1) * (1 + off*off))
	}
	return sum
}
