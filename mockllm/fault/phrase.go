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
//	status 429 retry_after=3s
//	slow_headers 1s; cut at 7 how close
//
// What follows an effect are keys and values; a value without a key is that of the
// effect's first key. Quotes hold a value with spaces together.
func ParsePhrase(phrase string) (Rule, error) {
	if rule, found := builtin(strings.TrimSpace(phrase)); found {
		return rule, nil
	}
	var rule Rule
	keys := rule.Effects.keys()
	parts, err := clauses(phrase)
	if err != nil {
		return Rule{}, err
	}
	flow := make([]string, len(parts))
	for i, words := range parts {
		if flow[i], err = inFlow(words, keys); err != nil {
			return Rule{}, err
		}
	}
	r := &reader{}
	if n := r.Document([]byte("{"+strings.Join(flow, ", ")+"}"), "rules:"); n != nil && r.object(n, "", keys) {
		if wrong := rule.check(); wrong != "" {
			r.FailHere("%s", wrong)
		}
	}
	if len(r.Problems) > 0 {
		return Rule{}, inWords(r.Problems)
	}
	rule.Name = rule.had()[0]
	return rule, nil
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
	for _, name := range rule.had() {
		if name == "limit" || name == "cold_start" || name == "reset" && rule.Reset == ResetAccept || name == "refuse" && rule.Refuse.When == WhenLoaded {
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

// inFlow writes an effect as a pair of a YAML mapping in one line.
func inFlow(words []string, keys []key) (string, error) {
	effect, rest := words[0], words[1:]
	k := find(keys, effect)
	switch {
	case k == nil:
		return "", fmt.Errorf("unknown effect %s; %s", strict.Quote(effect), strict.Suggest(effect, append(names(keys), builtinNames()...)))
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
