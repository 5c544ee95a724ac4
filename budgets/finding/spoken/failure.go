package spoken

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// failures finds sessions that were accepted and did not end well, one finding a kind.
func failures(v *view) []finding.Finding {
	var found []finding.Finding
	for i := range v.Sessions {
		s := &v.Sessions[i]
		f, ok := v.failure(s)
		if !ok || slices.ContainsFunc(found, func(g finding.Finding) bool { return g.ID == f.ID }) {
			continue
		}
		f.Severity, f.Cost = finding.Broken, pipeline.Unknown
		if said := s.Reason(); said != "" && (said != f.Title || len(f.Evidence) == 0) {
			f.Evidence = append([]string{brief(s.Reason())}, f.Evidence...)
		}
		f.Evidence[0] = v.which(s) + ": " + f.Evidence[0]
		found = append(found, f)
	}
	return found
}

// mostWords is how many characters of a reason are told.
const mostWords = 400

// brief returns the beginning of a reason, which may be all that a server sent.
func brief(reason string) string {
	if all := []rune(reason); len(all) > mostWords {
		return string(all[:mostWords]) + " ..."
	}
	return reason
}

// failure explains what became of one session.
func (v *view) failure(s *heard.Session) (finding.Finding, bool) {
	status := s.Transport().Status
	switch {
	case s.Outcome() == pipeline.Cancelled, s.Outcome() == pipeline.Dropped, status != 101 && (status < 200 || status > 299), s.Unopened():
		return finding.Finding{}, false
	case s.OK() && !flagged(s, pipeline.FlagNoFinal):
		return finding.Finding{}, false
	case s.OK():
		return v.noFinal(s), true
	case v.Idle > 0 && s.Socket() && s.Pace.Frames == 0 && s.Outcome() != pipeline.Timeout:
		return v.idleClosed(s), true
	case s.Close() != 0 && s.Close() != 1000 && s.Close() != 1005, strings.HasPrefix(s.Reason(), "the server reports"), strings.HasPrefix(s.Reason(), "the answer failed"):
		return v.reported(s), true
	case s.Outcome() == pipeline.Timeout:
		return v.timedOut(s), true
	case s.Outcome() == pipeline.Truncated:
		return v.unfinished(s), true
	}
	return v.unread(s), true
}

// unread explains a session whose answer came, and could not be taken for one.
func (v *view) unread(s *heard.Session) finding.Finding {
	switch said := s.Reason(); {
	case strings.Contains(said, "the server sends more than"):
		return finding.Finding{ID: "too_much", Title: "more came than is taken of one session", Fix: "raise --limit-bytes where so much is to come; else see why the server does not end"}
	case strings.Contains(said, "no audio came"):
		return noAudio(s)
	case strings.HasPrefix(said, speak.InJSON):
		return finding.Finding{ID: "audio_in_json", Title: "the audio comes in base64, inside an object of JSON: nothing can be played before all of it is there", Fix: "ask for the audio itself: another path, such as ElevenLabs' /stream and not /with-timestamps, or the parameter that says how it is sent"}
	case strings.Contains(said, "in place of the rest of the audio"):
		return finding.Finding{ID: "cut", Title: "the audio broke off, and a web page came in its place", Fix: "see the log of the server, and of the proxy before it whose page this is"}
	case strings.Contains(said, "text/html"), strings.Contains(said, "a web page"):
		return finding.Finding{ID: "path", Title: "what answers is a web page, not an API", Fix: "check the URL (without the path of the protocol, which is added)"}
	case strings.Contains(said, "instead of audio"):
		return v.spelled(s)
	case strings.Contains(said, "that can be measured"), strings.Contains(said, "cannot be measured"):
		return finding.Finding{
			ID: "compressed", Title: "the audio is compressed, or no audio: when it can first be heard cannot be told",
			Fix: "have the server send samples: OpenAI's response_format pcm or wav, output_format pcm_24000 at ElevenLabs, encoding linear16 at Deepgram; a player waits for whole frames of mp3 as well",
		}
	}
	return finding.Finding{ID: "unreadable", Title: "what the server sent cannot be read as " + v.Protocol, Fix: "is --protocol right? See in the server's log what it sent"}
}

