package plugin

import (
	"time"

	"halfsecond/simulators/ide/cache"
)

func tabby() Preset {
	s, _ := usual()
	s.Prefix, s.Suffix = rows(20), rows(20)
	return Preset{
		Name: "adaptive", Of: "Tabby, tabby-agent",
		Source: "TabbyML/tabby clients/tabby-agent/src/codeCompletion/cache.ts (309edd1), debouncer.ts (60037fc), index.ts (06f85cc), config/default.ts (1119e31)",
		Rules: Rules{
			Wait: Wait{Debounce: Rhythm, For: 1000 * ms, Least: 100 * ms, Factor: 2.25}, Cancel: CancelWire, Reuse: ShrinkAndAsk,
			Cache:  cache.Config{Capacity: 100, TTL: 5 * time.Minute, Forward: cache.Forward{Characters: 50}},
			Prompt: s, MaxTokens: 64,
		},
		Facts: []Fact{
			{"debounce", "at most 1000 ms", tabbyPath + "/debouncer.ts"},
			{"wait.by", "rate x the mean of the last gaps, less the mean response time", tabbyPath + "/debouncer.ts"},
			{"wait.least", "at least 100 ms", tabbyPath + "/debouncer.ts"},
			{"wait.factor", "3.0 - 1.5 x a score of what stands at the cursor, from 0 to 1: the middle of 1.5 and 3.0", Assumed},
			{"cancel", "the next call aborts the one before", tabbyPath + "/index.ts"},
			{"reuse", vsCodeAsks, vsCodeCore},
			{"cache.capacity", "100", tabbyPath + "/cache.ts"},
			{"cache.ttl", "5 minutes", tabbyPath + "/cache.ts"},
			{"cache.forward.characters", "after each of the first 50 characters of the line, all but its last", tabbyPath + "/cache.ts"},
			{"prompt.prefix", "20 lines before", "config/default.ts"},
			{"prompt.suffix", "20 lines after", "config/default.ts"},
			{"max_tokens", "64 at the server", "config/default.ts"},
		},
		Open: []string{
			"the mean of the last 100 gaps of at most 400 ms, clamped to 100 to 400, less the mean response time; here that of the last 8 gaps as they were",
			"the factor depends on the last character, on the end of the line and on that of the document",
			"what is entered forward has the rest of the current line only",
			"the server keeps the last 1536 bytes of the filled template, which slides with each key",
			"declarations, changed and opened files and the clipboard in the prompt, for which an automatic request waits up to 500 ms",
			"other documents' versions are part of a key of its cache",
		},
	}
}

func cody() Preset {
	const manager, throttle = codyPath + "/request-manager.ts", codyPath + "/smart-throttle.ts"
	s, _ := usual()
	return Preset{
		Name: "fuzzy_throttle", Of: "Cody, with its smart throttle",
		Source: "sourcegraph/cody vscode/src/completions/request-manager.ts (030ba78), smart-throttle.ts (0079f27), get-inline-completions.ts (01d0458), inline-completion-item-provider.ts (0051452), providers/provider.ts",
		Rules: Rules{
			Wait: Wait{For: 25 * ms}, Cancel: CancelWire, KeepMatching: true, Join: true, Reuse: TypedAsSuggested,
			Triggers: Triggers{NotInWord: true},
			Cache:    cache.Config{Capacity: 250, Fuzzy: cache.Fuzzy{Edits: cache.Edits{Lines: 5, Base: 3, Step: 20, Most: 5}}},
			Prompt:   s, MaxTokens: 256,
		},
		Facts: append(noWindow(),
			Fact{"debounce", "25 ms (older: 75, or 125 on the device)", throttle},
			Fact{"cancel", "the tail request is aborted", throttle},
			Fact{"reuse", "VS Code keeps an item while the typing is its prefix; asked again, the plugin hands its last one over", codyPath + "/reuse-last-candidate.ts"},
			Fact{"requests.keep_matching", "others are aborted once the text differs by more than 3 characters on the last line", manager},
			Fact{"requests.join", "an answer that fits a later request that waits is given to it", manager},
			Fact{"triggers.not_in_word", "not when a word character follows in the line", codyPath + "/get-inline-completions.ts"},
			Fact{"cache.capacity", "LRU of 250", manager},
			Fact{"cache.fuzzy.edits.lines", "the last 5 lines that are not empty", manager},
			Fact{"cache.fuzzy.edits.base", "edit distance of 3", manager},
			Fact{"cache.fuzzy.edits.step", "and a twentieth of the line", manager},
			Fact{"cache.fuzzy.edits.most", "at most 5", manager},
			Fact{"max_tokens", "256 in older code", "providers/provider.ts"},
		),
		Open: []string{
			"60 % of maxContextTokens before, 10 % after, 4 characters a token: how many that is depends on the model",
			"the first request of a new line goes out at once; every 250 ms the tail request is promoted and no longer cancelled",
			"not after );]}, not on an empty last line below an empty line, not right after a completion of one line was taken",
			"an entry is forgotten when its answer is accepted or backspaced into",
			"further lines of an answer are cached under the text with the earlier ones; a cursor move loads ahead after 150 ms",
		},
	}
}

