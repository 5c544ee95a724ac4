package pipeline

// The names in traces: what the simulators write and the budgets read.

// Kinds of interactions.
const (
	KindVoice = "voice"
	KindIDE   = "ide"
	KindBench = "bench"
	KindGrid  = "grid" // of a run: plain requests in the cells of a comparison
	// KindStep is what led to a request in an editor, or could have, and is no key: see the
	// classes of steps.
	KindStep = "step"
)

// Kinds of requests, which slots may be pinned to.
const (
	RequestCompletion = "completion"
	RequestChat       = "chat"
)

// Spans, in the order of a voice turn. Those of a language model serve every kind.
const (
	SpanCapture      = "capture" // microphone and encoder
	SpanUplink       = "uplink"
	SpanUplinkLoss   = "uplink_loss" // frames that were lost are sent again
	SpanJitterBuffer = "jitter_buffer"
	SpanVADBacklog   = "vad_backlog" // the detectors are behind what they hear
	SpanVADWait      = "vad_wait"    // silence, and the frame grid, until the detector reports the end of speech
	SpanEndOfTurn    = "end_of_turn"
	SpanSTTInterim   = "stt_interim" // text that holds all that was said, and is not final
	SpanEarlyEnd     = "early_end"   // until the turn is over, probably
	SpanSTTQueue     = "stt_queue"   // the recognizers are behind what they hear, or busy
	SpanSTTTail      = "stt_tail"
	SpanSTTTimer     = "stt_timer" // a final text is waited for that nobody marks as final
	SpanPolicyWait   = "policy_wait"
	SpanHook         = "hook" // the user's own code before the model is asked
	SpanCommit       = "commit"

	SpanLLMConnect    = "llm_connect"
	SpanLLMLoad       = "llm_load" // the model is loaded and warms up while the request waits
	SpanLLMQueue      = "queue"
	SpanLLMPrefill    = "prefill"
	SpanLLMReasoning  = "reasoning"       // first output to the first token of the answer
	SpanLLMFirstToken = "llm_first_token" // all of these where nobody tells them apart
	SpanLLMWhole      = "llm_whole"       // all of an answer that came as one text, of whose first token nobody can tell
	SpanWrongGuess    = "wrong_guess"     // a request that was made too early, until it was given up
	SpanToolCall      = "tool_call"       // the rest of an answer that calls a tool
	SpanTool          = "tool"
	SpanGathering     = "gathering" // first token to the text that is handed to the voice

	SpanTTSConnect    = "tts_connect"
	SpanTTSQueue      = "tts_queue"
	SpanTTSHeld       = "tts_held" // the service waits for more text
	SpanTTSFirstAudio = "tts_first_audio"
	SpanLeading       = "leading_silence"
	SpanModelAudio    = "model_first_audio" // of a model that hears and speaks

	SpanPostWait    = "post_wait"
	SpanPreBuffer   = "pre_buffer"
	SpanFiller      = "filler" // until it can be sent: a connection, a place at the voice and its first audio
	SpanFillerPlays = "filler_plays"
	SpanFillerWait  = "filler_wait" // the answer waits for the filler's end
	SpanEgress      = "egress"
	SpanPlayout     = "playout"
	SpanPlayoutLoss = "playout_loss" // the first frames of the reply are lost, and the next is waited for
	SpanUnderrun    = "underrun"     // the reply has a hole, after it began

	SpanKeyWait     = "key_wait"     // of a key: the editor's thread is at work
	SpanPrepare     = "prepare"      // what the plugin does on that thread
	SpanDebounce    = "debounce"     // until nothing has been typed for long enough
	SpanClientQueue = "client_queue" // a request is due, and the plugin's own rules hold it back
	SpanLineBuffer  = "line_buffer"  // text is there, and the plugin waits for the rest of its line, or of the answer
	SpanHold        = "hold"         // text is there, and is not shown yet
	SpanRender      = "render"       // from where it may be shown to the screen
	SpanLLMDecode   = "llm_decode"   // of a plain request: first token to last

	SpanStall = "stall" // the longest gap in an answer that streams beside a request's prompt
)

