package versus

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"halfsecond/pipeline"
)

// mixed is a run with failures and with interactions of several requests.
func mixed(t testing.TB) *Run {
	traces := drawn(rand.New(rand.NewPCG(9, 10)), 60, 200*ms)
	fail(&traces[3])
	traces[4].Requests = append(traces[4].Requests, traces[5].Requests[0])
	traces[7].Requests = nil
	return runOf(t, header(60, "p95(response) < 600ms"), traces)
}

func written(t testing.TB, r *Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A baseline reads as the run it was written from, and compares alike.
func TestBaseline(t *testing.T) {
	for name, r := range map[string]*Run{"mixed": mixed(t), "none": runOf(t, header(0), nil)} {
		data := written(t, r)
		again, err := Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(name, err)
		}
		if got := written(t, again); !bytes.Equal(got, data) {
			t.Errorf("%s: written again it differs", name)
		}
		b := runOf(t, header(60, "p95(response) < 600ms"), drawn(rand.New(rand.NewPCG(1, 1)), 60, 220*ms))
		if x, y := compare(t, r, b, Settings{resamples: 99}), compare(t, again, b, Settings{resamples: 99}); !reflect.DeepEqual(x, y) {
			t.Errorf("%s: the baseline compares otherwise than the run", name)
		}
	}
}

// A baseline holds no text, no URL and no reason.
func TestBaselineTellsNothing(t *testing.T) {
	for _, secret := range []string{"secret", "sk-", "HTTP 500", "https"} {
		if bytes.Contains(written(t, mixed(t)), []byte(secret)) {
			t.Errorf("the baseline holds %q", secret)
		}
	}
}

func TestBaselineSize(t *testing.T) {
	r := runOf(t, header(1000, "p95(response) < 600ms"), drawn(rand.New(rand.NewPCG(9, 10)), 1000, 200*ms))
	n := len(written(t, r))
	t.Logf("a baseline of 1,000 requests takes %d bytes", n)
	if n > 200_000 {
		t.Errorf("a baseline of 1,000 requests takes %d bytes, want less than 200 a request", n)
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(written(t, mixed(t)))
	header, rest, _ := strings.Cut(good, "\n")
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "this is no baseline"},
		{"traces", `{"halfsecond_trace":1}` + "\n", "this is no baseline"},
		{"a later version", strings.Replace(good, `"halfsecond_baseline":1`, `"halfsecond_baseline":2`, 1), "this baseline is version 2, this program reads version 1"},
		{"an unknown field", strings.Replace(good, `"kind":`, `"colour":"red","kind":`, 1), `line 1: json: unknown field "colour"`},
		{"n", strings.Replace(good, `"n":60`, `"n":61`, 1), "line 1: n is 61, but sessions has 60"},
		{"cut off", header + "\n", "line 2: the header counts"},
		{"cut in a line", good[:len(good)-40], "the line is not a whole JSON object"},
		{"more", good + "{}", "more follows the last series"},
		{"twice", header + "\n" + firstLine(rest) + firstLine(rest), `line 3: series "response": want a name, once`},
		{"unit", strings.Replace(good, `"unit":"ns"`, `"unit":"ms"`, 1), `unit "ms": want ns, share, count or answers`},
		{"role", strings.Replace(good, `"role":"judged"`, `"role":"judge"`, 1), `role "judge": want judged, request or stage`},
		{"a half", strings.Replace(good, `"values":[`, `"values":[1.5,`, 1), "1.5 is no whole number"},
		{"a list of one", strings.Replace(good, `"values":[`, `"values":[[7],`, 1), "a list is for two values or more"},
		{"too many", strings.Replace(good, `"values":[`, `"values":[7,`, 1), "it has values of 61 interactions, the run has 60"},
		{"a share of 2", strings.Replace(good, `"values":[1,1`, `"values":[2,1`, 1), "2: a member of a share is 0 or 1"},
	} {
		_, err := Read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line + "\n"
}

// Whatever the bytes are, reading ends with a run or an error, and a run that was read
// can be compared with itself.
func FuzzRead(f *testing.F) {
	f.Add(written(f, mixed(f)))
	f.Add([]byte(`{"halfsecond_baseline":1,"kind":"bench","n":1,"sessions":[0],"series":1}` + "\n" + `{"name":"x","unit":"share","role":"judged","values":[[0,1]]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(bytes.NewReader(data))
		if err != nil || r.Kind == pipeline.KindGrid || len(data) > 1<<14 {
			return
		}
		if _, err := Compare(r, r, Settings{resamples: 9, Anyway: true}); err != nil {
			t.Errorf("a run is not comparable with itself: %v", err)
		}
	})
}
