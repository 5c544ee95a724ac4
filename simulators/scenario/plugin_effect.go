package scenario

import (
	"strings"

	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

// workable refuses rules of a plugin that contradict each other, or of which one has no
// effect beside the others.
func workable(r *reader, found map[string]entry, p *rules) {
	w, c, s := &p.Wait, &p.Cache, &p.Prompt
	fuzzy := &c.Fuzzy
	wrong := func(is bool, path, format string, args ...any) {
		if is {
			r.failInside(found, strings.Split(path, "."), format, args...)
		}
	}
	// falls refuses what has no effect if the file has it; if only its preset does, that falls away.
	falls := func(is bool, path string, drop func(), format string, args ...any) {
		if is && !has(found, path) {
			drop()
		} else {
			wrong(is, path, format, args...)
		}
	}
	both := func(tokens, path string) {
		_, first := found[tokens]
		_, second := under(found["prompt"])[path]
		wrong(first && second, "prompt."+path, "stands in place of %s: leave out one of the two", tokens)
	}
	adapts := w.Debounce == plugin.Rhythm || w.Debounce == plugin.Response
	wrong(adapts && w.Least >= w.For, "wait.least", "is %s, and leaves nothing to adapt below the debounce of %s: want a shorter one", w.Least, w.For)
	falls(w.EndOfLine > 0 && w.EndOfLine == w.For, "wait.end_of_line", func() { w.EndOfLine = 0 }, "has no effect: it is the debounce")
	if has(found, "cache.prefix.most_left") && !has(found, "cache.prefix.longest") {
		c.Prefix.Longest = c.Prefix.Longest && !c.Prefix.MostLeft
	}
	falls(c.Prefix.Longest && c.Prefix.MostLeft, "cache.prefix.most_left", func() { c.Prefix.MostLeft = false }, "has no effect beside longest, which looks at one place only: leave out one of the two")
	wrong((fuzzy.Near.Before > 0) != (fuzzy.Near.After > 0), "cache.fuzzy.near", "has no effect: want both before and after above 0")
	wrong(fuzzy.Edits.Lines > 0 && fuzzy.Edits.Base == 0 && fuzzy.Edits.Step == 0, "cache.fuzzy.edits", "has no effect: no character may differ; want a base or a step above 0")
	both("prefix_tokens", "prefix")
	both("suffix_tokens", "suffix")
	if prefixOnly(p) {
		_, given := found["suffix_tokens"]
		wrong(given, "suffix_tokens", "has no effect: a prompt of layout prefix_only has no suffix")
		s.Suffix = prompt.Size{}
	}
	wrong(s.Grid == 1, "prompt.grid", "has no effect: want 2 or more, or 0 to slide")
	falls(p.KeepSuperseded && p.Cancel == plugin.CancelWire && !p.KeepMatching && !c.Partial, "cache.superseded", func() { p.KeepSuperseded = false },
		"has no effect: cancel: wire closes each request at the next key; want partial: true, requests.keep_matching or another cancel")
	falls(s.Sticky.Tokens > 0 && s.Suffix == prompt.Size{}, "prompt.sticky", func() { s.Sticky = prompt.Sticky{} }, "has no effect: the suffix has no token")
	if err := s.Validate(); err != nil && s.Family != "" {
		wrong(true, "prompt.layout", "%s", inOne(err))
	}
	if err := p.Validate(); err != nil && len(r.Problems) == 0 {
		r.FailHere("%s", inOne(err))
	}
}

// has reports whether a file has a key, by its path.
func has(found map[string]entry, path string) bool {
	key, rest, deeper := strings.Cut(path, ".")
	e, given := found[key]
	return given && (!deeper || has(under(e), rest))
}
