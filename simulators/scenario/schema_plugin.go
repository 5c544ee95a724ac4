package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/text/fim"
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/plugin"
	"halfsecond/simulators/ide/prompt"
)

var defaultPlugin = plugin.Rules{
	Wait: plugin.Wait{For: 75 * time.Millisecond}, Cancel: plugin.CancelWire, Reuse: plugin.TypedAsSuggested,
	Prompt: prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: 1500}, Suffix: prompt.Size{N: 500}}, MaxTokens: 48,
}

type rules = plugin.Rules

// pluginKeys is the form of the rules of a plugin, of which a file states what is not as base
// has it.
func pluginKeys(base *rules) form[rules] {
	return object(workable,
		presetKey,
		rule(base, "debounce", func(p *rules) *time.Duration { return &p.Wait.For }, duration(0, longestDelay), "wait after a key before asking"),
		rule(base, "cancel", func(p *rules) *plugin.Cancel { return &p.Cancel }, names(plugin.CancelNone, plugin.CancelDiscard, plugin.CancelWire), "at the next key: nothing, drop the answer, or close the request"),
		rule(base, "reuse", func(p *rules) *plugin.Reuse { return &p.Reuse }, names(plugin.ReuseNone, plugin.TypedAsSuggested, plugin.ShrinkAndAsk), "what is shown stays while the typing follows it, and nothing is asked meanwhile, or is asked all the same"),
		rule(base, "prefix_tokens", func(p *rules) *prompt.Size { return &p.Prompt.Prefix }, inTokens(1), "most tokens before the cursor in a prompt"),
		rule(base, "suffix_tokens", func(p *rules) *prompt.Size { return &p.Prompt.Suffix }, inTokens(0), "most tokens behind it").unless(prefixOnly),
		rule(base, "max_tokens", func(p *rules) *int { return &p.MaxTokens }, whole(1, longestCompletion), "longest answer"),
		part("wait", "how long it waits after a key", waitKeys(base)...),
		part("requests", "how many requests it sends, and which it gives up", requestKeys(base)...),
		part("triggers", "where and after what it asks", triggerKeys(base)...),
		part("cache", "what it keeps of earlier answers", cacheKeys(base)...),
		part("prompt", "how it makes its prompts", promptKeys(base)...),
		part("display", "how it shows a suggestion", displayKeys(base)...),
	)
}

// rule is the field of a key that stands for what base has when it is left out.
func rule[T any](base *rules, key string, at func(*rules) *T, f form[T], doc string) field[rules] {
	return can(key, at, *at(base), f, doc)
}

// detail is the field of a key of something that base may be without: usual is then what it
// stands for.
func detail[T comparable](base *rules, key string, at func(*rules) *T, usual T, f form[T], doc string) field[rules] {
	if v := *at(base); v != *new(T) {
		usual = v
	}
	return can(key, at, usual, f, doc)
}

// unless has a field written only where something is not so.
func (f field[S]) unless(so func(*S) bool) field[S] {
	write := f.write
	f.write = func(s *S) tree {
		if so(s) {
			return tree{}
		}
		return write(s)
	}
	return f
}

func waitKeys(base *rules) []field[rules] {
	return []field[rules]{
		rule(base, "by", func(p *rules) *plugin.Debounce { return &p.Wait.Debounce }, names(plugin.Debounces()...), "anew after each key; at once after a quiet debounce and else anew; from the first key on that nothing was asked for; or anew, by the last gaps between keys or the last answers").
			given("a debounce above 0", func(p *rules) bool { return p.Wait.For > 0 }),
		detail(base, "factor", func(p *rules) *float64 { return &p.Wait.Factor }, 1, decimal(.01, 100), "wait this times the mean of the last gaps or answers, at most the debounce").when("by", "rhythm", "response"),
		rule(base, "least", func(p *rules) *time.Duration { return &p.Wait.Least }, duration(0, longestDelay), "and at least this").when("by", "rhythm", "response"),
		rule(base, "end_of_line", func(p *rules) *time.Duration { return &p.Wait.EndOfLine }, duration(0, longestDelay), "in place of the debounce where only blanks follow on the line; 0 is no other one"),
		rule(base, "accept_at_once", func(p *rules) *bool { return &p.Wait.AcceptAtOnce }, boolean, "an accepted suggestion asks with no wait").
			given("a debounce above 0", func(p *rules) bool { return p.Wait.For > 0 }),
		rule(base, "prepare", func(p *rules) *time.Duration { return &p.Prepare }, duration(0, longestDelay), "work on the editor's own thread before the wait begins: keys that come meanwhile are handled afterwards"),
	}
}

