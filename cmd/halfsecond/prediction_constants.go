package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"halfsecond/mockllm/roofline"
)

// constants are those of the engine that was assumed.
type constants struct {
	MFU                float64 `json:"mfu"` // the share that is used, which a GeForce board's halved rate raises
	AttentionMFU       float64 `json:"attention_mfu"`
	MBU                float64 `json:"mbu"`
	AttentionMBU       float64 `json:"attention_mbu"`
	KVDequant          float64 `json:"kv_dequant"`
	Exposed            float64 `json:"exposed"`
	ExpertMBU          float64 `json:"expert_mbu"`
	Activations        float64 `json:"activations"`
	StepFixedMS        float64 `json:"step_fixed_ms"`
	LayerFixedMS       float64 `json:"layer_fixed_ms"`
	ExpertFixedMS      float64 `json:"expert_fixed_ms"`
	SequenceFixedMS    float64 `json:"sequence_fixed_ms"`
	Overlapped         bool    `json:"overlapped"`
	AllReduceMS        float64 `json:"all_reduce_latency_ms"`
	BusShare           float64 `json:"bus_share"`
	MemoryUse          float64 `json:"memory_use"`
	WorkingMemoryBytes int64   `json:"working_memory_bytes"`
	NonTorchBytes      int64   `json:"non_torch_bytes"`
}

func newConstants(p *roofline.Plan) constants {
	c := p.Deployment().Constants
	_, share := p.Products()
	return constants{
		MFU: share, AttentionMFU: c.AttentionMFU, MBU: c.MBU, AttentionMBU: c.AttentionMBU,
		KVDequant: c.KVDequant, Exposed: c.Exposed, ExpertMBU: c.ExpertMBU, Activations: c.Activations,
		StepFixedMS: milliseconds(c.StepFixed), LayerFixedMS: milliseconds(c.LayerFixed), ExpertFixedMS: milliseconds(c.ExpertFixed),
		SequenceFixedMS: milliseconds(c.SequenceFixed), Overlapped: c.Overlapped,
		AllReduceMS: milliseconds(c.AllReduceLatency), BusShare: c.BusShare,
		MemoryUse: c.MemoryUse, WorkingMemoryBytes: c.WorkingMemory, NonTorchBytes: c.NonTorch,
	}
}

// origin says where a constant comes from: either it is the product of factors, or it
// was taken from a source.
type origin struct {
	Constant string   `json:"constant"` // its name in constants
	Factors  []factor `json:"factors"`
	Times    *float64 `json:"times"` // by which the product is multiplied, where a GeForce board halves no more than 16-bit products with 32-bit sums
	Cores    *int     `json:"cores"` // by which the product is multiplied
	Limit    *float64 `json:"limit"` // that all this exceeds and the constant has instead
	Source   *string  `json:"source"`
	Of       *float64 `json:"of_tflops"` // the rate of which the compute share is one

	shown shownConstant
}

// factor is a named constant of the fitted table, in microseconds what is a cost.
type factor struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Rows    int     `json:"rows"` // measurements that it was fitted to
	Assumed bool    `json:"assumed"`
}

// shownConstant is how a field of roofline.Constants is shown.
type shownConstant struct {
	field, key, label string
	text              func(constants) string
	matters           func(*prediction) bool // nil: always
}

