package scenario

import (
	"time"

	"halfsecond/pipeline/dist"
	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/gather"
)

// The table of the keys of a voice turn, in the order of the turn.

var spoken = object(
	settleVoice,
	can("speech_to_speech", func(v *Voice) **Direct { return &v.Direct }, nil, pointer(direct), "a model that hears and speaks; leave it out for a chain of speech to text, language model and text to speech"),

	can("utterance", func(v *Voice) *Delay { return &v.Utterance }, usualUtterance, delay(), "how long the user speaks, in a closed loop"),
	chain(can("audio", func(v *Voice) **Audio { return &v.Audio }, nil, pointer(audioSpoken), "users say recordings, which are heard and answered in sound, on the simulator too; leave it out for turns of modelled lengths")),
	can("transport", func(v *Voice) **Transport { return &v.Transport }, nil, pointer(carried), "how sound travels: webrtc, telephony, media-streams or websocket, or codec, frames and loss of your own; leave it out for the figures below alone"),
	can("capture", func(v *Voice) *Delay { return &v.Capture }, fixed(0), delay("network", "telephony"), "microphone and encoder").fallback("0s; what goes with transport"),
	can("uplink", func(v *Voice) *Delay { return &v.Uplink }, fixed(40*time.Millisecond), delay("network", "telephony"), "last sample of speech from the mouth to the agent; the network alone where capture and jitter_buffer are given").fallback("40ms; what goes with transport"),
	can("jitter_buffer", func(v *Voice) *Delay { return &v.JitterBuffer }, fixed(0), delay("network", "telephony"), "the agent's, against uneven arrival").fallback("0s; what goes with transport"),

	chain(can("vad_silence", func(v *Voice) *Delay { return &v.VADSilence }, fixed(200*time.Millisecond), delay("vad", "endpointing"), "silence until the voice activity detector stops").fallback("200ms; what goes with the preset of ending")),
	chain(can("vad_frame", func(v *Voice) *time.Duration { return &v.VADFrame }, 0, duration(0, time.Second), "the detector looks once in so long, so that the end of speech falls anywhere in it: 32ms of Silero")),
	chain(can("vad_compute", func(v *Voice) *Delay { return &v.VADCompute }, fixed(0), delay("vad"), "what a frame takes it")),
	chain(can("vad_workers", func(v *Voice) *int { return &v.VADWorkers }, 0, whole(0, 100_000), "detectors at work at a time for all calls, who fall behind when their frames come faster; 0 never do")),
	chain(can("ending", func(v *Voice) **Ending { return &v.Ending }, nil, pointer(policy), "a policy that decides when the turn is over, on turns whose pauses are known; leave it out for end_of_turn")),
	simply(chain(can("end_of_turn", func(v *Voice) *Delay { return &v.EndOfTurn }, fixed(12*time.Millisecond), delay("endpointing", "vad"), "from the detector's stop to the decision that the turn is over; the simple form of ending"))),
	chain(need("stt_tail", func(v *Voice) *Delay { return &v.STTTail }, delay("stt"), "last sample at the agent to the final transcript")),
	chain(can("stt_from", func(v *Voice) *voice.STTFrom { return &v.STTFrom }, voice.FromSpeech, names(voice.FromSpeech, voice.FromVADStop), "what stt_tail counts from: the end of speech, beside the silence, or the detector's stop, after it")),
	chain(can("stt_workers", func(v *Voice) *int { return &v.STTWorkers }, 0, whole(0, 100_000), "recognizers for all calls: each takes one utterance at a time once it is over, for its stt_tail, or with stt_factor hears speech as it comes; 0 is any number")),
	can("stt_factor", func(v *Voice) *float64 { return &v.STTFactor }, 0, decimal(0, 1000), "seconds that a recognizer takes for a second of speech, which it hears as it comes, so that they fall behind when more is said at a time than they can do; 0 hears an utterance when it is over").
		where("stt_workers", "stt_workers above 0", func(v *Voice) bool { return v.Direct == nil && v.STTWorkers > 0 }),
	chain(can("stt_interim", func(v *Voice) *Delay { return &v.STTInterim }, fixed(0), delay("stt"), "last sample at the agent to an interim text that holds it; matters to a guess")),
	chain(can("stt_timer", func(v *Voice) *time.Duration { return &v.STTTimer }, 0, duration(0, time.Minute), "how long after the detector's stop a final text is waited for that nobody marks as final; 0 knows it when it comes")),
	chain(can("policy_wait", func(v *Voice) *Delay { return &v.PolicyWait }, fixed(0), delay("endpointing"), "wait after the decision")),
	chain(can("hook", func(v *Voice) *Delay { return &v.Hook }, fixed(0), delay(), "your own code before the model is asked; a guess does not wait for it, and is asked without what it finds out")),

	chain(can("prompt_tokens", func(v *Voice) *dist.Count { return &v.PromptTokens }, dist.ConstantCount(1200), tokens, "system prompt, history and the user's words")),
	chain(can("system_tokens", func(v *Voice) *int { return &v.SystemTokens }, 0, whole(0, maxTokensAsked), "those of them that begin every prompt of every session; what follows is the session's own, and the user's words are new")),
	chain(can("reasoning_tokens", func(v *Voice) *int { return &v.ReasoningTokens }, 0, whole(0, maxTokensAsked), "tokens before the answer that are not spoken; the modelled answer has them, a real one its own")),
	can("reply_tokens", func(v *Voice) *dist.Count { return &v.ReplyTokens }, fittedCount(60, 140), tokens, "length of the reply"),
	chain(can("first_sentence_tokens", func(v *Voice) *dist.Count { return &v.FirstSentenceTokens }, fittedCount(12, 20), tokens, "tokens of the first sentence, and of each later one")),
	can("speech_per_token", func(v *Voice) *time.Duration { return &v.SpeechPerToken }, usualPace, duration(0, time.Minute), "how long a token of speech takes: of the reply in a closed loop, and of the user, whose words are so many tokens"),
	can("context", func(v *Voice) **Context { return &v.Context }, nil, pointer(context), "how calls go on, of which speech_to_speech takes turns alone; leave it out where every turn stands alone"),
	chain(need("llm", func(v *Voice) *LLM { return &v.LLM }, llm, "the language model")),
	chain(can("llm_round_trip", func(v *Voice) *Delay { return &v.LLMRoundTrip }, fixed(20*time.Millisecond), delay("network"), "network to the model and back").fallback("20ms; 0s to a model with component or ttft")),
	chain(can("llm_connect", func(v *Voice) **Connect { return &v.LLMConnect }, nil, pointer(connect), "connections to the model that have to be opened; leave it out for warm ones")),
	chain(can("guess", func(v *Voice) **voice.Guess { return &v.Guess }, nil, pointer(early), "the model is asked before the turn is committed; leave it out for not")),
	chain(can("tool", func(v *Voice) **Tool { return &v.Tool }, nil, pointer(tool), "a tool that the model calls before it answers; leave it out for none")),
	chain(can("filler", func(v *Voice) **Filler { return &v.Filler }, nil, pointer(filler), "what is said while the answer is made; leave it out for nothing")),

	chain(can("gather", func(v *Voice) *gather.Rule { return &v.Gather }, gather.Rule{}, gathering, "what of the answer is handed to the voice first")),
	chain(can("first_clause_tokens", func(v *Voice) *dist.Count { return &v.FirstClauseTokens }, dist.ConstantCount(6), tokens, "tokens of the first clause of a modelled answer, for gather by clause")),
	chain(need("tts_first_audio", func(v *Voice) *Delay { return &v.TTSFirstAudio }, delay("tts"), "text handed over to first audio")),
	chain(can("tts_connect", func(v *Voice) **Connect { return &v.TTSConnect }, nil, pointer(connect), "connections to the voice that have to be opened; leave it out for warm ones")),
	chain(can("tts_workers", func(v *Voice) *int { return &v.TTSWorkers }, 0, whole(0, 100_000), "replies and fillers that the voice makes at a time, for all users; 0 is any number")),
	chain(can("tts_holds", func(v *Voice) *int { return &v.TTSHolds }, 0, whole(0, 100_000), "characters that the voice waits for before it begins, or the end of the reply; 0 waits for none")),
	chain(can("tts_factor", func(v *Voice) *float64 { return &v.TTSFactor }, 0, decimal(0, 1000), "seconds that the voice takes to make a second of audio, so that holes in the reply are seen; 0 does not look for them")),
	can("leading_silence", func(v *Voice) *Delay { return &v.LeadingSilence }, fixed(0), delay("tts"), "silence at the start of that audio"),
	can("post_wait", func(v *Voice) *Delay { return &v.PostWait }, fixed(0), delay("endpointing"), "wait of the agent once it has audio"),
	can("pre_buffer", func(v *Voice) *Delay { return &v.PreBuffer }, fixed(0), delay(), "audio that is gathered before the first is sent"),
	can("egress", func(v *Voice) *Delay { return &v.Egress }, fixed(0), delay("network", "telephony"), "until the next frame leaves").fallback("0s; what goes with transport"),
	can("playout", func(v *Voice) *Delay { return &v.Playout }, fixed(40*time.Millisecond), delay("network", "telephony"), "audio from the agent to the ear").fallback("40ms; what goes with transport"),
	can("barge_in", func(v *Voice) **BargeIn { return &v.BargeIn }, nil, pointer(bargeIn), "the user speaks into replies; leave it out for never"),
)

