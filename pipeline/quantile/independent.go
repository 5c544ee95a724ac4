package quantile

// Independent returns how many independent values those of a share are worth, which Wilson's
// interval takes in place of their number: the effective sample size of surveys,
//
//	n' = p (1-p) / max(V, v/n)
//
// of n values, each 0 to 1, with the mean p and the variance v, where V is the variance of the mean
// when the members they belong to are drawn again by the plan. V is worked out and not drawn; of
// groups that differ in size, and of members that differ in how many values they have, to the first
// order in which the number of values that are drawn varies. No 0 or 1 is worth more than one value.
//
// Where all values are alike nothing tells how they hang together: known is false, and each group
// that has any, or so many values as a block is long, are worth one. Without values n' is 0.
func (p Plan) Independent(ofMember [][]float64) (n float64, known bool) {
	s := centre(ofMember)
	if s.n == 0 || s.squares == 0 {
		return p.alike(ofMember, s.n), false
	}
	each := 1.
	if !s.whole {
		each = s.mean * (1 - s.mean) / (s.squares / float64(s.n))
	}
	return each * float64(s.n) / max(1, p.squares(s.apart)/s.squares), true
}

// centred are values beside their mean.
type centred struct {
	n             int
	mean, squares float64   // of the distances from the mean, their sum
	apart         []float64 // of each member, the sum of the distances of its values
	whole         bool      // all values are 0 or 1
}

func centre(ofMember [][]float64) centred {
	c := centred{apart: make([]float64, len(ofMember)), whole: true}
	sum := 0.
	for _, values := range ofMember {
		for _, v := range values {
			c.n, sum, c.whole = c.n+1, sum+v, c.whole && (v == 0 || v == 1)
		}
	}
	c.mean = sum / float64(c.n)
	for i, values := range ofMember {
		for _, v := range values {
			c.apart[i] += v - c.mean
			c.squares += (v - c.mean) * (v - c.mean)
		}
	}
	return c
}

// squares returns the variance of the sum over the members that are drawn, of which the sum over
// all is 0.
func (p Plan) squares(apart []float64) (sum float64) {
	for _, members := range p.groups {
		of := 0.
		for _, m := range members {
			of += apart[m]
		}
		sum += of * of
	}
	if p.groups != nil {
		return sum
	}
	whole, rest := p.n/p.length, p.n%p.length
	return float64(whole)/float64(p.n)*blockSquares(apart, p.length) + 1/float64(p.n)*blockSquares(apart, rest)
}

// blockSquares adds up the squares of the sums of all blocks of that length; the end is joined to
// the beginning.
func blockSquares(apart []float64, length int) (sum float64) {
	of := 0.
	for _, v := range apart[:length] {
		of += v
	}
	for from, v := range apart {
		sum += of * of
		of += apart[(from+length)%len(apart)] - v
	}
	return sum
}

// alike returns what n values are worth that do not differ.
func (p Plan) alike(ofMember [][]float64, n int) float64 {
	if p.groups == nil {
		return min(float64(n), max(1, float64(n)/float64(p.length)))
	}
	with := 0
	for _, members := range p.groups {
		for _, m := range members {
			if len(ofMember[m]) > 0 {
				with++
				break
			}
		}
	}
	return float64(with)
}
