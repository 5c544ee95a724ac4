package runner

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/trace"
	"halfsecond/simulators/scenario"
)

// recorded is a scenario with these rules of a plugin, and a recording beside it.
func recorded(t *testing.T, plugin, recording string) *scenario.Scenario {
	t.Helper()
	text := "halfsecond: 1\nkind: ide\nname: n\nide:\n  typist: {session: typed.jsonl}\n  llm: {ttft: 20ms, tokens_per_second: 1000}\n  plugin: {" + plugin + "}\n"
	s, err := scenario.Parse("test.yaml", []byte(text), func(name string) ([]byte, error) {
		if name != "typed.jsonl" {
			return nil, os.ErrNotExist
		}
		return []byte(recording), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// refusing takes requests only so long after the first, and says so to those before.
type refusing struct {
	quiet time.Duration
	began time.Time
	asked []time.Duration // when, since the first
}

func (r *refusing) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodPost {
		http.NotFound(w, q)
		return
	}
	_, _ = io.Copy(io.Discard, q.Body)
	if r.began.IsZero() {
		r.began = time.Now()
	}
	since := time.Since(r.began)
	if r.asked = append(r.asked, since); since < r.quiet {
		w.Header().Set("Retry-After", strconv.Itoa(int(r.quiet.Seconds())))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"text\":\"e\",\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// TestOnLimitKey: requests.on_limit changes what a service is asked that wants quiet.
func TestOnLimitKey(t *testing.T) {
	const keys = `{"ev":"content","t":0,"doc":1,"v":1,"text":""}
{"ev":"edit","t":1000,"doc":1,"v":2,"k":"char","edit":[[0,0,"a"]]}
{"ev":"edit","t":2000,"doc":1,"v":3,"k":"char","edit":[[1,1,"b"]]}
{"ev":"edit","t":3000,"doc":1,"v":4,"k":"char","edit":[[2,2,"c"]]}
{"ev":"edit","t":4000,"doc":1,"v":5,"k":"char","edit":[[3,3,"d"]]}
`
	for rule, want := range map[string][]time.Duration{
		"send": {0, time.Second, 2 * time.Second, 3 * time.Second},
		"wait": {0, 10 * time.Second},
	} {
		s := recorded(t, "requests: {on_limit: "+rule+"}", keys)
		synctest.Test(t, func(t *testing.T) {
			n := memory()
			ln, err := n.listen()
			if err != nil {
				t.Fatal(err)
			}
			service := &refusing{quiet: 10 * time.Second}
			server, ended := &http.Server{Handler: service}, make(chan struct{})
			go func() { defer close(ended); _ = server.Serve(ln) }() // ends with Close
			c := endpoint.Config{URL: "http://service/v1", Protocol: dialect.OpenAICompletions, Model: "m", DialContext: n.dial}
			if _, err := Run(t.Context(), s, Settings{Target: Endpoint, Seed: 1, N: 4, Endpoint: c, network: n}); err != nil {
				t.Error(err)
			}
			if err := server.Close(); err != nil {
				t.Error(err)
			}
			<-ended
			if !slices.Equal(service.asked, want) {
				t.Errorf("on_limit: %s: asked at %v, want %v", rule, service.asked, want)
			}
		})
	}
}

// sources returns where the text of each key comes from.
func sources(run trace.Run) string {
	var all []string
	for i := range run.Traces {
		if x := &run.Traces[i]; x.Kind == pipeline.KindIDE {
			all = append(all, x.Fact(pipeline.FactSource))
		}
	}
	return strings.Join(all, " ")
}

// TestLostLinesKey: cache.fuzzy.lost_lines finds an answer where a line at the start of the text
// is gone since.
func TestLostLinesKey(t *testing.T) {
	const keys = `{"ev":"content","t":0,"doc":1,"v":1,"text":"import a\nvar b = 1\n"}
{"ev":"sel","t":100,"doc":1,"sel":[[19,19]]}
{"ev":"edit","t":1000,"doc":1,"v":2,"k":"char","edit":[[19,19,"x"]]}
{"ev":"edit","t":3000,"doc":1,"v":3,"k":"backspace","edit":[[19,20,""]]}
{"ev":"edit","t":5000,"doc":1,"v":4,"k":"delete","edit":[[0,9,""]]}
{"ev":"sel","t":5100,"doc":1,"sel":[[10,10]]}
{"ev":"edit","t":7000,"doc":1,"v":5,"k":"char","edit":[[10,10,"x"]]}
`
	for rule, want := range map[string]string{
		"cache: {capacity: 50}":                         "network network network",
		"cache: {capacity: 50, fuzzy: {lost_lines: 1}}": "network network cache",
	} {
		run, err := Run(t.Context(), recorded(t, rule, keys), Settings{Target: Sim, Seed: 1, N: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := sources(run); got != want {
			t.Errorf("%s: text from %s, want %s", rule, got, want)
		}
	}
}
