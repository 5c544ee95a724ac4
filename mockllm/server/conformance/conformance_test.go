// Package conformance has vendors' own libraries talk with the mock, in JavaScript, a file
// a vendor.
//
// Read TestLibraries for how they run, and mock.mjs and audio.mjs for what they share.
package conformance

import (
	"context"
	"errors"
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
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
	"halfsecond/pipeline/realpart"
)

const ms = time.Millisecond

// model is "m": first token after 30 ms, the others every 5 ms.
func model(name string) server.Model {
	return server.Model{Name: name, Context: 10_000, Shares: true, Build: func(l pipeline.Scheduler) engine.Engine {
		return engine.NewSlots(l, engine.SlotsConfig{Service: engine.Fixed{TTFT: 30 * ms, TPOT: 5 * ms}, Slots: 8, MaxContext: 10_000})
	}}
}

// hears is speech.FindSTT, but for models whose names end with "-slow": their
// transcripts take so long that a client has hung up by then.
func hears(model string) speech.STT {
	p, _ := speech.FindSTT(model)
	if strings.HasSuffix(model, "-slow") {
		p.Final = dist.Constant(time.Minute)
	}
	return p
}

// listen runs a server until the test ends, and returns its address.
func listen(t *testing.T, certificate *server.Certificate, key string) string {
	t.Helper()
	s, err := server.New(server.Config{
		Loop: pipeline.NewPreciseWall(), Models: []server.Model{model("m")}, Seed: 1, Certificate: certificate, Key: key,
		STT: hears, Transcript: []string{"book a table for two at seven", "thank you"},
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

// TestLibraries runs each file of tests in JavaScript, in a process of its own that ends
// by itself.
func TestLibraries(t *testing.T) {
	node := realpart.Need(t, "node", "install Node 20 or later")
	realpart.NeedFile(t, "node_modules/.package-lock.json", "the vendors' libraries: run .ci/parts, which needs npm")
	version := exec.Command(node, "--eval", "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)")
	if err := version.Run(); err != nil {
		t.Fatalf("%s (%v): want Node 20 or later", node, err)
	}
	files, err := filepath.Glob("*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatal("no tests in JavaScript:", err)
	}
	certificate, err := server.NewCertificate(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "NO_COLOR=1", "NODE_EXTRA_CA_CERTS="+certificate.Path,
		"MOCK="+listen(t, nil, ""), "MOCK_TLS="+listen(t, certificate, ""), "MOCK_LOCKED="+listen(t, certificate, "secret"))
	for _, name := range files {
		t.Run(strings.TrimSuffix(name, ".test.mjs"), func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, "--test", "--test-reporter=spec", name)
			cmd.Env = environment
			out, err := cmd.CombinedOutput()
			if ctx.Err() != nil {
				err = errors.New("it did not end in two minutes")
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
