package thresholds_test

import (
	"fmt"
	"reflect"
	"testing"

	"halfsecond/budgets"
	"halfsecond/budgets/thresholds"
)

func Example() {
	file, err := thresholds.Parse("ci.yaml", []byte("budgets:\n  - share(ttfc<150ms)>=90%\nmatters: 10%\n"), budgets.Metrics("ide"))
	fmt.Println(file.Budgets, file.Matters, err)
	_, err = thresholds.Parse("ci.yaml", []byte("budget:\n  - share(ttfc < 150ms) >= 90%\n"), budgets.Metrics("ide"))
	fmt.Println(err)
	// Output:
	// [share(ttfc < 150ms) >= 90%] 0.1 <nil>
	// ci.yaml:1:1: budget: unknown key; nearest: budgets
}

// TestParse: budgets come in one spelling and in the order of the file.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		file string
		want thresholds.File
	}{
		{"budgets: [p95(reply) < 0.5s]", thresholds.File{Budgets: []string{"p95(reply) < 500ms"}}},
		{"matters: 2.5 %\nbudgets:\n- 'p50(reply)<400ms'\n- p95(reply) < 500ms\n", thresholds.File{Budgets: []string{"p50(reply) < 400ms", "p95(reply) < 500ms"}, Matters: .025}},
		{`{"budgets": ["mean(ok_share) >= 99%"], "matters": "100%"}`, thresholds.File{Budgets: []string{"mean(ok_share) >= 99%"}, Matters: 1}},
	} {
		got, err := thresholds.Parse("f", []byte(c.file), budgets.Metrics("voice"))
		if err != nil || !reflect.DeepEqual(*got, c.want) {
			t.Errorf("Parse(%q) = %+v, %v, want %+v", c.file, got, err, c.want)
		}
	}
}

// TestRefused: everything that is wrong is told at once, with its place and what would be right.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", `f:1:1: the file is empty: it begins with "budgets:"`},
		{"- p95(reply) < 500ms\n", "f:1:1: want a mapping with the keys budgets, matters; found a list"},
		{"matters: 5%\n", "f:1:1: budgets is missing: want a list such as [p95(reply) < 500ms]"},
		{"budgets:\n", "f:1:1: budgets: want a list of budgets such as [p95(reply) < 500ms]; found nothing"},
		{"budgets: []\n", "f:1:10: budgets: want a list of budgets such as [p95(reply) < 500ms]; found an empty one"},
		{"budgets: p95(reply) < 500ms\n", `f:1:10: budgets: want a list of budgets such as [p95(reply) < 500ms]; found "p95(reply) < 500ms"`},
		{"budgets: [3]\n", "f:1:11: budgets[0]: want a budget such as p95(reply) < 500ms; found 3"},
		{"budgets:\n  - p95(repl) < 500ms\n", `f:2:9: budgets[0]: found "repl", want a metric; nearest: reply`},
		{"budgets:\n  - \"p95(reply) < 500\"\n", "f:2:22: budgets[0]: found the end, want a unit of time: ns, us, ms or s"},
		{"budgets: [p95(reply) < 500ms, 'p95(reply) < 0.5s']\n", "f:1:31: budgets[1]: p95(reply) < 500ms is given twice: first in line 1"},
		{"budgets: [p95(reply) < 500ms]\nbudgets: [p50(reply) < 400ms]\n", "f:2:1: budgets: given twice: first in line 1"},
		{"halfsecond: 1\nbudgets: [p95(reply) < 500ms]\nmatter: 5%\n", "f:1:1: halfsecond: unknown key; want one of budgets, matters\nf:3:1: matter: unknown key; nearest: matters"},
		{"budgets: [p95(reply) < 500ms]\nmatters: 5\n", "f:2:10: matters: want a share above 0% and up to 100%, such as 5%; found 5"},
		{"budgets: [p95(reply) < 500ms]\nmatters: 0%\n", `f:2:10: matters: want a share above 0% and up to 100%, such as 5%; found "0%"`},
		{"budgets: [p95(reply) < 500ms]\nmatters: NaN%\n", `f:2:10: matters: want a share above 0% and up to 100%, such as 5%; found "NaN%"`},
		{"budgets: &b [p95(reply) < 500ms]\n", "f:1:10: budgets: anchors (&name) are not used here: write the value out"},
		{"budgets: [p95(reply) < 500ms\n", "f:1:10: not valid YAML: sequence end token ']' not found"},
	} {
		_, err := thresholds.Parse("f", []byte(c.file), budgets.Metrics("voice"))
		if err == nil || err.Error() != c.want {
			t.Errorf("Parse(%q) = %v, want %s", c.file, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("budgets:\n  - p95(reply) < 500ms\nmatters: 5%\n"))
	f.Add([]byte(`{"budgets": ["mean(ok_share) >= 99%"]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := thresholds.Parse("f", data, budgets.Metrics("voice"))
		if (file == nil) == (err == nil) {
			t.Fatalf("Parse(%q) = %v, %v", data, file, err)
		}
		if file == nil {
			return
		}
		for _, line := range file.Budgets {
			if _, err := budgets.Parse(line, budgets.Metrics("voice")); err != nil {
				t.Errorf("Parse(%q) gives %q: %v", data, line, err)
			}
		}
	})
}
