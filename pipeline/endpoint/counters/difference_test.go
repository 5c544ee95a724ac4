package counters

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/trace"
)

const ms = time.Millisecond

// vllm is a page of vLLM's with so many requests of a model, each of 100 ms in the queue,
// from an engine of that number.
func vllm(model, engine string, n int) string {
	labels := fmt.Sprintf(`model_name="%s",engine="%s"`, model, engine)
	return fmt.Sprintf(`vllm:num_requests_running{%[1]s} 3.0
vllm:prompt_tokens_total{%[1]s} %[3]d.0
vllm:request_queue_time_seconds_bucket{le="0.05",%[1]s} 0.0
vllm:request_queue_time_seconds_bucket{le="0.5",%[1]s} %[2]d.0
vllm:request_queue_time_seconds_bucket{le="+Inf",%[1]s} %[2]d.0
vllm:request_queue_time_seconds_count{%[1]s} %[2]d.0
vllm:request_queue_time_seconds_sum{%[1]s} %[4]g
vllm:e2e_request_latency_seconds_bucket{le="+Inf",%[1]s} %[2]d.0
vllm:e2e_request_latency_seconds_count{%[1]s} %[2]d.0
vllm:e2e_request_latency_seconds_sum{%[1]s} %[5]g
`, labels, n, 50*n, .1*float64(n), 1.5*float64(n))
}

// typed puts the lines before a page that say what its metrics are.
func typed(pages ...string) []byte {
	var b strings.Builder
	b.WriteString("# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.\n# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds 1.79e+09\n")
	for name, kind := range map[string]string{
		"vllm:num_requests_running": "gauge", "vllm:prompt_tokens_total": "counter",
		"vllm:request_queue_time_seconds": "histogram", "vllm:e2e_request_latency_seconds": "histogram",
	} {
		fmt.Fprintf(&b, "# TYPE %s %s\n", name, kind)
		for _, p := range pages {
			for line := range strings.Lines(p) {
				if strings.HasPrefix(line, name) {
					b.WriteString(line)
				}
			}
		}
	}
	return []byte(b.String())
}