// noAudio explains an answer without a sample.
func noAudio(s *heard.Session) finding.Finding {
	bytes := 0
	for _, e := range s.Events {
		bytes += e.Bytes
	}
	f := finding.Finding{ID: "no_audio", Title: "no audio came", Fix: "check the text, the voice and the model; over a WebSocket the text must be flushed or ended, or the server holds it"}
	f.Evidence = []string{fmt.Sprintf("the server ended it well after %d messages or pieces, %d bytes, without a sample in them", len(s.Events), bytes)}
	if a := s.Answered; a != nil {
		f.Fix = "see what the session says of its output: audio must be one of its output_modalities"
		if a.Text != "" {
			f.Title = "the answer has words, and no audio"
			f.Evidence = append(f.Evidence, fmt.Sprintf("it says %q", cut(a.Text)))
		}
	}
	return f
}

// spelled explains words that came where audio was to come.
func (v *view) spelled(s *heard.Session) finding.Finding {
	f := v.reported(s)
	f.Title = "the server accepted the text and answered in words, not with audio"
	return f
}

// stillComing is how shortly before its time was up a session must have said something to
// have gone on until then.
const stillComing = 2 * time.Second

// limit finds the flag of a limit in the reason of what met it, alone or with the value that it had,
// where something is added to that.
var limit = regexp.MustCompile(`within (\S+) \((--limit-[a-z-]+)( \S+?)?[,)]`)

// limitOf returns the flag of the limit that a session met, with its value; "" for none.
func limitOf(reason string) string {
	switch m := limit.FindStringSubmatch(reason); {
	case m == nil:
		return ""
	case m[3] != "":
		return m[2] + m[3]
	default:
		return m[2] + " " + m[1]
	}
}

// timedOut explains a session that a time limit ended.
func (v *view) timedOut(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "timeout", Title: "the session came to a stop", Fix: "see in the log of the server whether it still worked on it, and whether a proxy before it has a time limit"}
	said := s.Reason()
	switch awaited, _, _ := strings.Cut(strings.TrimPrefix(said, "no "), " within "); {
	case strings.HasPrefix(said, "no end within"):
		f.Title, f.Fix = "the session had not ended when its time was up", "see in the server's log why it does not end"
		if n := len(s.Events); n > 0 && s.End()-s.Events[n-1].At < stillComing {
			f.Title = "the answer was still coming when its time was up"
		}
	case strings.HasPrefix(said, "nothing came within"):
		f.Title = "the answer came to a stop"
	case strings.HasPrefix(said, "no answer within"):
		f.Title, f.Fix = "the server accepted what was said to it, and answered nothing", "is --protocol right? See in the server's log what became of what it was sent"
		if s.Speech != nil {
			f.Title = "the server took the text, and nothing came"
		}
	case strings.HasPrefix(said, "the server did not read"):
		f.Title, f.Fix = "the server does not read what is sent to it", "see in its log what holds it up"
	case strings.HasPrefix(said, "no "):
		f.Title = "the session was opened, and the server never said that it is ready: " + awaited + " did not come"
		f.Fix = "is --protocol right? See in the server's log what became of what the client said first"
		if s.Ready() == pipeline.Unknown && len(s.Events) > 0 {
			f.Evidence = []string{"it said " + spoke(s)}
		}
	}
	if limit := limitOf(said); limit != "" {
		f.Fix += "; raise " + limit + " where it needs longer"
	}
	return f
}

