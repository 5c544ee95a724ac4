package others

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"halfsecond/pipeline/quantile"
	"halfsecond/pipeline/trace"
)

// imports reads bytes as a file, and holds what is true of any import. What is written is
// what is read again.
func imports(t *testing.T, data []byte) {
	im := New(Settings{Playout: ptr(40e6), Uplink: ptr(30e6)})
	if err := im.Read("log", bytes.NewReader(data)); err != nil {
		return
	}
	in, err := im.Finish()
	if err != nil {
		return
	}
	check(t, in)
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, trace.Header{Kind: "voice", Target: "import", N: len(in.Traces), Stages: in.Stages()})
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Traces {
		if err := w.Write(&in.Traces[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(trace.Footer{Lateness: trace.LatenessOf(quantile.NewHistogram())}); err != nil {
		t.Fatal(err)
	}
	if run, err := trace.Read(&b); err != nil || len(run.Traces) != len(in.Traces) {
		t.Errorf("what was written cannot be read: %v", err)
	}
}

// seeds gives a fuzz test the logs whose names have one of the words.
func seeds(f *testing.F, words ...string) {
	for _, name := range logs(f) {
		for _, w := range words {
			if strings.Contains(name, w) {
				data := load(f, name)
				f.Add(data)
				f.Add(data[:len(data)*2/3])
			}
		}
	}
}

func FuzzSpans(f *testing.F) {
	seeds(f, "spans")
	f.Fuzz(func(t *testing.T, data []byte) { imports(t, data) })
}

func FuzzLiveKit(f *testing.F) {
	seeds(f, "livekit-events", "livekit-js", "livekit-report")
	f.Fuzz(func(t *testing.T, data []byte) { imports(t, data) })
}

func FuzzPipecat(f *testing.F) {
	seeds(f, "pipecat-breakdown", "rtvi")
	f.Fuzz(func(t *testing.T, data []byte) { imports(t, data) })
}

func FuzzHosted(f *testing.F) {
	seeds(f, "deepgram", "vapi.json")
	f.Fuzz(func(t *testing.T, data []byte) { imports(t, data) })
}

// FuzzLog reads any bytes as lines of text, even if they look like something else.
func FuzzLog(f *testing.F) {
	seeds(f, ".log")
	f.Fuzz(func(t *testing.T, data []byte) { imports(t, append([]byte("log\n"), data...)) })
}

func FuzzTable(f *testing.F) {
	seeds(f, ".csv")
	const header = "turn,sent_ms,v2v_ms,uplink_ms,stt_tail_ms,end_of_turn_ms,llm_first_token_ms\n"
	f.Add([]byte("1,2,3,4,5,6,7\n2,,,,,,\n3,1e3,9e2,0,0,1,2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		imports(t, data)
		imports(t, append([]byte(header), data...))
	})
}

// FuzzGuard: the line of an offset is the one that a reader of the text would count.
func FuzzGuard(f *testing.F) {
	f.Add("a\nb\n\nc", 3, 5)
	f.Fuzz(func(t *testing.T, text string, first, second int) {
		if first < 0 || second < first || second > len(text) {
			return
		}
		g := newGuard(strings.NewReader(text), func() int { return 0 })
		if _, err := io.Copy(io.Discard, struct{ io.Reader }{g}); err != nil && len(text) < maxRecord {
			t.Fatal(err)
		}
		for _, at := range []int{first, second} {
			if got, want := g.lineAt(int64(at)), 1+strings.Count(text[:at], "\n"); got != want {
				t.Errorf("offset %d of %q is in line %d, want %d", at, text, got, want)
			}
		}
	})
}
