package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// writeTable prints the prediction for people.
func (r *prediction) writeTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintf(t, "%s in %s on %s, by %s\n\n", r.Model, r.Weights, r.where(), r.by())
	for i, warning := range r.Warnings {
		fmt.Fprintf(t, "BEWARE: %s\n%s", warning, either(i == len(r.Warnings)-1, "\n", ""))
	}
	r.writeFigures(t)
	fmt.Fprintf(t, "\n%s\n\n", r.verdict())
	r.writeTerms(t)
	r.writeConstants(t)
	for i, n := range r.Notes {
		fmt.Fprintf(t, "%s- %s\n", either(i == 0, "\nnotes\n", ""), n)
	}
	r.Sources.write(t)
	return t.Flush()
}

// writeFigures prints the figures that were asked for, and how far off they may be.
func (r *prediction) writeFigures(w io.Writer) {
	if r.TTFTMS != nil {
		fmt.Fprintf(w, "time to first token\t%s\t%s\n", inTime(*r.TTFTMS, significant), r.firstToken())
	}
	if r.PrefillMS != nil {
		fmt.Fprintf(w, "prefill\t%s\t%s alone, bound by %s\n", inTime(*r.PrefillMS, significant), counted(r.PromptTokens, "prompt token"), *r.PrefillBoundBy)
	} else {
		fmt.Fprintf(w, "prefill\tunknown\tneeds the compute rate\n")
	}
	fmt.Fprintf(w, "decode step\t%s\tbatch of %d at a context of %s, bound by %s\n", inTime(r.DecodeMS, significant), r.Running, counted(r.ContextTokens, "token"), r.BoundBy)
	fmt.Fprintf(w, "tokens a second\t%s\teach sequence; %s all together\n", significant(r.TPSSingle), significant(r.TPSAggregate))
	fmt.Fprintf(w, "weights\t%s GB\t%s parameters of %s; a GB is 10^9 bytes\n", significant(r.WeightsGB), billions(r.Params), r.bits())
	fmt.Fprintf(w, "KV cache\t%s\t%s\n", r.kvTokens(), r.kvBytes())
	if r.Accuracy != nil {
		fmt.Fprintf(w, "mean error\t%s\t%s\n", r.Accuracy.value(), r.Accuracy.text())
	}
}

// where names the hardware and how it is shared.
func (r *prediction) where() string {
	devices := r.Hardware
	if r.GPUs > 1 {
		devices = fmt.Sprintf("%d x %s%s", r.GPUs, r.Hardware, either(r.Split == catalog.SplitLayer, " that divide the layers", ""))
	}
	if r.Stages > 1 {
		return fmt.Sprintf("%d stages of %s", r.Stages, devices)
	}
	return devices
}

func (r *prediction) by() string {
	if r.Engine == nil {
		return "an ideal engine"
	}
	return *r.Engine
}

// bits says how many bits which weights take.
func (r *prediction) bits() string {
	text := fmt.Sprintf("%g bits", r.BitsPerWeight)
	if r.Weights == roofline.FP16.String() {
		text += " (fp16 and bf16 alike)"
	}
	if r.SteadyBits != r.BitsPerWeight {
		text += fmt.Sprintf(" in the experts and %g in other layers", r.SteadyBits)
	}
	if r.HeadBits != r.SteadyBits {
		text += fmt.Sprintf(", embedding and output head of %g", r.HeadBits)
	}
	return text
}

func (r *prediction) kvTokens() string {
	if r.KVTokens == nil {
		return "unknown"
	}
	return counted(*r.KVTokens, "token")
}

func (r *prediction) kvBytes() string {
	if r.KVBytesPerToken == nil {
		return "needs the model's shape"
	}
	text := fmt.Sprintf("%d bytes a token in %s", *r.KVBytesPerToken, r.KVCache)
	if *r.KVBytesPerSequence > 0 {
		text += fmt.Sprintf(", and %d a sequence for its windows", *r.KVBytesPerSequence)
	}
	switch {
	case r.KVTokensGiven:
		text += "; tokens as given"
	case r.KVTokens == nil:
		text += "; the memory size is unknown"
	}
	return text
}