// chain limits a field to turns that are a chain of services.
func chain(f field[Voice]) field[Voice] {
	return f.where("speech_to_speech", "a chain of services", func(v *Voice) bool { return v.Direct == nil })
}

func settleVoice(r *reader, found map[string]entry, v *Voice) {
	v.travel(found)
	if v.Direct != nil {
		if c := v.Context; c != nil && c.TimeStamp+c.ToolOrder+c.Rewrite > 0 {
			r.failEntry(found, "context", "time_stamp, tool_order and rewrite go with a chain of services, and speech_to_speech is one model: leave all but turns out")
		}
		v.PromptTokens, v.FirstSentenceTokens = dist.ConstantCount(1), dist.ConstantCount(1)
		return
	}
	noDoubleTrip(found, "llm_round_trip", v.LLM, &v.LLMRoundTrip)
	settleAudio(r, found, v)
	if _, given := found["system_tokens"]; given && !v.PromptTokens.Spread() && v.SystemTokens >= v.PromptTokens.Quantile(1) {
		r.failEntry(found, "system_tokens", "%d leaves the user no word: want fewer than prompt_tokens, %s", v.SystemTokens, v.PromptTokens)
	}
	if _, given := found["vad_silence"]; !given && v.Ending != nil && v.Ending.Preset != "" {
		v.VADSilence = Delay{Dist: presetNamed(v.Ending.Preset).Stop}
	}
	if g := v.Guess; g != nil && g.From == voice.OnEarly && !v.Ending.eager() {
		r.failEntry(found, "guess", "from: early_end goes with an ending whose eager is above 0")
	}
	if v.VADWorkers > 0 && (v.VADFrame == 0 || v.VADCompute.Mean() == 0) {
		r.failEntry(found, "vad_workers", "goes with a vad_frame and a vad_compute above 0: so much work comes so often")
	}
}

