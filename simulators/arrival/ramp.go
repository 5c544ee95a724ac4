package arrival

import (
	"math"
	"time"
)

// Slope is a rate that changes evenly from one to another and stays there.
type Slope struct {
	From, To float64       // requests a second
	Over     time.Duration // how long the change takes
	Even     bool          // gaps as the rate says, where otherwise they are random about it
}

// at returns the instant by which the slope has seen so many requests: the t at which
// the integral of the rate is n. With the slope k = (To - From) / Over that is, while
// the rate changes,
//
//	From t + k t^2/2 = n,  so  t = 2n / (From + sqrt(From^2 + 2 k n)),
//
// which loses no digits where From^2 is far above 2 k n, and after that
// Over + (n - (From + To)/2 Over) / To. Put into it, the sums of exponential gaps of
// mean 1 give a Poisson process of that rate (the time change of Çinlar, "Introduction
// to Stochastic Processes", 1975, chapter 4).
func (s Slope) at(n float64) time.Duration {
	over := s.Over.Seconds()
	if during := (s.From + s.To) / 2 * over; n >= during {
		return seconds(over + (n-during)/s.To)
	}
	if n == 0 {
		return 0
	}
	k := (s.To - s.From) / over
	return seconds(2 * n / (s.From + math.Sqrt(max(0, s.From*s.From+2*k*n))))
}

// seconds returns so many seconds, to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
