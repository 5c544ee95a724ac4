// Package roofline tells how long one step of an inference engine takes, and how
// much it can hold, from the shape of the model and the figures of the hardware.
//
// Read step.go first: the equation of a step. deployment.go turns a model on some
// hardware into the coefficients of that equation; format.go says what weights
// weigh and how fast they multiply; constants.go holds the efficiencies and fixed
// costs, each with its source; memory.go the bytes of weights and cache.
//
// The equation, with T tokens of which B sequences in the step, on n devices:
//
//	step    = max(matmul compute, matmul memory) + max(attention compute, attention memory) + communication + fixed
//	matmul compute    = 2 * P * (T + T_half) / (n * F * MFU) + 2 * logits * V*d / (n * F * MFU)
//	matmul memory     = (bytes of the layers + bytes of the head, if any logits) / (n * BW * MBU)
//	attention compute = 4 * pairs * H*h * L / (n * F16 * MFU_att)
//	attention memory  = cached tokens * bytes a token * max(1/n, 1/G) / (BW * MBU_att)
//	communication     = 2 * L * (latency + 2*(n-1)/n * T*d*2 bytes / (bus share * link)), 0 on one device
//	fixed             = a_step + a_layer*L + a_seq*B
//
// P are the parameters of the layers' matrices, d the hidden width, V the
// vocabulary, L the layers, H and G the query and cache heads, h their width, F
// and F16 the peak rates at the precision of the weights and at 16 bits, BW the
// memory bandwidth. Matmul and attention run one after the other, so they add up;
// within each, computing overlaps reading, so the slower of the two counts. Prefill
// chunks and decode tokens of one step share one pass over the weights.
//
// All functions are pure: no clock, no I/O. Models are dense; a mixture of experts
// and latent attention are refused, and a sliding window is computed as full
// attention, which a note says.
package roofline