// spoke returns the names of a session's first events.
func spoke(s *heard.Session) string {
	var names []string
	for _, e := range s.Events {
		if name := nonEmpty(e.Name, e.Kind); len(names) < 5 && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// unfinished explains a session that ended without its end: that of the server before the
// client had said all, or that of the client which had waited for long enough.
func (v *view) unfinished(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "cut", Title: "the session broke off, or ended without its end", Fix: "see the server's log, and whether a proxy before it closes long or quiet connections"}
	if strings.Contains(s.Reason(), talk.ServerClosed) {
		f.Title, f.Fix = "the server itself closed the session before it was over", "see in its log why; its code and its words stand above"
	}
	r := s.Transcription
	switch {
	case s.Answered != nil:
		return unanswered(s, f)
	case r == nil || r.SpeechEnd == pipeline.Unknown:
	case s.Socket() && flagged(s, pipeline.FlagNoFinal) && saidAll(s):
		return v.noFinal(s)
	default:
		f.Evidence = []string{fmt.Sprintf("%d partial and %d final texts; it ended %s", r.Partials, r.Finals, beside(s, r.End))}
	}
	return f
}

// unanswered explains an answer that did not begin, or that the server did not end well. What is
// neither is what it was taken for.
func unanswered(s *heard.Session, f finding.Finding) finding.Finding {
	r, said := s.Answered, s.Reason()
	switch {
	case r.Status == realtime.Incomplete && strings.Contains(said, "content_filter"):
		return finding.Finding{ID: "incomplete", Title: "a filter of the vendor's ended the answer", Fix: "change what is said, or the instructions; see whether the filter of this account can be set"}
	case r.Status == realtime.Incomplete && strings.Contains(said, "max_output_tokens"):
		return finding.Finding{ID: "incomplete", Title: "the answer met its limit of tokens", Fix: "raise max_output_tokens of the session or the response, or ask for shorter answers"}
	case r.Status == realtime.Incomplete:
		return finding.Finding{ID: "incomplete", Title: "the server says that its answer is incomplete", Fix: "do what its reason asks for"}
	case r.Cancelled:
		return finding.Finding{ID: "incomplete", Title: "the server gave its own answer up", Fix: "where it says turn_detected it took silence or noise for speech: raise the threshold of server_vad, or set interrupt_response to false"}
	case r.CutIns > 0 && strings.HasPrefix(said, converse.BeganEarly):
		return finding.Finding{
			ID: "no_answer", Title: "the answer was begun in a pause, and none came to what was said after it",
			Fix: "raise silence_duration_ms of server_vad, or take semantic_vad; set create_response and interrupt_response of turn_detection to true",
		}
	case !strings.HasPrefix(said, "no answer began"):
		return f
	}
	f = finding.Finding{ID: "no_answer"}
	f.Evidence = []string{fmt.Sprintf("speech_started %s, speech_stopped %s, committed %s, response.created %s", beside(s, r.SpeechStarted), beside(s, r.SpeechStopped), beside(s, r.Committed), beside(s, r.ResponseCreated))}
	switch {
	case r.SpeechStarted == pipeline.Unknown && r.Committed == pipeline.Unknown:
		f.Title = "the server never heard speech"
		f.Fix = "see that turn_detection is not null, and lower its threshold; the audio must be what the session says, 24,000 samples a second of 16 bits in base64"
	case r.SpeechStopped == pipeline.Unknown && r.Committed == pipeline.Unknown:
		f.Title = "the server heard speech begin, and never its end"
		f.Fix = "keep sending audio, silence too; raise the threshold of server_vad where there is noise, and lower silence_duration_ms"
	default:
		f.Title = "the server heard the turn, and began no answer"
		f.Fix = "set create_response of turn_detection to true, or send response.create yourself"
	}
	return f
}

// saidAll reports whether the client had sent all that it sends: the recording, and silence
// for as long as it waits, or until the service said that it had the text.
func saidAll(s *heard.Session) bool {
	r := s.Transcription
	settled := func(e talk.Event) bool { return e.Settled && e.At >= r.SpeechEnd }
	return r.LastFrame != pipeline.Unknown && r.LastFrame-r.SpeechEnd >= listen.UsualTrail || slices.ContainsFunc(s.Events, settled)
}

// idleClosed explains a session that ended before anything was said.
func (v *view) idleClosed(s *heard.Session) finding.Finding {
	return finding.Finding{
		ID: "idle_close", Title: "the server closed a session that was left alone",
		Evidence: []string{fmt.Sprintf("after %s of the %s before anything was to be said, with code %d %s", ms(pipeline.Since(s.Accepted, s.End())), ms(v.Idle), s.Close(), s.Closing)},
		Fix:      "open it when the first audio or text is there, or keep it alive as the vendor says: with silence, KeepAlive, or a text of a space",
	}
}

// named are what services call errors, in lower case. They come before the codes below: what they
// say is plainer than the number that the server then closes with. session_expired is OpenAI's
// (github.com/livekit/agents/pull/1122), rate_limit_exceeded and its types those of package
// pipeline/wire; quota_exceeded, voice_not_found and max_character_limit_exceeded are ElevenLabs'
// (help.elevenlabs.io, "API - Error Code 400 or 401"), concurrency_limited is Cartesia's
// (docs.cartesia.ai/use-the-api/api-errors); read 2026-11-30. The others are such as mean the same.
var named = []struct {
	all string // between spaces
	code
}{
	{" overloaded server_overloaded overloaded_error service_unavailable system_busy ", code{0, "", "", "overloaded", "the server has no room now", "open another session later; have more capacity"}},
	{" rate_limit_exceeded rate_limit_error rate_limit too_many_requests concurrent_sessions_exceeded too_many_concurrent_requests concurrency_limited concurrency_limit_exceeded ", code{0, "", "", "rate_limit", "more was asked for at once than the account may", "ask for less at once, hold fewer sessions, or have the limit raised; nothing was tried again here"}},
	{" insufficient_quota quota_exceeded billing_hard_limit_reached payment_required insufficient_credits ", code{0, "", "", "payment", "the account has no credit", "see to the account"}},
	{" invalid_api_key authentication_error unauthorized invalid_auth missing_permissions permission_error permission_denied forbidden ", code{0, "", "", "key", "the key may not do this", "check the key"}},
	{" session_expired ", code{0, "", "", "session_expired", "the session lasted longer than it may", "open another before that"}},
	{" model_not_found invalid_model unsupported_model model_not_supported ", code{0, "", "", "model", "it does not take the model", "name another with --model"}},
	{" voice_not_found invalid_voice invalid_voice_id voice_does_not_exist ", code{0, "", "", "voice", "it does not take the voice", "name another with --voice"}},
	{" max_character_limit_exceeded ", code{0, "", "", "too_long", "the text is longer than it takes at once", "send it in pieces"}},
	{" server_error internal_error internal_server_error api_error ", code{0, "", "", "server_error", "the server failed", "see the server's log; the vendor's status page where it is rented"}},
}

// code is what a service means by a close code, or by an error of that number, whose words
// have a certain part.
type code struct {
	number  int
	vendor  string // how the names of the protocols begin whose code it is; "" is any
	words   string // in lower case; "" is any, and one with a space behind it a whole word
	id      string
	meaning string
	fix     string
}

// codes are those that are known, the first that fits counts. AssemblyAI's are those of
// assemblyai.com/docs/streaming/common-session-errors-and-closures and, from 4000 on, of its
// older API (assemblyai.com/docs/api-reference/streaming); Deepgram's those of
// developers.deepgram.com/docs/stt-troubleshooting-websocket-data-and-net-errors; ElevenLabs
// closes with 1008 after 20 s without text (help.elevenlabs.io, its text-to-speech
// WebSockets). 1008 to 1013 beside these are RFC 6455 and the IANA registry. Read
// 2026-11-30.
var codes = []code{
	{0, "", "rate_limit_exceeded", "rate_limit", "more at a time than the account may have", "hold fewer, or have the limit raised; wait for as long as the server says"},
	{0, "", "session_expired", "session_expired", "the session lasted longer than it may", "open another before that"},
	{0, "", "overloaded", "overloaded", "the server has no room now", "open another session later; have more capacity"},
	{0, "", "server_error", "server_error", "the server failed", "see the vendor's status page"},
	{0, "", "internal_error", "server_error", "the server failed", "see the vendor's status page"},
	{0, "", "too many concurrent", "rate_limit", "more sessions at once than the account may hold", "hold fewer, or have the limit raised; end each session explicitly, or it counts on"},
	{3009, "assemblyai", "", "rate_limit", "more sessions at once than the account may hold", "hold fewer, or have the limit raised; end each session explicitly, or it counts on"},
	{4102, "assemblyai", "", "rate_limit", "more sessions at once than the account may hold", "hold fewer, or have the limit raised"},
	{0, "", "insufficient permission", "key", "the key may not do this", "check the key"},
	{0, "", "insufficient_quota", "payment", "the account has no credit", "see to the account"},
	{0, "", "insufficient fund", "payment", "the account has no credit", "see to the account"},
	{0, "", "insufficient credit", "payment", "the account has no credit", "see to the account"},
	{0, "", "insufficient account balance", "payment", "the account has no credit", "see to the account"},
	{4002, "assemblyai", "", "payment", "the account has no credit", "see to the account"},
	{4003, "assemblyai", "", "payment", "the account is free, and this is not", "see to the account"},
	{0, "", "unauthorized", "key", "the key is missing or wrong", "check the key, and that the header is the vendor's: with --protocol as it is, it is sent as the vendor wants it"},
	{0, "", "invalid api key", "key", "the key is missing or wrong", "check the key"},
	{0, "", "invalid_api_key", "key", "the key is missing or wrong", "check the key"},
	{4001, "assemblyai", "", "key", "the key is missing or wrong", "check the key"},
	{0, "", "input_timeout", "idle_close", "the server closes a session in which nothing is said", "open it when the first text is there, or send a space before its limit; ElevenLabs takes inactivity_timeout up to 180 s"},
	{0, "", "net-0001", "idle_close", "the server heard nothing for too long", "send audio, silence too, or KeepAlive every 3 to 5 s"},
	{4031, "assemblyai", "", "idle_close", "the server closes a session in which nothing is said", "send audio, silence too"},
	{0, "", "idle ", "idle_close", "the server closes a session in which nothing is said", "open it when the first audio or text is there, or keep it alive as the vendor says"},
	{3007, "assemblyai", "duration", "frame_size", "the pieces of audio are shorter or longer than it takes", "send pieces of 50 to 1000 ms"},
	{3007, "assemblyai", "", "too_fast", "audio came faster than it is spoken", "send it at the pace of speech"},
	{4029, "assemblyai", "", "too_fast", "audio came faster than it is spoken", "send it at the pace of speech"},
	{3008, "assemblyai", "", "session_expired", "the session lasted longer than it may", "open another before that"},
	{0, "", "data-0000", "audio_format", "the audio cannot be decoded", "check encoding and sample rate against what is sent"},
	{4000, "assemblyai", "", "audio_format", "it does not take the sample rate", "check the sample rate"},
	{0, "", "data-0001", "too_long", "the text is longer than it takes at once", "send it in pieces"},
	{0, "", "net-000", "server_error", "the server lost its own way", "see the vendor's status page"},
	{3005, "assemblyai", "", "server_error", "the server failed", "see the vendor's status page"},
	{1011, "", "", "server_error", "the server failed", "see the server's log; the vendor's status page where it is rented"},
	{1001, "", "", "server_error", "the server goes away", "open another session, a little later"},
	{1012, "", "", "server_error", "the server restarts", "open another session, a little later"},
	{1013, "", "", "overloaded", "the server has no room now", "open another session later; have more capacity"},
	{1009, "", "", "frame_size", "a message was larger than it takes", "send smaller ones"},
	{0, "", "model ", "model", "it does not take the model", "name another with --model"},
	{0, "", "voice ", "voice", "it does not take the voice", "name another with --voice"},
}

// loading is what a server means that still loads its model.
var loading = code{0, "", "", "overloaded", "it still loads the model", "try again once it is loaded; have it loaded before it is needed"}

// reported explains what the server itself says went wrong.
func (v *view) reported(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "error_in_session", Title: "the server opened the session and then reported an error", Fix: "do what the server's words ask for"}
	if c, ok := v.meant(s); ok {
		f = finding.Finding{ID: c.id, Title: "the server ended the session: " + c.meaning, Fix: c.fix}
		if c.id == "key" {
			f = v.key()
		}
	}
	if s.Close() != 0 && !strings.HasPrefix(s.Reason(), talk.ServerClosed) {
		f.Evidence = []string{strings.TrimSpace(fmt.Sprintf("it closed with code %d %s", s.Close(), s.Closing))}
	}
	return f
}

