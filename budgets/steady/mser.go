package steady

// batch is how many neighbours are taken together before the rule looks at them.
const batch = 5

// mser5 returns how many values to leave out: of the means Z of batches of 5 so many, d,
// that the marginal standard error of what stays is least,
//
//	MSER(d) = sum over i >= d of (Z_i - mean of those)^2 / (n - d)^2,
//
// looking at the first half only: close to the end few values agree by chance. inside
// is false when the least is at the very end of that half: then leaving out yet more
// would do better still, and the rule has found nothing.
func mser5(series []float64) (from int, inside bool) {
	z := means(series)
	n := len(z)
	best, least := 0, 0.
	sum, squares := 0., 0. // of Z_i - Z_last, which keeps digits
	for d := n - 1; d >= 0; d-- {
		v, kept := z[d]-z[n-1], float64(n-d)
		sum, squares = sum+v, squares+v*v
		if d > n/2 {
			continue
		}
		mser := max(0, squares-sum*sum/kept) / (kept * kept)
		if d == n/2 || mser <= least {
			best, least = d, mser
		}
	}
	return best * batch, best < n/2
}

// means returns the means of batches; a rest at the end is left out.
func means(series []float64) []float64 {
	z := make([]float64, len(series)/batch)
	for i := range z {
		for _, v := range series[i*batch : (i+1)*batch] {
			z[i] += v / batch
		}
	}
	return z
}
