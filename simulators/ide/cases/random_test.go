package cases

import (
	"encoding/json"
	"fmt"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/dist"
)

type object = map[string]any

// pick draws one of several.
func pick(d *dist.Rand, of ...any) any { return of[d.IntN(len(of))] }

// randomCase draws a case with any settings. The times are whole milliseconds.
func randomCase(d *dist.Rand) object {
	yes := func() any { return d.IntN(2) == 0 }
	server := object{
		"slots": 1 + d.IntN(3), "ttft_ms": d.IntN(200), "tpot_ms": d.IntN(40), "n": 1 + d.IntN(8), "queue_check": yes(), "chunk": pick(d, "token", "whole"),
		"detect": pick(d, "immediate", "next_token", "prefill_end", "never"), "batch_slowdown": pick(d, 0, .5),
		"answer": pick(d, "truth", "unrelated", object{"text": "abc"}, object{"text": "abc abc"}),
	}
	switch d.IntN(5) {
	case 0:
		server["limit"] = object{"requests": 1 + d.IntN(3), "per_ms": 500, "retry_after_ms": pick(d, 0, 200, 1000)}
	case 1:
		server["load_ms"], server["keep_alive_ms"] = d.IntN(500), pick(d, 0, 300)
	case 2:
		server["answers"] = []any{object{"request": 1, "t_ms": d.IntN(300), "text": "abc"}, object{"request": 2, "t_ms": d.IntN(300), "error": "no"}}
	}
	cached := pick(d, "none", "last", "lru")
	c := object{
		"id": "random", "variants": []any{object{"name": "as drawn"}}, "keys": randomKeys(d), "server": server,
		"document": object{"before": pick(d, "", "x"), "after": pick(d, "", ")"), "ghost": pick(d, "", "abc"), "truth": "xabcabcabc", "file_kb": 10},
		"plugin": object{
			"debounce_ms": pick(d, 0, 20, 100), "throttle_ms": pick(d, 0, 0, 300), "trailing": yes(), "cancel": pick(d, "none", "discard", "wire"),
			"keep_matching": yes(), "rest": pick(d, "close", "finish"), "editor_token": yes(), "cache": cached, "ask_anew": cached == "last" && yes().(bool),
			"store_superseded": yes(), "prepare_ms_per_kb": pick(d, 0, 0, 5), "on_limit": pick(d, "send", "wait"), "speculate": yes(),
			"speculate_cancel": yes(), "accept": pick(d, "insert", "replace_line"), "warm_up_on_focus": yes(), "protocol": pick(d, "http", "lsp"),
		},
		"network":        object{"rtt_ms": pick(d, 0, 0, 20), "http": pick(d, "1.1", "2"), "warm": yes()},
		"requests":       pick(d, []any{}, []any{object{"t_ms": d.IntN(500), "text": pick(d, "", "ab")}}),
		"other_requests": pick(d, []any{}, []any{object{"t_ms": d.IntN(500), "hold_ms": 1 + d.IntN(500)}}),
	}
	return c
}

// randomKeys draws what is typed.
func randomKeys(d *dist.Rand) (keys []any) {
	at := 0
	for range 1 + d.IntN(6) {
		at += d.IntN(400)
		step := pick(d,
			object{"backspace": 1}, object{"accept": true}, object{"move": 1}, object{"popup": pick(d, "ab", "abc", "x")}, object{"focus": true},
			object{"type": pick(d, "a", "b", "c", "ab"), "gap_ms": d.IntN(100)}, object{"count": 1 + d.IntN(3), "gap_ms": d.IntN(100)},
		).(object)
		step["t_ms"] = at
		keys = append(keys, step)
	}
	return keys
}

// runCase returns what a run of a case tells, and what became of it.
func runCase(t *testing.T, c object) (map[string]any, *Outcome) {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var read Case
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	s, err := read.Setup(&read.Variants[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.Run()
	if err != nil {
		t.Fatal(err)
	}
	figures, err := o.Figures()
	if err != nil {
		t.Fatal(err)
	}
	return figures, o
}

// TestAnyCase: whatever a case says, each request is in one trace, nothing takes a negative
// time, and a run that is cut tells of no more than one that is not.
func TestAnyCase(t *testing.T) {
	for seed := range uint64(1500) {
		d := dist.Stream(seed, "cases")
		c := randomCase(&d)
		whole, o := runCase(t, c)
		wrong := impossible(whole, o)
		cut := 100 + d.IntN(600)
		c["until_ms"] = cut
		part, o := runCase(t, c)
		if wrong = append(append(wrong, impossible(part, o)...), more(whole, part, float64(cut))...); len(wrong) > 0 {
			data, _ := json.Marshal(c)
			t.Fatalf("seed %d: %v\n%s", seed, wrong, data)
		}
	}
}

// impossible returns what cannot be.
func impossible(figures map[string]any, o *Outcome) (wrong []string) {
	say := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	asked := int(figures["requests"].(float64) + figures["warm_ups"].(float64))
	say(asked != len(o.prompts), "%d requests are told of %d", asked, len(o.prompts))
	for _, name := range []string{"blank", "wasted_tokens", "worst_key_delay"} {
		say(figures[name].(float64) < 0, "%s is %v", name, figures[name])
	}
	for _, v := range figures["visible_for"].([]any) {
		say(v != nil && v.(float64) < 0, "visible for %v", v)
	}
	for _, x := range o.traces {
		for i := range x.Requests {
			r := &x.Requests[i]
			say(r.Sent != pipeline.Unknown && r.Sent < r.Due, "request %d is sent at %s, before %s", r.ID, r.Sent, r.Due)
			say(r.Outcome == pipeline.Cancelled && r.Closed == pipeline.Unknown, "request %d was cancelled by nobody", r.ID)
			say(o.setup.Until == nil && r.End == pipeline.Unknown, "request %d never ends", r.ID)
		}
	}
	return wrong
}

// more returns what a run that is cut tells beyond one that is not.
func more(whole, part map[string]any, cut float64) (wrong []string) {
	n := 0
	for _, at := range whole["sent_at"].([]any) {
		if at.(float64) <= cut {
			n++
		}
	}
	if got := len(part["sent_at"].([]any)); got != n {
		wrong = append(wrong, fmt.Sprintf("%d requests until %g, %d of them in the whole run", got, cut, n))
	}
	for _, name := range []string{"generated_tokens", "suggestions", "closed_on_wire", "evaluated_after_close"} {
		if part[name].(float64) > whole[name].(float64) {
			wrong = append(wrong, fmt.Sprintf("%s is %v until %g and %v in the whole run", name, part[name], cut, whole[name]))
		}
	}
	return wrong
}