func requestKeys(base *rules) []field[rules] {
	wire := func(p *rules) bool { return p.Cancel == plugin.CancelWire }
	return []field[rules]{
		rule(base, "throttle", func(p *rules) *time.Duration { return &p.Throttle }, duration(0, longestDelay), "after a request no other is sent for so long, and keys meanwhile ask for nothing"),
		rule(base, "trailing", func(p *rules) *bool { return &p.Trailing }, boolean, "the last of them asks when that time is over").
			where("throttle", "a throttle above 0", func(p *rules) bool { return p.Throttle > 0 }),
		rule(base, "editor_token", func(p *rules) *bool { return &p.EditorToken }, boolean, "the editor itself closes every request at the next key").given("cancel: wire", wire),
		rule(base, "keep_matching", func(p *rules) *bool { return &p.KeepMatching }, boolean, "a request stays while what is typed may be the beginning of its answer").
			given("cancel: wire and no editor_token", func(p *rules) bool { return wire(p) && !p.EditorToken }),
		rule(base, "rest", func(p *rules) *plugin.Rest { return &p.Rest }, names(plugin.RestFinish, plugin.RestClose), "what becomes of the others when one of them is shown").when("keep_matching", "true"),
		rule(base, "speculate", func(p *rules) *bool { return &p.Speculate }, boolean, "once all of a suggestion is shown, ask for what follows it as if it were accepted"),
		rule(base, "speculation_lives", func(p *rules) *bool { return &p.SpeculationLives }, boolean, "typing does not close that request").when("speculate", "true"),
		rule(base, "warm_up", func(p *rules) *bool { return &p.WarmUp }, boolean, "a request of one token when the editor gets the focus: as the typing begins"),
		rule(base, "most_live", func(p *rules) *int { return &p.MostLive }, whole(0, 1000), "requests under way at most, for whose end the newest key waits; 1 is a single flight, 0 no limit").
			given("requests that outlive a key: cancel none or discard, keep_matching, speculation_lives or warm_up", func(p *rules) bool { return p.Outlives() }),
		rule(base, "join", func(p *rules) *bool { return &p.Join }, boolean, "wait for a request under way whose answer may go on at the cursor, rather than ask again").
			given("requests that are heard after the next key: cancel: none, keep_matching or speculation_lives", joinable),
		rule(base, "on_limit", func(p *rules) *plugin.OnLimit { return &p.OnLimit }, names(plugin.LimitSend, plugin.LimitWait), "after a real service refused a request for too many and said for how long: send as before, or keep quiet so long"),
	}
}

// joinable reports whether a key may find a request of an earlier one whose answer is shown.
func joinable(p *rules) bool {
	return p.Cancel == plugin.CancelNone || p.KeepMatching || p.SpeculationLives
}

func triggerKeys(base *rules) []field[rules] {
	nearby := func(f field[rules]) field[rules] {
		return f.given("moves: true", func(p *rules) bool { return p.Triggers.Moves })
	}
	return []field[rules]{
		rule(base, "moves", func(p *rules) *bool { return &p.Triggers.Moves }, boolean, "after a move of the cursor as well: the jumps of a generated typist, and those of a session"),
		part("nearby", "which of those moves",
			nearby(rule(base, "within", func(p *rules) *time.Duration { return &p.Triggers.Nearby.Within }, duration(0, 24*time.Hour), "those that come sooner than this after the last change of the document; 0 is all")),
			nearby(rule(base, "line", func(p *rules) *time.Duration { return &p.Triggers.Nearby.Line }, duration(0, 24*time.Hour), "and not to a line on which a change left the cursor, or a move was asked for, less than this before; 0 is all")),
		),
		rule(base, "changes", func(p *rules) *bool { return &p.Triggers.Changes }, boolean, "after edits that are no keys as well: pastes, and what is taken back"),
		rule(base, "empty", func(p *rules) *bool { return &p.Triggers.Empty }, boolean, "also where nothing stands before the cursor, nor anything behind it that the prompt has"),
		rule(base, "not_in_word", func(p *rules) *bool { return &p.Triggers.NotInWord }, boolean, "not where a letter, a digit or an underscore follows"),
		rule(base, "after", func(p *rules) *plugin.After { return &p.Triggers.After }, names(plugin.AfterAny, plugin.AfterClosing, plugin.AfterNothing), "what may follow on the line: anything; blanks, closing brackets, quotes and signs that end a statement; or blanks"),
		rule(base, "comment", func(p *rules) *string { return &p.Triggers.Comment }, oneLine, "not behind this sign, which begins a comment; leave it out to ask there too"),
		rule(base, "least_line", func(p *rules) *int { return &p.Triggers.LeastLine }, whole(0, 1000), "characters that the line must have before the cursor, blanks aside"),
	}
}