// meant returns what the server means; ok is false where nobody knows.
func (v *view) meant(s *heard.Session) (c code, ok bool) {
	said := strings.ToLower(s.Reason() + " " + s.Closing)
	name, coded := strings.CutPrefix(strings.ToLower(s.Reason()), "the server reports error ")
	name, _, _ = strings.Cut(name, ":")
	if coded {
		for _, n := range named {
			if strings.Contains(n.all, " "+name+" ") && !strings.Contains(said, "overloaded") {
				return n.code, true
			}
		}
	}
	if loads(said) {
		return loading, true
	}
	for _, c := range codes {
		number := c.number == 0 || c.number == s.Close() && (!coded || c.vendor != "") || strings.Contains(said, fmt.Sprintf("error %d:", c.number))
		if number && strings.HasPrefix(v.Protocol, c.vendor) && says(said, c.words) {
			return c, true
		}
	}
	return code{}, false
}

// says reports whether words hold some, or a whole word where a space is behind it.
func says(said, words string) bool {
	if whole, ok := strings.CutSuffix(words, " "); ok {
		return word(said, whole)
	}
	return strings.Contains(said, words)
}

// loads reports whether words are of a server that still loads its model.
func loads(said string) bool {
	return (word(said, "loading") || strings.Contains(said, "still loads") || strings.Contains(said, "not loaded yet")) && word(said, "model")
}

