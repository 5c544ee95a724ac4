package pipeline

import "time"

// STT is speech to text as a stage. Its methods run on the loop.
type STT interface {
	// Start begins to hear. Done follows exactly once, never from inside Start.
	Start(h *Hearing)
	// Cancel gives it up. Done follows with outcome Cancelled, unless it had ended.
	Cancel(h *Hearing)
}

// Voice is recorded speech of one channel. Where in it there is speech is known: nothing
// is guessed from the samples.
type Voice struct {
	Rate    int // samples a second
	Samples []int16
	// SpeechEnd is where the last sample of speech ends, counted from the first sample of
	// the recording; Unknown when there is no speech in it.
	SpeechEnd time.Duration
}

// Length returns how long the recording plays, to the nanosecond below.
func (v Voice) Length() time.Duration { return SamplesLast(int64(len(v.Samples)), v.Rate) }

// SamplesLast returns how long n samples at a rate last, to the nanosecond below; 0 when
// there is no rate.
func SamplesLast(n int64, rate int) time.Duration {
	if rate <= 0 {
		return 0
	}
	whole, rest := n/int64(rate), n%int64(rate)
	return time.Duration(whole)*time.Second + time.Duration(rest)*time.Second/time.Duration(rate)
}

// Hearing is one utterance that is to be written down, seen from the stage that asks. The
// asker fills everything up to Done; Record and State belong to the STT.
type Hearing struct {
	Session int   // whose it is, as in Trace.Session
	Stream  int   // what a modelled service draws its delays from, the same under all settings
	Voice   Voice // what is said; silence follows it until the turn has ended
	// More says that another utterance of the session follows: where the service allows it, what
	// was opened for this one stays open for it, and the next Start of that Session goes on there.
	// Done is then called when all of the text is there.
	More bool
	// Begin is the instant at which the first sample is spoken; Unknown is as soon as the
	// service is ready. What was spoken before it is ready goes out late.
	Begin time.Duration

	// Stop is how long after the end of speech the asker's own detector has it; 0 leaves that
	// to the STT. A service that can be asked for its final text is asked then.
	Stop time.Duration

	// Notify tells what was heard, in the order of its coming; it may be nil.
	Notify func(Heard)
	// Done is called once, after the last Notify, with Record complete.
	Done func()

	Record Transcription // filled by the STT; the asker makes it with NewTranscription
	State  any           // the STT's own
}

// HeardKind says what a Heard is.
type HeardKind uint8

const (
	HeardPartial HeardKind = iota // text that may change
	HeardFinal                    // text that will not
	HeardEvent                    // neither: what the service says of the turn
)

// Heard is something that a service tells while it hears.
type Heard struct {
	Kind HeardKind
	At   time.Duration
	// Text is of a HeardPartial and a HeardFinal. That of a partial is all that the service has
	// so far since the last final one: each stands for those before it.
	Text string
	Name string // of a HeardEvent: the service's own word
	// SoFar is all text of the utterance that will not change, of a HeardFinal and of what is
	// Settled.
	SoFar string
	// TurnEnd is true when the service says with it that the speaker's turn has ended. Its text
	// may still be to come.
	TurnEnd bool
	// Settled is true when all text of the turn is there: of a final text after which no other
	// one comes for the turn, and of an event that says so.
	Settled bool
}

// Transcription is the record of one utterance that was written down. Instants that were
// not observed are Unknown: make one with NewTranscription.
type Transcription struct {
	ID  int64         // unique within the run, from 1
	Due time.Duration // when it should have begun

	Ready        time.Duration // the service takes audio
	FirstFrame   time.Duration // the first audio was sent
	LastFrame    time.Duration // the last was
	SpeechEnd    time.Duration // the last sample of speech was spoken
	FirstPartial time.Duration // first partial text that is not empty: ttfp counts to here
	FirstFinal   time.Duration // first final text that is not empty
	LastFinal    time.Duration // last final text that is not empty: ttfs counts to here
	TurnEnd      time.Duration // last event that the turn has ended
	End          time.Duration

	Partials int // that are not empty
	Finals   int // that are not empty
	Text     string
	Events   []Mark // what the service said of the turn, with its own words
	// Late is how much later than due the latest frame of audio was sent: the sender's own.
	Late   time.Duration
	Frames int

	Outcome   Outcome
	Reason    string
	Flags     []string
	Close     int // code of the server's close frame, 0 for none
	Simulated bool
	Transport Transport
}

// FlagNoFinal is the flag of a transcription without a final text after the end of speech.
const FlagNoFinal = "no_final_after_speech_end"

// NewTranscription returns a record with that ID and due instant and everything else
// unknown.
func NewTranscription(id int64, due time.Duration) Transcription {
	return Transcription{
		ID: id, Due: due, Ready: Unknown, FirstFrame: Unknown, LastFrame: Unknown, SpeechEnd: Unknown,
		FirstPartial: Unknown, FirstFinal: Unknown, LastFinal: Unknown, TurnEnd: Unknown, End: Unknown,
		Late: Unknown, Transport: NewTransport(),
	}
}

// TTFP returns the time from the first frame of audio to the first partial text that is
// not empty.
func (r *Transcription) TTFP() time.Duration { return Since(r.FirstFrame, r.FirstPartial) }

// TTFS returns the time from the end of speech to the last final text, what a caller who
// has fallen silent waits for. It is Unknown when no final came after the end of speech.
func (r *Transcription) TTFS() time.Duration {
	if r.LastFinal == Unknown || r.SpeechEnd == Unknown || r.LastFinal < r.SpeechEnd {
		return Unknown
	}
	return r.LastFinal - r.SpeechEnd
}
