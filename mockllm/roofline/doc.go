// Package roofline tells how long one step of an inference engine takes, and how
// much it can hold, from the shape of the model and the figures of the hardware.
//
// Read step.go first: the equation of a step; batch.go holds the sums it takes.
// deployment.go is what can be asked about, and plan.go turns it into the
// coefficients of the equation, with attention.go and parallel.go for their terms.
// format.go and kv_format.go say what weights and cached values weigh and how fast
// they multiply, readers.go who reads which; memory.go counts the bytes of weights and
// cache, room.go how many sequences the cache holds; head.go derives a drafting head
// from its model. constants.go holds what no datasheet tells: kernels.go says which
// deployments share a constant, fitted.go and fitted.csv hold what was fitted to
// measurements, priors.go what is assumed before, allreduce.go what joins devices.
// notes.go says in words what a figure rests on.
//
// The equation, with T tokens of B sequences in the step, N of which need the output
// head, on n devices that share each layer:
//
//	step   = max(device, launches) + a_step + a_seq*B       when the host launches while the device works
//	step   = device + launches + a_step + a_seq*B           when it does not
//	device = matmul + max(attention compute, attention memory) + scores + activations + communication
//
//	matmul  = max(compute, memory) + x * min(compute, memory)
//	compute = 2 * (P*T + N*V*d) / (n * rate)
//	rate    = F * MFU, except
//	          R * MFU                        for portable code on hardware with a portable rate R
//	          F * min(max(.95, MFU), 2*MFU)  for tuned code that adds up 16-bit products in 32 bits on a GeForce board
//	memory  = (bytes of the layers and, if N > 0, of the head + read * bytes of an expert / MBU_exp) / (n * BW * MBU)
//	read    = E * (1 - (1-k/E)^T) experts a layer; MBU_exp is 1 for E < 32
//
//	attention compute = operations / (n * F16 * MFU_att), 4*H*h a layer and pair
//	attention memory  = context * bytes a token * max(1/n, 1/G) / (BW * MBU_att * dequant)
//	scores            = 16 bytes * pairs * H * L / (n * BW * MBU_att), without flash attention; else 0
//	activations       = a_act * (1 + 1.4/n) * T * 2*d bytes * L / (BW * MBU)
//
//	communication   = 2*L * allreduce(T * 2*d bytes, n) + (s-1) * allreduce(T * 2*d bytes, 2)
//	allreduce(m, n) = latency + 2*(n-1)/n * m / (share * link), and 0 on one device
//	launches        = a_layer*L + a_expert*(layers with experts)
//
// Of the model: L layers of the hidden width d, H query heads and G heads of keys and
// values, h wide; the vocabulary V; P the parameters of the layers' matrices that one
// token is multiplied with, which in a mixture of experts are k of E experts a layer
// and those that are shared. Matrices that make what is cached are divided among devices
// as the cache is, by max(1/n, 1/G), and with latent attention every device has all of
// them; so they count n*max(1/n, 1/G) times, or n times, in compute and memory.
//
// Of the batch: pairs are a token and one that it attends to, q * (before + q/2) of a
// sequence with q tokens in the step and so many before; context is the sum of
// before + q. Of layers with a sliding window of W tokens, tokens beyond it are
// neither read nor multiplied. With latent attention every device reads all that is
// cached, and pairs take other operations in decode than in a chunk, which makes keys
// and values of the cached again: pairFLOPs says how many.
//
// Of the hardware: BW the memory bandwidth, link the rate of the interconnect in one
// direction, F and F16 the peak rates at the precision of the weights and at 16 bits.
// Weights that the hardware cannot multiply as they are have the rate of 16 bits.
//
// Of the engine, Constants: MFU, MFU_att, MBU, MBU_att, MBU_exp, dequant (1 unless the
// cache takes less than 2 bytes a value), x (Exposed), a_act (Activations), a_step,
// a_layer, a_seq and a_expert (the fixed costs), latency and share.
//
// Matmul and attention run one after the other, so they add up; within each,
// computing overlaps reading, so the slower of the two counts, and of the matrices'
// faster one the share that is not hidden. Prefill chunks and decode tokens of one
// step share one pass over the weights.
//
// Layers can be divided among s stages, and the tokens of a step can be cut into
// micro-batches, each of which is a step of the equation: parallel.go says how they
// pass the stages. Replicas side by side are none of this package's business.
//
// All functions are pure: no clock, no I/O.
//
// What it leaves out: routing is even, and experts are not spread over devices each by
// itself; all devices are taken to be in one machine; the kernels of latent attention
// cost as much as those of plain attention; a shared expert costs what reading it
// takes. The head, and what a mixture of experts keeps in 16 bits, are multiplied with
// the MFU of the other weights. A product of few tokens is as efficient as one of many
// but for what it has to read. Attention reaches the same share of the peak at every
// length.
package roofline
