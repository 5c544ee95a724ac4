package pipeline

import "time"

// Converser is a model that hears and speaks as a stage. Its methods run on the loop.
type Converser interface {
	// Start begins a turn. Done follows exactly once, never from inside Start.
	Start(t *Turn)
	// Cancel gives it up. Done follows with outcome Cancelled, unless it had ended.
	Cancel(t *Turn)
}

// Turn is one turn of a user and the answer to it. The asker fills everything up to Done;
// Record and State belong to the Converser.
type Turn struct {
	Session int   // whose it is, as in Trace.Session
	Voice   Voice // what the user says; silence follows it
	// More says that another turn of the session follows: what was opened for this one stays
	// open for it, and it is the next Start of that Session that goes on there. Done is then
	// called when the answer is over.
	More bool
	// Begin is the instant at which the first sample is spoken; Unknown is as soon as the
	// service is ready. Nobody speaks before the answer to the turn before has been played.
	Begin time.Duration
	// Interruption is what the user says into the answer, InterruptAfter its first audible
	// sample came; nil is nothing.
	Interruption   *Voice
	InterruptAfter time.Duration

	// Notify tells of the answer's audio; it may be nil.
	Notify func(Sound)
	// Done is called once, after the last Notify, with Record complete.
	Done func()

	Record Answered // filled by the Converser; the asker makes it with NewAnswered
	State  any      // the Converser's own
}

// Answered is the record of one turn and its answer. Instants that were not observed are
// Unknown, counts that nobody stated are UnknownCount: make one with NewAnswered.
//
// Of a turn that goes on in a session Ready is when that was ready, its Transport is Reused, and
// the frames are those since it began to be spoken.
type Answered struct {
	ID  int64         // unique within the run, from 1
	Due time.Duration // when it should have begun

	Ready           time.Duration // the session is as it was asked for
	FirstFrame      time.Duration // the first audio was sent
	LastFrame       time.Duration // the last was
	SpeechEnd       time.Duration // the last sample of the user's speech was spoken
	SpeechStarted   time.Duration // the server heard speech
	SpeechStopped   time.Duration // the server heard its end
	Committed       time.Duration // the turn is the model's
	ResponseCreated time.Duration
	FirstOutput     time.Duration // first audio, text or transcript of the answer
	FirstAudio      time.Duration // first byte of a sample
	FirstAudible    time.Duration // first sample of magnitude Audible
	LastAudio       time.Duration
	Lead            time.Duration // as in Speech
	Voiced          time.Duration // as in Speech
	ResponseDone    time.Duration
	HeardAt         time.Duration // the transcript of what the user said was complete
	End             time.Duration

	Heard     string // what the user said, as the server wrote it down
	Text      string // what the model said
	Rate      int    // samples a second of the answer
	Samples   int64
	Underruns int // as in Speech
	Stalled   time.Duration
	Late      time.Duration // as in Transcription
	Frames    int

	// Of an interruption: when the user began, when the server heard it, when it confirmed
	// what was cut off, and how much of the answer had been played by then.
	Interrupted time.Duration
	Noticed     time.Duration
	Truncated   time.Duration
	Played      time.Duration
	Cancelled   bool // the server gave the answer up

	// CutIns is how often the model began to answer before the user had finished: those are no
	// answers, and nothing else in the record is of them. UnknownCount where the turn was not spoken to its
	// end. FirstCutIn is when the first sound of one was heard, Unknown where none was;
	// CutInPlayed how much of them was played, and CutInDropped how much was sent and not.
	CutIns       int
	FirstCutIn   time.Duration
	CutInPlayed  time.Duration
	CutInDropped time.Duration

	Status       string // the server's word for how the answer ended
	InputTokens  int
	CachedTokens int // of the input
	OutputTokens int
	Events       []Mark // every kind of event at its first coming
	// Flags are names of what is odd about the answer, such as faults of package phone.
	Flags []string

	Outcome   Outcome
	Reason    string
	Close     int // code of the server's close frame, 0 for none
	Simulated bool
	Transport Transport
}

// NewAnswered returns a record with that ID and due instant and everything else unknown.
func NewAnswered(id int64, due time.Duration) Answered {
	return Answered{
		ID: id, Due: due, Ready: Unknown, FirstFrame: Unknown, LastFrame: Unknown, SpeechEnd: Unknown,
		SpeechStarted: Unknown, SpeechStopped: Unknown, Committed: Unknown, ResponseCreated: Unknown,
		FirstOutput: Unknown, FirstAudio: Unknown, FirstAudible: Unknown, LastAudio: Unknown, ResponseDone: Unknown,
		Lead: Unknown, Voiced: Unknown, HeardAt: Unknown, End: Unknown, Late: Unknown,
		Interrupted: Unknown, Noticed: Unknown, Truncated: Unknown, Played: Unknown,
		CutIns: UnknownCount, FirstCutIn: Unknown, CutInPlayed: Unknown, CutInDropped: Unknown,
		InputTokens: UnknownCount, CachedTokens: UnknownCount, OutputTokens: UnknownCount, Transport: NewTransport(),
	}
}

// V2V returns the time from the end of the user's speech to the first audible sample of
// the answer.
func (r *Answered) V2V() time.Duration { return Since(r.SpeechEnd, r.FirstAudible) }