func displayKeys(base *rules) []field[rules] {
	return []field[rules]{
		rule(base, "hold", func(p *rules) *time.Duration { return &p.Display.Hold }, duration(0, longestDelay), "nothing is shown for so long after a key"),
		rule(base, "render", func(p *rules) *time.Duration { return &p.Display.Render }, duration(0, longestDelay), "from there to the screen"),
		rule(base, "lines", func(p *rules) *plugin.Lines { return &p.Display.Lines }, names(plugin.LinesAll, plugin.LinesWhole, plugin.LinesFirst, plugin.LinesEnd), "what is shown of an answer that is coming: what has come, lines that are complete, the first line and no other, or nothing before its end"),
		rule(base, "accept", func(p *rules) *plugin.Accept { return &p.Display.Accept }, names(plugin.AcceptInsert, plugin.AcceptReplace), "an accepted suggestion goes between what is on the line, or in place of the rest of it, whose characters it must have then"),
		rule(base, "least_visible", func(p *rules) *time.Duration { return &p.Display.LeastVisible }, duration(0, longestDelay), "one that is taken away sooner is a flash"),
	}
}

func cacheKeys(base *rules) []field[rules] {
	kept := func(f field[rules]) field[rules] {
		return f.where("capacity", "a capacity above 0", func(p *rules) bool { return p.Cache.Capacity > 0 })
	}
	return []field[rules]{
		rule(base, "capacity", func(p *rules) *int { return &p.Cache.Capacity }, whole(0, 1<<20), "most entries, of which the least recently used goes; 0 keeps none"),
		kept(rule(base, "bytes", func(p *rules) *int { return &p.Cache.Bytes }, whole(0, 1<<40), "most text in it, 0 for no limit")),
		kept(rule(base, "ttl", func(p *rules) *time.Duration { return &p.Cache.TTL }, duration(0, 24*time.Hour), "how long an answer is found, 0 for as long as there is room")),
		kept(rule(base, "partial", func(p *rules) *bool { return &p.Cache.Partial }, boolean, "answers of which not all came, too")),
		kept(rule(base, "empty", func(p *rules) *bool { return &p.Cache.Empty }, boolean, "answers that say nothing, too: nothing is asked there again")),
		kept(rule(base, "superseded", func(p *rules) *bool { return &p.KeepSuperseded }, boolean, "answers to documents that have changed since, too")),
		kept(part("prefix", "find an answer after its beginning was typed",
			reached(base)...)),
		kept(part("forward", "enter an answer further along it as well",
			rule(base, "characters", func(p *rules) *int { return &p.Cache.Forward.Characters }, whole(0, 10_000), "after each of so many characters of its first line"),
			rule(base, "next_line", func(p *rules) *bool { return &p.Cache.Forward.NextLine }, boolean, "at the end of its first line, the start of the second and behind its indentation"),
		)),
		kept(rule(base, "back", func(p *rules) *int { return &p.Cache.Back }, whole(0, 10_000), "bytes of the line that may be taken back before the place of an answer")),
		kept(part("fuzzy", "find an answer where the text is a little different", fuzzyKeys(base)...)),
	}
}

// reached are the keys of what is found after typing.
func reached(base *rules) []field[rules] {
	reaches := func(f field[rules]) field[rules] {
		return f.where("reach", "a reach above 0", func(p *rules) bool { return p.Cache.Prefix.Reach > 0 })
	}
	return []field[rules]{
		rule(base, "reach", func(p *rules) *int { return &p.Cache.Prefix.Reach }, orAny(whole(0, 1<<30), cache.Unlimited, "any"), "bytes typed since, at most; any for no limit"),
		reaches(rule(base, "same_line", func(p *rules) *bool { return &p.Cache.Prefix.SameLine }, boolean, "not across a line break")),
		reaches(rule(base, "longest", func(p *rules) *bool { return &p.Cache.Prefix.Longest }, boolean, "look at the nearest place only that has an answer")),
		reaches(rule(base, "most_left", func(p *rules) *bool { return &p.Cache.Prefix.MostLeft }, boolean, "take the answer with most left to show, rather than the nearest")),
	}
}

