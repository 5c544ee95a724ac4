package main

import (
	"fmt"

	"halfsecond/mockllm/fit"
	"halfsecond/mockllm/roofline"
)

// accuracy is how far off predictions of this kind are: mean absolute errors as shares.
// What is unknown is null.
type accuracy struct {
	Of         string   `json:"of"` // the measurements that were predicted
	N          int      `json:"n"`
	MeanAPE    *float64 `json:"mean_ape"`
	GPULeftOut *float64 `json:"mean_ape_gpu_left_out"` // when constants are fitted without rows of the same GPU
	Lacking    *string  `json:"lacking"`               // of what nearer kind there is no measurement
}

// newAccuracy returns the accuracy for published measurements of the same family of
// engines and of hardware; where there is none, for those of the same engines, else
// for all. Constants of a profile are as far off as the profile says, and nothing was
// measured of an ideal engine: nil.
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
		return &accuracy{Of: "that profile " + p.Name + " was fitted to", N: p.Measurements, MeanAPE: &p.MeanError}, nil
	}
	engine, hardware := d.Engine.Name, d.Hardware.Family
	both := fmt.Sprintf("of %s on %s hardware", engine, hardware)
	if hardware == "" {
		both = fmt.Sprintf("of %s on %s", engine, d.Hardware.Name)
	}
	if a := fit.AccuracyOf(engine, hardware); hardware != "" && a.Rows > 0 {
		return published(both, a, ""), nil
	}
	if a := fit.AccuracyOf(engine, ""); a.Rows > 0 {
		return published("of "+engine+" on other hardware", a, both), nil
	}
	return published("of all engines and hardware", fit.AccuracyOf("", ""), "of "+engine), nil
}

func published(of string, a fit.Accuracy, lacking string) *accuracy {
	return &accuracy{Of: of, N: a.Rows, MeanAPE: &a.InSample, GPULeftOut: &a.LeftOut, Lacking: known(lacking, "")}
}

// value is the figure that holds for what was asked, if there is one.
func (a *accuracy) value() string {
	if a.Lacking != nil {
		return "unknown"
	}
	return percent("%.1f", *a.MeanAPE)
}

// text says what the figure is of, and what takes its place where there is none.
func (a *accuracy) text() string {
	rows := counted(a.N, "published measurement") + " " + a.Of
	left := ""
	if a.GPULeftOut != nil {
		left = percent("%.1f", *a.GPULeftOut) + " when no row of the same GPU was fitted"
	}
	switch {
	case a.Lacking != nil:
		return fmt.Sprintf("no published measurement is %s; %s: %s, %s", *a.Lacking, rows, percent("%.1f", *a.MeanAPE), left)
	case a.GPULeftOut == nil:
		return fmt.Sprintf("over the %s %s", counted(a.N, "measurement"), a.Of)
	}
	return fmt.Sprintf("over %s; %s", rows, left)
}
