package pipeline

import "time"

// TTS is text to speech as a stage. Its methods run on the loop.
type TTS interface {
	// Start begins to speak. Done follows exactly once, never from inside Start.
	Start(s *Saying)
	// Say adds text to what has More of it.
	Say(s *Saying, text string)
	// Finish says that no more text comes to what has More of it.
	Finish(s *Saying)
	// Cancel gives it up. Done follows with outcome Cancelled, unless it had ended.
	Cancel(s *Saying)
}

// Saying is one text that is to be spoken, seen from the stage that asks. The asker fills
// everything up to Done; Record and State belong to the TTS.
type Saying struct {
	Session int    // whose it is, as in Trace.Session
	Stream  int    // what a modelled service draws its delays from, the same under all settings
	Text    string // all of the text, or what there is of it
	More    bool   // more text follows, by Say, until Finish
	Rest    bool   // it goes on with a reply of which another request speaks the beginning

	// Notify tells of the audio that came; it may be nil.
	Notify func(Sound)
	// Done is called once, after the last Notify, with Record complete.
	Done func()

	Record Speech // filled by the TTS; the asker makes it with NewSpeech
	State  any    // the TTS's own
}

// Sound is a stretch of audio that came.
type Sound struct {
	At      time.Duration
	Samples int  // of one channel
	Rate    int  // of them a second; 0 where that is not known yet
	Audible bool // one of the samples up to now can be heard
	// Voiced is when a player that begins with the first sample plays the first that can be
	// heard; Unknown before there is one.
	Voiced time.Duration
}

// Audible is the least magnitude of a sample of 16 bits that can be heard: about -40 dBFS.
const Audible = 328

// Speech is the record of one text that was spoken. Instants that were not observed are
// Unknown, counts that nobody stated are UnknownCount: make one with NewSpeech.
type Speech struct {
	ID  int64         // unique within the run, from 1
	Due time.Duration // when the first text should have been sent

	Ready        time.Duration // the connection takes text
	Sent         time.Duration // the first text was sent
	LastSent     time.Duration // the last text was
	FirstByte    time.Duration // first byte of the body, or first message with audio: ttfb
	FirstAudio   time.Duration // first byte of a sample, after a container's header: ttfa
	FirstAudible time.Duration // first sample of magnitude Audible: ttaa
	LastAudio    time.Duration // last byte of a sample
	Lead         time.Duration // how long the samples before the first audible one play
	Voiced       time.Duration // when a player that begins with the first audio plays that one
	End          time.Duration // end event, or end of the body

	Characters int // of the text that was sent
	Rate       int // samples a second; 0 before that is known
	Channels   int
	Bits       int   // of one sample as it was sent
	Samples    int64 // of one channel
	Bytes      int64 // of audio, headers aside
	// Underruns is how often a player that begins with the first audio would have had
	// nothing to play before the end, and Stalled how long it would have waited in all.
	Underruns int
	Stalled   time.Duration

	Outcome   Outcome
	Reason    string
	Flags     []string
	Close     int // code of the server's close frame, 0 for none
	Simulated bool
	Transport Transport
}

// NewSpeech returns a record with that ID and due instant and everything else unknown.
func NewSpeech(id int64, due time.Duration) Speech {
	return Speech{
		ID: id, Due: due, Ready: Unknown, Sent: Unknown, LastSent: Unknown, FirstByte: Unknown,
		FirstAudio: Unknown, FirstAudible: Unknown, LastAudio: Unknown, Lead: Unknown, Voiced: Unknown, End: Unknown, Transport: NewTransport(),
	}
}

// TTFB, TTFA and TTAA return the time from due to the first byte, the first sample byte
// and the first audible sample.
func (r *Speech) TTFB() time.Duration { return Since(r.Due, r.FirstByte) }

// TTFA is described at TTFB.
func (r *Speech) TTFA() time.Duration { return Since(r.Due, r.FirstAudio) }

// TTAA is described at TTFB.
func (r *Speech) TTAA() time.Duration { return Since(r.Due, r.FirstAudible) }

// Length returns how long the audio plays, by its samples.
func (r *Speech) Length() time.Duration { return SamplesLast(r.Samples, r.Rate) }

// RTF returns the real-time factor: the time from the first text sent to the last sample,
// divided by the length of the audio. It is -1 when that cannot be known.
func (r *Speech) RTF() float64 {
	took := Since(r.Sent, r.LastAudio)
	if took == Unknown || r.Length() == 0 {
		return -1
	}
	return float64(took) / float64(r.Length())
}
