package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"halfsecond/mockllm/catalog"
	"halfsecond/mockllm/roofline"
)

// predictOptions are the inputs of predict, as typed.
type predictOptions struct {
	named                   namedDeployment
	params                  string // such as "70B"
	bits, bandwidth, tflops float64
	ideal                   bool
	prompt, context, batch  int
	given                   func(flag string) bool // whether a flag was typed
}

func newPredictCmd(p *program) *cobra.Command {
	opts := &predictOptions{}
	cmd := &cobra.Command{
		Use:   "predict",
		Short: "Prefill, decode and KV figures of a model on some hardware",
		Long: `Predict computes, from the model's shape and the hardware's figures, how long a
prompt takes to read in (prefill), how long one step of writing takes (decode), the
tokens a second that follow, and how many tokens the KV cache holds. It says what
dominates: compute, memory, communication or the engine's fixed costs. Of a batch
that the KV cache cannot hold, the figures are of the sequences that it can.

What no datasheet tells, such as the share of the bandwidth that the engine reaches,
was fitted to published measurements. The constants are shown with the number of
measurements behind each, or as assumed where there is none; --profile has those of
your own measurements in their place. The mean error says how far off predictions are
for published measurements of the same phase, kernels and hardware family; for hardware
that none of them is of, by constants that had not seen theirs. With --ideal every
figure of the datasheet is reached and nothing else costs time.

Names are those of 'halfsecond catalog' and of the file of --catalog, which has rows
under the headings [hardware], [models] and [engines] with the columns of the
built-in tables; 'halfsecond init catalog' prints one to start from. A model that is in
neither can be given by bare numbers: parameters, bits a weight and memory bandwidth.
What needs its shape is then unknown, and so is prefill without --tflops.`,
		Example: `  halfsecond predict --model Llama-3.1-8B --hardware H100-SXM
  halfsecond predict --model Llama-3.1-70B --hardware H100-SXM --gpus 4 --weights fp8 --kv-cache fp8 --batch 32 --context 4000
  halfsecond predict --model Qwen2.5-7B --hardware RTX-4090 --engine llama.cpp --weights Q4_K_M
  halfsecond predict --params 70B --bits 4 --bandwidth 1000 --ideal`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.given = cmd.Flags().Changed
			return runPredict(cmd.Context(), p, opts)
		},
	}
	opts.addFlags(cmd.Flags())
	return cmd
}

func (o *predictOptions) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	o.named.addFlags(f)
	f.IntVar(&o.prompt, "prompt", 512, "`tokens` of the prompt whose prefill is timed")
	f.IntVar(&o.context, "context", 0, "`tokens` that each sequence has while decoding (default: as many as --prompt)")
	f.IntVar(&o.batch, "batch", 1, "`sequences` that decode together")
	f.StringVar(&o.params, "params", "", "instead of --model: its `size` in parameters, such as 70B")
	f.Float64Var(&o.bits, "bits", 16, "with --params: `bits` of one weight")
	f.Float64Var(&o.bandwidth, "bandwidth", 0, "with --params: memory bandwidth in `GB/s`")
	f.Float64Var(&o.tflops, "tflops", 0, "with --params: compute rate in `TFLOPS`")
	f.BoolVar(&o.ideal, "ideal", false, "efficiency 1 and no fixed cost")
}

// noArguments refuses arguments and says so.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: values follow their flags", args[0])
	}
	return nil
}

// runPredict computes and prints one prediction.
func runPredict(_ context.Context, p *program, o *predictOptions) error {
	if !o.given("context") {
		o.context = o.prompt
	}
	d, err := o.deployment()
	if err := errors.Join(err, o.validate()); err != nil {
		return usageError(err)
	}
	plan, err := roofline.Partial(d)
	if err != nil {
		return usageError(err)
	}
	cache, err := plan.Room(roofline.BlockTokens)
	if err != nil {
		return usageError(fmt.Errorf("%w%s", err, alternatives(d)))
	}
	result := newPrediction(plan, o, cache)
	if result.DecodeMS == 0 {
		return usageError(errors.New("a decode step would take less than a nanosecond: check the parameters, bits and rates"))
	}
	if result.Accuracy, err = newAccuracy(plan.Deployment(), result, o); err != nil {
		return usageError(err)
	}
	if p.Format == "json" {
		return writeJSON(p.out, result)
	}
	return result.writeTable(p.out)
}