var shownConstants = []shownConstant{
	{"MFU", "mfu", "share of the compute rate", func(c constants) string { return plain(c.MFU) }, nil},
	{"AttentionMFU", "attention_mfu", "of the compute rate, by attention", func(c constants) string { return plain(c.AttentionMFU) }, nil},
	{"MBU", "mbu", "share of the bandwidth", func(c constants) string { return plain(c.MBU) }, nil},
	{"AttentionMBU", "attention_mbu", "of the bandwidth, by attention", func(c constants) string { return plain(c.AttentionMBU) }, nil},
	{"KVDequant", "kv_dequant", "of that, with a smaller cache", func(c constants) string { return plain(c.KVDequant) },
		func(r *prediction) bool { return r.KVCache != roofline.KVFP16.String() }},
	{"Exposed", "exposed", "not hidden by overlap", func(c constants) string { return plain(c.Exposed) }, nil},
	{"ExpertMBU", "expert_mbu", "bandwidth with small experts", func(c constants) string { return plain(c.ExpertMBU) },
		func(r *prediction) bool { return r.experts }},
	{"Activations", "activations", "vectors moved a token and layer", func(c constants) string { return plain(c.Activations) }, nil},
	{"StepFixed", "step_fixed_ms", "fixed cost a step", func(c constants) string { return micros(c.StepFixedMS) }, nil},
	{"LayerFixed", "layer_fixed_ms", "fixed cost a layer",
		func(c constants) string { return micros(c.LayerFixedMS) + either(c.Overlapped, " overlapped", "") }, nil},
	{"ExpertFixed", "expert_fixed_ms", "and a layer with experts", func(c constants) string { return micros(c.ExpertFixedMS) },
		func(r *prediction) bool { return r.experts }},
	{"SequenceFixed", "sequence_fixed_ms", "fixed cost a sequence", func(c constants) string { return micros(c.SequenceFixedMS) }, nil},
	{"AllReduceLatency", "all_reduce_latency_ms", "latency of an all-reduce", func(c constants) string { return micros(c.AllReduceMS) }, severalDevices},
	{"BusShare", "bus_share", "its share of the link", func(c constants) string { return plain(c.BusShare) }, severalDevices},
	{"MemoryUse", "memory_use", "share of the memory used", func(c constants) string { return plain(c.MemoryUse) }, nil},
	{"WorkingMemory", "working_memory_bytes", "memory to work in", func(c constants) string { return gigabytes(c.WorkingMemoryBytes) }, nil},
	{"NonTorch", "non_torch_bytes", "memory of the driver", func(c constants) string { return gigabytes(c.NonTorchBytes) }, nil},
}

func severalDevices(r *prediction) bool { return r.Devices > 1 }

func plain(v float64) string       { return fmt.Sprintf("%.3g", v) }
func micros(ms float64) string     { return fmt.Sprintf("%.3g us", 1e3*ms) }
func gigabytes(bytes int64) string { return fmt.Sprintf("%.2f GB", float64(bytes)/1e9) }

// newOrigins returns where the constants of a deployment come from: the built-in ones,
// and those that a profile has in their place.
func newOrigins(p *roofline.Plan, profile string) []origin {
	d := p.Deployment()
	builtin := d
	builtin.Constants = roofline.Constants{}
	own := roofline.Defaults(builtin)
	var out []origin
	for _, o := range roofline.Origins(d) {
		if constant(d.Constants, o.Field) != constant(own, o.Field) {
			o = roofline.Origin{Field: o.Field, Source: profile}
		}
		shown := shownAs(o.Field)
		x := origin{Constant: shown.key, Factors: []factor{}, Times: known(o.Times, 0), Cores: known(o.Cores, 0), Limit: known(o.Limit, 0), Source: known(o.Source, ""), shown: shown}
		if peak, _ := p.Products(); o.Field == "MFU" {
			x.Of = known(peak/1e12, 0)
		}
		for _, f := range o.Factors {
			x.Factors = append(x.Factors, factor{f.Name, f.Value, f.Rows, f.Rows == 0})
		}
		out = append(out, x)
	}
	return out
}

// constant returns the value of a field.
func constant(c roofline.Constants, field string) any {
	return reflect.ValueOf(c).FieldByName(field).Interface()
}

// shownAs returns how the constant of a field is shown.
func shownAs(field string) shownConstant {
	for _, s := range shownConstants {
		if s.field == field {
			return s
		}
	}
	panic("constant " + field + " is not shown")
}

// writeConstants prints the constants and where each comes from; nothing for an ideal
// engine.
func (r *prediction) writeConstants(w io.Writer) {
	for i, o := range r.Origins {
		if i == 0 {
			fmt.Fprintf(w, "\nconstants\tvalue\tfrom\n")
		}
		if s := o.shown; s.matters == nil || s.matters(r) {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", s.label, s.text(r.Constants), o.text())
		}
	}
}

func (o origin) text() string {
	of := ""
	if o.Of != nil {
		of = fmt.Sprintf(", of %s TFLOPS", plain(*o.Of))
	}
	if o.Source != nil {
		return *o.Source + of
	}
	var factors []string
	for _, f := range o.Factors {
		behind := counted(f.Rows, "measurement")
		if f.Assumed {
			behind = "assumed"
		}
		factors = append(factors, fmt.Sprintf("%s %.3g (%s)", f.Name, f.Value, behind))
	}
	text := strings.Join(factors, " x ")
	if o.Times != nil {
		text += fmt.Sprintf(" x %g, for sums in 32 bits halve this board's rate and nothing else", *o.Times)
	}
	if o.Cores != nil {
		text += fmt.Sprintf(" x %d cores", *o.Cores)
	}
	if o.Limit != nil {
		text += fmt.Sprintf(", at most %g", *o.Limit)
	}
	return text + of
}
