package quantile

import (
	"math"
	"slices"
)

// BlockLength returns how long blocks of neighbours should be for ByBlock, given a
// series in order of time: 1 where neighbours do not resemble each other, and longer
// the further the resemblance reaches. It looks at ranks, so that a few huge values
// decide nothing.
//
// The rule is that of Politis and White (2004) for circular blocks, with the correction
// of Patton, Politis and White (2009):
//
//	m  the lag after which K autocorrelations in a row lie within 2 sqrt(log10(n) / n),
//	   K = max(5, log10(n)), m <= sqrt(n) + K
//	M  = min(2m, sqrt(n) + K)
//	g  = sum over k = -M..M of h(k/M) |k| R(k),  s = sum of h(k/M) R(k),  h(x) = min(1, 2(1-|x|))
//	length = (2 g^2 / (4/3 s^2) n)^(1/3), rounded up, at most min(3 sqrt(n), n/3)
//
// R(k) being the autocovariance at lag k. Source: documentation of the Python package
// arch, arch.bootstrap.optimal_block_length,
// bashtage.github.io/arch/bootstrap/generated/arch.bootstrap.optimal_block_length.html,
// read 2026-11-29.
func BlockLength(series []float64) int {
	n := len(series)
	if n < shortestSeries {
		return 1
	}
	centred := ranks(series)
	root := math.Sqrt(float64(n))
	inRow := max(5, int(math.Ceil(math.Log10(float64(n)))))
	furthest := int(math.Ceil(root)) + inRow
	covariance := make([]float64, min(furthest+inRow, n-1)+1)
	for lag := range covariance {
		covariance[lag] = autocovariance(centred, lag)
	}
	if covariance[0] == 0 {
		return 1
	}
	reach := min(2*reachOf(covariance, inRow, n), furthest)
	longest := math.Ceil(min(3*root, float64(n)/3))
	return int(min(math.Ceil(length(covariance, reach, n)), longest))
}

// shortestSeries is the least that autocorrelations over sqrt(n) lags say anything of.
const shortestSeries = 20

// reachOf returns the lag after which the autocorrelations stay small.
func reachOf(covariance []float64, inRow, n int) int {
	small := 2 * math.Sqrt(math.Log10(float64(n))/float64(n))
	last := 0
	for lag := 1; lag < len(covariance) && lag-last <= inRow; lag++ {
		if math.Abs(covariance[lag]/covariance[0]) >= small {
			last = lag
		}
	}
	return last
}

func length(covariance []float64, reach, n int) float64 {
	if reach == 0 {
		return 1
	}
	g, s := 0.0, covariance[0]
	for lag := 1; lag <= min(reach, len(covariance)-1); lag++ {
		h := min(1, 2*(1-float64(lag)/float64(reach)))
		g += 2 * h * float64(lag) * covariance[lag]
		s += 2 * h * covariance[lag]
	}
	if s <= 0 {
		return 1 // neighbours push apart: one by one is the wider interval
	}
	return max(1, math.Cbrt(2*g*g/(4./3*s*s)*float64(n)))
}

func autocovariance(centred []float64, lag int) float64 {
	sum := 0.0
	for i := lag; i < len(centred); i++ {
		sum += centred[i] * centred[i-lag]
	}
	return sum / float64(len(centred))
}

// ranks returns the rank of each value, equal ones sharing theirs, about their mean.
func ranks(series []float64) []float64 {
	sorted := slices.Sorted(slices.Values(series))
	out := make([]float64, len(series))
	for i, v := range series {
		first, _ := slices.BinarySearch(sorted, v)
		after, _ := slices.BinarySearch(sorted, math.Nextafter(v, math.Inf(1)))
		out[i] = float64(first+after)/2 - float64(len(series))/2
	}
	return out
}