// Bounds of what is predicted: far beyond any model's context and any batch, and
// small enough for every figure to be exact.
const (
	mostTokens    = 100_000_000
	mostSequences = 1_000_000
)

// validate reports every number that is out of range.
func (o *predictOptions) validate() error {
	errs := []error{within("prompt", o.prompt, 1, mostTokens), within("batch", o.batch, 1, mostSequences)}
	if o.given("context") {
		errs = append(errs, within("context", o.context, 1, mostTokens))
	}
	return errors.Join(errs...)
}

// deployment returns what the flags describe, by catalogue names or bare numbers.
func (o *predictOptions) deployment() (roofline.Deployment, error) {
	named, bare := typed(o.given, deploymentFlags...), typed(o.given, "params", "bits", "bandwidth", "tflops")
	switch {
	case len(named) > 0 && len(bare) > 0:
		return roofline.Deployment{}, fmt.Errorf("%s cannot be used with %s: give names of the catalogue or bare numbers",
			strings.Join(named, ", "), strings.Join(bare, ", "))
	case len(bare) > 0:
		return o.bareDeployment()
	case o.ideal && o.named.profile != "":
		return roofline.Deployment{}, errors.New("--ideal cannot be used with --profile: an ideal engine has no constants to find")
	default:
		d, err := o.named.find()
		if o.ideal {
			d.Constants = roofline.Ideal()
		}
		return d, err
	}
}

// bareDeployment returns a model of which only the size is known.
func (o *predictOptions) bareDeployment() (roofline.Deployment, error) {
	params, err := parseParams(o.params)
	errs := []error{err}
	if o.given("bandwidth") {
		errs = append(errs, rate("bandwidth", o.bandwidth, "GB/s", 1e9))
	} else {
		errs = append(errs, errors.New("--bandwidth is missing: GB/s of the memory"))
	}
	if o.given("tflops") {
		errs = append(errs, rate("tflops", o.tflops, "TFLOPS", 1e12))
	}
	if !(o.bits > 0 && o.bits <= 64) {
		errs = append(errs, fmt.Errorf("--bits %g: want more than 0 and at most 64", o.bits))
	}
	d := roofline.Deployment{
		Model:    catalog.Model{Name: o.params, Published: params},
		Hardware: catalog.Hardware{Name: fmt.Sprintf("%g GB/s", o.bandwidth), Bandwidth: o.bandwidth * 1e9, FP16: o.tflops * 1e12},
		GPUs:     1,
		Weights:  roofline.BitFormat(o.bits),
	}
	if o.ideal {
		d.Constants = roofline.Ideal()
	}
	return d, errors.Join(errs...)
}

// rate reports a rate that no device has; a unit of it is so many bytes or operations a
// second.
func rate(flag string, v float64, unit string, each float64) error {
	switch {
	case !(v > 0):
		return fmt.Errorf("--%s %g: want %s above 0", flag, v, unit)
	case v > catalog.MostRate:
		return fmt.Errorf("--%s %g: want at most %d %s; %g a second would be %g %s", flag, v, catalog.MostRate, unit, v, v/each, unit)
	}
	return nil
}

// parseParams returns the number that a size such as 70B, 1.5T or 500M means.
func parseParams(s string) (int64, error) {
	if s == "" {
		return 0, errors.New("--params is missing: a number of parameters such as 70B")
	}
	units := map[byte]float64{'M': 1e6, 'B': 1e9, 'T': 1e12}
	unit, ok := units[strings.ToUpper(s)[len(s)-1]]
	number := s
	if ok {
		number = s[:len(s)-1]
	} else {
		unit = 1
	}
	v, err := strconv.ParseFloat(number, 64)
	if n := v * unit; err == nil && n >= 1e6 && n <= 1e15 {
		return int64(n + .5), nil
	}
	return 0, fmt.Errorf("--params %s: want a number of parameters from 1M to 1000T, such as 70B", s)
}
