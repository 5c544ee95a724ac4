package typing

import (
	"fmt"
	"math"
	"time"

	"halfsecond/pipeline/dist"
)

// Habit is how one key follows another: the logarithm of the gap in milliseconds
// has mean Mu and standard deviation Sigma when the gap is at most a second, and
// the share Pause of the gaps is longer. The zero Habit says that nobody knows.
type Habit struct{ Mu, Sigma, Pause float64 }

// Habits are how somebody's keys follow each other.
type Habits struct {
	// Pairs has a habit for each class of the previous key and of the key.
	Pairs [Classes][Classes]Habit
	// Other is that of the pairs that nobody knows.
	Other Habit
	// Mu and Sigma are those of the logarithm of the gaps of more than a second.
	PauseMu, PauseSigma float64
	// Thinks doubles the pauses at Enter and at the start of a line, which is where
	// people think, whatever the pairs say.
	Thinks bool
}

// expert are the habits of one expert programmer.
//
// Computed from the gaps between consecutive typing edits of one document in the
// recording sessions/vscode_session1 (its notice names the source), pairs seen 20
// times or more; read 2026-11-29. It is one fast typist with completion on, not a
// population. Package fit computes such a table. The one that it finds in the documents
// of the recording that are built in types the same: the median of the gaps, their 90th
// percentile and the share above 350 ms are within 4 % of this one's.
var expert = Habits{
	Pairs: [Classes][Classes]Habit{
		Word:  {Word: {4.44, .62, .009}, Space: {4.62, .49, .017}, Punct: {5.50, .51, .103}, Backspace: {6.12, .48, .115}},
		Space: {Word: {5.04, .60, .093}, Punct: {5.14, .64, .041}},
		Punct: {Word: {5.46, .60, .123}, Space: {4.90, .64, .016}, Punct: {4.97, .82, .076}, Enter: {5.55, .38, .182},
			Backspace: {6.30, .39, .375}},
		Enter:     {Word: {5.45, .58, .120}},
		Backspace: {Word: {5.48, .62, .214}, Backspace: {5.21, .38, .031}},
	},
	Other:   Habit{5.46, .60, .123}, // as a word after a punctuation mark
	PauseMu: 8.17, PauseSigma: 1.23,
	Thinks: true,
}

// Expert returns the habits of the expert behind the presets.
func Expert() Habits { return expert }

// of returns how cur follows prev.
func (h *Habits) of(prev, cur Class) Habit {
	habit := h.Pairs[prev][cur]
	if habit == (Habit{}) {
		habit = h.Other
	}
	if h.Thinks && (prev == Enter || cur == Enter) {
		habit.Pause *= 2
	}
	return habit
}

// The bounds of gaps.
const (
	ShortestGap   = 12 * time.Millisecond
	ShortestPause = time.Second // a longer gap ends a burst of typing
	LongestPause  = 2 * time.Minute
)

// Shape is the form of the distribution of the gaps inside of bursts.
type Shape uint8

// The shapes of gaps. Of three sets of free text a log-logistic with three parameters
// fitted best, a log-normal nearly as well, and a normal badly (Heliyon 2021, doi
// 10.1016/j.heliyon.2021.e08413; as summed up with the recording, read 2026-11-29). The
// third parameter, the least gap, is ShortestGap here.
const (
	LogNormal Shape = iota
	LogLogistic
)

var shapeNames = []string{"lognormal", "loglogistic"}

// ShapeNames returns the names of the shapes, the usual one first.
func ShapeNames() []string { return shapeNames }

// String returns the shape's name in scenario files.
func (s Shape) String() string { return shapeNames[s] }

// of returns the gaps whose logarithm in milliseconds has that mean and deviation.
func (s Shape) of(mu, sigma float64) dist.Dist {
	if s == LogLogistic {
		return dist.LogLogistic(mu, sigma)
	}
	return dist.LogNormal(mu, sigma)
}

// rhythm is a person's gaps between two classes of keys.
type rhythm struct {
	gap   dist.Dist
	pause float64
}

// rhythms are a person's gaps.
type rhythms struct {
	pairs  [Classes][Classes]rhythm
	pauses dist.Dist
}

// rhythms returns the gaps of a person who takes scale times as long as the one
// with these habits. Pauses do not scale. It is an error when next to nothing of a
// distribution lies within the bounds of gaps.
func (h *Habits) rhythms(shape Shape, scale float64) (r rhythms, err error) {
	if r.pauses, err = shape.of(h.PauseMu, h.PauseSigma).Truncate(ShortestPause, LongestPause); err != nil {
		return r, fmt.Errorf("pauses: %w", err)
	}
	longest := time.Duration(float64(ShortestPause) * math.Max(1, scale))
	for prev := range Classes {
		for cur := range Classes {
			habit := h.of(prev, cur)
			gap, err := shape.of(habit.Mu+math.Log(scale), habit.Sigma).Truncate(ShortestGap, longest)
			if err != nil {
				return r, fmt.Errorf("gaps from %s to %s: %w", prev, cur, err)
			}
			r.pairs[prev][cur] = rhythm{gap, habit.Pause}
		}
	}
	return r, nil
}

// draw returns one gap between a key of class prev and one of class cur.
func (r *rhythms) draw(prev, cur Class, rand *dist.Rand) time.Duration {
	pair := &r.pairs[prev][cur]
	if rand.Float64() < pair.pause {
		return r.pauses.Draw(rand)
	}
	return pair.gap.Draw(rand)
}
