package talk

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Params are the query parameters of a request. A reader of one that is given with an
// impossible value returns what holds without it, and Fault becomes what is wrong; the
// first one counts. An empty value is none.
type Params struct {
	Values url.Values
	Fault  error
}

// Refuse says what is wrong, unless something was before.
func (p *Params) Refuse(format string, args ...any) {
	if p.Fault == nil {
		p.Fault = fmt.Errorf(format, args...)
	}
}

// Choice returns one of some values.
func (p *Params) Choice(name, otherwise string, of ...string) string {
	v := p.Values.Get(name)
	if v == "" {
		return otherwise
	}
	if !slices.Contains(of, v) {
		p.Refuse("%s is %q: want %s", name, v, strings.Join(of, ", "))
		return otherwise
	}
	return v
}

// Flag returns whether a switch is on.
func (p *Params) Flag(name string) bool { return p.Choice(name, "false", "true", "false") == "true" }

// Number returns a number from least to most.
func (p *Params) Number(name string, otherwise, least, most float64) float64 {
	v := p.Values.Get(name)
	if v == "" {
		return otherwise
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most {
		p.Refuse("%s is %q: want a number from %g to %g", name, v, least, most)
		return otherwise
	}
	return x
}

// Whole returns a whole number from least to most.
func (p *Params) Whole(name string, otherwise, least, most int) int {
	v := p.Values.Get(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		p.Refuse("%s is %q: want a whole number from %d to %d", name, v, least, most)
		return otherwise
	}
	return n
}

// Milliseconds returns a span that is given in whole ms.
func (p *Params) Milliseconds(name string, otherwise, least, most int) time.Duration {
	return time.Duration(p.Whole(name, otherwise, least, most)) * time.Millisecond
}

// Change changes a setting to a value, when there is one, from least to most.
func Change(setting *float64, name string, value *float64, least, most float64) error {
	if value == nil {
		return nil
	}
	if *value < least || *value > most {
		return fmt.Errorf("%s is %g: want a number from %g to %g", name, *value, least, most)
	}
	*setting = *value
	return nil
}
