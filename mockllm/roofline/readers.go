package roofline

import (
	"slices"

	"halfsecond/mockllm/catalog"
)

// readers are kinds of software by the formats of weights that they read.
type readers uint8

const (
	servers readers = 1 << iota // vLLM and its like, transformers and what is built on it
	boards                      // exllamav2 and its like
	gguf                        // llama.cpp and what is built on it
	mlx
)

// readerOf returns the kind of an engine on some hardware.
func readerOf(e catalog.Engine, h catalog.Hardware) readers {
	switch {
	case e.Name == "mlx":
		return mlx
	case e.Kernels == "llama.cpp" || e.Kernels == "ik":
		return gguf
	case h.Family == "apple":
		return mlx // ports of servers read mlx's files there
	case e.Kernels == "local":
		return boards
	}
	return servers
}

// Of returns the format itself, or for Native that in which the model was published, as
// the engine reads it on the hardware: 16 bits where it has none of that kind.
func (f Format) Of(m catalog.Model, e catalog.Engine, h catalog.Hardware) Format {
	if f != Native {
		return f
	}
	published, err := formatNamed(m.Weights)
	if err != nil {
		return FP16 // a model of which only the size is known
	}
	r := readerOf(e, h)
	if published == MXFP4 && mxfp4File.readBy(r) {
		return mxfp4File
	}
	if published.readBy(r) {
		return published
	}
	return FP16
}

// readBy reports whether software of that kind reads the format. One that has no name
// is taken as read by all.
func (f Format) readBy(r readers) bool {
	for _, g := range formats {
		if g.Format == f {
			return g.readers&r != 0
		}
	}
	return true
}

// Readable lists the formats that the deployment's engine reads on its hardware and, if
// they are meant to be multiplied in fewer bits, can multiply so.
func (d Deployment) Readable() []Format {
	d = d.filled()
	return slices.DeleteFunc(Formats(), func(f Format) bool {
		_, unpacked := f.rate(d.Hardware)
		return !f.readBy(readerOf(d.Engine, d.Hardware)) || unpacked && f.narrow() || f.steady > 0 && d.Model.Experts == 0
	})
}
