package typing

import (
	"math"
	"time"

	"halfsecond/pipeline/dist"
)

// habit is how one key follows another: the logarithm of the gap in milliseconds
// has mean mu and standard deviation sigma when the gap is at most a second, and
// the share pause of the gaps is longer.
type habit struct{ mu, sigma, pause float64 }

// habits are those of one expert programmer, by the class of the previous key
// and of the key.
//
// Computed from the gaps between consecutive typing edits of one document in the
// recording sessions/vscode_session1 (its notice names the source), pairs seen 20
// times or more; read 2026-11-29. It is one fast typist with completion on, not a
// population.
var habits = map[[2]Class]habit{
	{Word, Word}:           {4.44, .62, .009},
	{Word, Space}:          {4.62, .49, .017},
	{Space, Word}:          {5.04, .60, .093},
	{Space, Punct}:         {5.14, .64, .041},
	{Punct, Punct}:         {4.97, .82, .076},
	{Punct, Word}:          {5.46, .60, .123},
	{Punct, Space}:         {4.90, .64, .016},
	{Word, Punct}:          {5.50, .51, .103},
	{Punct, Enter}:         {5.55, .38, .182},
	{Enter, Word}:          {5.45, .58, .120},
	{Backspace, Backspace}: {5.21, .38, .031},
	{Word, Backspace}:      {6.12, .48, .115},
	{Punct, Backspace}:     {6.30, .39, .375},
	{Backspace, Word}:      {5.48, .62, .214},
}

// habitOf returns how cur follows prev. A pair that was seen too seldom is taken
// as a word after a punctuation mark. At Enter and at the start of a line, which
// is where people think, pauses are twice as likely.
func habitOf(prev, cur Class) habit {
	h, ok := habits[[2]Class{prev, cur}]
	if !ok {
		h = habits[[2]Class{Punct, Word}]
	}
	if prev == Enter || cur == Enter {
		h.pause *= 2
	}
	return h
}

const (
	shortestGap   = 12 * time.Millisecond
	shortestPause = time.Second // a longer gap ends a burst of typing
	longestPause  = 2 * time.Minute
)

// pauses are the gaps of more than a second; source as that of habits.
var pauses = must(dist.LogNormal(8.17, 1.23).Truncate(shortestPause, longestPause))

// rhythm is a person's gaps between two classes of keys.
type rhythm struct {
	gap   dist.Dist
	pause float64
}

// rhythms returns the gaps of a person who takes scale times as long as the one
// behind habits. Pauses do not scale.
func rhythms(scale float64) (r [classes][classes]rhythm) {
	longest := time.Duration(float64(shortestPause) * math.Max(1, scale))
	for prev := range classes {
		for cur := range classes {
			h := habitOf(prev, cur)
			gap := dist.LogNormal(h.mu+math.Log(scale), h.sigma)
			r[prev][cur] = rhythm{must(gap.Truncate(shortestGap, longest)), h.pause}
		}
	}
	return r
}

// draw returns one gap.
func (r *rhythm) draw(rand *dist.Rand) time.Duration {
	if rand.Float64() < r.pause {
		return pauses.Draw(rand)
	}
	return r.gap.Draw(rand)
}

func must(d dist.Dist, err error) dist.Dist {
	if err != nil {
		panic("ide: " + err.Error())
	}
	return d
}
