package conformance

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"halfsecond/mockllm/engine"
	"halfsecond/mockllm/server"
	"halfsecond/pipeline"
	"halfsecond/pipeline/realpart"
)

const ms = time.Millisecond

// model is "m": first token after 30 ms, the others every 5 ms.
func model(name string) server.Model {
	return server.Model{Name: name, Context: 10_000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 30 * ms, TPOT: 5 * ms}, Slots: 8, MaxContext: 10_000})
	}}
}

// listen runs a server until the test ends, and returns its address.
func listen(t *testing.T, certificate *server.Certificate) string {
	t.Helper()
	s, err := server.New(server.Config{
		Loop: pipeline.NewPreciseWall(), Models: []server.Model{model("m")}, Seed: 1, Certificate: certificate,
		Transcript: []string{"book a table for two at seven", "thank you"},
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
	return ln.Addr().String()
}

// TestLibraries runs each file of tests in JavaScript.
func TestLibraries(t *testing.T) {
	node := realpart.Need(t, "node", "install Node 20 or later")
	realpart.NeedFile(t, "node_modules", "run .ci/parts, which needs npm")
	files, err := filepath.Glob("*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests in JavaScript:", err)
	}
	certificate, err := server.NewCertificate(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	plain, secure := listen(t, nil), listen(t, certificate)
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".test.mjs"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, "--test", "--test-reporter=spec", name)
			cmd.Env = append(os.Environ(), "MOCK="+plain, "MOCK_TLS="+secure, "NODE_EXTRA_CA_CERTS="+certificate.Path, "NO_COLOR=1")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
