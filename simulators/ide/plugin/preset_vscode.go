package plugin

import (
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/prompt"
)

func llamaVSCode() Preset {
	return Preset{
		Name: "wait_for_free_150", Of: "llama.vscode",
		Source: "ggml-org/llama.vscode src/completion.ts (033bf11), src/lru-cache.ts (4f736f1), src/configuration.ts and src/llama-server.ts (009e5b7)",
		Rules: Rules{
			Wait: Wait{For: 50 * ms}, Cancel: CancelDiscard, Reuse: ShrinkAndAsk, MostLive: 1, Speculate: true,
			Cache:  cache.Config{Capacity: 250, Prefix: cache.Prefix{Reach: cache.Unlimited, SameLine: true}, Forward: cache.Forward{NextLine: true}},
			Prompt: llamaShape(), MaxTokens: 128, Display: Display{Lines: LinesEnd},
		},
		Facts: append(llamaFacts(codePath),
			Fact{"debounce", "VS Code's own, 50 ms", vsCodePath},
			Fact{"cancel", "the token is looked at before the request and not handed to axios: nothing is closed on the wire", "src/llama-server.ts"},
			Fact{"reuse", vsCodeAsks, vsCodeCore},
			Fact{"requests.most_live", "it polls every 150 ms until the running one has ended", codePath},
			Fact{"requests.speculate", "a request at the end of the answer", codePath},
			Fact{"cache.capacity", "LRU of 250", "src/lru-cache.ts"},
			Fact{"cache.prefix.reach", "each shorter text of the line", codePath},
			Fact{"cache.prefix.same_line", "to the start of the line only", codePath},
			Fact{"cache.forward.next_line", "the rest at the start of line 2", codePath},
		),
		Open: []string{
			"the newest step asks when the running request has ended, rather than up to 150 ms later, and also where the editor has given it up",
			"of the places of forward.next_line it has the start of the second line only",
			"it does not ask where more than 8 characters follow in the line",
			"whether an answer that the editor gave up is kept was not found",
		},
	}
}

func continueDev() Preset {
	const debounce, lru, params = "core/autocomplete/util/AutocompleteDebouncer.ts", "core/autocomplete/util/AutocompleteLruCache.ts", "core/util/parameters.ts"
	s, n := usual()
	s.Prefix.N, s.Suffix.N, s.WholeLines = 307, 204, true
	return Preset{
		Name: "leading_then_trailing_350", Of: "Continue",
		Source: "continuedev/continue core/autocomplete: util/AutocompleteDebouncer.ts (176c502), util/AutocompleteLruCache.ts (0432315), generation/GeneratorReuseManager.ts (4ffb773), util/HelperVars.ts (136b0f4); core/util/parameters.ts",
		Rules: Rules{
			Wait: Wait{Debounce: Leading, For: 350 * ms}, Cancel: CancelWire, KeepMatching: true, Join: true, Reuse: ShrinkAndAsk,
			Cache:  cache.Config{Capacity: 1000, Prefix: cache.Prefix{Reach: cache.Unlimited, Longest: true}},
			Prompt: s, MaxTokens: n, Display: Display{Lines: LinesEnd},
		},
		Facts: []Fact{
			{"debounce", "350 ms", params},
			{"wait.by", "the first key after a quiet 350 ms asks at once; further ones start the wait again, and the last asks", debounce},
			{"cancel", "a generator that does not fit is aborted", "generation/GeneratorReuseManager.ts"},
			{"reuse", vsCodeAsks, vsCodeCore},
			{"requests.keep_matching", "it goes on while the typing continues what came", "generation/GeneratorReuseManager.ts"},
			{"requests.join", "one generator at a time, whose text is used", "generation/GeneratorReuseManager.ts"},
			{"cache.capacity", "1000", lru},
			{"cache.prefix.reach", "any key that is a prefix of the text", lru},
			{"cache.prefix.longest", "the longest such key, and only that one", lru},
			{"prefix_tokens", "30 % of 1024 (older: 85 % of 500)", params},
			{"suffix_tokens", "20 % of 1024 (older: 25 % of 500)", params},
			{"prompt.whole_lines", "whole lines are dropped until it fits", "util/HelperVars.ts"},
			{"prompt.layout", "by the model: this is most of them; Codestral has spm with +++++ files", "templating/AutocompleteTemplate.ts"},
			{"display.lines", "an answer is shown whole", "generation/CompletionStreamer.ts"},
			noLimit(),
		},
		Open: []string{
			"its cache ignores the suffix; here an answer is found before the same text only",
			"it forgets by time, and writes its cache down every 30 s",
			"once a line is out, an answer ends at the first line end later than a time since the stream began (150 or 300 ms)",
			"one line only where text follows or in a comment, else several",
		},
	}
}

