package roofline

import (
	"fmt"

	"halfsecond/mockllm/catalog"
)

// notes are sentences for a reader of figures.
type notes []string

// add adds a sentence when it is true.
func (n *notes) add(when bool, format string, args ...any) {
	if when {
		*n = append(*n, fmt.Sprintf(format, args...))
	}
}

// Notes returns what a reader of the plan's figures should know about them.
func (p *Plan) Notes() []string {
	var n notes
	p.noteFigures(&n)
	p.noteExperts(&n)
	p.noteFormat(&n)
	p.noteDevices(&n)
	n.add(p.d.Constants.Note != "", "%s", p.d.Constants.Note)
	return n
}

// noteFigures tells of figures that are unknown, or another one than expected.
func (p *Plan) noteFigures(n *notes) {
	m, h := p.d.Model, p.d.Hardware
	flops, _ := FP16.rate(h)
	n.add(p.d.Engine.Support(h) == catalog.Ported, "%s runs on %s by a port of which no measurement was read: its speed is taken from other software there", p.d.Engine.Name, h.Name)
	n.add(!m.HasShape(), "the model's shape is unknown: attention, KV cache and fixed costs per layer are left out")
	n.add(flops == 0, "the compute rate is unknown: steps are taken as bound by memory, and prefill is unknown%s", p.cure())
	n.add(m.HasShape() && h.Memory == 0 && p.d.KVTokens == 0, "the memory of %s is unknown, so nothing tells whether the model fits: state memory_GB of hardware of your own, or the tokens that the cache holds", h.Name)
	n.add(h.FP16 > 0 && h.FP32 > h.FP16, "%s multiplies faster in 32 bits than in 16: its 32-bit rate is used", h.Name)
	n.add(m.Window > 0, "%s has a sliding window of %d tokens in part of its layers, which keep no more of a sequence: KV tokens are those that one sequence can have", m.Name, m.Window)
}

// noteExperts tells how well a mixture of experts is known.
func (p *Plan) noteExperts(n *notes) {
	m, cost := p.d.Model, p.d.Constants.ExpertFixed
	n.add(p.d.serves() && m.Experts > 0 && cost > 0,
		"each of the %d layers with experts costs %v more than a dense one, by published times of single kernels on NVIDIA's boards; no measurement of a whole server with experts was read, and a few sequences may still come out too fast", m.ExpertLayers(), cost)
	n.add(p.d.serves() && m.KVRank > 0, "what the kernels of latent attention cost beside those of plain attention is left out")
	n.add(m.Experts > 0, "%s has %d experts a layer, of which each token reads %d as if drawn evenly: real routing is skewed, so small batches read fewer", m.Name, m.Experts, m.ActiveExperts)
}

// noteFormat tells of weights that the engine or the hardware treats otherwise.
func (p *Plan) noteFormat(n *notes) {
	h, w := p.d.Hardware, p.d.Weights
	_, unpacked := w.rate(h)
	n.add(!w.readBy(readerOf(p.d.Engine, h)), "%s is not a format that %s usually reads on %s", w, p.d.Engine.Name, h.Name)
	n.add(unpacked && w.narrow(), "%s does not multiply faster in %s than in 16 bits: weights are unpacked to 16 bits first", h.Name, w)
}

// deviceLimit is how many devices one machine commonly has.
const deviceLimit = 8

// noteDevices tells how several devices are taken to be joined.
func (p *Plan) noteDevices(n *notes) {
	h := p.d.Hardware
	n.add(p.d.tensor() > 2 && bridged(h), "NVLink bridges join %s in pairs: all-reduce between pairs crosses PCIe", h.Name)
	n.add(p.d.Devices() > deviceLimit && h.Vendor == "NVIDIA", "%d devices are joined as if they were in one machine", p.d.Devices())
	n.add(p.d.tensor() > 1 && h.Family == "geforce", "consumer boards have no peer-to-peer copies: communication may be slower than this")
	n.add(p.d.Split == catalog.SplitLayer && p.stages > 1, "layers are divided among %d devices, which work one after the other: a token takes as long as on one device", p.stages)
}