// word reports whether words, in lower case, hold a whole word, or more than one of it.
func word(said, word string) bool {
	letter := func(at int) bool { return at >= 0 && at < len(said) && said[at] >= 'a' && said[at] <= 'z' }
	for at := 0; ; at++ {
		i := strings.Index(said[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if end < len(said) && said[end] == 's' {
			end++
		}
		if !letter(at-1) && !letter(end) {
			return true
		}
	}
}

// noFinal explains a session in which no final text came after the end of speech.
func (v *view) noFinal(s *heard.Session) finding.Finding {
	r := s.Transcription
	f := finding.Finding{ID: "no_final", Title: "no final text came after the end of speech"}
	f.Evidence = []string{fmt.Sprintf("%d partial and %d final texts", r.Partials, r.Finals)}
	if r.Finals > 0 {
		f.Evidence[0] += ", the last final one " + beside(s, r.LastFinal)
	}
	if n := len(s.Of(talk.KindFinal)) - r.Finals; n > 0 {
		f.Evidence[0] += fmt.Sprintf(", and %d without a word", n)
	}
	f.Fix = "see whether the service ends turns at all"
	if fix, ok := endings[v.Protocol]; ok {
		f.Fix = fix
	}
	switch {
	case len(s.Events) == 0:
		f.ID, f.Title = "nothing_said", "the server accepted the session, and never said anything"
		how := "when the session was given up"
		if s.Closed() {
			how = "when the server closed the session"
		}
		f.Evidence = []string{fmt.Sprintf("no message came until %s, %s; audio, and silence behind it, went out until %s", beside(s, r.End), how, beside(s, r.LastFrame))}
		f.Fix = "is --protocol right? See in the server's log whether the audio arrives, and what becomes of it"
	case r.Partials == 0 && r.Finals == 0:
		f.Title = "nothing was heard of what was said"
		f.Fix = "check that the sample rate and the language are those of the recording, and that there is speech in it"
	case s.Forced:
		f.Title = "no final text came though the client asked for it at the end of speech"
	}
	return f
}

// endings say how turns are ended where they do not end.
var endings = map[string]string{
	"deepgram-listen":               "set endpointing to some 300 ms, not to false; have utterance_end_ms=1000 for noise, or send Finalize when your own detector hears the end",
	"deepgram-flux":                 "lower eot_threshold, or set eot_timeout_ms; keep sending audio, silence too: without it a turn never ends",
	"assemblyai":                    "lower end_of_turn_confidence_threshold and min_turn_silence, or send ForceEndpoint; keep sending audio, silence too",
	"cartesia-stt":                  "send finalize when your own detector hears the end",
	"cartesia-turns":                "lower turn_end_threshold or turn_end_timeout_ms; keep sending audio, silence too",
	"openai-realtime-transcription": "set turn_detection, or commit the buffer when your own detector hears the end; keep sending audio, silence too",
}

// beside says where an instant is beside the end of speech.
func beside(s *heard.Session, at time.Duration) string {
	switch d := s.Since(at); {
	case at == pipeline.Unknown:
		return "never"
	case d < 0:
		return ms(-d) + " before the end of speech"
	default:
		return ms(d) + " after the end of speech"
	}
}

// flagged reports whether a record has a flag.
func flagged(s *heard.Session, flag string) bool {
	switch {
	case s.Transcription != nil:
		return slices.Contains(s.Transcription.Flags, flag)
	case s.Speech != nil:
		return slices.Contains(s.Speech.Flags, flag)
	}
	return flag == speak.FlagSilence && s.Answered.Samples > 0 && s.Answered.FirstAudible == pipeline.Unknown
}
