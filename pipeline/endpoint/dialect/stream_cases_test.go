package dialect

import (
	"encoding/json"
	"flag"
	"testing"

	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/streamcase"
)

var casesDir = flag.String("cases", "", "folder of stream cases for TestStreamCases, in place of ours")

// llmCases returns the cases of a folder whose protocol a language model speaks, each
// with its dialect.
func llmCases(t testing.TB, dir string) map[*streamcase.Case]*Dialect {
	cases := map[*streamcase.Case]*Dialect{}
	for _, c := range streamcase.Load(t, dir) {
		if d, err := Of(Protocol(c.Protocol)); err == nil {
			cases[c] = d
		}
	}
	if len(cases) == 0 {
		t.Fatalf("none of the cases in %q is for a language model", dir)
	}
	return cases
}

func (d *Dialect) read(x *streamcase.Exchange) *reply.Reply { return x.Read(d.NewDecoder(), d.Endless) }

// TestStreamCases reads each case under a fake clock and compares every member of
// what it expects.
func TestStreamCases(t *testing.T) {
	for c, d := range llmCases(t, *casesDir) {
		t.Run(c.ID, func(t *testing.T) {
			for _, diff := range streamcase.Compare(c.Expect, d.read(&c.Exchanges[0])) {
				t.Error(diff)
			}
		})
	}
}

// TestStreamCasesNoticeMutations changes each value that the cases expect, one at
// a time: the comparison must object.
func TestStreamCasesNoticeMutations(t *testing.T) {
	for c, d := range llmCases(t, "") {
		n := 0
		x := &c.Exchanges[0]
		streamcase.Mutations(c.Expect, func(path string) {
			n++
			if len(streamcase.Compare(c.Expect, d.read(x))) == 0 {
				t.Errorf("%s: nobody noticed a wrong %s", c.ID, path)
			}
		})
		if n < len(c.Expect) {
			t.Errorf("%s: %d mutations of %d members", c.ID, n, len(c.Expect))
		}
		c.Expect["no_such_figure"] = nil
		if len(streamcase.Compare(c.Expect, d.read(x))) != 1 {
			t.Errorf("%s: a figure that is not known went through", c.ID)
		}
	}
}

func TestMutationsRestore(t *testing.T) {
	c := streamcase.Load(t, "")[0]
	before, err := json.Marshal(c.Expect)
	if err != nil {
		t.Fatal(err)
	}
	streamcase.Mutations(c.Expect, func(string) {})
	after, err := json.Marshal(c.Expect)
	if err != nil || string(before) != string(after) {
		t.Errorf("mutations left %s, error %v; want %s", after, err, before)
	}
}
