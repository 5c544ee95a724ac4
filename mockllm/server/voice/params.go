package voice

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// params are the query parameters of a request. A reader of one that is given with an
// impossible value returns what holds without it, and fault becomes what is wrong; the
// first one counts. An empty value is none.
type params struct {
	values url.Values
	fault  error
}

func (p *params) refuse(format string, args ...any) {
	if p.fault == nil {
		p.fault = fmt.Errorf(format, args...)
	}
}

// choice returns one of some values.
func (p *params) choice(name, otherwise string, of ...string) string {
	v := p.values.Get(name)
	if v == "" {
		return otherwise
	}
	if !slices.Contains(of, v) {
		p.refuse("%s is %q: want %s", name, v, strings.Join(of, ", "))
		return otherwise
	}
	return v
}

// flag returns whether a switch is on.
func (p *params) flag(name string) bool { return p.choice(name, "false", "true", "false") == "true" }

// number returns a number from least to most.
func (p *params) number(name string, otherwise, least, most float64) float64 {
	v := p.values.Get(name)
	if v == "" {
		return otherwise
	}
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(x) || x < least || x > most {
		p.refuse("%s is %q: want a number from %g to %g", name, v, least, most)
		return otherwise
	}
	return x
}

// whole returns a whole number from least to most.
func (p *params) whole(name string, otherwise, least, most int) int {
	v := p.values.Get(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		p.refuse("%s is %q: want a whole number from %d to %d", name, v, least, most)
		return otherwise
	}
	return n
}

// milliseconds returns a span that is given in whole ms.
func (p *params) milliseconds(name string, otherwise, least, most int) time.Duration {
	return time.Duration(p.whole(name, otherwise, least, most)) * time.Millisecond
}