// Marks.
const (
	MarkReplyHeard     = "reply_heard"     // the first audible sample of the reply is at the user's ear
	MarkFillerHeard    = "filler_heard"    // that of a filler is
	MarkReplyOver      = "reply_over"      // the last sample of the reply is
	MarkBargeIn        = "barge_in"        // the user speaks into the reply
	MarkSilence        = "silence"         // and hears no more of it
	MarkFirstCharacter = "first_character" // there is a character to show for the key
	MarkFirstLine      = "first_line"      // and a whole line
	MarkLastCharacter  = "last_character"  // and all of the answer
	MarkShown          = "shown"           // a suggestion appears that the request of this trace brought
	MarkShownAgain     = "shown_again"     // the same, and it stood there before a step hid it
	MarkHiddenByKey    = "hidden_by_key"   // and is gone, by what was typed
	MarkHiddenByStep   = "hidden_by_step"  // by a move or another edit
	MarkHiddenByPopup  = "hidden_by_popup" // by a list of completions
	MarkReplaced       = "replaced"        // by another suggestion
	MarkAccepted       = "accepted"        // it is part of the text now
)

// Facts of a voice turn.
const (
	FactCutIn       = "cut_in"        // "yes" or "no": the agent would have spoken into a pause of this turn, or a real one did
	FactGuess       = "guess"         // "right", "wrong" or "none": what was asked before the turn was committed
	FactWasted      = "wasted_tokens" // of requests that were made for nothing
	FactInVain      = "asked_in_vain" // how many of those, the first of the turn's, at pauses inside it
	FactBargeIn     = "barge_in"      // "stopped", "false stop" or "unnoticed"
	FactHeardTokens = "heard_tokens"  // of the reply, before the user spoke into it
)

// Facts of a voice turn whose sound loses frames: the share of them that nobody hears, from
// 0 to 1, since it was made up from what came before.
const (
	FactSpeechClipped = "speech_clipped"
	FactReplyClipped  = "reply_clipped"
)

// Facts of a key.
const (
	FactOpportunity = "opportunity" // "yes" or "no": nothing that is shown goes on with it, and the plugin's rules would ask
	FactVerdict     = "verdict"     // what its request's answer was worth when text of it last came
	FactArrival     = "arrival"     // what it was worth on arrival, where that is something else: see package budgets/ghost
	FactSource      = "source"      // where its first text came from
	FactClass       = "class"       // what kind of key it is, or of step
	FactHeld        = "held"        // which rule of the plugin kept it from asking, or held the request back
	FactRight       = "right"       // "yes" or "no": the first line of its answer, as far as it came, is what the person goes on to type
	FactGivenUp     = "given_up"    // who gave its request up: one of those below
	FactStored      = "stored"      // "yes": its answer is in the plugin's cache
	FactSaved       = "saved"       // of an accepted suggestion: its characters
	FactFlashes     = "flashes"     // how often its suggestion was taken away before it counted as seen
	FactTyped       = "typed"       // the text that the key types, where texts are kept
)

// Facts of a key, or another step, whose request's answer came whole and was checked.
const (
	FactSyntax           = "syntax"            // what the answer does to the document: one of those below
	FactSyntaxFailed     = "syntax_failed"     // why the checker itself told nothing
	FactCharacters       = "characters"        // of the answer
	FactUsefulCharacters = "useful_characters" // of them, those at its start that the person goes on to type
)

// HeldByHold is the FactHeld of a key for which text was there, and was held back until something
// else happened.
const HeldByHold = "hold"

// Values of FactSyntax; package simulators/ide/syntax has them in words.
const (
	SyntaxParses     = "parses"
	SyntaxBreaks     = "breaks"
	SyntaxUnfinished = "unfinished"
	SyntaxUnknown    = "unknown"
)

// Facts of a key, or another step, about its request's prompt, beside the one that the same
// person's plugin sent before; there are none of the first.
const (
	FactDiffersAt = "differs_at" // how many tokens they share, which is the index of the first that differs
	FactDiffersBy = "differs_by" // why they share no more: a cause of package simulators/ide/prompt
)

