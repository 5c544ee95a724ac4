package roofline

import (
	"fmt"
	"math"

	"halfsecond/mockllm/catalog"
)

// Head returns the plan of a drafting head of the model, as EAGLE trains one and
// DeepSeek-V3 has one for multi-token prediction: a layer like the model's last, with a
// matrix before it that joins the model's last vector and the embedding of its token
// (2*d x d), and the model's own embedding and output head. It runs on the same
// devices, or on the last of those that share by layers, with the same code in the
// same formats; its constants are the plan's, and a pass takes what Engine.DraftPass
// says on top. The error says why there is none.
//
// Sources: Li et al., "EAGLE", arXiv:2401.15077, section 3; DeepSeek-V3 technical report,
// arXiv:2412.19437, section 2.2; read 2026-11-29.
func (p *Plan) Head() (*Plan, error) {
	if !p.d.Model.HasShape() {
		return nil, fmt.Errorf("%s: a drafting head of a model of unknown shape is unknown", p.d.Model.Name)
	}
	d := p.d
	d.Model, d.KVTokens, d.Stages = headOf(d.Model), 0, 1
	if d.Split == catalog.SplitLayer {
		d.GPUs = 1
	}
	h, err := New(d)
	if err != nil {
		return nil, err
	}
	h.head = true
	h.fixedBase += nanoseconds(d.Engine.DraftPass.Seconds())
	return h, nil
}

// headOf returns the head as a model. Its joining matrix counts as a wider MLP, or as
// the nearest number of shared experts.
func headOf(m catalog.Model) catalog.Model {
	m.Name, m.Layers, m.DenseLayers, m.Window, m.WindowShare = "drafting head of "+m.Name, 1, 0, 0, 0
	wider := float64(m.Hidden) // with the parameters of the joining matrix, of an MLP of two matrices
	if m.Gated {
		wider *= 2. / 3
	}
	if m.Experts > 0 {
		m.SharedExperts += int(math.Round(wider / float64(m.FFN)))
	} else {
		m.FFN += int(math.Round(wider))
	}
	return m
}
