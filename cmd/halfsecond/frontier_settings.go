package main

import (
	"errors"
	"fmt"
	"strings"

	"halfsecond/simulators/scenario"
	"halfsecond/simulators/study"
)

// frontierFlags are the settings that have a flag of their own.
var frontierFlags = []struct {
	flag, key, usage string
	usual            string // values where no setting was named; "" leaves it alone
}{
	{"debounce", "ide.plugin.debounce", "`waits` after a key to try, such as 0ms,75ms,350ms", "0ms,75ms,150ms,350ms"},
	{"cancel", "ide.plugin.cancel", "cancel `rules`: none, discard, wire", "none,wire"},
	{"cache", "", "what is kept of earlier answers, `words`: off, typed, lru, prefix; or {capacity: 100}", "off,typed,lru"},
	{"model", "ide.llm.model", "`names` of models of 'halfsecond catalog models'", ""},
	{"hardware", "ide.llm.hardware", "`names` of accelerators of 'halfsecond catalog hardware'", ""},
}

// The keys of --cache.
const (
	reuseKey = "ide.plugin.reuse"
	cacheKey = "ide.plugin.cache"
)

// caches are the words of --cache: what is kept while the typing follows it, and the rest. 250
// entries are what llama.vim keeps by default (docs/plugins.md).
var caches = map[string][2]string{
	"off":    {"none", ""},
	"typed":  {"typed_as_suggested", ""},
	"lru":    {"typed_as_suggested", "{capacity: 250}"},
	"prefix": {"typed_as_suggested", "{capacity: 250, prefix: {reach: 128}}"},
}

// varied returns the settings to try, as the flags say.
func (o *frontierOptions) varied() (all []study.Varied, err error) {
	usual := len(o.vary) == 0
	for _, s := range frontierFlags {
		usual = usual && *o.lists[s.flag] == "" && !o.given(s.flag)
	}
	var errs []error
	add := func(v study.Varied, err error) {
		all, errs = append(all, v), append(errs, err)
	}
	for _, s := range frontierFlags {
		list := *o.lists[s.flag]
		if usual {
			list = s.usual
		}
		if list != "" || o.given(s.flag) {
			add(valuesOf("--"+s.flag, s.flag, s.key, list))
		}
	}
	for _, text := range o.vary {
		key, list, found := cut(text, "=")
		if !found {
			errs = append(errs, fmt.Errorf("--vary %s: want a key and values, such as ide.plugin.max_tokens=24,48", text))
			continue
		}
		add(valuesOf("--vary "+key, key[strings.LastIndexByte(key, '.')+1:], key, list))
	}
	for _, text := range o.also {
		errs = append(errs, alsoSet(all, text))
	}
	return all, errors.Join(errs...)
}

// valuesOf reads the values of a setting. Without a key they are words of --cache.
func valuesOf(flag, name, key, list string) (v study.Varied, err error) {
	v = study.Varied{Name: name, Key: key}
	values, err := scenario.Values(list)
	if err != nil {
		return v, fmt.Errorf("%s: %w", flag, err)
	}
	for _, text := range values {
		changes := []scenario.Change{{Key: key, Value: text}}
		if key == "" {
			changes, err = cacheOf(text)
		} else {
			_, err = scenario.NewChange(key, text)
		}
		if err != nil {
			return v, fmt.Errorf("%s: %w", flag, err)
		}
		if text == "" {
			text = "left out"
		}
		v.Values = append(v.Values, study.Value{Text: text, Changes: changes})
	}
	return v, nil
}

// cacheOf returns what a word of --cache stands for.
func cacheOf(text string) ([]scenario.Change, error) {
	rules, known := caches[text]
	switch {
	case strings.HasPrefix(text, "{"):
		rules = [2]string{"typed_as_suggested", text}
	case !known:
		return nil, fmt.Errorf("%q: want off, typed, lru, prefix, or a value of %s in braces", text, cacheKey)
	}
	return []scenario.Change{{Key: reuseKey, Value: rules[0]}, {Key: cacheKey, Value: rules[1]}}, nil
}

// alsoSet adds the keys of a --for to the value that it is for.
func alsoSet(all []study.Varied, text string) error {
	value, keys, found := cut(text, ":")
	if !found {
		return fmt.Errorf("--for %s: want a value and keys, such as 'Qwen2.5-7B: ide.answer.truth=65%%'", text)
	}
	var changes []scenario.Change
	for one := range strings.SplitSeq(keys, ";") {
		key, v, found := cut(one, "=")
		c, err := scenario.NewChange(key, v)
		if !found || err != nil {
			return fmt.Errorf("--for %s: want a key and a value after the colon, such as ide.answer.truth=65%%", text)
		}
		changes = append(changes, c)
	}
	for i := range all {
		for k := range all[i].Values {
			if v := &all[i].Values[k]; v.Text == value {
				v.Changes = append(v.Changes, changes...)
				return nil
			}
		}
	}
	return fmt.Errorf("--for %s: no setting that is tried has the value %s", text, value)
}

// cut cuts a text in two, without the spaces around them.
func cut(text, at string) (before, after string, found bool) {
	before, after, found = strings.Cut(text, at)
	return strings.TrimSpace(before), strings.TrimSpace(after), found
}
