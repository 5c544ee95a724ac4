package others

// Source is one of the kinds of logs that can be imported.
type Source struct {
	Slug  string // such as "livekit-spans"
	Title string
	// From and To are the events between which the whole of a turn is logged.
	From, To string
	// Parts says which numbers become which spans.
	Parts string
	// Read says where that was read, and when.
	Read string
}

// Sources returns what can be imported.
func Sources() []Source { return sources }

const (
	pipecatSpans   = "pipecat-spans"
	livekitSpans   = "livekit-spans"
	pipecatMetrics = "pipecat-metrics"
	livekitMetrics = "livekit-metrics"
	livekitTurns   = "livekit-turns"
	deepgramAgent  = "deepgram-agent"
	vapiCalls      = "vapi"
	table          = "csv"
)

const (
	vadStopped   = "end of speech: when the VAD said so, less its silence (stop_secs)"
	lastSpeaking = "end of speech: the VAD's last speech (last_speaking_time)"
	botStarted   = "bot started speaking: first audio goes to the output transport"
)

var sources = []Source{
	{
		Slug: pipecatSpans, Title: "Pipecat, OpenTelemetry spans (OTLP/JSON)", From: vadStopped, To: botStarted,
		Parts: "turn: turn.user_bot_latency_seconds is the whole, turn.user_turn_seconds end_of_turn (with the VAD's silence), turn.text_aggregation_seconds gathering; " +
			"metrics.ttfb of stt, llm and tts: stt_tail, llm_first_token, tts_first_audio. The lengths of stt and tts spans are not used: they do not cover the request",
		Read: "github.com/pipecat-ai/pipecat, src/pipecat/utils/tracing/turn_trace_observer.py @032100c, service_decorators.py @01b7a93, issues 2029 and 2782, read 2026-11-30",
	},
	{
		Slug: livekitSpans, Title: "LiveKit Agents, OpenTelemetry spans (OTLP/JSON)", From: lastSpeaking, To: "agent_speaking begins: first audio frame goes to the audio output",
		Parts: "user_turn: lk.transcription_delay stt_tail, lk.end_of_turn_delay (or the span eou_wait) end_of_turn; llm_node or llm_request: lk.response.ttft (or ttft in lk.llm_metrics) llm_first_token, " +
			"at the span's own instant; function_tool tool; tts_node or tts_request: lk.response.ttfb tts_first_audio, before the first audio; agent_turn: lk.e2e_latency is the whole, or else the begin of agent_speaking",
		Read: "github.com/livekit/agents, livekit-agents/livekit/agents/telemetry/trace_types.py and docs.livekit.io/reference/agents/session-traces, read 2026-11-30",
	},
	{
		Slug: pipecatMetrics, Title: "Pipecat, metrics: LatencyBreakdown, RTVI messages, MetricsFrame data, log lines", From: vadStopped + "; in releases before 0.0.102 the VAD's word itself", To: botStarted,
		Parts: "latency of UserBotLatencyObserver is the whole (or the sum of segments); user_turn_secs end_of_turn (with the VAD's silence); TTFB by the processor's name: stt_tail, llm_first_token, tts_first_audio; " +
			"text aggregation gathering; function_calls tool; e2e_processing_time_ms of a complete turn end_of_turn, from the VAD's stop on",
		Read: "github.com/pipecat-ai/pipecat, src/pipecat/metrics/metrics.py @034e06a, observers/user_bot_latency_observer.py, observers/loggers/ @071c089, read 2026-11-30",
	},
	{
		Slug: livekitMetrics, Title: "LiveKit Agents, metrics events (metrics_collected)", From: lastSpeaking, To: "first audio from TTS at the agent: timestamp - duration + ttfb of the first tts_metrics",
		Parts: "eou_metrics: transcription_delay stt_tail, end_of_utterance_delay end_of_turn, on_user_turn_completed_delay hook; llm_metrics: ttft llm_first_token, from timestamp - duration on; " +
			"tts_metrics: ttfb tts_first_audio, likewise; realtime_model_metrics: ttft model_first_audio, from timestamp on; joined by speech_id",
		Read: "github.com/livekit/agents, livekit-agents/livekit/agents/metrics/base.py @c64df45 and docs.livekit.io/reference/agents-js (EOUMetrics, with lastSpeakingTimeMs), read 2026-11-30",
	},
	{
		Slug: livekitTurns, Title: "LiveKit Agents, metrics of chat messages (session report, conversation_item_added)", From: lastSpeaking, To: "started speaking: first audio frame goes to the audio output",
		Parts: "user: transcription_delay stt_tail, end_of_turn_delay end_of_turn, on_user_turn_completed_delay hook; assistant: llm_node_ttft llm_first_token, tts_node_ttfb tts_first_audio, e2e_latency is the whole",
		Read:  "docs.livekit.io/reference/agents-js/interfaces/agents.llm.MetricsReport.html, read 2026-11-30",
	},
	{
		Slug: deepgramAgent, Title: "Deepgram Voice Agent, LatencyReport messages", From: "end of the user's utterance", To: "first audio byte",
		Parts: "total_latency is the whole; stt_latency stt_tail, ttt_text_latency (or ttt_token_latency) llm_first_token, tts_latency tts_first_audio (from the first text, so with gathering); in seconds",
		Read:  "developers.deepgram.com/docs/voice-agent-latency-report, read 2026-11-30",
	},
	{
		Slug: vapiCalls, Title: "Vapi, turnLatencies of a call's artifact, and log lines", From: "end of the caller's speech, transport left out", To: "first audio of the voice provider",
		Parts: "turnLatency is the whole; endpointingLatency end_of_turn, then transcriberLatency stt_tail, modelLatency llm_first_token, voiceLatency tts_first_audio; in ms",
		Read:  "docs.vapi.ai/assistants/model-intelligence/understanding-latency and the API's schema TurnLatency; that the parts follow each other: a log line of support.vapi.ai/t/27151661; read 2026-11-30",
	},
	{
		Slug: table, Title: "CSV, one row a turn", From: "sent_ms and columns of spans: end of speech at the agent; v2v_ms: end of speech at the mouth", To: "sent_ms: first audio at the agent; v2v_ms: first audible sample at the ear",
		Parts: "columns named as spans are, with _ms at the end, in ms", Read: "this program's own",
	},
}

// sourceOf returns the source with a slug.
func sourceOf(slug string) Source {
	for _, s := range sources {
		if s.Slug == slug {
			return s
		}
	}
	return Source{}
}
