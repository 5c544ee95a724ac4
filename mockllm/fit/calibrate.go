package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/roofline"
)

// knob is a constant that Calibrate may fit.
type knob struct {
	name   string // as profiles and flags spell it
	about  string
	spread float64 // how far off the built-in value may be: of its logarithm
	// No engine on any machine is beyond least and most: built-in shares are .09 to .95, and
	// costs of a layer or a sequence at most some hundreds of microseconds.
	least, most float64
	of          func(*roofline.Constants) float64
	set         func(*roofline.Constants, float64)
	// decodes says that only measurements of decoding speak of it. Prompts that are short
	// depend on it too, but so little that it would take the blame for all else.
	decodes bool
	// told says which measurements tell it apart from the others.
	told string
}

// How far off a built-in constant may be on a machine that nobody measured: a share
// by half its size, a cost by as much as it is; the same as for the priors of the
// built-in table.
const (
	shareSpread = .5
	costSpread  = 1
)

// Bounds of fixed costs, in microseconds.
const (
	leastCost = .001
	mostCost  = 20_000 // of a layer or a sequence
	mostStep  = 1e6
)

// knobs are the constants that depend on engine and machine most, in the order of a
// report. Attention reads the cache as well as weights are read, as in the built-in
// table.
var knobs = []knob{
	{
		"mfu", "share of the peak compute rate that large matrix products reach", shareSpread, .01, 1,
		func(c *roofline.Constants) float64 { return c.MFU },
		func(c *roofline.Constants, v float64) { c.MFU = v },
		false,
		"the time that prompts of 512 tokens and more take, where they take most of it (prefill_tok_s or ttft_ms)",
	}, {
		"mbu", "share of the memory bandwidth at which weights and cache are read", shareSpread, .05, 1,
		func(c *roofline.Constants) float64 { return c.MBU },
		func(c *roofline.Constants, v float64) { c.AttentionMBU, c.MBU = min(1, c.AttentionMBU/c.MBU*v), v },
		true,
		"decoding (tpot_ms or decode_tok_s) with short and with long contexts, or of a small and a large model",
	}, {
		"step_us", "fixed cost of a step, in microseconds", costSpread, leastCost, mostStep,
		func(c *roofline.Constants) float64 { return micros(c.StepFixed) },
		func(c *roofline.Constants, v float64) { c.StepFixed = span(v) },
		true,
		"decoding of models with few and with many layers",
	}, {
		"layer_us", "fixed cost of a layer in a step, in microseconds", costSpread, leastCost, mostCost,
		func(c *roofline.Constants) float64 { return micros(c.LayerFixed) },
		func(c *roofline.Constants, v float64) { c.LayerFixed = span(v) },
		true,
		"decoding (tpot_ms or decode_tok_s) of one sequence by a small model, or of models of different sizes",
	}, {
		"sequence_us", "fixed cost of a sequence in a step, in microseconds", costSpread, leastCost, mostCost,
		func(c *roofline.Constants) float64 { return micros(c.SequenceFixed) },
		func(c *roofline.Constants, v float64) { c.SequenceFixed = span(v) },
		true,
		"decoding of few and of many sequences at once with the same context",
	},
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func span(us float64) time.Duration {
	return time.Duration(math.Round(us * float64(time.Microsecond)))
}

// evidence is what measurements are of, as far as it decides what they can tell.
type evidence struct {
	phases  []Phase // of each measurement, "" when it is of neither alone
	decodes bool    // some depend on decoding
	long    bool    // some are of prompts of 512 tokens and more
	models  int
}

// would says which measurements would tell a constant that these do not.
func (k *knob) would(e evidence) string {
	switch {
	case k.decodes && !e.decodes:
		return k.told + "; of decoding nothing was measured"
	case k.name == "mfu" && e.long:
		return "longer prompts, or more of them: those that were measured hardly depend on it"
	case k.name == "step_us" && e.models == 1:
		return k.told + "; of one model layer_us stands for both"
	}
	return k.told
}

// Estimate is what a calibration found out about one constant. An mfu is the share that is
// really used, which on GeForce boards is more than that of the built-in table.
type Estimate struct {
	Name, About string
	Before      float64 // built in
	Spread      float64 // how far off Before may be on a machine that nobody measured: of its logarithm
	Most        float64 // no value is larger
	Told        bool    // the measurements tell it
	Value       float64 // Before unless Told
	// Low and High are how far the value could be off, whatever the others are, before
	// predictions err clearly more: beyond what chance can do, as if measurements were
	// independent of each other, and by at least half a percentage point on average.
	// Low is 0 and High infinite where the measurements do not bound it: up to a share's
	// limit, or as far as the constant may be off on a machine that nobody measured. Both
	// are NaN unless Told.
	Low, High float64
	// Would says which measurements would tell a constant that is not.
	Would string
}

// Calibration is a fit of the constants of one engine on one machine.
type Calibration struct {
	Subject   Subject
	Estimates []Estimate
	Rows      []Row // the measurements, when rows were fitted

	// Errors of predictions with the built-in constants and with the fitted ones, as
	// shares, in the order of the measurements.
	Before, After []float64
	Phases        []Phase // of the measurements; "" of one that is of neither alone
}

// Improves reports whether predictions of the measurements err less with the fitted
// constants than with the built-in ones: on average, and at the median.
func (c Calibration) Improves() (mean, median bool) {
	mean0, median0, _ := Compared{PerRequest: c.Before}.Errors()
	mean1, median1, _ := Compared{PerRequest: c.After}.Errors()
	return mean1 < mean0, median1 < median0
}

// ErrNotTold is wrapped by the error of a calibration whose measurements tell none of
// the constants.
var ErrNotTold = errors.New("the measurements tell none of the constants")

// calibrate fits the knobs that the measurements tell. d is one of the deployments that
// were measured, and errs returns the errors of the predictions under some constants.
func calibrate(ctx context.Context, d roofline.Deployment, e evidence, errs func(roofline.Constants) ([]float64, error)) (Calibration, error) {
	base := roofline.Defaults(d)
	before, err := errs(base)
	if err != nil {
		return Calibration{}, err
	}
	base.MFU = usedShare(d, base.MFU)
	s := &adjustment{ctx: ctx, base: base, scale: errorScale, prior: errorScale, errs: func(c roofline.Constants) ([]float64, error) {
		c.MFU = mfuFor(d, c.MFU)
		return errs(c)
	}}
	for _, k := range knobs {
		free := k.of(&base) > 0 // one that costs nothing here is not fitted
		s.free, s.told = append(s.free, free), append(s.told, free && (e.decodes || !k.decodes))
	}
	if err := s.run(); err != nil {
		return Calibration{}, err
	}
	c := Calibration{Estimates: s.estimates(e), Before: before, Phases: e.phases}
	if c.After, err = s.errs(c.constants(base)); err != nil {
		return Calibration{}, err
	}
	if !slices.Contains(s.told, true) {
		return c, fmt.Errorf("%w: %s%s", ErrNotTold, c.wanted(), c.farOff())
	}
	return c, nil
}

// constants returns those that were found, in the digits that a profile keeps of them.
func (c Calibration) constants(base roofline.Constants) roofline.Constants {
	for i, e := range c.Estimates {
		if e.Told {
			knobs[i].set(&base, e.Value)
		}
	}
	return base
}

// strange is the mean error from which on measurements that tell nothing are more likely
// of something else, or in another unit.
const strange = .75

// farOff says that predictions are, when they are stranger than any machine.
func (c Calibration) farOff() string {
	mean, _, _ := Compared{PerRequest: c.Before}.Errors()
	if !(mean >= strange) {
		return ""
	}
	return fmt.Sprintf("; and predictions are off by %.0f %% on average, so check the units and what was measured", 100*mean)
}

// wanted lists what would have to be measured.
func (c Calibration) wanted() string {
	var out []string
	for _, e := range c.Estimates {
		if !e.Told && e.Would != "" {
			out = append(out, fmt.Sprintf("%s needs %s", e.Name, e.Would))
		}
	}
	return strings.Join(out, "; ")
}

// estimates returns what is known of every knob when the search is over.
func (s *adjustment) estimates(about evidence) []Estimate {
	var out []Estimate
	for i, k := range knobs {
		before := k.of(&s.base)
		e := Estimate{Name: k.name, About: k.about, Before: before, Spread: k.spread, Most: k.most, Value: before, Low: math.NaN(), High: math.NaN()}
		switch {
		case s.told[i]:
			e.Told, e.Value = true, rounded(before*math.Exp(s.best.at[i]))
			e.Low, e.High = e.Value*math.Exp(-s.reaches[i].below), e.Value*math.Exp(s.reaches[i].above)
		case before > 0:
			e.Would = k.would(about)
		}
		out = append(out, e)
	}
	return out
}
