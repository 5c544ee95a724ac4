package scenario

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// Profile is a file of constants that were calibrated.
type Profile struct {
	Name   string // of the file
	Digest string // identifies the content
	Fitted fit.Profile
}

// ReadProfile reads what 'halfsecond calibrate' wrote; name is that of the file. The
// error reports everything that is wrong, each with its line.
func ReadProfile(name string, data []byte) (*Profile, error) {
	fitted, err := fit.ReadProfile(name, data)
	if err != nil {
		return nil, err
	}
	if err := plausible(name, fitted); err != nil {
		return nil, err
	}
	return &Profile{name, digest(data), fitted}, nil
}

// bound is what a constant has at least and at most on any machine.
type bound struct {
	name        string
	least, most float64
}

// bounds are far beyond what was measured anywhere: built-in constants are .09 to .95 of
// the rates, and at most some hundreds of microseconds a layer or sequence.
var bounds = []bound{{"mfu", .01, 1}, {"mbu", .05, 1}, {"layer_us", 0, 20_000}, {"sequence_us", 0, 20_000}}

// plausible reports constants that no engine on any machine has: another unit, or
// measurements of something else.
func plausible(name string, p fit.Profile) error {
	var errs []error
	for _, b := range bounds {
		if v, ok := p.Values[b.name]; ok && (v < b.least || v > b.most) {
			errs = append(errs, fmt.Errorf("%s: %s %g: no engine has less than %g or more than %g of it; check the unit, and what was measured", name, b.name, v, b.least, b.most))
		}
	}
	return errors.Join(errs...)
}

// digest returns what identifies the content of a file.
func digest(data []byte) string { return fmt.Sprintf("sha256 %x", sha256.Sum256(data)) }

// Constants returns those of a deployment by the profile, whose note names the models
// that were measured when the deployment's is another. The error says which other
// engine, machine or kind of weights the profile is of.
func (p *Profile) Constants(d roofline.Deployment) (roofline.Constants, error) {
	if err := p.Fitted.Suits(d); err != nil {
		return roofline.Constants{}, err
	}
	return p.Fitted.Constants(d), nil
}

// calibrated is the form of the name of such a file.
var calibrated = form[*Profile]{
	want: oneLine.want,
	read: func(r *reader, n ast.Node) (*Profile, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return nil, false
		}
		data, _, err := r.load(name)
		var p *Profile
		if err == nil {
			p, err = ReadProfile(name, data)
		}
		if err != nil {
			r.Fail(n, "%s", inOne(err))
		}
		return p, err == nil
	},
	write: func(p *Profile) tree {
		if p == nil {
			return tree{}
		}
		return tree{text: quoted(p.Name), note: p.Digest}
	},
}

// inOne returns an error of several lines in one.
func inOne(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