func zed() Preset {
	const path = "crates/edit_prediction/src/edit_prediction.rs"
	s, n := usual()
	s.Prefix.N, s.Suffix.N = 256, 256
	return Preset{
		Name: "throttle_two_pending", Of: "Zed, its own provider",
		Source: "zed-industries/zed crates/edit_prediction/src/fim.rs (09512d2), edit_prediction.rs",
		Rules: Rules{
			Throttle: 300 * ms, Trailing: true, Cancel: CancelNone, MostLive: 2, Reuse: TypedAsSuggested, Prompt: s, MaxTokens: n,
		},
		Facts: []Fact{
			{"debounce", "none", path},
			{"requests.throttle", "300 ms from the last request", path},
			{"requests.trailing", "what comes meanwhile waits for the rest of them", path},
			{"cancel", "older pending ones go on until a newer one completes", path},
			{"requests.most_live", "at most 2 pending", path},
			{"reuse", "the current one is carried along by edits", path},
			{"prefix_tokens", "half of an excerpt of 512 tokens around the cursor", Assumed},
			{"suffix_tokens", "the other half", Assumed},
			{"max_tokens", "the user's max_output_tokens", Assumed},
		},
		Open: []string{
			"a third request takes the place of the second; here it waits until one has ended",
			"when a newer one completes the older pending ones are cancelled; here they end by themselves",
			"the excerpt follows the syntax; the template is by the model's name",
		},
	}
}

func zedLSP() Preset {
	const path = "crates/copilot/src/copilot_edit_prediction_delegate.rs (0435a66)"
	s, n := usual()
	return Preset{
		Name: "restart_75", Of: "Zed with Copilot, and Zed with Supermaven",
		Source: "zed-industries/zed crates/copilot/src/copilot_edit_prediction_delegate.rs (0435a66), crates/supermaven/src/supermaven_edit_prediction_delegate.rs (1283bdd)",
		Rules:  Rules{Wait: Wait{For: 75 * ms}, Cancel: CancelDiscard, Reuse: ShrinkAndAsk, Prompt: s, MaxTokens: n},
		Facts: append(notFound(),
			Fact{"debounce", "75 ms", path},
			Fact{"cancel", "the task is dropped, and with it the future of the request", path},
			Fact{"reuse", "the current one is carried along by edits, and the next is asked for all the same", path},
		),
		Open: []string{
			"prompts are made by the language server or the agent",
			"whether a dropped future reaches the server was not found: here it does not",
			"Supermaven asks before the 75 ms and shows after; to the end of the line unless it begins with a line break",
		},
	}
}
