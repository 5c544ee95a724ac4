package main

import (
	"fmt"
	"slices"

	"halfsecond/mockllm/roofline"
	"halfsecond/pipeline"
)

// room is how much of what was asked for runs.
type room struct {
	prompt, context, batch int
	tokens                 int // of the longest sequence that the KV cache holds, or pipeline.UnknownCount
	sequences              int // of the context that it holds, or pipeline.UnknownCount
	running                int // of the batch; one when not even that fits
}

func newRoom(o *predictOptions, cache roofline.Room) room {
	r := room{prompt: o.prompt, context: o.context, batch: o.batch, tokens: cache.Longest(), sequences: cache.Sequences(o.context), running: o.batch}
	if cache.Known() {
		r.running = max(1, min(o.batch, r.sequences))
	}
	return r
}

// warnings says what of the asked for does not run, what the figures are of instead, and
// what they lack. It is not nil.
func (r room) warnings(d roofline.Deployment, missing []string, ideal bool) []string {
	m := d.Model
	out := []string{}
	warn := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	sized := r.tokens != pipeline.UnknownCount
	warn(sized && r.sequences == 0, "not one sequence of %s fits the KV cache of %d: the decode figures are what one would take if it did",
		counted(r.context, "token"), r.tokens)
	warn(sized && r.sequences > 0 && r.sequences < r.batch, "%d sequences of %s do not fit the KV cache, %d do and the others wait: the decode figures are of %d at once",
		r.batch, counted(r.context, "token"), r.sequences, r.sequences)
	warn(sized && r.prompt > r.tokens && r.prompt > r.context, "a prompt of %s does not fit the KV cache of %d: prefill is what it would take if it did",
		counted(r.prompt, "token"), r.tokens)
	longest := max(r.prompt, r.context)
	warn(m.MaxContext > 0 && longest > m.MaxContext, "%s takes at most %s, as published, and would refuse %d: figures beyond only continue the formula",
		m.Name, counted(m.MaxContext, "token"), longest)
	warn(!ideal && coresUnknown(d), "nobody stated the cores of %s, and a layer costs time for each: decode counts one and is too fast", d.Hardware.Name)
	warn(slices.Contains(missing, "compute rate") && d.Hardware.Source != "" && r.running > 1, "nobody stated the compute rate of %s: a decode step of %d sequences is what reading takes, and multiplying may take longer", d.Hardware.Name, r.running)
	return out
}
