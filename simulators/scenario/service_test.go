package scenario

import (
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/pipeline"
)

// first builds a service and returns the time to the first token of a lone prompt.
func first(s Service, prompt int) time.Duration {
	var loop pipeline.Virtual
	q := &engine.Request{Prompt: prompt, Output: 1, Done: func(pipeline.Outcome) {}}
	s.Build(&loop).Submit(q)
	loop.RunUntil(pipeline.LastInstant)
	return q.Last
}

// TestServiceIsNewEachTime: what is built has no memory of what was built before. A
// replica that has to be loaded is as cold the second time.
func TestServiceIsNewEachTime(t *testing.T) {
	for _, llm := range []string{
		"{model: Llama-3.1-8B, hardware: L40S, cold_start: 5s}",
		"{model: Llama-3.1-8B, hardware: L40S, cold_start: 5s, replicas: 2}",
	} {
		m, _ := parse(t, served(llm)).LLM()
		s, err := m.Service(1)
		if err != nil {
			t.Fatal(err)
		}
		one, two := first(s, 100), first(s, 100)
		if one != two || one < 5*time.Second {
			t.Errorf("%s: the first token after %s, and built again after %s; want the same, 5s to load included", llm, one, two)
		}
	}
}

// TestService: the API server's cost comes before the engine, and what has latencies
// only is a service too.
func TestService(t *testing.T) {
	m, _ := parse(t, served("{model: Llama-3.1-8B, hardware: L40S}")).LLM()
	s, err := m.Service(1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Engine.Replica()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := first(s, 1000), r.First(1000)+4*time.Millisecond; got != want { // 2 ms a request and 2 us a token
		t.Errorf("the first token of 1000 after %s, want %s", got, want)
	}
	if s.Name != "Llama-3.1-8B" || !s.Shares || s.Addresses || s.Context != r.Context() {
		t.Errorf("the service is %+v", s)
	}
	m, _ = parse(t, served("{ttft: 180ms, tokens_per_second: 50}")).LLM()
	if s, err = m.Service(1); err != nil || s.Name != "hosted" || s.Shares || first(s, 1000) != 180*time.Millisecond {
		t.Errorf("a model of latencies is %+v, error %v, first token after %s", s, err, first(s, 1000))
	}
}

// TestColdStart: a time that is stated is that of every load. With auto it is what the
// engine takes for the weights: from an SSD of 5 GB/s the first time and from the page
// cache later, at the rate of its loaders. The engine's habit unloads an idle model.
func TestColdStart(t *testing.T) {
	const weights = 16.059990016 // GB of Llama-3.1-8B
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, c := range []struct {
		keys                string
		load, reload, sleep time.Duration
	}{
		{"hardware: L40S, cold_start: 5s", 5 * time.Second, 5 * time.Second, 0},
		{"hardware: L40S, cold_start: auto", seconds(33 + weights), seconds(33 + weights), 0}, // a loader takes in 1 GB/s
		{"hardware: L40S, gpus: 8, cold_start: auto", seconds(33 + weights/5), seconds(33 + weights/8), 0},
		{"hardware: L40S, engine: ollama, cold_start: auto", seconds(1 + weights/1.7), seconds(1 + weights/1.7), 5 * time.Minute},
		{"hardware: L40S, engine: ollama, cold_start: 3s, idle_unload: 0s", 3 * time.Second, 3 * time.Second, 0},
		{"hardware: L40S", 0, 0, 0},
	} {
		m, _ := parse(t, served("{model: Llama-3.1-8B, "+c.keys+"}")).LLM()
		s, err := m.Service(1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := m.Engine.Replica()
		if err != nil {
			t.Fatal(err)
		}
		cold, err := m.Engine.cold(r)
		if err != nil {
			t.Fatal(err)
		}
		near := func(got, want time.Duration) bool { return (got - want).Abs() < time.Microsecond }
		if !near(cold.Load, c.load) || !near(cold.Reload, c.reload) || cold.Idle != c.sleep || s.Load != cold.Load {
			t.Errorf("%s: %+v, want %s, %s, idle %s", c.keys, cold, c.load, c.reload, c.sleep)
		}
		if got, want := first(s, 100), c.load; got < want || got > want+time.Second {
			t.Errorf("%s: the first token after %s, want some after %s", c.keys, got, want)
		}
	}
}
