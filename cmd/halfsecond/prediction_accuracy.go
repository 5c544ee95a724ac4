package main

import (
	"fmt"
	"strconv"
	"strings"

	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// accuracy is how far off both figures of a prediction are.
type accuracy struct {
	Prefill phaseAccuracy `json:"prefill"`
	Decode  phaseAccuracy `json:"decode"`
}

// phaseAccuracy is how far off predictions of one phase are for measurements that come
// nearest to what was asked: mean absolute errors as shares. What is unknown is null.
type phaseAccuracy struct {
	Error      *float64 `json:"error"` // that holds for the figure: of the two below that of its GPU, if that was measured, else the other; of a profile its own
	Of         string   `json:"of"`    // the measurements
	N          int      `json:"n"`
	SameGPU    int      `json:"same_gpu"` // of them
	MeanAPE    *float64 `json:"mean_ape"`
	GPULeftOut *float64 `json:"mean_ape_gpu_left_out"` // when constants are fitted without rows of the same GPU
	Unlike     []string `json:"unlike"`                // what was asked for and none of them has, so that their error is not that of this figure

	text string
}

// newAccuracy returns the accuracy for published measurements of the same phase, the same
// kernels and the same family of hardware, or with a profile, for the measurements that
// it was fitted to. Nothing was measured of an ideal engine: nil.
func newAccuracy(d roofline.Deployment, r *prediction, o *predictOptions) (*accuracy, error) {
	if o.ideal {
		return nil, nil
	}
	profile, err := o.named.openProfile()
	if err != nil {
		return nil, err
	}
	of := func(phase fit.Phase) phaseAccuracy {
		switch {
		case phase == fit.Prefill && r.PrefillMS == nil:
			return phaseAccuracy{Unlike: []string{}, text: "there is no figure to be off"}
		case coresUnknown(d):
			return phaseAccuracy{Unlike: []string{}, text: "of every processor that was measured the cores are known"}
		case profile != nil:
			return profiled(profile.Fitted, phase, d)
		}
		return published(phase, d, fit.Asked{Prompt: o.prompt, Sequences: r.Running, Context: o.context})
	}
	return &accuracy{of(fit.Prefill), of(fit.Decode)}, nil
}

func published(phase fit.Phase, d roofline.Deployment, asked fit.Asked) phaseAccuracy {
	found := fit.AccuracyOf(phase, d, asked)
	a := phaseAccuracy{N: found.Rows, SameGPU: found.Own, Unlike: append([]string{}, found.Unlike...)}
	if found.Rows == 0 {
		all := fit.AccuracyOfAll(phase)
		a.text = fmt.Sprintf("no published measurement is like this, of %s with the kernels of %s on %s; over all %d of %s: %s when no row of the same GPU was fitted",
			phase, d.Engine.Name, familyOf(d), all.Rows, phase, percent("%.1f", all.LeftOut))
		return a
	}
	kind := fmt.Sprintf("of %s by %s on %s", phase, strings.Join(found.Engines, ", "), familyOf(d))
	a.Of, a.MeanAPE, a.GPULeftOut = "published measurements "+kind, &found.InSample, &found.LeftOut
	among := counted(a.N, "published measurement") + " " + kind
	if figure, ok := found.Figure(); ok {
		a.Error = &figure
	}
	switch {
	case a.Error == nil:
		a.text = fmt.Sprintf("no published measurement is like this: of %s (%s) none has %s", strings.Replace(among, " published", "", 1), percent("%.1f", found.InSample), alternativesOf(a.Unlike))
	case a.SameGPU == 0:
		a.text = fmt.Sprintf("over %s, none of %s, each when no row of its GPU was fitted; %s when all were", among, d.Hardware.Name, percent("%.1f", found.InSample))
	default:
		a.text = fmt.Sprintf("over %s; %s when no row of the same GPU was fitted", among, percent("%.1f", found.LeftOut))
	}
	return a
}

// coresUnknown reports whether a layer costs time for each of a number of cores that the
// catalogue does not have.
func coresUnknown(d roofline.Deployment) bool {
	return d.Hardware.Family == "cpu" && d.Hardware.Cores == 0
}

func familyOf(d roofline.Deployment) string {
	return either(d.Hardware.Family == "", "hardware of no known family", d.Hardware.Family+" hardware")
}

// alternativesOf lists words with "or" before the last.
func alternativesOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// profiled returns what a profile says of a phase. Its error is that of a prediction only
// for a model, weights and a number of GPUs that were measured.
func profiled(p fit.Profile, phase fit.Phase, d roofline.Deployment) phaseAccuracy {
	left := p.Left(phase)
	a := phaseAccuracy{
		Of: fmt.Sprintf("measurements of %s that profile %s was fitted to", phase, p.Name), N: left.N, SameGPU: left.N,
		Unlike: append([]string{}, p.Unlike(d)...),
	}
	if left.N > 0 {
		a.MeanAPE = &left.MeanError
	}
	if figure, ok := p.ErrorOf(phase, d); ok {
		a.Error = &figure
	}
	fitted := fmt.Sprintf("the %s that profile %s was fitted to", counted(p.Measurements, "measurement"), p.Name)
	switch {
	case len(a.Unlike) > 0:
		a.text = fmt.Sprintf("%s (%s) are of %s in %s on %s x %s: none has %s", fitted, percent("%.1f", p.MeanError),
			strings.Join(p.Models, ", "), strings.Join(p.Weights, ", "), gpuCounts(p.GPUs), p.Hardware, alternativesOf(a.Unlike))
	case p.Prefill.N+p.Decode.N == 0:
		a.text = fmt.Sprintf("%s are off by %s, but it does not say how many are of %s", fitted, percent("%.1f", p.MeanError), phase)
	case left.N == 0:
		a.text = fmt.Sprintf("none of %s is of %s", fitted, phase)
	default:
		a.text = fmt.Sprintf("over the %s of %s that profile %s was fitted to", counted(a.N, "measurement"), phase, p.Name)
	}
	return a
}

func gpuCounts(counts []int) string {
	var out []string
	for _, n := range counts {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}

// figure is the error that holds for what was asked, if one is known.
func (a phaseAccuracy) figure() string {
	if a.Error == nil {
		return "unknown"
	}
	return percent("%.1f", *a.Error)
}

// value and text are two cells of a table, with those of the second phase in a line below.
func (a *accuracy) value() string { return "prefill " + a.Prefill.figure() }

func (a *accuracy) text() string {
	return fmt.Sprintf("%s\n\tdecode %s\t%s", a.Prefill.text, a.Decode.figure(), a.Decode.text)
}
