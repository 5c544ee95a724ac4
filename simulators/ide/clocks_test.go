package ide_test

import (
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"halfsecond/simulators/ide/cases"
)

var randomCases = flag.Int("random", 150, "how `many` random cases to run on both clocks")

// TestClocksAgree: a case that nobody wrote has the same figures on the virtual clock and over
// sockets. Most of its times are multiples of ten milliseconds, so that much happens at one
// instant.
func TestClocksAgree(t *testing.T) {
	for seed := range *randomCases {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			text := randomCase(rand.New(rand.NewPCG(uint64(seed), 1)))
			want, got, x := onBothClocks(t, text)
			for _, name := range slices.Sorted(maps.Keys(want)) {
				if x.beyondSockets(name) == "" && !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("%s = %v over sockets, %v on the virtual clock", name, got[name], want[name])
				}
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// TestConnectionAfterAPause: a connection that is left open is there after any pause.
func TestConnectionAfterAPause(t *testing.T) {
	for _, http := range []string{"1.1", "2"} {
		want, got, _ := onBothClocks(t, `{"id":"pause","variants":[{"name":"as stated"}],"keys":[{"t_ms":0,"gap_ms":1e7,"count":2}],"server":{"ttft_ms":40},"network":{"rtt_ms":20,"http":"`+http+`"}}`)
		if got["dials"] != 1. || got["first_text_after_last_key"] != 60. || !reflect.DeepEqual(got, want) {
			t.Errorf("HTTP/%s: %v dials, first text after %v; want 1 and 60, and all as on the virtual clock", http, got["dials"], got["first_text_after_last_key"])
		}
	}
}

// onBothClocks returns the figures of a case on the virtual clock and over sockets.
func onBothClocks(t *testing.T, text string) (virtual, real map[string]any, x *sockets) {
	t.Helper()
	o, err := randomSetup(t, text).Run()
	if err != nil {
		t.Fatal(err)
	}
	if virtual, err = o.Figures(); err != nil {
		t.Fatal(err)
	}
	x = &sockets{setup: randomSetup(t, text)}
	synctest.Test(t, x.play)
	if real, err = x.outcome.Figures(); err != nil {
		t.Fatal(err)
	}
	return virtual, real, x
}

// randomSetup reads a case.
func randomSetup(t *testing.T, text string) *cases.Setup {
	file, err := cases.Read("random", []byte(`{"format":"ide-cases","version":1,"cases":[`+text+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := file.Cases[0].Setup(&file.Cases[0].Variants[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settings are values by their names.
type settings map[string]any

// randomCase returns the JSON of a case.
func randomCase(r *rand.Rand) string {
	c := settings{
		"id": "random", "title": "random", "variants": []any{settings{"name": "as stated"}},
		"document": settings{"before": pick(r, "", "co", "x = "), "after": pick(r, "", ")", ");\n}"), "truth": "console.log(x) + 1"},
		"keys":     randomKeys(r), "plugin": randomPlugin(r), "server": randomServer(r), "network": randomNetwork(r),
	}
	if r.IntN(3) == 0 {
		c["until_ms"] = 10 * r.IntN(60)
	}
	if r.IntN(3) == 0 {
		c["other_requests"] = []any{settings{"t_ms": .7 + 10*float64(r.IntN(20)), "kind": pick(r, "", "chat", "completion"), "prompt_tokens": 20, "n": 1 + r.IntN(8), "tpot_ms": 10}}
	}
	if r.IntN(8) == 0 {
		c["other_requests"] = []any{settings{"t_ms": .7 + 10*float64(r.IntN(20)), "hold_ms": 10 * r.IntN(30)}}
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// tens returns a number of milliseconds, usually round.
func tens(r *rand.Rand, most int) float64 {
	ms := float64(10 * r.IntN(most/10))
	if r.IntN(6) == 0 {
		ms += float64(r.IntN(100)) / 10
	}
	return ms
}

func randomKeys(r *rand.Rand) []any {
	var all []any
	at := tens(r, 50)
	for range 1 + r.IntN(4) {
		n := 1 + r.IntN(5)
		gap := 10 + tens(r, 100)
		k := settings{"t_ms": at, "gap_ms": gap}
		switch r.IntN(12) {
		case 0:
			k["backspace"] = 1 + r.IntN(2)
		case 1:
			k["move"] = pick(r, 1, -1)
			n = 1
		case 2, 3:
			k["accept"] = true
			n = 1
		case 4:
			k["focus"] = true
			n = 1
		case 5:
			k["popup"] = pick(r, "get", "console", "s")
			n = 1
		case 6, 7:
			k["count"] = n
		default:
			k["type"] = "console.log(x)"[:n]
		}
		all = append(all, k)
		at += float64(n)*gap + tens(r, 300)
	}
	return all
}

func randomPlugin(r *rand.Rand) settings {
	p := settings{
		"debounce_ms": pick(r, 0, 0, 10, 20, 50, 100.5), "cancel": pick(r, "none", "discard", "wire", "wire", "wire"),
		"cache": pick(r, "none", "last", "lru"), "rest": pick(r, "close", "finish"), "keep_matching": r.IntN(3) == 0,
		"editor_token": r.IntN(5) == 0, "store_superseded": r.IntN(3) == 0, "on_limit": pick(r, "send", "wait"),
		"speculate": r.IntN(4) == 0, "speculate_cancel": r.IntN(2) == 0,
		"accept":           pick(r, "insert", "replace_line"),
		"warm_up_on_focus": r.IntN(2) == 0, "min_visible_ms": pick(r, 0, 300),
	}
	if r.IntN(4) == 0 {
		p["throttle_ms"], p["trailing"] = 10*r.IntN(20), r.IntN(2) == 0
	}
	if r.IntN(4) == 0 {
		p["prepare_ms_per_kb"], p["prepare_kb"] = 10, r.IntN(6)
	}
	if r.IntN(4) == 0 {
		p["prompt"] = settings{
			"layout": pick(r, "prefix_only", "psm", "line_after_middle", "spm", "spm_middle"), "prefix_tokens": 10 + r.IntN(50), "suffix_tokens": r.IntN(30),
		}
	}
	return p
}

func randomServer(r *rand.Rand) settings {
	s := settings{
		"slots": 1 + r.IntN(3), "ttft_ms": tens(r, 200), "tpot_ms": tens(r, 40), "n": pick(r, 1, 3, 8),
		"detect": pick(r, "immediate", "next_token", "prefill_end", "never"), "queue_check": r.IntN(2) == 0,
		"chunk": pick(r, "token", "token", "whole"), "answer": pick[any](r, "truth", "unrelated", settings{"text": "sole.log(x)"}),
		"batch_slowdown": pick(r, 0, 0, .5),
	}
	if r.IntN(3) == 0 {
		s["prefill_tok_s"], s["prompt_cache"] = pick(r, 100, 333, 1000), pick(r, "none", "prefix")
	}
	if r.IntN(4) == 0 {
		s["prompt_tokens"], s["prefill_tok_s"] = 100, 1000
	}
	if r.IntN(5) == 0 {
		s["load_ms"], s["keep_alive_ms"] = tens(r, 300), tens(r, 300)
	}
	if r.IntN(4) == 0 {
		s["limit"] = settings{"requests": 1 + r.IntN(3), "per_ms": 10 + tens(r, 500), "retry_after_ms": tens(r, 300)}
	}
	if r.IntN(6) == 0 {
		s["answers"] = []any{
			settings{"request": 1, "t_ms": tens(r, 200), "text": "sole.log(x)"}, settings{"request": 2, "t_ms": tens(r, 200), "error": "no"},
			settings{"request": 3, "t_ms": tens(r, 200), "text": "x + y"},
		}
	}
	return s
}

func randomNetwork(r *rand.Rand) settings {
	if r.IntN(2) == 0 {
		return settings{}
	}
	if r.IntN(2) == 0 {
		return settings{"rtt_ms": 2 * tens(r, 50), "http": pick(r, "1.1", "2"), "warm": true}
	}
	// A request and its close that arrive at one instant are nothing to some servers, and so
	// no connection opens at the instant of a key.
	return settings{"rtt_ms": .6 + 2*tens(r, 50), "http": pick(r, "1.1", "2")}
}
