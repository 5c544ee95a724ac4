package dashboard

import (
	"slices"
	"time"
)

// Metric is one number of a framework's dashboard.
type Metric struct {
	Framework string
	Name      string // as the framework has it
	From, To  string // the events that it counts from and to
	Spans     string // what of a trace lies between them
	Source    string // where that was read
	// Whole is set for a number that stands for the whole turn, and is taken for
	// voice-to-voice.
	Whole bool
	// Zero is set for a number that its framework makes 0 where what it counts to comes before
	// what it counts from: a detector that looks once in a frame has the end of speech late. Of
	// the others there is no number then.
	Zero bool
	// Logs are the sources of an import whose whole this is.
	Logs []string
	of   func(s *seen) []stretch
}

// stretch is a time from one instant to another.
type stretch struct{ from, to time.Duration }

func (s stretch) length() time.Duration { return s.to - s.from }

// between makes a number of one stretch.
func between(from, to func(s *seen) time.Duration) func(s *seen) []stretch {
	return func(s *seen) []stretch { return []stretch{{from(s), to(s)}} }
}

// sum makes one that adds stretches up.
func sum(parts ...func(s *seen) []stretch) func(s *seen) []stretch {
	return func(s *seen) (all []stretch) {
		for _, p := range parts {
			all = append(all, p(s)...)
		}
		return all
	}
}

// Metrics returns what the frameworks number, those for the whole turn first in each.
func Metrics() []Metric { return slices.Clone(metrics) }

// table is the source of an import whose stages are ours.
const table = "csv"

// of returns the metrics of turns from a source of an import, "" for turns of our own. A
// framework's own log has what it numbers the whole turn, from the end of speech at the agent
// until sound leaves it; its parts it has numbered itself, each with a clock of its own.
func of(log string) []Metric {
	if log == "" || log == table {
		return Metrics()
	}
	var own []Metric
	for _, m := range metrics {
		if slices.Contains(m.Logs, log) {
			m.From, m.To, m.Spans = "the end of speech at the agent (as its log has it)", "the first audio that leaves it", "all but uplink and playout"
			m.of = rewoundToSent
			own = append(own, m)
		}
	}
	return own
}

const (
	pipecatObserver = "github.com/pipecat-ai/pipecat src/pipecat/observers/user_bot_latency_observer.py @1769ece and docs.pipecat.ai/api-reference/server/utilities/observers/user-bot-latency-observer, read 2026-11-30"
	pipecatService  = "github.com/pipecat-ai/pipecat src/pipecat/services/stt_service.py and processors/metrics/frame_processor_metrics.py, which has none of what came before the request, read 2026-11-30"
	livekitReport   = "github.com/livekit/agents livekit-agents/livekit/agents/llm/chat_context.py MetricsReport and docs.livekit.io/reference/agents-js/interfaces/agents.llm.MetricsReport.html, read 2026-11-30"
	livekitDelay    = livekitReport + "; that it is no less than 0: livekit-agents/livekit/agents/voice/audio_recognition.py, read 2026-11-30"
	livekitEvents   = "github.com/livekit/agents livekit-agents/livekit/agents/metrics/base.py @c64df45 and docs.livekit.io/agents/build/metrics (total_latency), read 2026-11-30"
	livekitNode     = "github.com/livekit/agents livekit-agents/livekit/agents/voice/generation.py _tts_inference_task and tts/tts.py _mark_started, which a plugin calls as it sends the first text, @01209d8, read 2026-11-30"
	vapiLatency     = "docs.vapi.ai/assistants/model-intelligence/understanding-latency and the API's schema TurnLatency, read 2026-11-30; that the parts follow each other: a log line of support.vapi.ai/t/27151661"
)

const (
	pipecat = "Pipecat"
	livekit = "LiveKit Agents"
	vapi    = "Vapi"
)

var (
	rewoundToSent  = func(s *seen) []stretch { return s.untilSent(s.rewound) }
	stopToSent     = func(s *seen) []stretch { return s.untilSent(s.stop) }
	rewoundToTurn  = between(func(s *seen) time.Duration { return s.rewound }, func(s *seen) time.Duration { return s.commit })
	rewoundToFinal = between(func(s *seen) time.Duration { return s.rewound }, func(s *seen) time.Duration { return s.final })
	firstToken     = between(func(s *seen) time.Duration { return s.asked }, func(s *seen) time.Duration { return s.output })
	firstAudio     = between(func(s *seen) time.Duration { return s.handed }, func(s *seen) time.Duration { return s.audio })
	sentToAudio    = func(s *seen) []stretch { return s.fromText(s.handed) }
	answerToAudio  = between((*seen).mayBeSaid, func(s *seen) time.Duration { return s.audio })
	heardWords     = between(func(s *seen) time.Duration { return s.arrived }, func(s *seen) time.Duration { return s.final })
	// beyondWords is what the end of the turn takes beyond the transcript.
	beyondWords = between(func(s *seen) time.Duration { return s.final }, func(s *seen) time.Duration { return s.commit })
)

const (
	saysStopLess = "the detector's stop less its silence (stop_secs)"
	saysLast     = "the detector's last speech (last_speaking_time)"
	saysSent     = "first audio goes to the output transport"
	isModel      = "llm_connect, llm_load, queue, prefill, or llm_first_token (llm_whole where the answer is no stream); without reasoning"
	isVoice      = "tts_held, tts_connect, tts_queue, tts_first_audio"
	isService    = "tts_held, tts_queue, tts_first_audio"
)