// called refuses what takes calls of several turns, where each turn is a call of its own.
func (v *Voice) called(r *reader, found map[string]entry, s *Scenario) {
	c := v.Context
	if c == nil || !s.Arrivals.Open() {
		return
	}
	for _, x := range []struct {
		key string
		set bool
	}{{"turns", c.Turns > 0}, {"rewrite", c.Rewrite > 0}} {
		if x.set {
			r.failEntry(found, "voice", "context.%s has no effect: in an open load each turn is a call of its own; want arrivals: {process: closed, ...}, or leave it out", x.key)
		}
	}
}

var direct = object(nil,
	can("silence", func(d *Direct) *Delay { return &d.Silence }, fixed(500*time.Millisecond), delay("vad", "endpointing"), "after which it ends the turn"),
	need("first_audio", func(d *Direct) *Delay { return &d.FirstAudio }, delay("llm"), "from there to its first audio"),
)

var connect = object(
	func(r *reader, found map[string]entry, c *Connect) {
		_, idle := found["idle"]
		_, each := found["each"]
		if c.Each && c.Idle > 0 {
			r.failEntry(found, "idle", "has no effect beside each: true, which opens a connection for each use: leave out one of the two")
		}
		if !idle && !each { // who states them knows that they are off
			r.failEntry(found, "takes", "has no effect alone: want each: true or an idle above 0 beside it, or leave the connection out")
		}
	},
	need("takes", func(c *Connect) *Delay { return &c.Takes }, delay("network", "llm", "tts"), "name, TCP and TLS"),
	can("each", func(c *Connect) *bool { return &c.Each }, false, boolean, "a new one for each use"),
	can("idle", func(c *Connect) *time.Duration { return &c.Idle }, 0, duration(0, 24*time.Hour), "after so long without use, since the other side closes it; 0 is never"),
)

