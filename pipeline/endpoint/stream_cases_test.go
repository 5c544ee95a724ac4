package endpoint

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
)

var casesDir = flag.String("cases", "testdata/stream-cases", "folder of stream cases for TestStreamCases")

// TestStreamCases reads each case under a fake clock and compares every member of
// what it expects.
func TestStreamCases(t *testing.T) {
	ran := 0
	for _, c := range loadCases(t, *casesDir) {
		if !c.openAI() {
			t.Logf("%s is not run: %s is not an OpenAI protocol", c.ID, c.Protocol)
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			for _, d := range compare(c.Expect, c.read()) {
				t.Error(d)
			}
		})
	}
	if ran == 0 {
		t.Errorf("none of the cases in %s is for an OpenAI protocol", *casesDir)
	}
}

// TestStreamCasesNoticeMutations changes each value that the cases expect, one at
// a time: the comparison must object.
func TestStreamCasesNoticeMutations(t *testing.T) {
	for _, c := range loadCases(t, "testdata/stream-cases") {
		n := 0
		mutations(c.Expect, "", func(path string) {
			n++
			if len(compare(c.Expect, c.read())) == 0 {
				t.Errorf("%s: nobody noticed a wrong %s", c.ID, path)
			}
		})
		if n < len(c.Expect) {
			t.Errorf("%s: %d mutations of %d members", c.ID, n, len(c.Expect))
		}
		c.Expect["no_such_figure"] = nil
		if len(compare(c.Expect, c.read())) != 1 {
			t.Errorf("%s: a figure that is not known went through", c.ID)
		}
	}
}

// mutations changes every value inside v, calls check, and changes it back.
func mutations(v any, path string, check func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			if k == "at_ms_min" {
				continue // it widens what is right
			}
			v[k] = wrong(path+"."+k, old)
			check(path + "." + k)
			v[k] = old
			mutations(old, path+"."+k, check)
		}
	case []any:
		for i, old := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			v[i] = wrong(at, old)
			check(at)
			v[i] = old
			mutations(old, at, check)
		}
	}
}

// wrong returns a value of the same kind that is not v.
func wrong(path string, v any) any {
	switch v := v.(type) {
	case float64:
		if strings.Contains(path, "tpot") {
			return v + 0.0011
		}
		return v + 0.001
	case string:
		return v + "x"
	case []any:
		return append(append([]any{}, v...), "x")
	case nil:
		return 1.0
	}
	return "x"
}

func TestMutationsRestore(t *testing.T) {
	c := loadCases(t, "testdata/stream-cases")[0]
	before, err := json.Marshal(c.Expect)
	if err != nil {
		t.Fatal(err)
	}
	mutations(c.Expect, "", func(string) {})
	after, err := json.Marshal(c.Expect)
	if err != nil || string(before) != string(after) {
		t.Errorf("mutations left %s, error %v; want %s", after, err, before)
	}
}
