package converse

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/reply"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/wire/realtime"
)

// event is what an event of the server says, under the names of today.
type event struct {
	kind       string
	itemID     string
	follows    string // the item before that one
	responseID string
	upTo       time.Duration // where in all audio that was sent what it is of ends; Unknown is not said
	text       string        // more of the answer, or all that the user said
	audio      []byte
	content    int // which part of its item the audio is of
	response   response
	rate       int //  samples a second of the session's answers
	failure    *reply.Failure
	unread     bool // the failure is that it cannot be read
}

// response is what the end of a response says.
type response struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Details struct {
		Reason string          `json:"reason"`
		Error  json.RawMessage `json:"error"`
	} `json:"status_details"`
	Usage *struct {
		Input   *int `json:"input_tokens"`
		Output  *int `json:"output_tokens"`
		Details struct {
			Cached *int `json:"cached_tokens"`
		} `json:"input_token_details"`
	} `json:"usage"`
}

// Promised returns the samples a second that a session says its answers have; 0 when it does
// not say.
func Promised(session []byte) int {
	var s struct {
		Audio struct {
			Output struct {
				Format struct {
					Rate int `json:"rate"`
				} `json:"format"`
			} `json:"output"`
		} `json:"audio"`
	}
	if json.Unmarshal(session, &s) != nil {
		return 0
	}
	return s.Audio.Output.Format.Rate
}

// words says how a response ended that is not complete, "" for one that is.
func (r *response) words() string {
	switch r.Status {
	case realtime.Completed, "":
		return ""
	case realtime.Failed:
		if failure := reply.MemberFailure(r.Details.Error); failure != nil {
			return failure.String()
		}
		return "the answer failed"
	}
	return fmt.Sprintf("the answer is %s: %s", r.Status, r.Details.Reason)
}

// today has the names of today for those that events had in the beta.
var today = func() map[string]string {
	names := map[string]string{}
	for _, name := range []string{
		realtime.EventAudioDelta, realtime.EventAudioDone, realtime.EventAudioTranscriptDelta, realtime.EventAudioTranscriptDone,
		realtime.EventTextDelta, realtime.EventTextDone, realtime.EventItemAdded,
	} {
		names[realtime.BetaName(name)] = name
	}
	return names
}()

// read reads a message of the server.
func read(m talk.Message) (event, error) {
	var e struct {
		Type       string `json:"type"`
		ItemID     string `json:"item_id"`
		ResponseID string `json:"response_id"`
		Delta      string `json:"delta"`
		Content    int    `json:"content_index"`
		AudioEnd   *int64 `json:"audio_end_ms"`
		Previous   string `json:"previous_item_id"`
		Item       struct {
			ID string `json:"id"`
		} `json:"item"`
		Transcript string          `json:"transcript"`
		Response   response        `json:"response"`
		Session    json.RawMessage `json:"session"`
		Error      json.RawMessage `json:"error"`
	}
	if m.Binary {
		return event{}, errors.New("a binary message where text was expected")
	}
	switch f := talk.Object(m.Data, &e); {
	case f != nil && f.Kind == reply.BadLink:
		return event{}, f.Cause
	case f != nil:
		return event{failure: f}, nil
	}
	out := event{kind: e.Type, itemID: e.ItemID, responseID: e.ResponseID, content: e.Content, response: e.Response, rate: Promised(e.Session)}
	if name, ok := today[e.Type]; ok {
		out.kind = name
	}
	out.upTo = pipeline.Unknown
	switch out.kind {
	case realtime.EventSpeechStopped:
		if e.AudioEnd != nil {
			out.upTo = time.Duration(*e.AudioEnd) * time.Millisecond
		}
	case realtime.EventItemAdded:
		out.itemID, out.follows = e.Item.ID, e.Previous
	case realtime.EventAudioDelta:
		sound, err := base64.StdEncoding.DecodeString(e.Delta)
		if err != nil {
			return out, fmt.Errorf("audio that cannot be read: %w", err)
		}
		out.audio = sound
	case realtime.EventAudioTranscriptDelta, realtime.EventTextDelta:
		out.text = e.Delta
	case realtime.EventTranscriptionCompleted:
		out.text = strings.TrimSpace(e.Transcript)
	case realtime.EventError:
		if out.failure = reply.MemberFailure(e.Error); out.failure == nil {
			out.failure = &reply.Failure{Kind: reply.InBand}
		}
	case realtime.EventResponseCreated, realtime.EventResponseDone:
		out.responseID = e.Response.ID
	case "":
		out.failure = talk.Complaint(m.Data)
	}
	return out, nil
}
