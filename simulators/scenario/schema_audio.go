package scenario

import (
	"fmt"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/simulators/voice"
	"halfsecond/simulators/voice/gather"
	"halfsecond/simulators/voice/utterance"
)

// Audio says that users say recordings, and how what they say, and what is answered, goes to
// and fro.
type Audio struct {
	Says   []Spoken      // one after the other
	Frame  time.Duration // of audio that goes out at once
	Finals Finals
	// Silence is that after which the recognizer ends the turn, where Finals is FinalsTold.
	Silence time.Duration
	Speech  Speech
}

// Spoken is a recording.
type Spoken struct {
	Name      string // "ours", or the path of a file
	Digest    string // identifies the content of a file; empty for ours
	Text      string // what is said; "" where nobody knows
	Recording utterance.Recording
}

// Finals says when a recognizer gives its final text.
type Finals uint8

const (
	FinalsAsked Finals = iota // when the agent's detector has the end of speech, and asks for it
	FinalsTold                // when it ends the turn itself
)

// String returns the name, as scenario files have it.
func (f Finals) String() string { return [...]string{"asked", "told"}[f] }

// Speech says how text gets to a synthesizer.
type Speech uint8

const (
	SpeechStream Speech = iota // over one connection for a reply, piece by piece
	SpeechWhole                // in a request of its own for each piece
)

// String returns the name, as scenario files have it.
func (s Speech) String() string { return [...]string{"stream", "whole"}[s] }

// shipped is the name of the recording that comes with the program.
const shipped = "ours"

var audioSpoken = object(nil,
	can("says", func(a *Audio) *[]Spoken { return &a.Says }, []Spoken{shippedRecording()}, sayings, "recordings that users say in turn: ours, a sentence that comes with the program, or files of up to a minute (WAV, FLAC, MP3, Ogg)").fallback("ours"),
	can("frame", func(a *Audio) *time.Duration { return &a.Frame }, 100*time.Millisecond, duration(20*time.Millisecond, time.Second), "audio that goes to the recognizer at once, at the pace of speech"),
	can("finals", func(a *Audio) *Finals { return &a.Finals }, FinalsAsked, names(FinalsAsked, FinalsTold), "the final text is asked for at the detector's stop, or comes when the recognizer ends the turn itself"),
	can("silence", func(a *Audio) *time.Duration { return &a.Silence }, 300*time.Millisecond, duration(10*time.Millisecond, time.Minute), "after which it does").when("finals", FinalsTold.String()),
	can("speech", func(a *Audio) *Speech { return &a.Speech }, SpeechStream, names(SpeechStream, SpeechWhole), "the pieces of a reply go to the synthesizer over one connection as they are whole, or in a request each, once the one before is spoken"),
)

// sayings is the form of what users say, whose note identifies the content of all files.
var sayings = func() form[[]Spoken] {
	f := listOf(said)
	write := f.write
	f.write = func(all []Spoken) tree {
		t := write(all)
		var digests []string
		for _, s := range all {
			if s.Digest != "" {
				digests = append(digests, s.Digest)
			}
		}
		t.note = strings.Join(digests, ", ")
		return t
	}
	return f
}()

// said is the form of a Spoken.
var said = form[Spoken]{
	want: "ours or " + oneLine.want,
	read: func(r *reader, n ast.Node) (Spoken, bool) {
		name, ok := oneLine.read(r, n)
		if !ok {
			return Spoken{}, false
		}
		if name == shipped {
			return shippedRecording(), true
		}
		s, err := r.spoken(name)
		if err != nil {
			r.Fail(n, "%s", inOne(err))
		}
		return s, err == nil
	},
	write: func(s Spoken) tree { return tree{text: quoted(s.Name)} },
}

// spoken reads a recording.
func (r *reader) spoken(name string) (Spoken, error) {
	data, digest, err := r.loadUpTo(name, utterance.MostBytes)
	if err != nil {
		return Spoken{}, err
	}
	read, err := utterance.Read(data)
	if err != nil {
		return Spoken{}, fmt.Errorf("file %s: %w", name, err)
	}
	return Spoken{Name: name, Digest: digest, Recording: read}, nil
}

func shippedRecording() Spoken {
	read, err := utterance.Read(utterance.Ours)
	if err != nil {
		panic(fmt.Sprintf("scenario: %s", err))
	}
	return Spoken{Name: shipped, Text: utterance.OursText, Recording: read}
}

// Figures of speech that nobody states. With audio, sound has its own.
var usualUtterance = fitted(2400*time.Millisecond, 6*time.Second)

const usualPace = 250 * time.Millisecond

// settleAudio refuses what the services that hear and speak audio have no part for.
func settleAudio(r *reader, found map[string]entry, v *Voice) {
	if v.Audio == nil {
		return
	}
	if len(v.Audio.Says) == 0 {
		r.failEntry(found, "audio", "says: nothing is said; want ours, or files")
	}
	for key, wrong := range map[string]bool{
		"vad_workers": v.VADWorkers > 0, "stt_workers": v.STTWorkers > 0, "stt_from": v.STTFrom == voice.FromVADStop, "tts_connect": v.TTSConnect != nil,
		"tts_workers": v.TTSWorkers > 0, "tts_holds": v.TTSHolds > 0,
	} {
		if wrong {
			r.failEntry(found, key, "does not go with audio, which is heard and spoken as it comes; leave it out")
		}
	}
	for key, wrong := range map[string]bool{"utterance": v.Utterance != usualUtterance, "speech_per_token": v.SpeechPerToken != usualPace} {
		if wrong {
			r.failEntry(found, key, "has no effect on audio: recordings last as long as they do, and the synthesizer has a pace of its own; leave it out")
		}
	}
	if v.Guess != nil && v.Guess.TTS {
		r.failEntry(found, "guess", "tts: true has no effect on audio: what a synthesizer speaks is not held back, and is asked for at the commit; leave it out")
	}
	if v.Gather.By == gather.Token {
		r.failEntry(found, "gather", "by: token does not go with audio: a synthesizer is asked to speak each piece, and vendors allow 20 a minute")
	}
	if v.LeadingSilence.Spread() {
		r.failEntry(found, "leading_silence", "%s varies; with audio it is part of the sound: want one length", v.LeadingSilence)
	}
}
