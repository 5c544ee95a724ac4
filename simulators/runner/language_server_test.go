package runner

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/document"
	"halfsecond/pipeline/endpoint/langserver"
	"halfsecond/pipeline/realpart"
	"halfsecond/simulators/ide/recording"
	"halfsecond/simulators/scenario"
)

// serveMock serves a model whose first token comes after 30 ms until the test ends, and returns
// its URL.
func serveMock(t *testing.T) string {
	t.Helper()
	s, err := server.New(server.Config{
		Loop: pipeline.NewPreciseWall(), Seed: 1,
		Models: []server.Model{{Name: "m", Context: 10_000, Build: func(l pipeline.Scheduler) engine.Engine {
			return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 30 * time.Millisecond, TPOT: 5 * time.Millisecond}, Slots: 8, MaxContext: 10_000})
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := s.Run(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); done.Wait() })
	return "http://" + ln.Addr().String()
}

// The typist types at a language server that is made with the library of Visual Studio Code's
// own, and which asks our mock.
func TestRealLanguageServer(t *testing.T) {
	const dir = "../../pipeline/endpoint/langserver/reference"
	node := realpart.Need(t, "node", "install Node 20 or later")
	realpart.NeedFile(t, dir+"/node_modules/.package-lock.json", "the library of language servers: run .ci/parts, which needs npm")
	t.Setenv("MOCK", serveMock(t))
	s, err := scenario.Load("ide")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out, err := Run(ctx, s, Settings{Target: Endpoint, Seed: 1, N: 30, Server: &langserver.Config{Command: []string{node, dir + "/server.mjs"}}})
	if err != nil || !out.Footer.Finished {
		t.Fatalf("%v, footer %+v", err, out.Footer)
	}
	verdicts, requests := map[string]int{}, 0
	for i := range out.Traces {
		k := &out.Traces[i]
		if k.Outcome != pipeline.OK {
			t.Errorf("key %d: %s, %s", k.Index, k.Outcome, k.Reason)
		}
		verdicts[k.Fact(pipeline.FactVerdict)]++
		for j := range k.Requests {
			q := &k.Requests[j]
			requests++
			if q.Outcome == pipeline.OK && (q.FirstByte-q.Sent < 30*time.Millisecond || q.End < q.FirstByte) {
				t.Errorf("request %d: sent %s, first byte %s, end %s; want 30 ms and more between", q.ID, q.Sent, q.FirstByte, q.End)
			}
		}
	}
	n := out.Footer.LanguageServer
	if n == nil || n.ProtocolErrors > 0 || n.Failed > 0 || n.Killed || n.Requests < requests || n.Edits < 30 {
		t.Errorf("counts %+v of %d requests and 30 keys", n, requests)
	}
	if n != nil && n.Cancels != n.CancelledAnswers+n.EmptyAnswersToCancelled+n.LateAnswersToCancelled+n.Unanswered {
		t.Errorf("counts %+v: want a fate for each cancelled request", n)
	}
	if verdicts[string(document.Exact)] == 0 {
		t.Errorf("verdicts %v: want some answers in time", verdicts)
	}
	if e := out.Header.Endpoints; len(e) != 1 || e[0].Model != "reference 1" || e[0].URL != "stdio:node" || e[0].Protocol != "lsp" {
		t.Errorf("endpoints %+v", e)
	}
}

// The language of a document follows from what it is called.
func TestDocumentName(t *testing.T) {
	for _, c := range []struct {
		typist scenario.Typist
		want   string
	}{
		{scenario.Typist{Session: scenario.Session{Name: "vscode_session1", Recording: recording.BuiltIn()}, Document: 22}, "language-service-plugin/src/decorateLanguageService.ts"},
		{scenario.Typist{Text: scenario.Text{Name: "go-handler"}}, "go-handler.go"},
		{scenario.Typist{Text: scenario.Text{Name: "python-report"}}, "python-report.py"},
		{scenario.Typist{Text: scenario.Text{Name: "/home/me/x.rs", Digest: "d"}}, "x.rs"},
	} {
		if got := documentName(c.typist); got != c.want {
			t.Errorf("documentName(%+v) = %q, want %q", c.typist, got, c.want)
		}
	}
}
