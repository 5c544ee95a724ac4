package diagnosis

// What cures each failure. Settings are named as the vendors' references have them:
// github.com/deepgram/deepgram-docs (finalize, tts-ws-flush, audio-keep-alive) @2025-07-03;
// github.com/AssemblyAI/assemblyai-api-spec @2026-03-23; github.com/elevenlabs/elevenlabs-docs
// (latency-optimization, asyncapi) @2025-08-25; github.com/cartesia-ai/docs (contexts,
// flushing, timeouts) @2025-10-27; twilio.com/docs/voice/media-streams/websocket-messages
// and github.com/openai/openai-openapi @2026-08-21; read 2026-11-29.
const (
	cureFinal = "ask for the final at the detector's stop and take the first text that is marked as one: Deepgram `Finalize`, whose answer has `from_finalize`; AssemblyAI `ForceEndpoint`, whose answer has `end_of_turn`; Cartesia `finalize`. " +
		"Keep the timer as a last resort for a final that is lost"
	cureAddsUp = "count every wait from the last speech, not from the event before: a provider's endpoint of 300 ms and a wait of 500 ms are 500 ms together. Let one of them decide, keep the transcriber running while the detector waits, " +
		"and shorten the detector's silence where a turn model has the last word"
	cureThreshold = "lower the longest wait (LiveKit max_delay, Pipecat's stop_secs of Smart Turn, AssemblyAI max_turn_silence), set the threshold by the curve of latency against cut-ins, " +
		"and tell short answers such as \"yes\" apart, whose score is close to chance"
	cureVAD = "give the detectors more workers or threads, or a longer frame; run one detector for a call, on one thread each, and do not run it on the event loop. " +
		"Alert on the backlog: calls get slower by the minute while every other figure stays as it was"
	cureSTT = "give the recognizers more workers or a larger batch, or send some calls to another; a streaming recognizer is busy for as long as somebody speaks, one that hears whole utterances only after it. " +
		"Bound the calls at a time by what it can do, and alert on the backlog"
	cureLLM       = "more replicas, a larger batch, shorter prompts or a prefix cache; turn calls away, or answer them with another model, before the queue is longer than a reply may take"
	cureTTS       = "more voices at a time (a vendor's concurrency limit, or workers of your own), or a voice that is quicker than speech by more; give a voice up when a reply is spoken into"
	cureLookAhead = "hand a sentence to the voice at its end mark, and join a decimal or an abbreviation to what follows only where the mark is ambiguous; or gather by clause"
	cureHeld      = "have the voice begin with the first piece: ElevenLabs `auto_mode=true`, `flush: true` or a shorter `chunk_length_schedule` (120 characters first); Cartesia `max_buffer_delay_ms: 0` or `flush: true`; Deepgram `Flush` after each sentence"
	cureDouble    = "ask early only where an end is likely: a higher threshold for early ends (Deepgram `eager_eot_threshold`), and only once the interim text has not changed for a while; leave it off where prompts are long and not cached"
	cureContext   = "keep the beginning of the prompt the same from turn to turn so that the model's cache finds it: no time stamp, tools in one order, history only appended to, calls pinned to a replica; or sum old turns up, once in a while and not in each turn"
	cureForgotten = "have the cache keep a call's prompt until its next turn: turn it on where it is off, give it a longer time to live (`prefix_ttl`; Anthropic `cache_control` with `ttl: 1h`, OpenAI `prompt_cache_retention: 24h`) or more room, and pin calls to a replica; or sum old turns up, once in a while and not in each turn"
	cureConnect   = "open the connection when the call begins, or when the user starts to speak, and keep it: one WebSocket for all utterances of a call (ElevenLabs multi-stream-input, Cartesia contexts), a pooled HTTP client for the model"
	cureIdle      = "send what keeps it open before the vendor's limit (Deepgram `KeepAlive` within 10 s; ElevenLabs an empty text with the context within `inactivity_timeout`, 20 s unless set, 180 at most), " +
		"or open a new one when the user starts to speak; Cartesia closes after 5 minutes and knows no keep-alive"
	curePlayback = "take back what was sent ahead when the user speaks: Twilio `clear`, OpenAI `output_audio_buffer.clear` (over a WebSocket stop your own player and send `conversation.item.truncate`), and send audio at most some 0.4 s ahead of its playing"
	cureFar      = "run the agent where the callers' media enters, and ask the region of each service that is nearest to the agent, not to you; on telephone legs use the carrier's nearest edge, and keep jitter buffers short"
	cureLeading  = "cut silence off the start of the audio before it is sent, down to some 20 ms before the first sound; or take a voice that begins at once"
	cureFiller   = "set budgets on the answer (reply), with the filler's own clock beside it (filler, first_sound); make fillers short enough to end before the answer is there, or let the answer cut them off"
	cureAnchor   = "measure from the last speech sample at the mouth to the first audible sample at the ear, or add what the clock leaves out to what it says before comparing it with a budget"
)
