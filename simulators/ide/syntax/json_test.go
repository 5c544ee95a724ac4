package syntax

import "testing"

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
		at   int
		open bool
	}{
		{` {"a": [1, true]} `, true, -1, false},
		{`{"a": [1, tru`, false, 13, true},
		{`{"a": [1, tru `, false, 13, false},
		{`{"a\`, false, 4, true},
		{`{"a\ `, false, 4, false},
		{`{"a": 1e`, false, 8, true},
		{`{"a": 1,}`, false, 8, false},
		{`{"a": 1]`, false, 7, false},
		{`[1] 2`, false, 4, false},
		{`{'a': 1}`, false, 1, false},
		{"", false, 0, true},
		{"// no\n1", false, 0, false},
	} {
		got := JSON{}.Check(c.text)
		if !got.Known || got.OK != c.ok || got.At != c.at || got.Open != c.open || got.OK != (got.Message == "") {
			t.Errorf("%q: %+v, want ok %t at %d, open %t", c.text, got, c.ok, c.at, c.open)
		}
	}
	const whole = `{"a": [1.5e-3, {"b\n": null, "c": false}], "é": "\u00e9"}`
	for i := range whole {
		if r := (JSON{}).Check(whole[:i]); !r.fine() || r.OK {
			t.Errorf("%q: %+v", whole[:i], r)
		}
	}
}
