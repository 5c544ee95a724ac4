package observe_test

import (
	"testing"
	"time"

	"halfsecond/simulators/ide/recording"
)

// BenchmarkReport computes a report of 1500 prompts of nearly 1000 tokens.
func BenchmarkReport(b *testing.B) {
	source, err := recording.BuiltIn().Replay(22)
	if err != nil {
		b.Fatal(err)
	}
	o, _ := observed(b, source, 1500)
	b.ReportAllocs()
	for b.Loop() {
		o.Report(false)
	}
	b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N)/1500)/float64(time.Microsecond), "us/request")
}
