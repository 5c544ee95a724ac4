package cache

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Config is the rules of a cache. With a Capacity and nothing else it finds an answer
// again at the very place that it was asked for, complete answers only.
//
// Sources, all read 2026-11-30: ggml-org/llama.vim autoload/llama.vim (a version of
// 2026 and commit 02e6a4f); ggml-org/llama.vscode src/completion.ts (033bf11) and
// src/lru-cache.ts (4f736f1); TabbyML/tabby clients/tabby-agent/src/codeCompletion/cache.ts
// (309edd1); sourcegraph/cody vscode/src/completions/request-manager.ts (030ba78) and
// cache/cache.ts (0200c05); microsoft/vscode-copilot-chat completions-core ghostText,
// completionsCache; continuedev/continue core/autocomplete/util/AutocompleteLruCache.ts
// (0432315); supermaven-inc/supermaven-nvim lua/supermaven-nvim/binary/binary_handler.lua
// (0010f64); twinnydotdev/twinny src/extension/completion/cache.ts (286b751).
type Config struct {
	// Capacity is the most entries, 1 or more: 50 in Twinny, 100 in Tabby and Copilot,
	// 250 in llama.vim, llama.vscode and Cody, 1000 in Continue.
	Capacity int
	// Bytes is the most text that all entries together can show, 0 for no limit.
	Bytes int
	// TTL is how long after it came an answer is found, 0 for as long as there is room.
	// Tabby has 5 minutes.
	TTL time.Duration
	// Partial keeps answers of which not all came, Empty those that say nothing:
	// llama.vim does not ask again where it knows that nothing was said.
	Partial, Empty bool

	Prefix  Prefix
	Forward Forward
	// Back is how many bytes of the line may be taken back before the place of an
	// answer; they are shown in front of it. Cody's first cache did so.
	Back  int
	Fuzzy Fuzzy
}

// mostEntries is far more than any plugin has.
const mostEntries = 1 << 20

// Unlimited is a reach without an end.
const Unlimited = math.MaxInt

// Prefix is the rule by which an answer is found after typing that it starts with.
type Prefix struct {
	// Reach is the most bytes typed since: 128 characters in llama.vim, the line in
	// llama.vscode, any in Copilot and Continue. With 0 there is no such rule.
	Reach int
	// SameLine ends the reach at a line break.
	SameLine bool
	// Longest looks at the nearest place only for which there is an answer, and finds
	// nothing when the typing goes another way than that one, as Continue does.
	Longest bool
	// MostLeft takes, of all answers in reach that go on with the typing, the one that has
	// most left to show, as llama.vim and Supermaven's plugin for Neovim do; else the
	// nearest place wins.
	MostLeft bool
}

// Forward is the rule by which an answer is entered further along it, too. Each such
// entry takes a place of its own.
type Forward struct {
	// Characters is how many characters of its first line are followed, none of which is
	// the last of the line: 50 in Tabby.
	Characters int
	// NextLine follows an answer of several lines to the end of the first, the start of
	// the second and behind its indentation, as Tabby does; llama.vscode has the second
	// of these.
	NextLine bool
}

// Fuzzy is the differences that are looked past. An answer is found when one of the rules
// allows what is different, each by itself; a difference in the current line before the
// cursor is only ever one of white space.
type Fuzzy struct {
	// Spaces takes each run of white space for one space, and none at the ends of the
	// two texts. Twinny's key does so. Line breaks in another place near the cursor are
	// not looked past.
	Spaces bool
	// LostLines is how many whole lines may be missing at the start of the text, as when
	// a window of lines has moved on: 3 in llama.vim.
	LostLines int
	// Near is how many bytes before and after the cursor count, where both are more than
	// 0; the rest may be anything. The last 16 characters of the current line before the
	// cursor count in any case. 500 characters each when Twinny follows its last answer.
	Near  Near
	Edits Edits
}

// Near is a number of bytes before and after a cursor.
type Near struct{ Before, After int }

// Edits is the rule that the lines above the current one may differ a little: by Base
// characters and one more for every Step of the line, at most Most, in each of the last
// Lines that are not blank. The text above them and the next line that is not blank must
// be the same; the rest is not looked at. Cody has 5 lines, base 3, step 20 and most 5.
type Edits struct{ Lines, Base, Step, Most int }

// Validate reports everything that makes the rules impossible.
func (c Config) Validate() error {
	var errs []error
	if c.Capacity < 1 || c.Capacity > mostEntries {
		errs = append(errs, fmt.Errorf("capacity is %d entries, must be from 1 to %d", c.Capacity, mostEntries))
	}
	if c.TTL < 0 {
		errs = append(errs, fmt.Errorf("time to live is %s, must not be negative", c.TTL))
	}
	if c.Prefix.Longest && c.Prefix.MostLeft {
		errs = append(errs, errors.New("prefix takes the longest place only, and the answer with most left of all: want one of them"))
	}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"bytes", c.Bytes}, {"prefix reach", c.Prefix.Reach}, {"forward characters", c.Forward.Characters}, {"back", c.Back},
		{"lost lines", c.Fuzzy.LostLines}, {"near before", c.Fuzzy.Near.Before}, {"near after", c.Fuzzy.Near.After},
		{"edited lines", c.Fuzzy.Edits.Lines}, {"edits base", c.Fuzzy.Edits.Base}, {"edits step", c.Fuzzy.Edits.Step}, {"most edits", c.Fuzzy.Edits.Most},
	} {
		if f.value < 0 {
			errs = append(errs, fmt.Errorf("%s is %d, must not be negative", f.name, f.value))
		}
	}
	return errors.Join(errs...)
}

// any reports whether there is any rule.
func (f *Fuzzy) any() bool {
	return f.Spaces || f.LostLines > 0 || f.Near.Before > 0 && f.Near.After > 0 || f.Edits.Lines > 0
}
