package fault

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"halfsecond/pipeline/strict"
)

// Header is the request header whose value makes that one request go wrong.
const Header = "Halfsecond-Fault"

// perRequest is the name of the rule that a header makes.
const perRequest = "header"

// ParsePhrase reads effects as the header and the command line write them: the name of
// a built-in rule, or effects with their keys in one line, with semicolons between.
//
//	stall at 5 for 2s
//	status 429 retry_after=3s share=5%
//	slow_headers 1s; cut at 7 how close
//
// What follows an effect are keys and values; a value without a key is that of the
// effect's first key. Quotes hold a value with spaces together. Keys of a match other than
// header, times and name may stand there too, where the effect has none of that name: the
// rule has them. Without a name it has none; a Set gives it that of its first effect.
func ParsePhrase(phrase string) (Rule, error) {
	if rule, found := builtin(strings.TrimSpace(phrase)); found {
		return rule, nil
	}
	parts, err := clauses(phrase)
	if err != nil {
		return Rule{}, err
	}
	var rule Rule
	var flow flow
	for _, words := range parts {
		if err := flow.add(words, rule.Effects.keys()); err != nil {
			return Rule{}, err
		}
	}
	r := &reader{}
	if n := r.Document([]byte(flow.text()), "rules:"); n != nil && r.object(n, "", rule.keys()) {
		if wrong := rule.check(); wrong != "" {
			r.FailHere("%s", wrong)
		}
	}
	if len(r.Problems) > 0 {
		return Rule{}, inWords(r.Problems)
	}
	return rule, nil
}

// ParseText reads rules as Go code has them in a text: a file of rules, when it begins with
// "rules:" or a brace, or else a phrase.
func ParseText(text string) ([]Rule, error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "rules:") || strings.HasPrefix(t, "{") {
		return Parse("rules", []byte(text))
	}
	rule, err := ParsePhrase(text)
	return []Rule{rule}, err
}

// inWords returns problems of a text without lines.
func inWords(problems []strict.Problem) error {
	all := make([]string, len(problems))
	for i, p := range problems {
		all[i] = p.Words()
	}
	return errors.New(strings.Join(all, "; "))
}

// forRequest returns the rule of a request's header.
func forRequest(phrase string) (Rule, error) {
	rule, err := ParsePhrase(phrase)
	if err != nil {
		return rule, fmt.Errorf("%s: %w", Header, err)
	}
	if _, known := builtin(strings.TrimSpace(phrase)); !known {
		if asked := append(given(rule.Match.keys()), given([]key{rule.timesKey()})...); len(asked) > 0 {
			return rule, fmt.Errorf("%s: %s picks some of many requests, and this is one: give it a rule", Header, asked[0])
		}
	}
	for _, name := range rule.had() {
		if name == "limit" || name == "cold_start" || name == "reset" && rule.Reset == ResetAccept || name == "refuse" {
			return rule, fmt.Errorf("%s: %s is not about one request: give it a rule", Header, name)
		}
	}
	rule.Name, rule.Match, rule.Times = perRequest, Match{}, 0
	return rule, nil
}

// clauses cuts a phrase into its effects, and each into words.
func clauses(phrase string) ([][]string, error) {
	all := [][]string{nil}
	for rest := phrase; ; {
		rest = strings.TrimLeft(rest, " \t=")
		if rest == "" {
			break
		}
		last := &all[len(all)-1]
		switch rest[0] {
		case ';':
			all, rest = append(all, nil), rest[1:]
		case '"':
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, fmt.Errorf("the quote at byte %d has no end", len(phrase)-len(rest)+1)
			}
			word, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("%s is no quoted text", quoted)
			}
			*last, rest = append(*last, word), rest[len(quoted):]
		default:
			end := strings.IndexAny(rest, " \t=;")
			if end < 0 {
				end = len(rest)
			}
			*last, rest = append(*last, rest[:end]), rest[end:]
		}
	}
	all = slices.DeleteFunc(all, func(words []string) bool { return words == nil })
	if len(all) == 0 {
		return nil, fmt.Errorf("want an effect, such as \"stall at 5 for 2s\", or the name of a built-in rule: %s", strings.Join(builtinNames(), ", "))
	}
	return all, nil
}

// flow is a rule as a YAML mapping in one line.
type flow struct{ pairs, match []string }

func (f *flow) text() string {
	pairs := f.pairs
	if f.match != nil {
		pairs = append(pairs, "match: {"+strings.Join(f.match, ", ")+"}")
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// ofMatch and ofRule are the keys that may stand behind an effect and are the rule's.
var (
	ofMatch = slices.DeleteFunc(names((&Match{}).keys()), func(name string) bool { return name == "header" })
	ofRule  = []string{"times", "name"}
)

// add adds an effect, with what stands behind it.
func (f *flow) add(words []string, keys []key) error {
	k := find(keys, words[0])
	if k == nil {
		return fmt.Errorf("unknown effect %s; %s", strict.Quote(words[0]), strict.Suggest(words[0], append(names(keys), builtinNames()...)))
	}
	pair, err := inFlow(k, f.own(k, words[1:]))
	f.pairs = append(f.pairs, pair)
	return err
}

// own returns those of the words behind an effect that are its own, and adds the others.
func (f *flow) own(k *key, words []string) (own []string) {
	odd := len(words) % 2
	own = slices.Clone(words[:odd])
	for pair := range slices.Chunk(words[odd:], 2) {
		switch name := pair[0]; {
		case !slices.Contains(k.has, name) && slices.Contains(ofMatch, name):
			f.match = append(f.match, name+": "+scalarText(pair[1]))
		case !slices.Contains(k.has, name) && slices.Contains(ofRule, name):
			f.pairs = append(f.pairs, name+": "+scalarText(pair[1]))
		default:
			own = append(own, pair...)
		}
	}
	return own
}

// inFlow writes an effect with its own words as a pair of a YAML mapping in one line.
func inFlow(k *key, rest []string) (string, error) {
	effect := k.name
	switch {
	case k.main == "" && len(rest) == 0 && k.flag:
		return effect + ": true", nil
	case k.main == "" && len(rest) != 1:
		return "", fmt.Errorf("%s: want %s; found %s", effect, k.want, strict.Quote(strings.Join(rest, " ")))
	case k.main == "":
		return effect + ": " + scalarText(rest[0]), nil
	case len(rest)%2 == 1:
		rest = append([]string{k.main}, rest...)
	}
	pairs := make([]string, len(rest)/2)
	for i := range pairs {
		pairs[i] = scalarText(rest[2*i]) + ": " + scalarText(rest[2*i+1])
	}
	return effect + ": {" + strings.Join(pairs, ", ") + "}", nil
}

var simple = regexp.MustCompile(`^[A-Za-z0-9.][A-Za-z0-9._%-]*$`)

// scalarText returns a word as a YAML scalar that means itself.
func scalarText(s string) string {
	if simple.MatchString(s) {
		return s
	}
	return quote(s)
}
