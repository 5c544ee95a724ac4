package spoken

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets/finding"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/talk"
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
		if s.Reason() != "" {
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
	case s.Outcome() == pipeline.Cancelled, s.Outcome() == pipeline.Dropped, status != 101 && (status < 200 || status > 299), strings.Contains(s.Reason(), "did not open a WebSocket"):
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
		return timedOut(s), true
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
		return finding.Finding{ID: "no_audio", Title: "no audio came", Fix: "check the text, the voice and the model; over a WebSocket the text must be flushed or ended, or the server holds it"}
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

// spelled explains words that came where audio was to come.
func (v *view) spelled(s *heard.Session) finding.Finding {
	f := v.reported(s)
	f.Title = "the server accepted the text and answered in words, not with audio"
	return f
}

// stillComing is how shortly before its time was up a session must have said something to
// have gone on until then.
const stillComing = 2 * time.Second

// timedOut explains a session that a time limit ended.
func timedOut(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "timeout", Title: "the session came to a stop", Fix: "see in the log of the server whether it still worked on it, and whether a proxy before it has a time limit"}
	if !strings.Contains(s.Reason(), "no end within") {
		return f
	}
	f.Title, f.Fix = "the session had not ended when its time was up", "see in the server's log why it does not end; raise --limit-whole where it needs so long"
	if n := len(s.Events); n > 0 && s.End()-s.Events[n-1].At < stillComing {
		f.Title = "the answer was still coming when its time was up"
	}
	return f
}

// unfinished explains a session that ended without its end: that of the server before the
// client had said all, or that of the client which had waited for long enough.
func (v *view) unfinished(s *heard.Session) finding.Finding {
	f := finding.Finding{ID: "cut", Title: "the session broke off, or ended without its end", Fix: "see the server's log, and whether a proxy before it closes long or quiet connections"}
	switch r := s.Transcription; {
	case r == nil || r.SpeechEnd == pipeline.Unknown:
	case s.Socket() && flagged(s, pipeline.FlagNoFinal) && saidAll(s):
		return v.noFinal(s)
	default:
		f.Evidence = []string{fmt.Sprintf("%d partial and %d final texts; it ended %s", r.Partials, r.Finals, beside(s, r.End))}
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

// code is what a service means by a close code, or by an error of that number, whose words
// have a certain part.
type code struct {
	number  int
	vendor  string // how the names of the protocols begin whose code it is; "" is any
	words   string // in lower case; "" is any
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
	{0, "", "overloaded", "overloaded", "the server has no room now", "open another session later; have more capacity"},
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
	{0, "", "idle", "idle_close", "the server closes a session in which nothing is said", "open it when the first audio or text is there, or keep it alive as the vendor says"},
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
	{0, "", "model", "model", "it does not take the model", "name another with --model"},
	{0, "", "voice", "voice", "it does not take the voice", "name another with --voice"},
}

// reported explains what the server itself says went wrong.
func (v *view) reported(s *heard.Session) finding.Finding {
	said := strings.ToLower(s.Reason() + " " + s.Closing)
	for _, c := range codes {
		number := c.number == 0 || c.number == s.Close() || strings.Contains(said, fmt.Sprintf("error %d:", c.number))
		if !number || !strings.HasPrefix(v.Protocol, c.vendor) || !strings.Contains(said, c.words) {
			continue
		}
		f := finding.Finding{ID: c.id, Title: "the server ended the session: " + c.meaning, Fix: c.fix}
		if c.id == "key" {
			f = v.key()
		}
		if s.Close() != 0 {
			f.Evidence = []string{fmt.Sprintf("it closed with code %d %s", s.Close(), s.Closing)}
		}
		return f
	}
	return finding.Finding{ID: "error_in_session", Title: "the server opened the session and then reported an error", Fix: "do what the server's words ask for"}
}

// noFinal explains a session in which no final text came after the end of speech.
func (v *view) noFinal(s *heard.Session) finding.Finding {
	r := s.Transcription
	f := finding.Finding{ID: "no_final", Title: "no final text came after the end of speech"}
	f.Evidence = []string{fmt.Sprintf("%d partial and %d final texts", r.Partials, r.Finals)}
	if r.Finals > 0 {
		f.Evidence[0] += ", the last final one " + beside(s, r.LastFinal)
	}
	f.Fix = "see whether the service ends turns at all"
	if fix, ok := endings[v.Protocol]; ok {
		f.Fix = fix
	}
	switch {
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