func fuzzyKeys(base *rules) []field[rules] {
	edited := func(f field[rules]) field[rules] {
		return f.where("lines", "lines above 0", func(p *rules) bool { return p.Cache.Fuzzy.Edits.Lines > 0 })
	}
	return []field[rules]{
		rule(base, "spaces", func(p *rules) *bool { return &p.Cache.Fuzzy.Spaces }, boolean, "each run of white space is one space"),
		rule(base, "lost_lines", func(p *rules) *int { return &p.Cache.Fuzzy.LostLines }, whole(0, 10_000), "whole lines that may be missing at the start of the text"),
		part("near", "only the text near the cursor counts",
			rule(base, "before", func(p *rules) *int { return &p.Cache.Fuzzy.Near.Before }, whole(0, 1<<30), "bytes before it"),
			rule(base, "after", func(p *rules) *int { return &p.Cache.Fuzzy.Near.After }, whole(0, 1<<30), "bytes behind it"),
		),
		part("edits", "lines above the cursor's may differ a little",
			rule(base, "lines", func(p *rules) *int { return &p.Cache.Fuzzy.Edits.Lines }, whole(0, 1000), "how many of them, blank ones aside; those above must be the same"),
			edited(detail(base, "base", func(p *rules) *int { return &p.Cache.Fuzzy.Edits.Base }, 3, whole(0, 1000), "characters that may differ in each")),
			edited(detail(base, "step", func(p *rules) *int { return &p.Cache.Fuzzy.Edits.Step }, 20, whole(0, 1000), "and one more for so many of the line; 0 for none")),
			edited(detail(base, "most", func(p *rules) *int { return &p.Cache.Fuzzy.Edits.Most }, 5, whole(1, 1000), "and at most so many")),
		),
	}
}

func promptKeys(base *rules) []field[rules] {
	behind := func(f field[rules]) field[rules] {
		return f.where("layout", "a layout that has a suffix", func(p *rules) bool { return !prefixOnly(p) })
	}
	layout := names(prompt.PSM, prompt.PrefixOnly, prompt.SPM, prompt.SPMMiddle, prompt.LineAfterMiddle)
	return []field[rules]{
		rule(base, "layout", func(p *rules) *prompt.Layout { return &p.Prompt.Layout }, layout, "the order of its parts: prefix, suffix; no suffix; suffix, prefix; the same with a middle token behind it; or what is typed of the line behind all others"),
		rule(base, "family", func(p *rules) *string { return &p.Prompt.Family }, enum(families()...), "the models whose tokens are written into it; leave it out for a server that is handed the texts and joins them itself"),
		in("prefix", func(p *rules) *prompt.Size { return &p.Prompt.Prefix }, windowOf(1), "in place of prefix_tokens: most text before the cursor"),
		behind(in("suffix", func(p *rules) *prompt.Size { return &p.Prompt.Suffix }, windowOf(0), "in place of suffix_tokens: most text behind it")),
		rule(base, "grid", func(p *rules) *int { return &p.Prompt.Grid }, whole(0, maxTokensAsked), "the prefix begins at a multiple of so many of its units and is up to so much longer; with 0 it slides with each key").
			given("a prefix that is not all", func(p *rules) bool { return p.Prompt.Prefix.N != prompt.All }),
		rule(base, "whole_lines", func(p *rules) *bool { return &p.Prompt.WholeLines }, boolean, "a line of which only a part has room is left out").
			given("a prefix or a suffix that is not in lines", func(p *rules) bool {
				return p.Prompt.Prefix.Unit != prompt.Lines || p.Prompt.Suffix.Unit != prompt.Lines
			}),
		behind(rule(base, "next_line", func(p *rules) *bool { return &p.Prompt.NextLine }, boolean, "the suffix begins below the cursor's line")),
		behind(part("sticky", "the suffix of the prompt before is sent again while it is like the new one",
			rule(base, "tokens", func(p *rules) *int { return &p.Prompt.Sticky.Tokens }, whole(0, 10_000), "first tokens that are compared; 0 is no such rule"),
			detail(base, "percent", func(p *rules) *int { return &p.Prompt.Sticky.Percent }, 10, whole(1, 100), "fewer of them than this are different, in edits, and the first is not").
				where("tokens", "tokens above 0", func(p *rules) bool { return p.Prompt.Sticky.Tokens > 0 }),
		)),
		rule(base, "skip_blank", func(p *rules) *bool { return &p.Prompt.SkipBlank }, boolean, "white space is left out where nothing else is typed of the line"),
		rule(base, "header", func(p *rules) *string { return &p.Prompt.Header }, header, "lines before the text of the document, with {path} for its path"),
		part("snippets", "texts of other files", snippetKeys(base)...),
	}
}

