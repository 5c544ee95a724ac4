package engine

import (
	"fmt"
	"math"
	"time"

	"halfsecond/mockllm/catalog"
)

// Load is what it takes to bring a model into memory. A rate of 0 means that there is
// no such limit.
type Load struct {
	// Start is the time for all that does not grow with the weights: container, process,
	// imports, device context, and what is compiled, measured, captured and warmed up
	// before the first request is served as every other.
	Start time.Duration
	// Weights is what is read, in bytes.
	Weights float64
	// Storage is the rate of the disk or the network, in bytes a second: 2-6e9 for
	// NVMe, .2-1e9 for object stores.
	Storage float64
	// Host is the rate at which the loader takes weights that are in the host's
	// memory (the page cache) to the devices and does with them what it must, in
	// bytes a second.
	Host float64
}

// LoadTime returns the time from the order to load until the first request is
// served as every other:
//
//	Start + Weights/min(Storage, Host)
//
// The weights stream through both at once, so the slower counts. When the host has
// them cached already, Storage does not.
func LoadTime(l Load, cached bool) time.Duration {
	rate := l.Host
	if !cached {
		rate = slower(rate, l.Storage)
	}
	transfer := 0.0
	if rate > 0 {
		transfer = l.Weights / rate
	}
	return l.Start + time.Duration(math.Round(transfer*float64(time.Second)))
}

// slower returns the lower rate, 0 being none.
func slower(a, b float64) float64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

// Load returns what it takes to bring the replica's model, and what drafts for it,
// into memory from one NVMe SSD of 5 GB/s. Devices that share every layer have a
// process each, all of which load at once; those that share by layers have one for
// all. The error says that nobody measured how the engine starts, or why there is no
// draft.
func (r Replica) Load() (Load, error) {
	d := r.Plan.Deployment()
	if d.Engine.StartTime == 0 || d.Engine.LoadRate == 0 {
		return Load{}, fmt.Errorf("how long %s takes to start was not measured", d.Engine.Name)
	}
	draft, err := r.draft()
	if err != nil {
		return Load{}, err
	}
	l := Load{Start: d.Engine.StartTime, Weights: float64(r.Plan.WeightBytes()), Storage: ssdRate, Host: d.Engine.LoadRate}
	if d.Split == catalog.SplitTensor {
		l.Host *= float64(d.Devices())
	}
	if draft != nil {
		l.Weights += float64(draft.WeightBytes())
	}
	return l, nil
}