// Classes of steps that are no keys.
const (
	ClassMove        = "move"
	ClassChange      = "change" // an edit that is no key, such as a paste
	ClassAccept      = "accept"
	ClassFocus       = "focus"
	ClassInvoke      = "invoke"      // a suggestion is asked for by hand
	ClassSpeculation = "speculation" // what would follow if a suggestion were accepted
	ClassGiven       = "given"       // a suggestion stands there that nobody asked for
)

// Who gives requests up.
const (
	ClosedByRule   = "rule"      // the plugin's rule, at the next step
	ClosedByEditor = "editor"    // the editor's own token
	ClosedByServed = "served"    // another answer was shown
	Discarded      = "discarded" // the plugin's rule drops what comes, and closes nothing
)

// Sources of what a key could show: see FactSource.
const (
	SourceNetwork     = "network"
	SourceJoined      = "joined" // an earlier step's request
	SourceCache       = "cache"
	SourceSpeculation = "speculation" // a request as if a suggestion had been accepted
)

// Facts of a request in a grid: its cell.
const (
	FactModel   = "model"
	FactVariant = "variant"
	FactPrompt  = "prompt_tokens" // the length that was asked for
	FactBeside  = "beside"        // "stream": another answer streamed beside it
)

// BesideStream is the FactBeside of a request that had company.
const BesideStream = "stream"

// SourceReuse is the FactSource of a key that was served from an earlier answer.
const SourceReuse = "typed_as_suggested"

// MarkReplySent is the mark of an imported turn: the first audio of the reply leaves the
// agent. Most logs stop there; the user hears it later.
const MarkReplySent = "reply_sent"

// FactLog is the fact of an imported turn: whose log it was in.
const FactLog = "log"

// SpanLookAhead is the wait of a whole first piece of text, until the next token shows that
// it is whole. It lies between gathering and the voice.
const SpanLookAhead = "look_ahead"

// MarkNoticed is the instant at which the agent takes what the user says into a reply for an
// interruption, and stops making and sending audio.
const MarkNoticed = "noticed"

// FactTurn is the fact of a voice turn: its number in the call, from 1. Without it the
// turn's place in its session is its number.
const FactTurn = "turn"

// FactCache is the fact of a voice turn: what made the beginning of its prompt another than
// that of the turns before, so that no cache knows it. Its values are those below, with
// commas between; there is no fact where nothing did.
const (
	FactCache      = "cache"
	CacheTimeStamp = "time_stamp" // the system prompt has the time in it
	CacheToolOrder = "tool_order" // the tools stand in another order
	CacheRewrite   = "rewrite"    // what was said before is told in other words
)

// FactAskedWith is the fact of a voice turn: what stood for the user's words in the prompt, beside
// a real recognizer.
const FactAskedWith = "asked_with"

// The values of FactAskedWith: what the recognizer heard, and words of ours of the same length,
// where it had heard nothing when the model was asked.
const (
	PromptHeard  = "heard"
	PromptMadeUp = "made_up"
)

// FactWords is the fact of a voice turn: the words that the user said, where they are known.
const FactWords = "words"

// FactRecording is the fact of a voice turn whose user's words are a recording: its number among
// those of the run, from 0. Turns of the same one have the same sound, and so the same pauses.
const FactRecording = "recording"

// FactCountsFrom is the fact of a voice turn: what the wait for its end (end_of_turn) counts
// from. CountsFromSpeech is the end of speech, so that the span is only what is left of the
// wait after the detector's stop; without the fact the span is the whole wait.
const (
	FactCountsFrom   = "counts_from"
	CountsFromSpeech = "speech"
)

// FactVADSilence is the fact of a voice turn: the silence that its detector is set to wait
// for, as a duration of Go. Without it that is all of vad_wait; with it vad_wait has more, or
// less, since the detector looks once in a frame, computes, or took another sample for the
// last of the speech.
const FactVADSilence = "vad_silence"
