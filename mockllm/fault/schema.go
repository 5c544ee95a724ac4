package fault

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
)

// Limits of what a rule may say.
const (
	mostTokens = 1 << 20  // the number of a token
	mostBytes  = 64 << 20 // of an event, or before a cut
	mostCount  = 1 << 30
	mostRate   = 100_000_000 // a minute
	mostRules  = 1000
	mostText   = 64 << 10
)

// Parse reads a file of rules, in YAML or JSON. The error has a line for every problem,
// with its place and the nearest valid name.
func Parse(file string, data []byte) ([]Rule, error) {
	r := &reader{strict.Reader{File: file}}
	var rules []Rule
	if n := r.Document(data, "rules:"); n != nil {
		r.object(n, "", []key{listOf("rules", &rules).required()})
	}
	if err := strict.Join(r.Problems); err != nil {
		return nil, err
	}
	return rules, nil
}

// listOf returns the key of a list of rules. Each gets a name, which no other has.
func listOf(name string, at *[]Rule) key {
	return key{
		name: name, want: "a list of rules",
		read: func(r *reader, n ast.Node) {
			list, isList := n.(*ast.SequenceNode)
			switch {
			case !isList:
				r.Fail(n, "want a list of at most %d rules; found %s", mostRules, strict.Describe(n))
				return
			case len(list.Values) > mostRules:
				r.Fail(n, "want a list of at most %d rules; found one of %d", mostRules, len(list.Values))
				return
			}
			*at = make([]Rule, len(list.Values))
			taken := map[string]bool{}
			for i, e := range list.Values {
				r.Within("["+strconv.Itoa(i)+"]", strict.Position(e), func() { r.rule(e, &(*at)[i], taken) })
			}
			christen(*at, taken)
		},
	}
}

// rule reads a rule. taken are the names of the rules before it.
func (r *reader) rule(n ast.Node, rule *Rule, taken map[string]bool) {
	if !r.object(n, "", rule.keys()) {
		return
	}
	if rule.Name != "" && taken[rule.Name] {
		r.Fail(n, "the name %s is given twice", rule.Name)
	}
	taken[rule.Name] = true
	if wrong := rule.check(); wrong != "" {
		r.Fail(n, "%s", wrong)
	}
}

// christen gives rules without a name that of their first effect, with a number when it
// is taken.
func christen(rules []Rule, taken map[string]bool) {
	next := map[string]int{}
	for i := range rules {
		had := rules[i].had()
		if rules[i].Name != "" || len(had) == 0 { // which is told already
			continue
		}
		name := had[0]
		for n := max(2, next[had[0]]); taken[name]; n++ {
			name, next[had[0]] = had[0]+"-"+strconv.Itoa(n), n+1
		}
		rules[i].Name, taken[name] = name, true
	}
}

var ruleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (rule *Rule) keys() []key {
	name := text("name", "a name", &rule.Name, 64)
	read := name.read
	name.read = func(r *reader, n ast.Node) {
		if s, _ := word(n); !ruleName.MatchString(s) {
			r.Fail(n, "want a name of up to 64 letters, digits, dots, dashes and underscores; found %s", strict.Describe(n))
			return
		}
		read(r, n)
	}
	match := key{
		name: "match", want: "a mapping",
		read: func(r *reader, n ast.Node) {
			if r.object(n, "", rule.Match.keys()) {
				if wrong := rule.Match.check(); wrong != "" {
					r.Fail(n, "%s", wrong)
				}
			}
		},
		show: func() json.RawMessage {
			if s := show(rule.Match.keys()); string(s) != "{}" {
				return s
			}
			return nil
		},
	}
	return append([]key{
		name, text("about", "a text for people", &rule.About, mostText),
		match, rule.timesKey(),
	}, rule.Effects.keys()...)
}

func (rule *Rule) timesKey() key {
	return count("times", "a number of requests", &rule.Times, 1, mostCount)
}

func (m *Match) keys() []key {
	return []key{
		text("model", "a model's name, in which * stands for anything", &m.Model, 200),
		text("path", "a path such as /v1/chat/*", &m.Path, 1000),
		enum("protocol", &m.Protocol, Protocols()...),
		headers("header", "a mapping from headers to what they say, in which * stands for anything", &m.Header),
		count("nth", "the number of a request, from 1", &m.Nth, 1, mostCount),
		count("every", "a number of requests", &m.Every, 1, mostCount),
		count("first", "a number of requests", &m.First, 1, mostCount),
		share("share", &m.Share),
		number("seed", "a whole number", &m.Seed),
	}
}

func (m *Match) check() string {
	had := given(m.keys()[4:8])
	if len(had) > 1 {
		return strings.Join(had, " and ") + " cannot stand together: each picks some of the requests"
	}
	if m.Seed != 0 && m.Share == 0 {
		return "seed goes with share"
	}
	return ""
}

