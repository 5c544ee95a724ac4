package plugin

import (
	"halfsecond/simulators/ide/cache"
	"halfsecond/simulators/ide/prompt"
)

func llamaVim() Preset {
	return Preset{
		Name: "single_flight_line_after_middle", Of: "llama.vim, a version of 2026",
		Source: "ggml-org/llama.vim autoload/llama.vim (2026; older: commit 02e6a4f)",
		Rules: Rules{
			Cancel: CancelNone, MostLive: 1, KeepSuperseded: true, Triggers: Triggers{Moves: true},
			Cache:  cache.Config{Capacity: 250, Empty: true, Prefix: cache.Prefix{Reach: 128, MostLeft: true}, Fuzzy: cache.Fuzzy{LostLines: 3}},
			Prompt: llamaShape(), MaxTokens: 128, Display: Display{Lines: LinesEnd},
		},
		Facts: append(llamaFacts(vimPath),
			Fact{"debounce", "none: it asks at every cursor move in insert mode", vimPath},
			Fact{"cancel", "none: the running request finishes, and its answer goes into the cache under its text", vimPath},
			Fact{"reuse", "a suggestion is hidden, and shown again from the cache if the text finds it there", vimPath},
			Fact{"requests.most_live", "one; while it is under way it asks again in 100 ms", vimPath},
			Fact{"triggers.moves", "CursorMovedI", vimPath},
			Fact{"cache.capacity", "LRU of 250 keys", vimPath},
			Fact{"cache.empty", "empty answers are kept, and not asked for again", vimPath},
			Fact{"cache.superseded", "an answer is kept for the text that was asked about", vimPath},
			Fact{"cache.prefix.reach", "1 to 128 characters back", vimPath},
			Fact{"cache.prefix.most_left", "the longest rest wins", vimPath},
			Fact{"cache.fuzzy.lost_lines", "each answer under 4 keys: the text as sent, and with 1, 2 and 3 first lines dropped", vimPath},
		),
		Open: []string{
			"the newest step asks when the running request has ended, rather than up to 100 ms later",
			"it does not ask where more than 8 characters follow in the line, or while a menu is open",
			"each answer takes 4 of the 250 keys; here it takes one",
			"the cache here goes by all of the text, not by the window that was sent",
			"t_max_predict_ms 250 ends a first answer at the next line after so long; here max_tokens alone does",
		},
	}
}

func copilotLua() Preset {
	const path = "lua/copilot/config/suggestion.lua (03f6f44)"
	s, n := usual()
	return Preset{
		Name: "restart_15", Of: "copilot.lua",
		Source: "zbirenbaum/copilot.lua lua/copilot/config/suggestion.lua (03f6f44)",
		Rules:  Rules{Wait: Wait{For: 15 * ms}, Cancel: CancelWire, Reuse: ReuseNone, Prompt: s, MaxTokens: n},
		Facts: append(notFound(),
			Fact{"debounce", "15 ms", path},
			Fact{"cancel", "by the language server protocol: not sure", Assumed},
			Fact{"reuse", "not found: what was read are its settings", Assumed},
		),
		Open: []string{"auto_trigger is off unless it is set: this is the behaviour when it is on", "hidden while the menu is open", "prompts are made by the language server"},
	}
}

