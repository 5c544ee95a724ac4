package roofline

// Tunable is a deployment whose constants are being sought: what they do not change
// is worked out once. It does not change and may be used by several goroutines.
type Tunable struct {
	d     Deployment
	names names
}

// Tune prepares a deployment, whose Constants do not matter. The error is that of
// Partial.
func Tune(d Deployment) (*Tunable, error) {
	d = d.filled()
	d.Constants = Values{}.Constants(d)
	if err := d.validate(); err != nil {
		return nil, err
	}
	d.Constants = d.untabled()
	return &Tunable{d: d, names: d.names()}, nil
}

// Uses returns the names of the constants that the deployment depends on.
func (t *Tunable) Uses() []string { return t.names.all() }

// Plan returns the plan under some values, all more than 0: the one of a deployment
// with v.Constants, but for their note. It is a value, so that a search through many
// values allocates nothing.
func (t *Tunable) Plan(v Values) (p Plan) {
	p.d = t.d
	v.table(&p.d.Constants, t.names)
	p.fill()
	return p
}
