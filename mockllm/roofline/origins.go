package roofline

// Factor is a named constant of which others are made.
type Factor struct {
	Name  string
	Value float64
	Rows  int // measurements that it was fitted to; 0 when it is assumed
}

// Origin says where one of the built-in constants of a deployment comes from: either
// it is the product of some factors, or Source names what it was taken from.
type Origin struct {
	Field   string   // of Constants
	Factors []Factor // in the units of Values
	Times   float64  // by which the product is multiplied, where a GeForce board halves the rate but not the chip behind it; else 0
	Cores   int      // by which the product is multiplied, where it is a cost a core; else 0
	Limit   float64  // which is used instead of a product that exceeds it; else 0
	Source  string
}

// What constants that no measurement of an engine determined were taken from;
// constants.go and allreduce.go have the details.
const (
	ofProfiles      = "vidur's profiles of layers and all-reduces"
	ofInferenceSim  = "inference-sim's fit to vLLM on H100"
	ofItsMemory     = "inference-sim"
	ofExpertKernels = "timings of single kernels by vLLM and SGLang"
	ofNoCost        = "left out for this engine"
	ofEstimate      = "an estimate"
)

// Origins tells where the constants of Defaults come from, in the order of the fields. For
// the MFU it tells where the share comes from that Plan.Products returns.
func Origins(d Deployment) []Origin {
	d = d.filled()
	n := d.names()
	scheduler, experts, bus := ofNoCost, ofNoCost, ofProfiles
	if d.serves() {
		scheduler, experts = ofInferenceSim, ofExpertKernels
	}
	if d.Hardware.Interconnect == "Infinity Fabric" {
		bus = "AMD's guide to RCCL and an estimate"
	}
	use, working, beside := d.memorySources()
	layer := origin("LayerFixed", n.layer, "")
	if n.perCore > 1 {
		layer.Cores = int(n.perCore)
	}
	return []Origin{
		d.used(limited(origin("MFU", n.mfu, ""), mostMFU)),
		origin("AttentionMFU", nil, "the low end of what FlashAttention 2 and 3 reach"),
		limited(origin("MBU", n.mbu, ""), mostMBU),
		limited(origin("AttentionMBU", n.mbu, ""), mostMBU),
		origin("KVDequant", nil, ofEstimate),
		origin("Exposed", nil, ofProfiles),
		origin("ExpertMBU", nil, "mlx-lm's speeds of a dense model and of one of experts"),
		origin("Activations", n.activations, ofProfiles),
		origin("StepFixed", nil, scheduler),
		layer,
		origin("ExpertFixed", nil, experts),
		origin("SequenceFixed", n.sequence, scheduler),
		origin("AllReduceLatency", nil, bus),
		origin("BusShare", nil, bus),
		origin("MemoryUse", nil, use),
		origin("WorkingMemory", nil, working),
		origin("NonTorch", nil, beside),
	}
}

// memorySources names what the constants of memory were taken from: the share used, what
// it takes to work, and the driver's.
func (d Deployment) memorySources() (use, working, beside string) {
	switch {
	case d.kernels() == "metal":
		return "the system's limit, from memory", ofEstimate, ofNoCost
	case !d.serves():
		return ofEstimate, ofEstimate, ofItsMemory
	}
	return "vLLM's default", "inference-sim, and a run of vLLM on an RTX 4090", ofItsMemory
}

// origin returns that of a field which is the product of some names, or where there
// are none was taken from a source.
func origin(field string, names []string, source string) Origin {
	if len(names) > 0 {
		return Origin{Field: field, Factors: factors(names)}
	}
	return Origin{Field: field, Source: source}
}

// limited returns an origin with the limit that its product exceeds, if it does.
func limited(o Origin, most float64) Origin {
	product := max(1, o.Times)
	for _, f := range o.Factors {
		product *= f.Value
	}
	if product > most {
		o.Limit = most
	}
	return o
}

// used turns the origin of the MFU into that of the share that Plan.Products gives.
func (d Deployment) used(o Origin) Origin {
	if flops, _ := d.Weights.rate(d.Hardware); !d.halved(flops) {
		return o
	}
	o.Times = wholeChip
	o.Limit = 0
	return limited(o, fullMFU)
}

func factors(names []string) []Factor {
	var out []Factor
	for _, name := range names {
		out = append(out, Factor{name, builtIn().value(name), fittedTable()[name].rows})
	}
	return out
}