func copilot() Preset {
	const ghost, file, flags = "completions-core ghostText/ghostText.ts", "prompt/components/currentFile.tsx", "experiments/features"
	s, _ := usual()
	s.Prefix.N, s.Suffix.N, s.NextLine, s.SkipBlank, s.Sticky = 2692, 1153, true, true, prompt.Sticky{Tokens: 50, Percent: 10}
	s.Snippets = prompt.Snippets{N: 4, Tokens: 288}
	return Preset{
		Name: "cached_prefix_and_suffix", Of: "Copilot in VS Code",
		Source: "microsoft/vscode-copilot-chat src/extension/completions-core/vscode-node/lib/src/ghostText: ghostText.ts (c5aa1cf), ghostTextStrategy.ts (f8559d2), asyncCompletions.ts, current.ts, completionsCache; prompt/prompt.ts (1ffd053), prompt/components/currentFile.tsx, experiments/features",
		Rules: Rules{
			Wait: Wait{For: 50 * ms}, Cancel: CancelWire, KeepMatching: true, Join: true, Speculate: true, Reuse: TypedAsSuggested,
			Triggers: Triggers{After: AfterClosing},
			Cache:    cache.Config{Capacity: 100, Prefix: cache.Prefix{Reach: cache.Unlimited}},
			Prompt:   s, MaxTokens: 200, Display: Display{Hold: 200 * ms},
		},
		Facts: []Fact{
			{"debounce", "VS Code's 50 ms; completionsDebounce adds none where no experiment says so", ghost},
			{"cancel", "a pending request that does not fit the newest is cancelled", "asyncCompletions.ts"},
			{"reuse", "typed-as-suggested", "current.ts"},
			{"requests.keep_matching", "it stays while the text and what came of its answer fit", "asyncCompletions.ts"},
			{"requests.join", "before asking it waits for one under way whose text still fits", "asyncCompletions.ts"},
			{"requests.speculate", "as if accepted, when it is shown", ghost},
			{"triggers.after", "in the middle of a line only before closing signs", ghost},
			{"cache.capacity", "radix tree, LRU of 100", "completionsCache"},
			{"cache.prefix.reach", "any length back", "completionsCache"},
			{"prefix_tokens", "35 % of 8192 - 500", "prompt/prompt.ts"},
			{"suffix_tokens", "15 % of 8192 - 500", "prompt/prompt.ts"},
			{"prompt.next_line", "the suffix begins at the next line", file},
			{"prompt.sticky.tokens", "the first 50 tokens are compared", file},
			{"prompt.sticky.percent", "an edit distance below 10 %", file},
			{"prompt.skip_blank", "white space before the cursor is left out", file},
			{"prompt.snippets.n", "4", "prompt/prompt.ts"},
			{"prompt.snippets.tokens", "a quarter of the volatile 15 %", Assumed},
			{"max_tokens", "maxMultilineTokens 200", flags},
			{"display.hold", "completionsDelay 200, from the key's request on, where no experiment says otherwise", flags},
		},
		Open: []string{
			"it waits at most 200 ms for a request under way, and then asks",
			"the hold is not for what is typed as suggested, nor here; a recorded session cannot have had it on",
			"one line, with a line break as stop, unless it is taken to be a block; 20 tokens a line after an acceptance",
			"a document has to have 10 characters; characters are 4.1 x tokens, which slides",
			"a speculation is not asked for where what is shown was typed as suggested",
			"its server is closed: what it does with the prompt is not known",
		},
	}
}