// TestDifference: what a run caused is the difference; engines are added up, other models
// are left out, and what was not there before began at zero.
func TestDifference(t *testing.T) {
	got, err := difference(typed(vllm("m", "0", 7), vllm("other", "0", 90)), typed(vllm("m", "0", 17), vllm("m", "1", 2), vllm("other", "0", 95)), "m")
	want := trace.Counters{
		Software: "vLLM", Label: "m",
		Times: []trace.CountedTime{
			{Name: "queue", N: 12, Sum: 1200 * ms, Buckets: []trace.Bucket{{Most: 50 * ms, N: 0}, {Most: 500 * ms, N: 12}}},
			{Name: "e2e", N: 12, Sum: 18 * time.Second},
		},
		Counts: []trace.Count{{Name: "prompt_tokens", N: 600}, {Name: "running_before", N: 3}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if n := got.Requests(); n != 12 {
		t.Errorf("%d requests ended, want 12", n)
	}
}

// TestOtherModelsRestart: engines of other models may go, and lines of one label set in another
// order are the same.
func TestOtherModelsRestart(t *testing.T) {
	swapped := strings.NewReplacer(`model_name="m",engine="0"`, `engine="0",model_name="m"`)
	got, err := difference(typed(vllm("m", "0", 7), vllm("other", "0", 90), vllm("other", "1", 90)), []byte(swapped.Replace(string(typed(vllm("m", "0", 17), vllm("other", "0", 5))))), "m")
	if err != nil || got.Requests() != 10 {
		t.Errorf("%d requests, error %v; want 10", got.Requests(), err)
	}
}

// TestLabels: the only model there is counts under whatever name it is asked for; of
// several one has to have its name.
func TestLabels(t *testing.T) {
	got, err := difference(typed(vllm("org/model", "0", 1)), typed(vllm("org/model", "0", 3)), "alias")
	if err != nil || got.Label != "org/model" || got.Requests() != 2 {
		t.Errorf("got %+v, %v; want 2 requests of org/model", got, err)
	}
	_, err = difference(typed(vllm("a", "0", 1)), typed(vllm("a", "0", 3), vllm("b", "0", 3)), "c")
	if want := "its metrics are of the models a, b, and of none that is called c"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestLlamaCPP: it counts neither requests nor how many times it adds up.
func TestLlamaCPP(t *testing.T) {
	page := func(prompt, cached, seconds, output, decode string) []byte {
		return fmt.Appendf(nil, "# TYPE llamacpp:prompt_tokens_total counter\nllamacpp:prompt_tokens_total %s\n# TYPE llamacpp:prompt_tokens_cached_total counter\nllamacpp:prompt_tokens_cached_total %s\n"+
			"# TYPE llamacpp:prompt_seconds_total counter\nllamacpp:prompt_seconds_total %s\n# TYPE llamacpp:tokens_predicted_total counter\nllamacpp:tokens_predicted_total %s\n"+
			"# TYPE llamacpp:tokens_predicted_seconds_total counter\nllamacpp:tokens_predicted_seconds_total %s\n", prompt, cached, seconds, output, decode)
	}
	got, err := difference(page("10", "5", "0.25", "100", "4"), page("40", "35", "0.75", "200", "7.5"), "m")
	want := trace.Counters{
		Software: "llama.cpp",
		Times: []trace.CountedTime{
			{Name: "prefill", N: pipeline.UnknownCount, Sum: 500 * ms}, {Name: "decode", N: pipeline.UnknownCount, Sum: 3500 * ms},
			{Name: "token", N: 100, Sum: 3500 * ms},
		},
		Counts: []trace.Count{{Name: "prompt_tokens", N: 60}, {Name: "output_tokens", N: 100}, {Name: "looked_up_tokens", N: 60}, {Name: "cached_tokens", N: 30}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	if got.Requests() != pipeline.UnknownCount {
		t.Errorf("%d requests, want none counted", got.Requests())
	}
}

// TestOthers: the names of SGLang and TGI, the latter with a summary where its exporter has
// no buckets, and nothing before the first request.
func TestOthers(t *testing.T) {
	sglang := func(n int) []byte {
		return fmt.Appendf(nil, "# TYPE sglang:queue_time_seconds histogram\nsglang:queue_time_seconds_bucket{le=\"0.0\",model_name=\"m\",tp_rank=\"0\"} %[1]d\nsglang:queue_time_seconds_bucket{le=\"+Inf\",model_name=\"m\",tp_rank=\"0\"} %[1]d\n"+
			"sglang:queue_time_seconds_sum{model_name=\"m\",tp_rank=\"0\"} 0\nsglang:queue_time_seconds_count{model_name=\"m\",tp_rank=\"0\"} %[1]d\n"+
			"# TYPE sglang:prompt_tokens_total counter\nsglang:prompt_tokens_total{model_name=\"m\"} %[2]d\n# TYPE sglang:cached_tokens_total counter\nsglang:cached_tokens_total{model_name=\"m\"} %[3]d\n"+
			"# TYPE sglang:num_requests_total counter\nsglang:num_requests_total{model_name=\"m\"} %[1]d\n", n, 100*n, 40*n)
	}
	got, err := difference(sglang(3), sglang(8), "m")
	want := trace.Counters{
		Software: "SGLang", Label: "m",
		Times: []trace.CountedTime{{Name: "queue", N: 5, Buckets: []trace.Bucket{{N: 5}}}},
		Counts: []trace.Count{
			{Name: "requests", N: 5}, {Name: "prompt_tokens", N: 500}, {Name: "looked_up_tokens", N: 500}, {Name: "cached_tokens", N: 200},
		},
	}
	if err != nil || !reflect.DeepEqual(got, want) || got.Requests() != 5 {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	respelled := func(page []byte) []byte { return bytes.ReplaceAll(page, []byte("sglang:"), []byte("sglang_")) }
	if got, err := difference(respelled(sglang(3)), respelled(sglang(8)), "m"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("by its router: got %+v, %v\nwant %+v", got, err, want)
	}
	const tgi = "# TYPE tgi_queue_size gauge\ntgi_queue_size 0\n"
	got, err = difference([]byte(tgi), []byte(tgi+"# TYPE tgi_request_duration summary\ntgi_request_duration{quantile=\"0.5\"} 1\ntgi_request_duration_sum 9.5\ntgi_request_duration_count 4\n"), "m")
	want = trace.Counters{
		Software: "TGI", Times: []trace.CountedTime{{Name: "e2e", N: 4, Sum: 9500 * ms}}, Counts: []trace.Count{{Name: "waiting_before", N: 0}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

// TestOldNames: a server of another age has its figures under the names of that age.
func TestOldNames(t *testing.T) {
	page := func(n int) []byte {
		return fmt.Appendf(nil, "# TYPE vllm:time_per_output_token_seconds histogram\nvllm:time_per_output_token_seconds_bucket{le=\"+Inf\"} %[1]d\nvllm:time_per_output_token_seconds_sum %[2]g\nvllm:time_per_output_token_seconds_count %[1]d\n"+
			"# TYPE vllm:gpu_prefix_cache_hits_total counter\nvllm:gpu_prefix_cache_hits_total %[1]d\n", n, float64(n)/4)
	}
	got, err := difference(page(4), page(8), "m")
	want := trace.Counters{
		Software: "vLLM", Times: []trace.CountedTime{{Name: "itl", N: 4, Sum: time.Second}}, Counts: []trace.Count{{Name: "cached_tokens", N: 4}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

// TestUntold: what cannot be told is said, and no figure is made of it.
func TestUntold(t *testing.T) {
	whole := string(typed(vllm("m", "0", 7)))
	two := string(typed(vllm("m", "0", 7), vllm("m", "1", 7)))
	restarted := strings.Replace(string(typed(vllm("m", "0", 9))), "1.79e+09", "1.8e+09", 1)
	for _, c := range []struct{ name, before, after, want string }{
		{"a web page", "<!DOCTYPE html><html>", whole, `the page before the run cannot be read: it is no page of metrics: it begins "<!DOCTYPE html>"`},
		{"nothing", whole, " \n", `the page after the run cannot be read: it is no page of metrics: it begins ""`},
		{"cut", whole, whole[:len(whole)-40], "the page after the run cannot be read: text format parsing error in line"},
		{"binary", whole, "\x1f\x8b\x08\x00\x00", "the page after the run cannot be read: text format parsing error in line 1"},
		{"what the library stumbles at", whole, "{}m", "the page after the run cannot be read: it is no page of metrics"},
		{"another server", "up 1\n", "up 1\n", "the page has none of the metrics of vLLM, SGLang, TGI or llama.cpp"},
		{"a counter that went back", whole, string(typed(vllm("m", "0", 2))), errRestarted.Error()},
		{"a counter that is gone", whole, "# TYPE vllm:x counter\nvllm:x 1\n", errRestarted.Error()},
		{"a process that began later", whole, restarted, errRestarted.Error()},
		{"one engine of two that began anew", two, string(typed(vllm("m", "0", 90), vllm("m", "1", 2))), errRestarted.Error()},
		{"one engine of two that is gone", two, string(typed(vllm("m", "0", 90))), errRestarted.Error()},
		{"one engine in another's place", two, string(typed(vllm("m", "0", 90), vllm("m", "2", 90))), errRestarted.Error()},
	} {
		got, err := difference([]byte(c.before), []byte(c.after), "m")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !reflect.DeepEqual(got, trace.Counters{}) {
			t.Errorf("%s: got %+v, error %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestUnsound: a figure that no counter can have is left out, and the others stay.
func TestUnsound(t *testing.T) {
	before := string(typed(vllm("m", "0", 7)))
	after := string(typed(vllm("m", "0", 9)))
	for _, c := range []struct {
		name, old, odd string
		times, counts  int
	}{
		{"NaN", `_queue_time_seconds_sum{model_name="m",engine="0"} 0.9`, `_queue_time_seconds_sum{model_name="m",engine="0"} NaN`, 1, 2},
		{"endless", `_tokens_total{model_name="m",engine="0"} 450.0`, `_tokens_total{model_name="m",engine="0"} +Inf`, 2, 1},
		{"below zero", `_tokens_total{model_name="m",engine="0"} 450.0`, `_tokens_total{model_name="m",engine="0"} -4`, 2, 1},
		{"buckets that fall", `le="0.05",model_name="m",engine="0"} 0.0`, `le="0.05",model_name="m",engine="0"} 70`, 2, 2},
	} {
		page := strings.Replace(after, c.old, c.odd, 1)
		if page == after {
			t.Fatalf("%s: %q is not on the page", c.name, c.old)
		}
		got, err := difference([]byte(before), []byte(page), "m")
		if err != nil || len(got.Times) != c.times || len(got.Counts) != c.counts {
			t.Errorf("%s: got %+v, %v; want %d times and %d counts", c.name, got, err, c.times, c.counts)
		}
		if q := got.Time("queue"); q != nil && (q.N != 2 || q.Sum != 200*ms || c.name == "buckets that fall" && q.Buckets != nil) {
			t.Errorf("%s: queue %+v", c.name, q)
		}
	}
}

// TestSumsThatAreNone: figures of so many engines that their sum is no count any more.
func TestSumsThatAreNone(t *testing.T) {
	page := []byte("# TYPE vllm:prompt_tokens_total counter\n")
	for i := range 2000 {
		page = fmt.Appendf(page, "vllm:prompt_tokens_total{engine=\"%d\"} 9007199254740992\n", i)
	}
	got, err := difference([]byte("up 1\n"), page, "m")
	if err != nil || len(got.Counts) != 0 {
		t.Errorf("got %+v, %v; want no count", got, err)
	}
}

// FuzzDifference: two pages of any bytes give figures of things that were counted, or an
// error, and never one below zero.
func FuzzDifference(f *testing.F) {
	f.Add(typed(vllm("m", "0", 1)), typed(vllm("m", "0", 3)))
	f.Add([]byte("llamacpp:prompt_seconds_total 1\n"), []byte("llamacpp:prompt_seconds_total 2\nllamacpp:tokens_predicted_total NaN\n"))
	f.Add([]byte("# TYPE sglang:queue_time_seconds histogram\nsglang:queue_time_seconds_bucket{le=\"-1\"} 1e300\nsglang:queue_time_seconds_count -1\nsglang:queue_time_seconds_sum 1\n"), []byte("tgi_queue_size 1\n"))
	f.Add([]byte("<html>"), []byte("vllm:x{model_name=\"\\"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		c, err := difference(before, after, "m")
		if err != nil && !reflect.DeepEqual(c, trace.Counters{}) {
			t.Errorf("an error with figures: %v, %+v", err, c)
		}
		for _, n := range c.Counts {
			if n.N < 0 {
				t.Errorf("%+v", n)
			}
		}
		for _, x := range c.Times {
			if x.N < 1 && x.N != pipeline.UnknownCount || x.Sum < 0 {
				t.Errorf("%+v", x)
			}
			last := 0
			for _, b := range x.Buckets {
				if b.Most < 0 || b.N < last || b.N > x.N {
					t.Errorf("%+v", x)
				}
				last = b.N
			}
		}
	})
}
