package ide

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/typing"
)

// BenchmarkKeys lets one person type b.N keys, with a model of eight slots that
// always takes as long: whole traces included.
func BenchmarkKeys(b *testing.B) {
	for _, c := range []struct {
		name   string
		cancel plugin.Cancel
		reuse  plugin.Reuse
	}{
		{"none", plugin.CancelNone, plugin.ReuseNone},
		{"wire", plugin.CancelWire, plugin.ReuseNone},
		{"wire and reuse", plugin.CancelWire, plugin.TypedAsSuggested},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			who := typist(b, "go-handler", "average")
			r := newRig(b, 8, 60*ms, 8*ms)
			r.config.Plugin = plugin.Rules{Wait: plugin.Wait{For: 75 * ms}, Cancel: c.cancel, Reuse: c.reuse, Prompt: shape(1000, 200), MaxTokens: 20}
			r.config.Right = .6
			r.config.Typing = func(user int) typing.Source { return who.Type(1, user) }
			s, err := New(r.config)
			if err != nil {
				b.Fatal(err)
			}
			requests := 0
			s.Start(0, b.N, func(t *pipeline.Trace) { requests += len(t.Requests) }, func() {})
			b.ResetTimer()
			if err := r.virtual.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "keys/s")
			b.ReportMetric(float64(requests)/float64(b.N), "requests/key")
		})
	}
}

func BenchmarkSession(b *testing.B) {
	for b.Loop() {
		r := newRig(b, 1, 60*ms, 8*ms)
		y := recorded(b, 22)
		if n := len(r.run(1, 1<<30, func(int) typing.Source { return y })); n != 1269 {
			b.Fatalf("%d keys, want 1269", n)
		}
	}
}
