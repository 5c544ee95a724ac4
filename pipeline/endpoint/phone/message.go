package phone

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/twilio"
)

// Names of faults. How much audio a message holds is none: payloads of any size are queued and
// played in the order that they come in, so that the end of an answer may be less than 20 ms.
const (
	FaultBinary   = "binary_message"   // want text
	FaultJSON     = "not_json"         // it is not JSON of the right form
	FaultEvent    = "unknown_event"    // want media, mark or clear, with what belongs to it
	FaultNoStream = "no_stream_sid"    // as of media that is sent before start was read
	FaultStream   = "wrong_stream_sid" // it is for another stream
	FaultBase64   = "not_base64"       // the payload is not
	FaultEmpty    = "empty_payload"    // there is no audio in it
	FaultHeader   = "audio_file"       // the payload begins as a file does; it is played all the same
	FaultOverflow = "buffer_overflow"  // more than ten minutes are queued
	FaultMark     = "mark_not_taken"   // too long a name, or too many of them
)

// Fault is something that a bot says and Twilio would not take, or take for something else.
type Fault struct {
	Name   string
	At     time.Duration // the first of them
	Detail string        // of the first: what was wrong, and what would be right
	Count  int
	Silent bool // audio was lost by it
}

// message is what a message of a bot says.
type message struct {
	event string // media, mark or clear; "" for what is none of them
	name  string // of a mark
	codes []byte // of a media
	fault string
	why   string
}

// longestMark is the longest name of a mark in bytes, and mostMarks how many of them wait for
// audio to be played; both are ours.
const (
	longestMark = 1000
	mostMarks   = 10_000
)

// read reads a message for a stream.
func read(m talk.Message, stream string) message {
	var in struct {
		Event     string `json:"event"`
		StreamSid string `json:"streamSid"`
		Media     *struct {
			Payload string `json:"payload"`
		} `json:"media"`
		Mark *struct {
			Name string `json:"name"`
		} `json:"mark"`
	}
	if m.Binary {
		return wrong(FaultBinary, "a binary message came: want text")
	}
	if err := json.Unmarshal(m.Data, &in); err != nil {
		return wrong(FaultJSON, "a message is not JSON of the right form: %v", err)
	}
	media, mark := in.Event == twilio.EventMedia && in.Media != nil, in.Event == twilio.EventMark && in.Mark != nil
	switch {
	case !media && !mark && in.Event != twilio.EventClear:
		return wrong(FaultEvent, "a message has the event %.100q: want media, mark or clear, with what belongs to it", in.Event)
	case in.StreamSid == "":
		return wrong(FaultNoStream, "a %s message has no streamSid: the bot sent it before it had read start, or leaves it out", in.Event)
	case in.StreamSid != stream:
		return wrong(FaultStream, "a %s message is for the stream %.100q: want that of start", in.Event, in.StreamSid)
	case media:
		return readMedia(in.Media.Payload)
	case mark && len(in.Mark.Name) > longestMark:
		return wrong(FaultMark, "the name of a mark has %d bytes: want at most %d", len(in.Mark.Name), longestMark)
	case mark:
		return message{event: twilio.EventMark, name: in.Mark.Name}
	}
	return message{event: twilio.EventClear}
}

func wrong(fault, format string, args ...any) message {
	return message{fault: fault, why: fmt.Sprintf(format, args...)}
}

// readMedia reads the audio of a message.
func readMedia(payload string) message {
	codes, err := base64.StdEncoding.DecodeString(payload)
	switch {
	case err != nil:
		return wrong(FaultBase64, "the payload of a media message is not base64: %v", err)
	case len(codes) == 0:
		return wrong(FaultEmpty, "the payload of a media message is empty")
	}
	m := message{event: twilio.EventMedia, codes: codes}
	if head, ok := fileHead(codes); ok {
		m.fault, m.why = FaultHeader, fmt.Sprintf("the payload of a media message begins with %q: want mu-law samples without a header, which is heard as a click", head)
	}
	return m
}

// heads are how files begin that hold audio: WAV, Ogg, FLAC and ID3v2 before MP3.
var heads = []string{"RIFF", "OggS", "fLaC", "ID3"}

func fileHead(codes []byte) (head string, ok bool) {
	for _, h := range heads {
		if bytes.HasPrefix(codes, []byte(h)) {
			return h, true
		}
	}
	return "", false
}

// silences reports whether audio of a message with a fault is lost.
func silences(fault string) bool {
	switch fault {
	case FaultHeader, FaultMark, "":
		return false
	}
	return true
}