var metrics = []Metric{
	{
		Framework: pipecat, Name: "user_bot_latency", Whole: true,
		From: saysStopLess, To: "BotStartedSpeakingFrame: " + saysSent,
		Spans: "from vad_wait until audio leaves the agent; a filler is audio, too",
		Logs:  []string{"pipecat-spans", "pipecat-metrics"}, Source: pipecatObserver, of: rewoundToSent,
	},
	{
		Framework: pipecat, Name: "user_bot_latency before 0.0.102", Whole: true,
		From: "the detector's stop", To: "BotStartedSpeakingFrame: " + saysSent,
		Spans:  "the same, without vad_wait",
		Source: pipecatObserver, of: stopToSent,
	},
	{
		Framework: pipecat, Name: "user_turn_secs", From: saysStopLess, To: "the turn is released",
		Spans: "vad_wait, end_of_turn, stt_tail, stt_timer, policy_wait", Source: pipecatObserver, of: rewoundToTurn,
	},
	{
		Framework: pipecat, Name: "TTFB of STT", From: saysStopLess, To: "last transcript",
		Spans: "stt_tail, and vad_wait where it counts from there", Source: pipecatService, of: rewoundToFinal,
	},
	{
		Framework: pipecat, Name: "TTFB of LLM", From: "the request", To: "first chunk of any kind", Spans: isModel, Source: pipecatService, of: firstToken,
	},
	{
		Framework: pipecat, Name: "text_aggregation", From: "first text of the answer", To: "first sentence for the voice", Spans: "gathering, look_ahead",
		Source: pipecatObserver, of: between(func(s *seen) time.Duration { return s.token }, func(s *seen) time.Duration { return s.gathered }),
	},
	{
		Framework: pipecat, Name: "TTFB of TTS", From: "text handed over", To: "first byte of audio", Spans: isVoice, Source: pipecatService, of: firstAudio,
	},

	{
		Framework: livekit, Name: "e2e_latency", Whole: true, From: "stopped_speaking_at: " + saysLast, To: "started_speaking_at: first audio frame goes to the audio output",
		Spans: "from vad_wait until audio leaves the agent; a filler is audio, too",
		Logs:  []string{"livekit-spans", "livekit-turns"}, Source: livekitReport, of: rewoundToSent,
	},
	{
		Framework: livekit, Name: "end_of_utterance_delay + ttft + ttfb", Whole: true, From: "sum of three metrics events", To: "which stands for the latency of the conversation",
		Spans:  "without hook, reasoning, gathering, tts_connect and waits between the parts; what overlaps, as with preemptive generation, counts twice",
		Source: livekitEvents, of: sum(rewoundToTurn, firstToken, sentToAudio),
	},
	{
		Framework: livekit, Name: "transcription_delay", From: saysLast, To: "final transcript", Spans: "stt_tail, and vad_wait where it counts from there; 0 of a transcript that comes before",
		Source: livekitDelay, Zero: true, of: rewoundToFinal,
	},
	{
		Framework: livekit, Name: "end_of_turn_delay", From: saysLast, To: "decision to end the turn (end_of_utterance_delay)", Spans: "vad_wait, end_of_turn, stt_tail, stt_timer, policy_wait",
		Source: livekitReport, of: rewoundToTurn,
	},
	{
		Framework: livekit, Name: "on_user_turn_completed_delay", From: "the callback is called", To: "it is done", Spans: "hook",
		Source: livekitReport, of: between(func(s *seen) time.Duration { return s.commit }, func(s *seen) time.Duration { return s.hooked }),
	},
	{
		Framework: livekit, Name: "llm_node_ttft", From: "the request", To: "first token", Spans: isModel, Source: livekitReport, of: firstToken,
	},
	{
		Framework: livekit, Name: "tts_node_ttfb", From: "text is first sent to the provider", To: "first audio", Spans: isService + "; of a TTS node of one's own that counts from the first text, gathering, look_ahead and tts_connect, too",
		Source: livekitNode, of: sentToAudio,
	},
	{
		Framework: livekit, Name: "ttfb of tts_metrics", From: "text is first sent to the provider", To: "first audio", Spans: isService, Source: livekitEvents, of: sentToAudio,
	},

	{
		Framework: vapi, Name: "turnLatency", Whole: true, From: "sum of the four below", To: "which leaves transport and waitSeconds out",
		Spans: "without hook and reasoning; what overlaps counts twice",
		Logs:  []string{"vapi"}, Source: vapiLatency, of: sum(heardWords, beyondWords, firstToken, answerToAudio),
	},
	{
		Framework: vapi, Name: "transcriberLatency", From: "end of the user's speech", To: "transcript", Spans: "stt_tail, and what it waits for", Source: vapiLatency, of: heardWords,
	},
	{
		Framework: vapi, Name: "endpointingLatency", From: "the transcript", To: "end of the turn, by the endpointing plan", Spans: "what of vad_wait, end_of_turn and policy_wait is beyond stt_tail",
		Source: vapiLatency, of: beyondWords,
	},
	{
		Framework: vapi, Name: "modelLatency", From: "the request", To: "first token", Spans: isModel, Source: vapiLatency, of: firstToken,
	},
	{
		Framework: vapi, Name: "voiceLatency", From: "the model's output, or the end of the turn that it waits for", To: "first audio of the voice provider", Spans: "gathering, look_ahead, " + isVoice,
		Source: vapiLatency, of: answerToAudio,
	},
}
