package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// run returns the figures of a case whose files hold a text.
func run(t *testing.T, text, file string) (map[string]any, error) {
	t.Helper()
	var c Case
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	s, err := c.Setup(&c.Variants[0], func(path string) ([]byte, error) {
		if path != "a.jsonl" {
			return nil, errors.New("no " + path)
		}
		return []byte(file), nil
	})
	if err != nil {
		return nil, err
	}
	o, err := s.Run()
	if err != nil {
		return nil, err
	}
	return o.Figures()
}

const recorded = `{"ev": "content", "t": 1000, "doc": 7, "path": "a.ts", "v": 1, "text": "x"}
{"ev": "edit", "t": 1000, "doc": 7, "v": 2, "k": "char", "edit": [[1, 1, "y"]]}
{"ev": "edit", "t": 1100, "doc": 7, "v": 3, "k": "char", "edit": [[2, 2, "z"]]}
{"ev": "edit", "t": 1500, "doc": 7, "v": 4, "k": "backspace", "edit": [[2, 3, ""]]}
`

// TestTrace: a recording is typed as the keys are that a case names itself.
func TestTrace(t *testing.T) {
	const text = `{"id":"a","keys":[{"t_ms":50,"trace":"a.jsonl"}],"plugin":{"debounce_ms":120},"server":{"ttft_ms":40},
		"variants":[{"name":"x"}]}`
	got, err := run(t, text, recorded)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"sent_at": []any{270.0, 670.0}, "first_text_at": 710.0, "first_text_after_last_key": 160.0, "gaps": 2.0, "may_trigger_share": 50.0,
	} {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s = %v, want %v", name, got[name], want)
		}
	}
}

// TestTraceStandsAlone: a recording knows nothing of what is typed beside it.
func TestTraceStandsAlone(t *testing.T) {
	for keys, want := range map[string]string{
		`{"t_ms":0,"trace":"a.jsonl"},{"t_ms":0,"focus":true}`: "<nil>",
		`{"t_ms":0,"trace":"a.jsonl","count":1}`:               "a: keys: the trace a.jsonl stands beside other keys, want none",
		`{"t_ms":0,"trace":"a.jsonl"},{"t_ms":0,"type":"x"}`:   "a: keys: the trace a.jsonl stands beside other keys, want none",
		`{"t_ms":0,"trace":"b.jsonl"}`:                         "no b.jsonl",
	} {
		_, err := run(t, `{"id":"a","keys":[`+keys+`],"variants":[{"name":"x"}]}`, recorded)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s: error %v, want %q", keys, err, want)
		}
	}
}

// TestUnimportant: characters of no importance are in no text that a case names, and it does
// not run out of them.
func TestUnimportant(t *testing.T) {
	s := &Setup{Document: Document{Ghost: "abcdefghijklmnopqrstuvwxyz", Before: "é"}}
	next := s.unimportant()
	seen := ""
	for range alphabet {
		c := next()
		if strings.Contains(s.Document.Ghost+s.Document.Before+seen, c) {
			t.Errorf("%q is there already", c)
		}
		seen += c
	}
}
