package fault

import (
	"os"
	"regexp"
	"testing"
)

func TestBuiltins(t *testing.T) {
	had := map[string]bool{}
	for _, r := range builtins() {
		if r.About == "" {
			t.Errorf("%s does not say what it is", r.Name)
		}
		for _, name := range r.had() {
			had[name] = true
		}
		if got, err := ParsePhrase(r.Name); err != nil || got.Name != r.Name {
			t.Errorf("%s is %+v, %v", r.Name, got, err)
		}
		if err := New(Config{}).Replace(r); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	for _, k := range (&Effects{}).keys() {
		if !had[k.name] {
			t.Errorf("no built-in rule shows %s", k.name)
		}
	}
}

// TestReference checks that the package's comment has every key and effect.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	e := Effects{
		Status: &Status{}, Limit: &Limit{}, Refuse: &Refuse{}, ColdStart: &ColdStart{}, Stall: &Stall{}, Cut: &Cut{}, Malformed: &Malformed{},
		Oversized: &Oversized{}, Error: &Error{}, End: &End{}, Drip: &Drip{}, Buffer: &Buffer{}, Drop: &Frames{}, IdleClose: &IdleClose{},
	}
	for _, s := range []setting{e.Status, e.Limit, e.Refuse, e.ColdStart, e.Stall, e.Cut, e.Malformed, e.Oversized, e.Error, e.End, e.Drip, e.Buffer, e.Drop, e.IdleClose} {
		all = append(all, names(s.keys())...)
	}
	all = append(all, names((&Rule{}).keys())...)
	all = append(all, names((&Match{}).keys())...)
	all = append(all, Protocols()...)
	for _, name := range all {
		if !regexp.MustCompile(`\b` + name + `\b`).Match(data) {
			t.Errorf("the package's comment lacks %s", name)
		}
	}
}