func vsCode() Preset {
	s, n := usual()
	return Preset{
		Name: "editor_core_50", Of: "VS Code itself, whatever the extension does",
		Source: "microsoft/vscode src/vs/editor/contrib/inlineCompletions/browser/model/inlineCompletionsSource.ts (e677c4d)",
		Rules:  Rules{Wait: Wait{For: 50 * ms}, Cancel: CancelWire, EditorToken: true, Reuse: ShrinkAndAsk, Prompt: s, MaxTokens: n},
		Facts: append(notFound(),
			Fact{"debounce", "50 ms, or the largest that a provider sets", vsCodePath},
			Fact{"cancel", "whether a cancelled token closes the request is up to the extension: here it does", Assumed},
			Fact{"requests.editor_token", "any change of the content cancels the token of the operation", vsCodePath},
			Fact{"reuse", vsCodeAsks, vsCodeCore},
		),
		Open: []string{
			"prompts and answers are the extension's: their sizes are those of a scenario that states none",
			"an answer that says nothing takes away what is shown; here that stays",
			"an explicit trigger does not wait; a request that satisfies a new one is shared",
			"editor.inlineSuggest.minShowDelay holds a result back; it is 0",
		},
	}
}

func twinny() Preset {
	const path = "src/extension/completion/provider.ts (048b0a8)"
	return Preset{
		Name: "abort_previous_300", Of: "Twinny, as its settings are at first",
		Source: "twinnydotdev/twinny src/extension/completion/provider.ts (048b0a8), cache.ts (286b751), and a listing of its settings",
		Rules: Rules{
			Wait: Wait{For: 300 * ms}, Cancel: CancelWire, Reuse: TypedAsSuggested, WarmUp: true, Triggers: Triggers{NotInWord: true},
			Prompt:    prompt.Shape{Layout: prompt.PSM, Prefix: rows(85), Suffix: rows(15), Snippets: prompt.Snippets{N: 3, Tokens: 1500}},
			MaxTokens: 512,
		},
		Facts: []Fact{
			{"debounce", "debounceWait 300, anew after each key", "its settings"},
			{"cancel", "each call aborts the one before", path},
			{"reuse", "the last suggestion is typed through", path},
			{"requests.warm_up", "when the window gets the focus", path},
			{"triggers.not_in_word", "not between two word characters; here wherever one follows", path},
			{"prompt.prefix", "85 of contextLength 100 lines", "its settings"},
			{"prompt.suffix", "15 of contextLength 100 lines", "its settings"},
			{"prompt.snippets.n", "at most 3 files", path},
			{"prompt.snippets.tokens", "6000 characters each; 4 characters a token", Assumed},
			{"max_tokens", "numPredictFim 512", "its settings"},
		},
		Open: []string{
			"its cache of 50, with white space runs as one space, is off at first: cache: {capacity: 50, fuzzy: {spaces: true}}",
			"what is typed through has to match in 500 characters before and after only",
			"an answer ends after 40 lines, and after 30 s, when what came is kept",
			"each side has what the other lacks of the 100 lines, at most 12 000 and 3000 characters",
		},
	}
}

func llmVSCode() Preset {
	const path = "src/extension.ts (0629a47)"
	s, n := usual()
	return Preset{
		Name: "none_of_its_own", Of: "llm-vscode (Hugging Face)",
		Source: "huggingface/llm-vscode src/extension.ts (0629a47)",
		Rules:  Rules{Wait: Wait{For: 50 * ms}, Cancel: CancelWire, Reuse: ShrinkAndAsk, Prompt: s, MaxTokens: n},
		Facts: append(notFound(),
			Fact{"debounce", "VS Code's 50 ms", vsCodePath},
			Fact{"cancel", "the token of sendRequest, which the language client turns into a cancel message", path},
			Fact{"reuse", vsCodeAsks, vsCodeCore},
		),
		Open: []string{"contextWindow in tokens of the model's tokenizer, and maxNewTokens: their values were not found", "whether llm-ls gives a request up was not found", "not in the first line of a document"},
	}
}
