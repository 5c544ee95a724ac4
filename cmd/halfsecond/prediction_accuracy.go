package main

import (
	"fmt"
	"slices"
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
	Of         string   `json:"of"` // the measurements
	N          int      `json:"n"`
	MeanAPE    *float64 `json:"mean_ape"`
	GPULeftOut *float64 `json:"mean_ape_gpu_left_out"` // when constants are fitted without rows of the same GPU
	Unlike     []string `json:"unlike"`                // what was asked for and none of them has, so that their error is not that of this figure

	text string
}

// newAccuracy returns the accuracy for published measurements of the same phase, the same
// kernels and the same family of hardware, or with a profile, for the measurements that
// it was fitted to. Nothing was measured of an ideal engine: nil.
func newAccuracy(d roofline.Deployment, o *predictOptions) (*accuracy, error) {
	if o.ideal {
		return nil, nil
	}
	profile, err := o.named.openProfile()
	if err != nil {
		return nil, err
	}
	if profile != nil {
		p := profile.Fitted
		return &accuracy{profiled(p, p.Prefill, fit.Prefill, d), profiled(p, p.Decode, fit.Decode, d)}, nil
	}
	return &accuracy{published(fit.Prefill, d, o.prompt), published(fit.Decode, d, o.batch)}, nil
}

func published(phase fit.Phase, d roofline.Deployment, size int) phaseAccuracy {
	found := fit.AccuracyOf(phase, d, size)
	a := phaseAccuracy{N: found.Rows, Unlike: append([]string{}, found.Unlike...)}
	if found.Rows == 0 {
		all := fit.AccuracyOfAll(phase)
		a.text = fmt.Sprintf("no published measurement is like this, of %s with the kernels of %s on %s; over all %d of %s: %s when no row of the same GPU was fitted",
			phase, d.Engine.Name, familyOf(d), all.Rows, phase, percent("%.1f", all.LeftOut))
		return a
	}
	a.Of = fmt.Sprintf("published measurements of %s by %s on %s", phase, strings.Join(found.Engines, ", "), familyOf(d))
	a.MeanAPE, a.GPULeftOut = &found.InSample, &found.LeftOut
	a.text = fmt.Sprintf("over %d %s; %s when no row of the same GPU was fitted", a.N, a.Of, percent("%.1f", found.LeftOut))
	if len(a.Unlike) > 0 {
		a.text = fmt.Sprintf("no published measurement is like this: of %d %s (%s) none has %s",
			a.N, strings.TrimPrefix(a.Of, "published "), percent("%.1f", found.InSample), alternativesOf(a.Unlike))
	}
	return a
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
func profiled(p fit.Profile, left fit.Left, phase fit.Phase, d roofline.Deployment) phaseAccuracy {
	a := phaseAccuracy{Of: fmt.Sprintf("measurements of %s that profile %s was fitted to", phase, p.Name), N: left.N, Unlike: []string{}}
	unlike := func(what string, measured bool) {
		if !measured {
			a.Unlike = append(a.Unlike, what)
		}
	}
	unlike(d.Model.Name, slices.Contains(p.Models, d.Model.Name))
	unlike(d.Weights.String()+" weights", slices.Contains(p.Weights, d.Weights.String()))
	unlike(counted(d.GPUs, "GPU"), slices.Contains(p.GPUs, d.GPUs))
	if left.N > 0 {
		a.MeanAPE = &left.MeanError
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
		a.text = fmt.Sprintf("over the %d %s", a.N, a.Of)
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
	if a.MeanAPE == nil || len(a.Unlike) > 0 {
		return "unknown"
	}
	return percent("%.1f", *a.MeanAPE)
}

// value and text are two cells of a table, with those of the second phase in a line below.
func (a *accuracy) value() string { return "prefill " + a.Prefill.figure() }

func (a *accuracy) text() string {
	return fmt.Sprintf("%s\n\tdecode %s\t%s", a.Prefill.text, a.Decode.figure(), a.Decode.text)
}