// given returns the names of the keys that say something.
func given(keys []key) (had []string) {
	for _, k := range keys {
		if k.show() != nil {
			had = append(had, k.name)
		}
	}
	return had
}

// had returns the names of the effects that a rule has.
func (e *Effects) had() []string { return given(e.keys()) }

// alone are the effects that a rule has instead of others: they are not about one
// request, or decide for themselves whether they apply to it.
var alone = []string{"limit", "refuse", "cold_start"}

// instead are the effects that come in place of an answer.
var instead = []string{"status", "reset"}

func (rule *Rule) check() string {
	had := rule.had()
	if len(had) == 0 {
		return "a rule needs an effect: one of " + strings.Join(names(rule.Effects.keys()), ", ")
	}
	for _, name := range had {
		if (slices.Contains(alone, name) || name == "reset" && rule.Reset == ResetAccept) && len(had) > 1 {
			return fmt.Sprintf("%s stands alone: give %s a rule of its own", name, strings.Join(slices.DeleteFunc(had, func(s string) bool { return s == name }), ", "))
		}
	}
	if both := slices.DeleteFunc(had, func(s string) bool { return !slices.Contains(instead, s) }); len(both) > 1 {
		return strings.Join(both, " and ") + " cannot stand together: each comes in place of an answer"
	}
	return rule.checkMatch()
}

// checkMatch reports conditions on requests of a rule that is not about requests.
func (rule *Rule) checkMatch() string {
	asked := given(rule.Match.keys())
	switch {
	case rule.Refuse != nil && rule.Refuse.When == WhenLoaded:
		if len(asked) > 0 || rule.Times > 0 {
			return "refuse with when: loaded is about no request, so that nothing can be matched or counted"
		}
	case rule.Reset == ResetAccept:
		for _, name := range asked {
			if slices.Contains([]string{"model", "path", "protocol", "header"}, name) {
				return fmt.Sprintf("reset: accept comes before a request, so that its %s cannot be matched; nth, every, first and share count connections", name)
			}
		}
	}
	return ""
}

// tokenNumber returns the key of the number of a token.
func tokenNumber(at *int) key {
	return count("at", "the number of a token, event or frame, from 1", at, 1, mostTokens)
}

func (e *Effects) keys() []key {
	return []key{
		optional("status", "a status or a mapping that begins with code", &e.Status, Status{Quota: 60}),
		optional("limit", "a mapping with rpm, tpm or both", &e.Limit, Limit{Per: PerAll}),
		optional("refuse", "a duration or a mapping with for and when", &e.Refuse, Refuse{When: WhenMatched}),
		enum("reset", &e.Reset, ResetRequest, ResetAccept),
		span("slow_headers", "a duration", &e.SlowHeaders),
		headerNames("omit_headers", &e.OmitHeaders),
		optional("cold_start", "a duration or a mapping with load and idle", &e.ColdStart, ColdStart{Idle: unload}),
		optional("stall", "a mapping with at and for", &e.Stall, Stall{}),
		optional("cut", "a mapping with at or byte, and how", &e.Cut, Cut{How: HowReset}),
		optional("malformed", "the number of a token", &e.Malformed, Malformed{}),
		optional("oversized", "a mapping with at and bytes", &e.Oversized, Oversized{Bytes: 1 << 20}),
		optional("error", "the number of a token or a mapping that begins with at", &e.Error, Error{}),
		optional("end", "the number of a token", &e.End, End{}),
		optional("drip", "a mapping with bytes and every", &e.Drip, Drip{}),
		optional("buffer", "whole | clumps or a mapping that begins with mode", &e.Buffer, Buffer{Mode: Whole}),
		flag("http10", &e.HTTP10),
		optional("drop", "the number of a frame or a mapping with share", &e.Drop, Frames{}),
		optional("duplicate", "the number of a frame or a mapping with share", &e.Duplicate, Frames{}),
		optional("idle_close", "a duration or a mapping that begins with after", &e.IdleClose, IdleClose{Code: 1000}),
	}
}

// unload is how long a model stays loaded without requests unless a rule says
// otherwise: Ollama's keep_alive, 5m (ollama/ollama docs/faq.mdx, fb30760 of
// 2026-08-21), read 2026-11-29.
const unload = 5 * time.Minute

func (s *Status) keys() []key {
	return []key{
		count("code", "a status from 400 to 599", &s.Code, 400, 599).required(),
		text("message", "a text", &s.Message, mostText),
		text("type", "the error's type in the protocol's words", &s.Kind, 200),
		text("body", "the whole body", &s.Body, mostText),
		span("retry_after", "a duration", &s.RetryAfter),
		count("quota", "requests a minute", &s.Quota, 1, mostRate),
		headers("headers", "a mapping from headers to what they say", &s.Headers),
	}
}

