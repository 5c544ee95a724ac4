package arrival

import (
	"fmt"
	"math"
	"time"
)

// Load returns how much a process asks when it has settled: users at a time of a closed
// one, else requests a second, of a trace the mean of what is played.
func (p Process) Load() float64 {
	switch p.Kind {
	case ClosedKind:
		return float64(p.Users)
	case ConstantKind:
		return 1 / p.Every.Seconds()
	case RampKind:
		return p.Slope.To
	case TraceKind:
		return p.Replay.Rate()
	}
	return p.Rate
}

// Under returns the process with another load, in the unit of Load: a constant one with
// another period, a ramp with both rates as much larger, a trace played faster or
// slower, a closed one with so many users. The error says which loads it cannot have.
func (p Process) Under(load float64) (Process, error) {
	if !(load > 0) || math.IsInf(load, 1) {
		return p, fmt.Errorf("a load of %g: want more than 0", load)
	}
	switch p.Kind {
	case ClosedKind:
		if load != math.Trunc(load) || load > math.MaxInt32 {
			return p, fmt.Errorf("%g users: want a whole number", load)
		}
		p.Users = int(load)
	case ConstantKind:
		if p.Every = seconds(1 / load); p.Every < time.Nanosecond {
			return p, fmt.Errorf("%g/s: more than one in a nanosecond", load)
		}
	case RampKind:
		p.Slope.From *= load / p.Slope.To
		p.Slope.To = load
	case TraceKind:
		p.Replay.Speed *= load / p.Replay.Rate()
	default:
		p.Rate = load
	}
	return p, nil
}

// LoadUnit returns what Load counts: "users" or "/s".
func (p Process) LoadUnit() string {
	if p.Kind == ClosedKind {
		return "users"
	}
	return "/s"
}