func snippetKeys(base *rules) []field[rules] {
	some := func(f field[rules]) field[rules] {
		return f.where("n", "an n above 0", func(p *rules) bool { return p.Prompt.Snippets.N > 0 })
	}
	return []field[rules]{
		rule(base, "n", func(p *rules) *int { return &p.Prompt.Snippets.N }, whole(0, 1000), "how many"),
		some(detail(base, "tokens", func(p *rules) *int { return &p.Prompt.Snippets.Tokens }, 200, tokenNumber, "length of each")),
		some(rule(base, "every", func(p *rules) *int { return &p.Prompt.Snippets.Every }, whole(0, 1_000_000), "after so many prompts one of them is another; 0 is never")),
		rule(base, "ring", func(p *rules) *bool { return &p.Prompt.Snippets.Ring }, boolean, "the new one stands behind the others, rather than in the place of the oldest").
			given("an every above 0", func(p *rules) bool { return p.Prompt.Snippets.Every > 0 }),
		rule(base, "after", func(p *rules) *bool { return &p.Prompt.Snippets.After }, boolean, "they stand behind the suffix, rather than at the front").
			given("an n above 0 and a layout that has a suffix", func(p *rules) bool { return p.Prompt.Snippets.N > 0 && !prefixOnly(p) }),
	}
}

func prefixOnly(p *rules) bool { return p.Prompt.Layout == prompt.PrefixOnly }

// families returns the names of the model families whose tokens are known.
func families() (names []string) {
	for _, t := range fim.Templates() {
		names = append(names, t.Name)
	}
	return names
}

// in is the field of a window in any unit. It stands for nothing when it is left out: the key
// with the tokens has been read then.
func in(key string, at func(*rules) *prompt.Size, f form[prompt.Size], doc string) field[rules] {
	c := can(key, at, prompt.Size{}, f, doc).fallback("")
	c.fill = func(*rules) {}
	return c
}

// inTokens is the form of a window of tokens, as a number; of any other nothing is written.
func inTokens(least int) form[prompt.Size] {
	number := whole(least, maxTokensAsked)
	f := as(number, func(n int) prompt.Size { return prompt.Size{N: n} }, func(s prompt.Size) int { return s.N })
	write := f.write
	f.write = func(s prompt.Size) tree {
		if s.Unit != prompt.Tokens || s.N == prompt.All {
			return tree{}
		}
		return write(s)
	}
	return f
}

// windowOf is the form of a window with its unit. Tokens are written by inTokens, or not.
func windowOf(least int) form[prompt.Size] {
	const want = "a size such as 1500 tokens, 256 lines or 1536 bytes, or all"
	bounds := func(s prompt.Size) string {
		if s == (prompt.Size{N: prompt.All}) {
			return ""
		}
		if s.Unit == prompt.Lines {
			return between(0, maxTokensAsked, strconv.Itoa)(s.N)
		}
		return between(least, maxTokensAsked, strconv.Itoa)(s.N)
	}
	return scalar(want, parseSize, bounds, func(s prompt.Size) string {
		switch {
		case s.N == prompt.All:
			return "all"
		case s.Unit == prompt.Tokens:
			return ""
		}
		return fmt.Sprintf("%d %s", s.N, s.Unit)
	})
}

func parseSize(text string) (prompt.Size, bool) {
	if text == "all" {
		return prompt.Size{N: prompt.All}, true
	}
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	u, wrong := prompt.ParseUnit(unit)
	return prompt.Size{N: n, Unit: u}, err == nil && wrong == nil && wholeNumber.MatchString(number)
}

// orAny is the form of a number, or a word for one that is more than any.
func orAny(f form[int], any int, word string) form[int] {
	return scalar(f.want+", or "+word,
		func(s string) (int, bool) {
			if s == word {
				return any, true
			}
			v, err := strconv.Atoi(s)
			return v, err == nil && wholeNumber.MatchString(s)
		},
		func(v int) string {
			if v == any {
				return ""
			}
			return between(0, math.MaxInt32, strconv.Itoa)(v)
		},
		func(v int) string {
			if v == any {
				return word
			}
			return strconv.Itoa(v)
		})
}

// header is the form of lines of text.
var header = as(listOf(oneLine),
	func(lines []string) string {
		if len(lines) == 0 {
			return ""
		}
		return strings.Join(lines, "\n") + "\n"
	},
	func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	})