func (s *Status) check() string {
	if s.Body != "" && (s.Message != "" || s.Kind != "") {
		return "body is all of the answer: message and type would be in none"
	}
	return ""
}

func (l *Limit) keys() []key {
	return []key{
		count("rpm", "requests a minute", &l.RPM, 1, mostRate),
		count("tpm", "tokens a minute", &l.TPM, 1, mostRate),
		enum("per", &l.Per, PerAll, PerModel, PerKey),
	}
}

func (l *Limit) check() string {
	if l.RPM == 0 && l.TPM == 0 {
		return "rpm or tpm is missing: want a number a minute"
	}
	return ""
}

func (f *Refuse) keys() []key {
	return []key{
		span("for", "a duration", &f.For).required(),
		enum("when", &f.When, WhenMatched, WhenLoaded),
	}
}

func (f *Refuse) check() string { return "" }

func (c *ColdStart) keys() []key {
	return []key{
		span("load", "a duration", &c.Load).required(),
		span("idle", "a duration", &c.Idle),
	}
}

func (c *ColdStart) check() string { return "" }

func (s *Stall) keys() []key {
	return []key{tokenNumber(&s.At).required(), span("for", "a duration", &s.For).required()}
}

func (s *Stall) check() string { return "" }

func (c *Cut) keys() []key {
	return []key{
		tokenNumber(&c.At),
		count("byte", "a number of bytes of the body", &c.Byte, 1, mostBytes),
		enum("how", &c.How, HowReset, HowClose),
	}
}

func (c *Cut) check() string {
	if (c.At == 0) == (c.Byte == 0) {
		return "want at, the number of a token, or byte, a number of bytes of the body, and not both"
	}
	return ""
}

func (m *Malformed) keys() []key   { return []key{tokenNumber(&m.At).required()} }
func (m *Malformed) check() string { return "" }

func (o *Oversized) keys() []key {
	return []key{tokenNumber(&o.At).required(), count("bytes", "a number of bytes", &o.Bytes, 1, mostBytes)}
}

func (o *Oversized) check() string { return "" }

func (e *Error) keys() []key {
	return []key{
		tokenNumber(&e.At).required(),
		text("message", "a text", &e.Message, mostText),
		text("type", "the error's type in the protocol's words", &e.Kind, 200),
	}
}

func (e *Error) check() string { return "" }

func (e *End) keys() []key   { return []key{tokenNumber(&e.At).required()} }
func (e *End) check() string { return "" }

func (d *Drip) keys() []key {
	return []key{
		count("bytes", "a number of bytes", &d.Bytes, 1, mostBytes).required(),
		span("every", "a duration", &d.Every).required(),
	}
}

func (d *Drip) check() string { return "" }

func (b *Buffer) keys() []key {
	return []key{
		enum("mode", &b.Mode, Whole, Clumps),
		span("every", "a duration", &b.Every),
		flag("honours_header", &b.HonoursHeader),
	}
}

// clump is how long a proxy gathers a clump unless a rule says otherwise.
const clump = 200 * time.Millisecond

func (b *Buffer) check() string {
	if b.Mode == Whole && b.Every != 0 {
		return "every goes with mode: clumps"
	}
	if b.Mode == Clumps && b.Every == 0 {
		b.Every = clump
	}
	return ""
}

func (f *Frames) keys() []key { return []key{tokenNumber(&f.At), share("share", &f.Share)} }

func (f *Frames) check() string {
	if (f.At == 0) == (f.Share == 0) {
		return "want at, the number of a frame, or share, a part of them, and not both"
	}
	return ""
}

func (c *IdleClose) keys() []key {
	return []key{
		span("after", "a duration", &c.After).required(),
		count("code", "a close code from 1000 to 4999", &c.Code, 1000, 4999),
		text("reason", "a text", &c.Reason, 123),
	}
}

func (c *IdleClose) check() string {
	if c.Code >= 1004 && c.Code <= 1006 || c.Code == 1015 {
		return fmt.Sprintf("code %d must not be sent: it is reserved (RFC 6455, 7.4.1)", c.Code)
	}
	return ""
}

// MarshalJSON returns the rule in the form that Parse reads.
func (rule Rule) MarshalJSON() ([]byte, error) { return show(rule.keys()), nil }

// checked returns rules as Parse would have read them, with names and defaults; they
// may come from Go code.
func checked(rules []Rule) ([]Rule, error) {
	data, err := json.Marshal(map[string][]Rule{"rules": append([]Rule{}, rules...)})
	if err != nil {
		return nil, fmt.Errorf("fault: %w", err)
	}
	r := &reader{}
	rules = nil
	if n := r.Document(data, "rules:"); n != nil {
		r.object(n, "", []key{listOf("rules", &rules).required()})
	}
	if len(r.Problems) > 0 {
		return nil, inWords(r.Problems)
	}
	return rules, nil
}
