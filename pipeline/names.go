package pipeline

// The names in traces: what the simulators write and the budgets read.

// Kinds of interactions.
const (
	KindVoice = "voice"
	KindIDE   = "ide"
	KindBench = "bench"
	KindGrid  = "grid" // of a run: plain requests in the cells of a comparison
)

// Spans, in the order of a voice turn. Those of a language model serve every kind.
const (
	SpanUplink        = "uplink"
	SpanVADSilence    = "vad_silence"
	SpanEndOfTurn     = "end_of_turn"
	SpanSTTTail       = "stt_tail"
	SpanLLMLoad       = "llm_load" // the model is loaded and warms up while the request waits
	SpanLLMFirstToken = "llm_first_token"
	SpanFirstSentence = "first_sentence"
	SpanTTSFirstAudio = "tts_first_audio"
	SpanLeading       = "leading_silence"
	SpanPlayout       = "playout"

	SpanDebounce  = "debounce"   // of a key
	SpanLLMDecode = "llm_decode" // of a plain request: first token to last

	SpanStall = "stall" // the longest gap in an answer that streams beside a request's prompt
)

// Marks.
const (
	MarkReplyHeard     = "reply_heard"     // the first audible sample of the reply is at the user's ear
	MarkFirstCharacter = "first_character" // there is a character to show for the key
	MarkFirstLine      = "first_line"      // and a whole line
)

// Facts of a key.
const (
	FactOpportunity = "opportunity" // "yes" or "no": the plugin's rules would ask after it
	FactVerdict     = "verdict"     // what became of its request's answer
	FactSource      = "source"      // where its first text came from
	FactClass       = "class"       // what kind of key it is
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