// verdict says in words what a decode step spends its time on and what would help.
func (r *prediction) verdict() string {
	share := percent("%.0f", milliseconds(r.decode.By(r.BoundBy))/r.DecodeMS) + " of a decode step"
	switch r.BoundBy {
	case roofline.Compute:
		return "Multiplying takes " + share + ": more compute, fewer bits the hardware can multiply in, or a smaller batch make it shorter."
	case roofline.Communication:
		return "Communication takes " + share + ": fewer GPUs or a faster interconnect make it shorter."
	case roofline.Fixed:
		return "Fixed costs of the engine take " + share + ": faster hardware hardly helps, and a larger batch costs little."
	}
	if r.decode.AttentionMemory > r.decode.MatmulMemory {
		return "Reading memory takes " + share + ", most of it the KV cache: more bandwidth, a shorter context or a smaller batch make it shorter."
	}
	return "Reading memory takes " + share + ", most of it the weights: more bandwidth or fewer bits make it shorter, and a larger batch costs little."
}

// writeTerms prints where the time of both steps goes.
func (r *prediction) writeTerms(w io.Writer) {
	prefill := func(pick func(termsMS) float64) string {
		if r.PrefillTerms == nil {
			return "-"
		}
		return termText(pick(*r.PrefillTerms))
	}
	fmt.Fprintf(w, "where the time goes\tdecode\tprefill\n")
	for _, row := range []struct {
		name string
		pick func(termsMS) float64
	}{
		{"weights: multiply", func(t termsMS) float64 { return t.MatmulCompute }},
		{"weights: read", func(t termsMS) float64 { return t.MatmulMemory }},
		{"attention: multiply", func(t termsMS) float64 { return t.AttentionCompute }},
		{"attention: read", func(t termsMS) float64 { return t.AttentionMemory }},
		{"attention: scores", func(t termsMS) float64 { return t.Scores }},
		{"activations", func(t termsMS) float64 { return t.Activations }},
		{"communication", func(t termsMS) float64 { return t.Communication }},
		{"fixed costs", func(t termsMS) float64 { return t.Fixed }},
	} {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", row.name, termText(row.pick(r.DecodeTerms)), prefill(row.pick))
	}
	fmt.Fprintf(w, "  of multiply and read, which overlap, the longer counts")
	if r.Constants.Exposed > 0 {
		fmt.Fprintf(w, ", and %s of the weights' shorter one", percent("%.0f", r.Constants.Exposed))
	}
	fmt.Fprintln(w)
}

// termText prints a part of a step.
func termText(ms float64) string {
	switch {
	case ms == 0:
		return "-"
	case ms < .01:
		return "< 0.01 ms"
	default:
		return inTime(ms, significant)
	}
}

// significant prints a number with three digits that mean something.
func significant(v float64) string {
	digits := 0
	switch {
	case v < 10:
		digits = 2
	case v < 100:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// billions prints a number of parameters.
func billions(n int64) string { return significant(float64(n)/1e9) + " billion" }

// write prints where the figures were read; nothing for bare numbers.
func (s *sources) write(w io.Writer) {
	if s == nil {
		return
	}
	note := ""
	if s.ModelNote != "" {
		note = "; " + s.ModelNote
	}
	fmt.Fprintf(w, "\nsources, read on %s\n- model: %s%s%s\n- hardware: %s%s\n- engine: %s%s\n", s.ReadOn,
		s.Model, note, mark(s.ModelUnverified), s.Hardware, mark(s.HardwareUnverified), s.Engine, mark(s.EngineUnverified))
}

// mark is the visible mark of figures that await a source.
func mark(unverified bool) string { return either(unverified, " [unverified]", "") }
