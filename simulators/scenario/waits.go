package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/strict"
)

// waits is the form of durations that were measured: a list of them, or the name of a file.
var waits = form[Delay]{
	want: "a list of durations that were measured, such as [180ms, 2.1s], or the name of a file with one in a line",
	read: func(r *reader, n ast.Node) (Delay, bool) {
		if name, isPlain := plain(n); isPlain {
			return r.measured(n, name)
		}
		all, ok := listOf(duration(0, longestDelay)).read(r, n)
		if !ok {
			return Delay{}, false
		}
		return measuredAs(r, n, all)
	},
}

// measuredAs returns the delay that is one of those.
func measuredAs(r *reader, n ast.Node, all []time.Duration) (Delay, bool) {
	d, err := dist.Measured(all)
	if err != nil {
		r.Fail(n, "%s", err)
	}
	return Delay{Dist: d}, err == nil
}

// measured returns the delay that is one of those in a file.
func (r *reader) measured(n ast.Node, name string) (Delay, bool) {
	data, digest, err := r.loadUpTo(name, strict.MaxBytes)
	if err != nil {
		r.Fail(n, "%s", err)
		return Delay{}, false
	}
	all, err := parseWaits(name, string(data))
	if err != nil {
		r.Fail(n, "%s", err)
		return Delay{}, false
	}
	d, ok := measuredAs(r, n, all)
	d.File, d.Digest = name, digest
	return d, ok
}

// parseWaits reads durations, one in a line: a number of milliseconds, or one with its unit. Of
// a line with commas, as in CSV, it is the first field; the first line may be a heading, and
// lines that are empty or begin with # are left out.
func parseWaits(name, text string) (all []time.Duration, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		field, _, _ := strings.Cut(strings.TrimSpace(line), ",")
		field = strings.Trim(strings.TrimSpace(field), `"`)
		if field == "" || field[0] == '#' {
			continue
		}
		d, ok := parseWait(field)
		if !ok && number == 1 {
			continue
		}
		if !ok || d < 0 || d > longestDelay {
			return nil, fmt.Errorf("%s:%d: found %q; want a number of milliseconds, such as 180.5, or a duration, such as 2.1s, from 0 to %s", name, number, field, longestDelay)
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no durations; want one in a line, such as 180.5 for milliseconds, or 2.1s", name)
	}
	return all, nil
}

// parseWait reads a duration with its unit, or a number of milliseconds.
func parseWait(field string) (time.Duration, bool) {
	if d, err := time.ParseDuration(field); err == nil {
		return d, true
	}
	ms, err := strconv.ParseFloat(field, 64)
	if err != nil || !(ms >= 0 && ms <= float64(longestDelay/time.Millisecond)) {
		return -1, err == nil
	}
	return time.Duration(ms*float64(time.Millisecond) + .5), true
}
