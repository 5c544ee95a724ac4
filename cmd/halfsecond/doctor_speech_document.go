package main

import (
	"math"
	"slices"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// speechDocument is a diagnosis of a speech endpoint as it is written. Times are in ms. Those
// of a session count from the end of the speech, and where a text is spoken from the instant
// at which it was to be sent; spans are spans.
type speechDocument struct {
	URL       string             `json:"url"`
	Kind      heard.Kind         `json:"kind"`
	Protocol  string             `json:"protocol"`
	Model     string             `json:"model"`
	KeyGiven  bool               `json:"key_given"`
	Recording *recordingDocument `json:"recording"`
	Text      *string            `json:"text"`
	Voice     *string            `json:"voice"`
	Samples   *string            `json:"samples"`
	Rate      *int               `json:"rate"`
	IdleMS    float64            `json:"idle_ms"`
	Planned   int                `json:"planned"`
	Stopped   *string            `json:"stopped"`
	Sessions  []sessionDocument  `json:"sessions"`
	Findings  []findingDocument  `json:"findings"`
	Verdict   string             `json:"verdict"`
}

type recordingDocument struct {
	Name         string  `json:"name"`
	Rate         int     `json:"rate"`
	LengthMS     float64 `json:"length_ms"`
	SpeechFromMS float64 `json:"speech_from_ms"`
	SpeechToMS   float64 `json:"speech_to_ms"`
	LacksMS      float64 `json:"lacks_ms"` // of a file that was cut
	Cut          bool    `json:"cut"`
}

type sessionDocument struct {
	ID         int64         `json:"id"`
	EndedBy    *string       `json:"ended_by"` // who ends the speaker's turn: "service" or "client"; null where nobody speaks
	Outcome    string        `json:"outcome"`
	Reason     *string       `json:"reason"`
	Status     *int          `json:"status"`
	HTTP       *string       `json:"http"`
	Close      *int          `json:"close"`
	Connection openingMS     `json:"connection"`
	Sent       *paceDocument `json:"sent"`

	Listened *listenedDocument `json:"listened"`
	Spoken   *spokenDocument   `json:"spoken"`
	Answered *answeredDocument `json:"answered"`

	Events  []speechEvent `json:"events"`
	LeftOut int           `json:"events_left_out"`
}

// openingMS is what it took to open a session, each after the other.
type openingMS struct {
	Reused    bool     `json:"reused"`
	DNSMS     *float64 `json:"dns_ms"`
	ConnectMS *float64 `json:"connect_ms"`
	TLSMS     *float64 `json:"tls_ms"`
	AcceptMS  *float64 `json:"accept_ms"`  // the server's upgrade, or its status and headers
	ConfigMS  *float64 `json:"config_ms"`  // until it takes audio or text
	OpenMS    *float64 `json:"open_at_ms"` // when that was
}

type paceDocument struct {
	Frames  int      `json:"frames"`
	EveryMS *float64 `json:"every_ms"`
	LateMS  *float64 `json:"late_ms"`
	DriftMS *float64 `json:"drift_ms"`
	Behind  int      `json:"behind"`
}

type listenedDocument struct {
	TTFPMS     *float64 `json:"ttfp_ms"` // a span, from the first audio
	TTFSMS     *float64 `json:"ttfs_ms"`
	FirstMS    *float64 `json:"first_partial_ms"`
	TurnEndMS  *float64 `json:"turn_end_ms"`
	EndedByTag *string  `json:"flag"` // the service's word for the end of the turn
	Partials   int      `json:"partials"`
	Finals     int      `json:"finals"`
	Text       string   `json:"text"`
	Flags      []string `json:"flags"`
	EndMS      *float64 `json:"end_ms"`
}

// soundDocument is audio that came.
type soundDocument struct {
	FirstMS   *float64 `json:"ttfa_ms"`
	AudibleMS *float64 `json:"ttaa_ms"`
	LeadMS    *float64 `json:"lead_ms"` // a span
	VoicedMS  *float64 `json:"voiced_ms"`
	LastMS    *float64 `json:"last_audio_ms"`
	LengthMS  float64  `json:"length_ms"`
	Rate      int      `json:"rate"`
	Promised  *int     `json:"rate_promised"`
	Chunks    int      `json:"chunks"`
	Underruns int      `json:"underruns"`
	StalledMS float64  `json:"stalled_ms"`
	EndMS     *float64 `json:"end_ms"`
}

type spokenDocument struct {
	FirstByteMS *float64 `json:"ttfb_ms"`
	soundDocument
	RTF        *float64 `json:"rtf"`
	Channels   int      `json:"channels"`
	Bits       int      `json:"bits"`
	Characters int      `json:"characters"`
	Flags      []string `json:"flags"`
}

type answeredDocument struct {
	SpeechStartedMS *float64 `json:"speech_started_ms"`
	SpeechStoppedMS *float64 `json:"speech_stopped_ms"`
	CommittedMS     *float64 `json:"committed_ms"`
	CreatedMS       *float64 `json:"response_created_ms"`
	OutputMS        *float64 `json:"first_output_ms"`
	soundDocument
	DoneMS       *float64 `json:"response_done_ms"`
	HeardMS      *float64 `json:"heard_ms"`
	Heard        string   `json:"heard"`
	Said         string   `json:"said"`
	InputTokens  *int     `json:"input_tokens"`
	CachedTokens *int     `json:"cached_tokens"`
	OutputTokens *int     `json:"output_tokens"`
}

// speechEvent is something that happened in a session.
type speechEvent struct {
	AtMS    *float64 `json:"at_ms"`
	From    string   `json:"from"` // "client" or "server"
	Kind    string   `json:"kind"`
	Name    string   `json:"name"` // the service's own word
	Bytes   int      `json:"bytes"`
	Text    string   `json:"text"`
	Flag    string   `json:"flag"` // by which it ends the speaker's turn
	Samples int      `json:"samples"`
}

// fill fills the document.
func (d *speechDiagnosis) fill() {
	e := d.heard
	d.speechDocument = speechDocument{
		URL: e.URL, Kind: e.Kind, Protocol: e.Protocol, Model: e.Model, KeyGiven: e.KeyGiven, Text: some(e.Text), Voice: some(e.Voice), Samples: some(e.Format),
		Rate: some(e.Rate), IdleMS: milliseconds(e.Idle), Planned: e.Planned, Stopped: some(e.Stopped), Sessions: []sessionDocument{}, Findings: []findingDocument{},
	}
	if r := e.Recording; r != nil {
		d.Recording = &recordingDocument{r.Name, r.Rate, milliseconds(r.Length), milliseconds(r.SpeechFrom), milliseconds(r.SpeechTo), milliseconds(r.Lacks), r.Cut}
	}
	for i := range e.Sessions {
		d.Sessions = append(d.Sessions, documentSession(&e.Sessions[i]))
	}
	for _, f := range d.found {
		d.Findings = append(d.Findings, documentFinding(f))
	}
}

// hashed returns a document in which the SHA-256 of a text stands for it. Evidence may repeat
// words, so there is none.
func (d speechDocument) hashed() speechDocument {
	if d.Text != nil {
		d.Text = some(exchange.Hash([]byte(*d.Text)))
	}
	d.Sessions, d.Findings = slices.Clone(d.Sessions), slices.Clone(d.Findings)
	for i := range d.Sessions {
		d.Sessions[i].hash()
	}
	for i := range d.Findings {
		d.Findings[i].Evidence = []string{}
	}
	return d
}

// hash puts hashes in place of a session's texts.
func (s *sessionDocument) hash() {
	hash := func(text string) string { return exchange.Hash([]byte(text)) }
	if s.Reason != nil {
		s.Reason = some(hash(*s.Reason))
	}
	if s.Listened != nil {
		l := *s.Listened
		l.Text = hash(l.Text)
		s.Listened = &l
	}
	if s.Answered != nil {
		a := *s.Answered
		a.Heard, a.Said = hash(a.Heard), hash(a.Said)
		s.Answered = &a
	}
	s.Events = slices.Clone(s.Events)
	for i := range s.Events {
		s.Events[i].Text = hash(s.Events[i].Text)
	}
}

// endpoint returns what a document says of an endpoint, without its sessions.
func (d *speechDocument) endpoint() *heard.Endpoint {
	e := &heard.Endpoint{URL: d.URL, Kind: d.Kind, Protocol: d.Protocol, Model: d.Model, KeyGiven: d.KeyGiven, Planned: d.Planned, Idle: spanOf(d.IdleMS)}
	e.Text, e.Voice, e.Format, e.Rate, e.Stopped = deref(d.Text), deref(d.Voice), deref(d.Samples), deref(d.Rate), deref(d.Stopped)
	if r := d.Recording; r != nil {
		e.Recording = &heard.Recording{Name: r.Name, Rate: r.Rate, Length: spanOf(r.LengthMS), SpeechFrom: spanOf(r.SpeechFromMS), SpeechTo: spanOf(r.SpeechToMS), Lacks: spanOf(r.LacksMS), Cut: r.Cut}
	}
	return e
}

func spanOf(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func documentSession(s *heard.Session) sessionDocument {
	t := s.Transport()
	d := sessionDocument{
		ID: s.ID, Outcome: s.Outcome().String(), Reason: some(s.Reason()), Status: some(t.Status), HTTP: some(t.HTTP), Close: some(s.Close()),
		Connection: openingMS{t.Reused, spanMS(t.DNS), spanMS(t.Connect), spanMS(t.TLS), spanMS(s.Accepting()), spanMS(pipeline.Since(s.Accepted, s.Ready())), spanMS(s.Since(s.Ready()))},
		Events:     documentSpeech(s),
	}
	d.LeftOut = max(0, len(d.Events)-mostEvents)
	d.Events = d.Events[:len(d.Events)-d.LeftOut]
	if p := s.Pace; p.Frames > 0 && s.Speech == nil {
		d.Sent = &paceDocument{p.Frames, spanMS(p.Every), spanMS(p.Late), spanMS(p.Drift), p.Behind}
	}
	if s.Speech == nil {
		by := either(s.Forced, "client", "service")
		d.EndedBy = &by
	}
	switch {
	case s.Transcription != nil:
		d.Listened = documentListened(s)
	case s.Speech != nil:
		d.Spoken = documentSpoken(s)
	default:
		d.Answered = documentAnswered(s)
	}
	return d
}

func documentListened(s *heard.Session) *listenedDocument {
	r := s.Transcription
	return &listenedDocument{
		spanMS(r.TTFP()), spanMS(r.TTFS()), spanMS(s.Since(r.FirstPartial)), spanMS(s.Since(r.TurnEnd)), some(flagOf(s)), r.Partials, r.Finals, r.Text, r.Flags, spanMS(s.Since(r.End)),
	}
}

// flagOf returns the service's word by which the last turn ended.
func flagOf(s *heard.Session) (flag string) {
	for _, e := range s.Events {
		if e.Flag != "" {
			flag = e.Flag
		}
	}
	return flag
}

func documentSound(s *heard.Session) soundDocument {
	sound, _ := s.Sound()
	return soundDocument{
		FirstMS: spanMS(s.Since(sound.First)), AudibleMS: spanMS(s.Since(sound.Audible)), LeadMS: spanMS(sound.Lead), VoicedMS: spanMS(s.Since(sound.Voiced)),
		LastMS: spanMS(s.Since(sound.Last)), LengthMS: milliseconds(sound.Length), Rate: sound.Rate, Promised: some(s.Promised), Chunks: len(s.Of(talk.KindAudio)),
		Underruns: sound.Underruns, StalledMS: milliseconds(sound.Stalled), EndMS: spanMS(s.Since(s.End())),
	}
}

func documentSpoken(s *heard.Session) *spokenDocument {
	r := s.Speech
	d := &spokenDocument{
		FirstByteMS: spanMS(r.TTFB()), soundDocument: documentSound(s), Channels: r.Channels, Bits: r.Bits, Characters: r.Characters, Flags: append([]string{}, r.Flags...),
	}
	if rtf := r.RTF(); rtf >= 0 {
		d.RTF = &rtf
	}
	return d
}

func documentAnswered(s *heard.Session) *answeredDocument {
	r := s.Answered
	since := func(at time.Duration) *float64 { return spanMS(s.Since(at)) }
	return &answeredDocument{
		SpeechStartedMS: since(r.SpeechStarted), SpeechStoppedMS: since(r.SpeechStopped), CommittedMS: since(r.Committed), CreatedMS: since(r.ResponseCreated),
		OutputMS: since(r.FirstOutput), soundDocument: documentSound(s), DoneMS: since(r.ResponseDone), HeardMS: since(r.HeardAt), Heard: r.Heard, Said: r.Text,
		InputTokens: stated(r.InputTokens), CachedTokens: stated(r.CachedTokens), OutputTokens: stated(r.OutputTokens),
	}
}
