package steady

import "math"

// critical is what the statistic exceeds in 1 % of stationary series: the 99 % point of
// the integral of a squared Brownian bridge, by Anderson and Darling, "Asymptotic theory
// of certain goodness of fit criteria based on stochastic processes", Annals of
// Mathematical Statistics 23, 1952, table 1: 0.74346. At 5 %, which coda has, one steady
// run in twenty would be called unsteady.
const critical = 0.74346

// parts is in how many pieces a series is cut to see how much its values scatter: a
// change of level or a slow trend is in few of them, or small within each.
const parts = 4

// stationary reports whether the values may all be from one distribution, in the light of
// how much neighbours resemble each other. With T_k the sum of the first k values,
// m their mean and S their spectral density at frequency 0 it is the test of Cramér and
// von Mises of
//
//	B_k = (T_k - k m) / sqrt(n S),  which is near a Brownian bridge:  mean of B_k^2 < critical.
func stationary(series []float64) bool {
	n := len(series)
	s := density(series)
	if s == 0 {
		return constant(series)
	}
	mean := average(series)
	sum, squares := 0., 0.
	for _, v := range series {
		sum += v - mean
		squares += sum * sum
	}
	return squares/float64(n)/(float64(n)*s) < critical
}

func constant(series []float64) bool {
	for _, v := range series {
		if v != series[0] {
			return false
		}
	}
	return true
}

func average(series []float64) float64 {
	sum := 0.
	for _, v := range series {
		sum += v - series[0]
	}
	return series[0] + sum/float64(len(series))
}

// density returns the spectral density at frequency 0 of the noise in a series: the
// variance of a sum of n values is about n times it. It is that of the autoregressive
// process that fits best by Akaike's criterion, as in coda's spectrum0.ar,
//
//	S = variance of its innovations / (1 - sum of its coefficients)^2,
//
// fitted (Yule and Walker, by the recursion of Levinson and Durbin) to autocovariances
// taken within quarters of the series, each about its own mean.
func density(series []float64) float64 {
	c := covariances(series)
	if c[0] == 0 {
		return 0
	}
	n := float64(len(series))
	coefficients, variance := []float64{}, c[0]
	best, least := c[0], n*math.Log(c[0])
	for p := 1; p < len(c) && variance > 0; p++ {
		coefficients, variance = extend(coefficients, variance, c)
		if aic := n*math.Log(variance) + 2*float64(p); variance > 0 && aic < least {
			rest := 1.
			for _, a := range coefficients {
				rest -= a
			}
			best, least = variance/(rest*rest), aic
		}
	}
	return best
}

// extend returns the autoregressive fit of one more coefficient.
func extend(a []float64, variance float64, c []float64) ([]float64, float64) {
	p := len(a)
	k := c[p+1]
	for i, v := range a {
		k -= v * c[p-i]
	}
	k /= variance
	next := make([]float64, p+1)
	for i, v := range a {
		next[i] = v - k*a[p-1-i]
	}
	next[p] = k
	return next, variance * (1 - k*k)
}

// covariances returns the autocovariances up to lag 10 log10(n), as coda has it, within
// the parts of the series.
func covariances(series []float64) []float64 {
	n := len(series)
	long := n / parts
	c := make([]float64, min(int(10*math.Log10(float64(n))), long-1)+1)
	for part := range parts {
		piece := series[part*long : (part+1)*long]
		mean := average(piece)
		for lag := range c {
			for i := lag; i < long; i++ {
				c[lag] += (piece[i] - mean) * (piece[i-lag] - mean) / float64(parts*long)
			}
		}
	}
	return c
}
