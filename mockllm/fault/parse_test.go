package fault

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	rules, err := Parse("f.yaml", []byte(`# a comment
rules:
  - name: busy
    about: one in twenty
    match:
      model: "gpt-*"
      path: /v1/chat/*
      protocol: openai
      header: {X-Test: "*", X-Number: 5}
      share: 5%
      seed: 7
    times: 3
    status: {code: 429, retry_after: 2s, headers: {X-A: b}}
  - stall: {at: 5, for: 2s}
  - stall: {at: 6, for: 1.5s}
  - cut: {byte: 100}
  - end: 3
  - buffer: clumps
  - cold_start: 8s
  - idle_close: 10s
  - limit: 60
  - refuse: 2s
  - drop: {share: .02}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Rule{
		{
			Name: "busy", About: "one in twenty", Times: 3,
			Match: Match{
				Model: "gpt-*", Path: "/v1/chat/*", Protocol: "openai", Share: .05, Seed: 7,
				Header: map[string]string{"X-Test": "*", "X-Number": "5"},
			},
			Effects: Effects{Status: &Status{Code: 429, RetryAfter: 2 * time.Second, Quota: 60, Headers: map[string]string{"X-A": "b"}}},
		},
		{Name: "stall", Effects: Effects{Stall: &Stall{5, 2 * time.Second}}},
		{Name: "stall-2", Effects: Effects{Stall: &Stall{6, 1500 * time.Millisecond}}},
		{Name: "cut", Effects: Effects{Cut: &Cut{Byte: 100, How: HowReset}}},
		{Name: "end", Effects: Effects{End: &End{3}}},
		{Name: "buffer", Effects: Effects{Buffer: &Buffer{Mode: Clumps, Every: 200 * time.Millisecond}}},
		{Name: "cold_start", Effects: Effects{ColdStart: &ColdStart{8 * time.Second, 5 * time.Minute}}},
		{Name: "idle_close", Effects: Effects{IdleClose: &IdleClose{10 * time.Second, 1000, ""}}},
		{Name: "limit", Effects: Effects{Limit: &Limit{RPM: 60, Per: PerAll}}},
		{Name: "refuse", Effects: Effects{Refuse: &Refuse{2 * time.Second, WhenMatched}}},
		{Name: "drop", Effects: Effects{Drop: &Frames{Share: .02}}},
	}
	if !reflect.DeepEqual(rules, want) {
		got, _ := json.Marshal(rules)
		wanted, _ := json.Marshal(want)
		t.Errorf("read %s\nwant %s", got, wanted)
	}
	again, err := checked(rules)
	if err != nil || !reflect.DeepEqual(again, rules) {
		t.Errorf("as JSON and back: %v, %v", again, err)
	}
}

func TestParseJSON(t *testing.T) {
	rules, err := Parse("body", []byte("{\n\t\"rules\": [\n\t\t{\"stall\": {\"at\": 5, \"for\": \"2s\"},\t\"match\": {\"share\": \"5%\", \"header\": {\"X\": \"\\u00e9\\/\\ud83d\\ude00 <b>\"}}}\n\t]\n}"))
	want := []Rule{{Name: "stall", Match: Match{Share: .05, Header: map[string]string{"X": "é/😀 <b>"}}, Effects: Effects{Stall: &Stall{5, 2 * time.Second}}}}
	if err != nil || !reflect.DeepEqual(rules, want) {
		t.Errorf("read %+v, %v", rules, err)
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"", `f:1:1: the file is empty: it begins with "rules:"`},
		{"a: b: c", "f:1:4: not valid YAML: mapping value is not allowed in this context"},
		{"\xff", "f:1:1: this is not UTF-8 text"},
		{"rules: []\n---\nrules: []\n", "f:2:1: a second document begins here: a file holds one"},
		{"%YAML 1.2\n---\nrules: []\n", "f:1:1: directives such as %YAML are not used here: remove the line"},
		{"- end: 3\n", "f:1:1: want a mapping with the keys rules; found a list"},
		{"rule: []\n", "f:1:1: rule: unknown key; nearest: rules\nf:1:1: rules is missing: want a list of rules"},
		{"rules: 3\n", "f:1:8: rules: want a list of at most 1000 rules; found 3"},
		{"rules:\n\t- end: 3\n", "f:2:1: not valid YAML: found character tab: indent with spaces"},
		{"rules:\n  - &a {end: 3}\n", "f:2:5: rules[0]: anchors (&name) are not used here: write the value out"},
		{"rules:\n  - match: {path: *}\n    end: 1\n", "f:2:19: not valid YAML: quote a text that begins with a star"},
		{"rules:\n  - about: x\n", "f:2:5: rules[0]: a rule needs an effect: one of status, limit, refuse, reset, slow_headers, omit_headers, cold_start, stall, cut, malformed, oversized, error, end, drip, buffer, http10, drop, duplicate, idle_close"},
		{"rules:\n  - name: x y\n    end: 3\n", `f:2:11: rules[0].name: want a name of up to 64 letters, digits, dots, dashes and underscores; found "x y"`},
		{"rules:\n  - {name: a, end: 1}\n  - {name: a, end: 2}\n", "f:3:5: rules[1]: the name a is given twice"},
		{"rules:\n  - end: 1\n    end: 2\n", "f:3:5: rules[0].end: given twice"},
		{"rules:\n  - stal: {at: 5, for: 2s}\n", "f:2:5: rules[0].stal: unknown key; nearest: stall"},
		{"rules:\n  - stall: {at: 5, fr: 2s}\n", "f:2:12: rules[0].stall: for is missing: want a duration with its unit, such as 200ms\nf:2:20: rules[0].stall.fr: unknown key; nearest: for"},
		{"rules:\n  - stall: {at: five, for: 2}\n", "f:2:17: rules[0].stall.at: want the number of a token, event or frame, from 1; found \"five\"\nf:2:28: rules[0].stall.for: want a duration with its unit, such as 200ms; found 2"},
		{"rules:\n  - stall: {at: 0, for: -2s}\n", "f:2:17: rules[0].stall.at: 0 is not possible: it must be from 1 to 1048576\nf:2:25: rules[0].stall.for: -2s is not possible: it must be from 1ns to 24h0m0s"},
		{"rules:\n - stall:\n - end: []\n", "f:2:4: rules[0].stall: want a mapping with the keys at, for; found nothing\nf:3:9: rules[1].end: want a mapping with the keys at; found a list"},
		{"rules:\n  - end: \"3\"\n", "f:2:10: rules[0].end: want the number of a token, event or frame, from 1; found \"3\""},
		{"rules:\n  - match: {nth: 3, every: 2}\n    end: 1\n", "f:2:12: rules[0].match: nth and every cannot stand together: each picks some of the requests"},
		{"rules:\n  - match: {seed: 3}\n    end: 1\n", "f:2:12: rules[0].match: seed goes with share"},
		{"rules:\n  - match: {share: 120%}\n    end: 1\n", "f:2:20: rules[0].match.share: 120% is not possible: it must be above 0 and at most 1"},
		{"rules:\n  - match: {protocol: openia}\n    end: 1\n", `f:2:23: rules[0].match.protocol: found "openia"; nearest: openai`},
		{"rules:\n  - match: {header: {\"X y\": 1}}\n    end: 1\n", "f:2:22: rules[0].match.header.X y: this is no name of a header"},
		{"rules:\n  - match: {header: {X: [1]}}\n    end: 1\n", "f:2:25: rules[0].match.header.X: want a text of one line; found a list"},
		{"rules:\n  - status: 200\n", "f:2:13: rules[0].status: 200 is not possible: it must be from 400 to 599"},
		{"rules:\n  - status: {code: 500, body: x, type: y}\n", "f:2:13: rules[0].status: body is all of the answer: message and type would be in none"},
		{"rules:\n  - status: 500\n    reset: request\n", "f:2:5: rules[0]: status and reset cannot stand together: each comes in place of an answer"},
		{"rules:\n  - limit: {per: key}\n", "f:2:12: rules[0].limit: rpm or tpm is missing: want a number a minute"},
		{"rules:\n  - limit: {rpm: 3}\n    stall: {at: 1, for: 1s}\n", "f:2:5: rules[0]: limit stands alone: give stall a rule of its own"},
		{"rules:\n  - cut: {how: close}\n", "f:2:10: rules[0].cut: want at, the number of a token, or byte, a number of bytes of the body, and not both"},
		{"rules:\n  - drop: {at: 1, share: 5%}\n", "f:2:11: rules[0].drop: want at, the number of a frame, or share, a part of them, and not both"},
		{"rules:\n  - buffer: {mode: whole, every: 1s}\n", "f:2:13: rules[0].buffer: every goes with mode: clumps"},
		{"rules:\n  - idle_close: {after: 1s, code: 1006}\n", "f:2:17: rules[0].idle_close: code 1006 must not be sent: it is reserved (RFC 6455, 7.4.1)"},
		{"rules:\n  - reset: accept\n    match: {path: /v1/*}\n", "f:2:5: rules[0]: reset: accept comes before a request, so that its path cannot be matched; nth, every, first and share count connections"},
		{"rules:\n  - reset: accept\n    end: 3\n", "f:2:5: rules[0]: reset stands alone: give end a rule of its own"},
		{"rules:\n  - refuse: {for: 1s, when: loaded}\n    times: 3\n", "f:2:5: rules[0]: refuse with when: loaded is about no request, so that nothing can be matched or counted"},
		{"rules:\n  - http10: yes\n", `f:2:13: rules[0].http10: want true or false; found "yes"`},
		{"rules: " + strings.Repeat("[", 40), "f:1:40: brackets or lists are nested more than 32 deep"},
		{"rules: " + strings.Repeat("- ", 40), "f:1:72: brackets or lists are nested more than 32 deep"},
		{"rules: " + strings.Repeat("x", 1000), "f:1:8: rules: want a list of at most 1000 rules; found \"" + strings.Repeat("x", 100) + "...\""},
		{"rules:\n" + strings.Repeat("- end: 1\n", 1001), "f:2:1: rules: want a list of at most 1000 rules; found one of 1001"},
		{"rules:\n" + strings.Repeat("- end: 1\n", 7000), "f:5001:6: the file is too long: it may have at most 20000 words and signs"},
		{strings.Repeat("#", 1<<20+1), "f:1:1: the file is larger than 1048576 bytes"},
	} {
		rules, err := Parse("f", []byte(c.file))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n%v\nwant\n%s", c.file, err, c.want)
		}
		if rules != nil {
			t.Errorf("%.60q gives rules beside an error", c.file)
		}
	}
}

// TestRulesFromGo checks that rules which no file had are checked as if one had.
func TestRulesFromGo(t *testing.T) {
	set := New(Config{})
	if err := set.Add(Rule{Effects: Effects{Stall: &Stall{At: 3}}}); err == nil || err.Error() != "rules[0].stall: for is missing: want a duration with its unit, such as 200ms" {
		t.Errorf("error %v", err)
	}
	if err := set.Add(Rule{Effects: Effects{End: &End{3}}}, Rule{Effects: Effects{End: &End{4}}}); err != nil {
		t.Error(err)
	}
	rules, _ := set.Rules()
	if len(rules) != 2 || rules[0].Name != "end" || rules[1].Name != "end-2" {
		t.Errorf("rules %+v", rules)
	}
	if err := set.Add(Rule{Match: Match{Share: 1e-6}, Effects: Effects{HTTP10: true}}); err != nil {
		t.Errorf("a small share: %v", err)
	}
	if err := set.Add(Rule{Name: "end-2", Effects: Effects{HTTP10: true}}); err == nil || err.Error() != "there is a rule end-2 already" {
		t.Errorf("error %v", err)
	}
}

func TestParsePhrase(t *testing.T) {
	for _, c := range []struct {
		phrase string
		want   Effects
	}{
		{"stall at 5 for 2s", Effects{Stall: &Stall{5, 2 * time.Second}}},
		{"stall 5 for=2s", Effects{Stall: &Stall{5, 2 * time.Second}}},
		{"status 429 retry_after=3s", Effects{Status: &Status{Code: 429, RetryAfter: 3 * time.Second, Quota: 60}}},
		{`status 503 message="later; 5 = 5" type=x`, Effects{Status: &Status{Code: 503, Message: "later; 5 = 5", Kind: "x", Quota: 60}}},
		{" slow_headers 1s ;cut at 7 how close; ", Effects{SlowHeaders: time.Second, Cut: &Cut{At: 7, How: HowClose}}},
		{"http10", Effects{HTTP10: true}},
		{"buffer", Effects{Buffer: &Buffer{Mode: Whole}}},
		{"buffer clumps", Effects{Buffer: &Buffer{Mode: Clumps, Every: 200 * time.Millisecond}}},
		{"reset request", Effects{Reset: ResetRequest}},
		{"drop share 5%", Effects{Drop: &Frames{Share: .05}}},
		{"omit_headers X-Accel-Buffering", Effects{OmitHeaders: []string{"X-Accel-Buffering"}}},
		{"early-end", Effects{End: &End{5}}},
	} {
		rule, err := ParsePhrase(c.phrase)
		if err != nil || !reflect.DeepEqual(rule.Effects, c.want) {
			t.Errorf("%s: %+v, %v", c.phrase, rule, err)
		}
		if rule, err := forRequest(c.phrase); err != nil || rule.Name != "header" || !reflect.DeepEqual(rule.Effects, c.want) {
			t.Errorf("%s in a header: %+v, %v", c.phrase, rule, err)
		}
	}
}

// TestConditions: behind an effect may stand which requests it is for.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		phrase string
		want   Rule
	}{
		{"status 429 share=5%", Rule{Match: Match{Share: .05}, Effects: Effects{Status: &Status{Code: 429, Quota: 60}}}},
		{"end at 3 nth=2 times 1 name=once model gpt-*", Rule{Name: "once", Times: 1, Match: Match{Nth: 2, Model: "gpt-*"}, Effects: Effects{End: &End{3}}}},
		{"slow_headers 1s first=2; http10", Rule{Match: Match{First: 2}, Effects: Effects{SlowHeaders: time.Second, HTTP10: true}}},
		{"http10 path=/api/*", Rule{Match: Match{Path: "/api/*"}, Effects: Effects{HTTP10: true}}},
		{"drop share=5% every=2", Rule{Match: Match{Every: 2}, Effects: Effects{Drop: &Frames{Share: .05}}}},
	} {
		if rule, err := ParsePhrase(c.phrase); err != nil || !reflect.DeepEqual(rule, c.want) {
			t.Errorf("%s: %+v, %v", c.phrase, rule, err)
		}
	}
	if _, err := ParsePhrase("end 3 share=200%"); err == nil || err.Error() != "match.share: 200% is not possible: it must be above 0 and at most 1" {
		t.Errorf("error %v", err)
	}
	for text, want := range map[string]int{"end 3": 1, "rules: [{end: 3}, {stall: {at: 1, for: 1s}}]": 2, ` {"rules":[{"end":3}]}`: 1} {
		if rules, err := ParseText(text); err != nil || len(rules) != want {
			t.Errorf("%s: %+v, %v", text, rules, err)
		}
	}
}

func TestPhraseProblems(t *testing.T) {
	for _, c := range []struct{ phrase, want string }{
		{"stal at 5", `unknown effect "stal"; nearest: stall`},
		{"rate-limted", `unknown effect "rate-limted"; nearest: rate-limited`},
		{"stall at five for 2s", `stall.at: want the number of a token, event or frame, from 1; found "five"`},
		{"stall at 5", "stall: for is missing: want a duration with its unit, such as 200ms"},
		{"stall at 5 fro 2s", "stall.fro: unknown key; nearest: for; stall: for is missing: want a duration with its unit, such as 200ms"},
		{"slow_headers", `slow_headers: want a duration with its unit, such as 200ms; found ""`},
		{"slow_headers 1s 2s", `slow_headers: want a duration with its unit, such as 200ms; found "1s 2s"`},
		{"end 5; end 6", "end: given twice"},
		{"status 503; reset request", "status and reset cannot stand together: each comes in place of an answer"},
		{`error 5 message "a`, "the quote at byte 17 has no end"},
		{`error 5 message "\q"`, `the quote at byte 17 has no end`},
		{"end 5 share=5%", "share picks some of many requests, and this is one: give it a rule"},
		{"end 5 times=3", "times picks some of many requests, and this is one: give it a rule"},
		{"limit 3", "limit is not about one request: give it a rule"},
		{"rate-limited", "limit is not about one request: give it a rule"},
		{"reset accept", "reset is not about one request: give it a rule"},
		{"refuse 1s when loaded", "refuse is not about one request: give it a rule"},
		{"refuse 1s", "refuse is not about one request: give it a rule"},
	} {
		if _, err := forRequest(c.phrase); err == nil || err.Error() != "Halfsecond-Fault: "+c.want {
			t.Errorf("%s: %v, want %s", c.phrase, err, c.want)
		}
	}
	if _, err := ParsePhrase(" ;; "); err == nil || !strings.HasPrefix(err.Error(), `want an effect, such as "stall at 5 for 2s", or the name of a built-in rule: rate-limited, `) {
		t.Errorf("nothing: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(BuiltinFile())
	f.Add([]byte(`{"rules":[{"stall":{"at":5,"for":"2s"}}]}`))
	f.Add([]byte("rules:\n  - match: {header: {\"X y\": 1}}\n    end: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := Parse("f", data)
		if err != nil {
			return
		}
		again, err := checked(rules)
		if err != nil || len(rules) > 0 && !reflect.DeepEqual(again, rules) {
			t.Errorf("read %+v, and read again %+v, %v", rules, again, err)
		}
	})
}

func FuzzParsePhrase(f *testing.F) {
	f.Add(`status 503 message="later; 5 = 5" type=x; stall at 5 for 2s`)
	f.Add("early-end")
	f.Fuzz(func(t *testing.T, phrase string) {
		rule, err := ParsePhrase(phrase)
		if err == nil && len(rule.had()) == 0 {
			t.Errorf("%q has no effect and no error", phrase)
		}
	})
}
