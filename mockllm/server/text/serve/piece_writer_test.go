package serve_test

import (
	"testing"
	"time"

	"halfsecond/mockllm/server/text/serve"
	"halfsecond/mockllm/server/text/stand"
	"halfsecond/pipeline"
)

// TestClientThatDoesNotRead: it is given up when a write has waited for as long as it may,
// counted from the last deadline, and its slot goes to the next.
func TestClientThatDoesNotRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		reads time.Duration // how long it reads before it stops
		left  time.Duration
	}{
		{"from the start", 0, 100*time.Millisecond + 30*time.Second},
		{"after a while", 14 * time.Second, 100*time.Millisecond + 30*time.Second},
		{"after a new deadline", 16 * time.Second, 15*time.Second + 110*time.Millisecond + 30*time.Second},
	} {
		stand.Run(t, serve.Config{Models: []serve.Model{stand.Fixed("m", 100_000)}}, func(r *stand.Stand) {
			begun := time.Now()
			a := r.Do("/v1/completions", `{"model":"m","prompt":"a","stream":true,"ignore_eos":true,"max_tokens":50000}`)
			defer a.Body.Close()
			for b := make([]byte, 4096); time.Since(begun) < c.reads; {
				if _, err := a.Body.Read(b); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Minute)
			entries, _ := r.Ledger.Latest(1)
			if len(entries) != 1 || entries[0].Outcome != pipeline.Cancelled || entries[0].Left != c.left {
				t.Errorf("%s: %+v, want it cancelled at %s", c.name, entries, c.left)
			}
		})
	}
}