var context = object(nil,
	can("turns", func(c *Context) *int { return &c.Turns }, 0, whole(0, 10_000), "turns of a call, after which the user's next call begins; 0 is one call for ever"),
	can("grows", func(c *Context) *bool { return &c.Grows }, true, boolean, "the prompt has all that was said before in the call; prompt_tokens is that of its first turn"),
	can("time_stamp", func(c *Context) *float64 { return &c.TimeStamp }, 0, share, "share of turns whose system prompt has the time in it, so that no cache knows it"),
	can("tool_order", func(c *Context) *float64 { return &c.ToolOrder }, 0, share, "share of turns whose tools stand in another order, with the same effect"),
	can("rewrite", func(c *Context) *float64 { return &c.Rewrite }, 0, share, "share of turns that tell the model what was said before in other words"),
)

var early = object(nil,
	need("from", func(g *voice.Guess) *voice.GuessFrom { return &g.From }, names(voice.OnStop, voice.OnFinal, voice.OnEarly), "at what the model is asked early"),
	can("right", func(g *voice.Guess) *float64 { return &g.Right }, 1, share, "share of those after the last word whose words hold; with an ending whose pauses are known it is asked at pauses inside turns as well, for nothing"),
	can("tts", func(g *voice.Guess) *bool { return &g.TTS }, false, boolean, "the voice begins as well, and is held back until the turn is committed"),
)

var tool = object(nil,
	can("share", func(t *Tool) *float64 { return &t.Share }, 1, share, "share of turns that need it"),
	can("tokens", func(t *Tool) *dist.Count { return &t.Tokens }, dist.ConstantCount(25), tokens, "of the answer that calls it"),
	need("takes", func(t *Tool) *Delay { return &t.Takes }, delay(), "how long it works"),
	can("result_tokens", func(t *Tool) *dist.Count { return &t.Result }, dist.ConstantCount(100), tokens, "that the next prompt has more"),
)

var filler = object(nil,
	can("share", func(f *Filler) *float64 { return &f.Share }, 1, share, "share of turns that have one"),
	can("after", func(f *Filler) *Delay { return &f.After }, fixed(0), delay(), "from the committed turn until its text is handed to the voice"),
	can("for", func(f *Filler) *Delay { return &f.For }, fixed(700*time.Millisecond), delay(), "how long it plays; the answer waits for its end"),
	can("tools", func(f *Filler) *bool { return &f.Tools }, false, boolean, "only where a tool is called"),
)

var gathering = object(nil,
	can("by", func(g *gather.Rule) *gather.By { return &g.By }, gather.Sentence, names(gather.Sentence, gather.Clause, gather.Characters, gather.Token), "what a piece is"),
	can("characters", func(g *gather.Rule) *int { return &g.Characters }, 60, whole(1, 100_000), "least characters of a piece, which ends with a word").when("by", "characters"),
	can("look_ahead", func(g *gather.Rule) *bool { return &g.LookAhead }, false, boolean, "the end of a piece is believed once something follows it").when("by", "sentence", "clause"),
)

var bargeIn = object(nil,
	need("share", func(b *BargeIn) *float64 { return &b.Share }, share, "share of replies that are spoken into"),
	can("after", func(b *BargeIn) *Delay { return &b.After }, Delay{Dist: dist.Uniform(0, 5*time.Second)}, delay(), "from the reply heard to the user's first sound, where the reply lasts so long"),
	can("start", func(b *BargeIn) *Delay { return &b.Start }, fixed(200*time.Millisecond), delay("vad", "endpointing"), "speech until the detector reports it"),
	can("guard", func(b *BargeIn) *Delay { return &b.Guard }, fixed(0), delay("endpointing", "vad"), "speech until the agent takes it for an interruption: a length, or the time of so many words"),
	can("for", func(b *BargeIn) *Delay { return &b.For }, fixed(2*time.Second), delay(), "how long the user speaks; what is shorter than start and guard is not noticed"),
	can("clear", func(b *BargeIn) *bool { return &b.Clear }, true, boolean, "audio that was sent ahead is taken back"),
	can("buffer", func(b *BargeIn) *Delay { return &b.Buffer }, fixed(0), delay(), "how much was sent ahead of its playing"),
	can("mistaken", func(b *BargeIn) *float64 { return &b.False }, 0, share, "share of them that mean no interruption: uh-huh, a cough"),
)