func minuet() Preset {
	const text, config = "lua/minuet/virtualtext.lua (9d8eb53)", "lua/minuet/config.lua (008e4a4)"
	return Preset{
		Name: "throttle_without_trailing", Of: "minuet-ai.nvim, with a model that fills in the middle",
		Source: "milanglacier/minuet-ai.nvim lua/minuet/virtualtext.lua and utils.lua (9d8eb53), config.lua (008e4a4)",
		Rules: Rules{
			Wait: Wait{For: 400 * ms}, Throttle: 1000 * ms, Cancel: CancelDiscard, Reuse: ReuseNone,
			Prompt:    prompt.Shape{Layout: prompt.PSM, Prefix: octets(12000), Suffix: octets(4000), Header: "# language: {path}\n# indentation: tab\n"},
			MaxTokens: 256, Display: Display{Lines: LinesEnd},
		},
		Facts: []Fact{
			{"debounce", "400 ms, anew after each key", config},
			{"requests.throttle", "1000 ms from the request: keys inside ask for nothing", config},
			{"cancel", "an answer with an older time stamp is dropped; nothing closes curl", text},
			{"reuse", "none at all", text},
			{"prompt.prefix", "16 000 characters in all, 3 : 1", config},
			{"prompt.suffix", "16 000 characters in all, 3 : 1", config},
			{"prompt.header", "two lines: language and tab; their words are made up", "lua/minuet/utils.lua (9d8eb53)"},
			{"max_tokens", "256 of one provider, not set of others", config},
			{"display.lines", "an answer is taken when it is whole", Assumed},
		},
		Open: []string{"n_completions 3: three requests in place of one", "each side has what the other leaves of the 16 000", "a request times out after 3 s", "not while the menu is open"},
	}
}

func codeium() Preset {
	const path = "autoload/codeium.vim (0439d15)"
	_, n := usual()
	return Preset{
		Name: "idle_75_cancel", Of: "codeium.vim (Windsurf)",
		Source: "Exafunction/codeium.vim autoload/codeium.vim (0439d15)",
		Rules: Rules{
			Wait: Wait{For: 75 * ms}, Cancel: CancelWire, Reuse: ReuseNone,
			Prompt: prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: prompt.All}, Suffix: prompt.Size{N: prompt.All}}, MaxTokens: n,
		},
		Facts: []Fact{
			{"debounce", "codeium_idle_delay 75, anew after each key", path},
			{"cancel", "CancelRequest to the language server at each key", path},
			{"reuse", "the ghost text is cleared at each key", path},
			{"prompt.prefix", "the whole document goes with each request", path},
			{"prompt.suffix", "the whole document goes with each request", path},
			noLimit(),
		},
		Open: []string{"what its language server sends on of the document is not known", "all other loaded documents go with each request", "the same request is not sent twice", "off for help, gitcommit and gitrebase"},
	}
}

func supermaven() Preset {
	const path = "lua/supermaven-nvim/binary/binary_handler.lua (0010f64)"
	_, n := usual()
	return Preset{
		Name: "no_debounce_poll", Of: "Supermaven for Neovim",
		Source: "supermaven-inc/supermaven-nvim lua/supermaven-nvim/binary/binary_handler.lua (0010f64)",
		Rules: Rules{
			Cancel: CancelNone, Reuse: ReuseNone, KeepSuperseded: true, Triggers: Triggers{Changes: true},
			Cache:  cache.Config{Capacity: 50, Partial: true, Prefix: cache.Prefix{Reach: cache.Unlimited, MostLeft: true}},
			Prompt: prompt.Shape{Layout: prompt.PSM, Prefix: prompt.Size{N: prompt.All}, Suffix: prompt.Size{N: prompt.All}}, MaxTokens: n,
		},
		Facts: []Fact{
			{"debounce", "none: each change goes to the agent at once", path},
			{"cancel", "none", path},
			{"reuse", "what fits is looked for among the states at each change", path},
			{"triggers.changes", "state_update after any change", path},
			{"cache.capacity", "50 states", path},
			{"cache.partial", "answers that are still growing are used", path},
			{"cache.superseded", "all states are looked at", path},
			{"cache.prefix.reach", "any state whose text before the cursor is a prefix", path},
			{"cache.prefix.most_left", "most left wins, ties to the newer", path},
			{"prompt.prefix", "the whole text", path},
			{"prompt.suffix", "the whole text", path},
			noLimit(),
		},
		Open: []string{"answers are polled every 25 ms for 5 s; here they are there when they come", "the suffix is not compared; here it is", "what its agent sends is not known"},
	}
}
