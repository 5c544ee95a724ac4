package trace

import (
	"encoding/json"
	"fmt"

	"halfsecond/pipeline"
)

// The records of speech services. They are few beside the requests of a language model, so
// that encoding/json is fast enough for them.

type wireHearing struct {
	ID           int64         `json:"id"`
	Due          nanos         `json:"due_ns"`
	Ready        nanos         `json:"ready_ns"`
	FirstFrame   nanos         `json:"first_frame_ns"`
	LastFrame    nanos         `json:"last_frame_ns"`
	SpeechEnd    nanos         `json:"speech_end_ns"`
	FirstPartial nanos         `json:"first_partial_ns"`
	FirstFinal   nanos         `json:"first_final_ns"`
	LastFinal    nanos         `json:"last_final_ns"`
	TurnEnd      nanos         `json:"turn_end_ns"`
	End          nanos         `json:"end_ns"`
	Partials     int           `json:"partials,omitempty"`
	Finals       int           `json:"finals,omitempty"`
	Text         string        `json:"text,omitempty"`
	Events       []wireMark    `json:"events,omitempty"`
	Late         nanos         `json:"late_ns"`
	Frames       int           `json:"frames,omitempty"`
	Outcome      outcome       `json:"outcome"`
	Reason       string        `json:"reason,omitempty"`
	Flags        []string      `json:"flags,omitempty"`
	Close        int           `json:"close,omitempty"`
	Simulated    bool          `json:"simulated,omitempty"`
	Transport    wireTransport `json:"transport"`
}

func hearingToWire(r *pipeline.Transcription) wireHearing {
	return wireHearing{
		ID:           r.ID,
		Due:          toNanos(r.Due),
		Ready:        toNanos(r.Ready),
		FirstFrame:   toNanos(r.FirstFrame),
		LastFrame:    toNanos(r.LastFrame),
		SpeechEnd:    toNanos(r.SpeechEnd),
		FirstPartial: toNanos(r.FirstPartial),
		FirstFinal:   toNanos(r.FirstFinal),
		LastFinal:    toNanos(r.LastFinal),
		TurnEnd:      toNanos(r.TurnEnd),
		End:          toNanos(r.End),
		Partials:     r.Partials,
		Finals:       r.Finals,
		Text:         r.Text,
		Events:       toMarks(r.Events),
		Late:         toNanos(r.Late),
		Frames:       r.Frames,
		Outcome:      outcome{r.Outcome, true},
		Reason:       r.Reason,
		Flags:        r.Flags,
		Close:        r.Close,
		Simulated:    r.Simulated,
		Transport:    toTransport(&r.Transport),
	}
}

func (w *wireHearing) hearing() pipeline.Transcription {
	return pipeline.Transcription{
		ID:           w.ID,
		Due:          w.Due.duration(),
		Ready:        w.Ready.duration(),
		FirstFrame:   w.FirstFrame.duration(),
		LastFrame:    w.LastFrame.duration(),
		SpeechEnd:    w.SpeechEnd.duration(),
		FirstPartial: w.FirstPartial.duration(),
		FirstFinal:   w.FirstFinal.duration(),
		LastFinal:    w.LastFinal.duration(),
		TurnEnd:      w.TurnEnd.duration(),
		End:          w.End.duration(),
		Partials:     w.Partials,
		Finals:       w.Finals,
		Text:         w.Text,
		Events:       marksOf(w.Events),
		Late:         w.Late.duration(),
		Frames:       w.Frames,
		Outcome:      w.Outcome.o,
		Reason:       w.Reason,
		Flags:        w.Flags,
		Close:        w.Close,
		Simulated:    w.Simulated,
		Transport:    w.Transport.transport(),
	}
}

type wireSaying struct {
	ID           int64         `json:"id"`
	Due          nanos         `json:"due_ns"`
	Ready        nanos         `json:"ready_ns"`
	Sent         nanos         `json:"sent_ns"`
	LastSent     nanos         `json:"last_sent_ns"`
	FirstByte    nanos         `json:"first_byte_ns"`
	FirstAudio   nanos         `json:"first_audio_ns"`
	FirstAudible nanos         `json:"first_audible_ns"`
	LastAudio    nanos         `json:"last_audio_ns"`
	Lead         nanos         `json:"lead_ns"`
	Voiced       nanos         `json:"voiced_ns"`
	End          nanos         `json:"end_ns"`
	Characters   int           `json:"characters,omitempty"`
	Rate         int           `json:"rate,omitempty"`
	Channels     int           `json:"channels,omitempty"`
	Bits         int           `json:"bits,omitempty"`
	Samples      int64         `json:"samples,omitempty"`
	Bytes        int64         `json:"bytes,omitempty"`
	Underruns    int           `json:"underruns,omitempty"`
	Stalled      nanos         `json:"stalled_ns"`
	Outcome      outcome       `json:"outcome"`
	Reason       string        `json:"reason,omitempty"`
	Flags        []string      `json:"flags,omitempty"`
	Close        int           `json:"close,omitempty"`
	Simulated    bool          `json:"simulated,omitempty"`
	Transport    wireTransport `json:"transport"`
}

func sayingToWire(r *pipeline.Speech) wireSaying {
	return wireSaying{
		ID:           r.ID,
		Due:          toNanos(r.Due),
		Ready:        toNanos(r.Ready),
		Sent:         toNanos(r.Sent),
		LastSent:     toNanos(r.LastSent),
		FirstByte:    toNanos(r.FirstByte),
		FirstAudio:   toNanos(r.FirstAudio),
		FirstAudible: toNanos(r.FirstAudible),
		LastAudio:    toNanos(r.LastAudio),
		Lead:         toNanos(r.Lead),
		Voiced:       toNanos(r.Voiced),
		End:          toNanos(r.End),
		Characters:   r.Characters,
		Rate:         r.Rate,
		Channels:     r.Channels,
		Bits:         r.Bits,
		Samples:      r.Samples,
		Bytes:        r.Bytes,
		Underruns:    r.Underruns,
		Stalled:      toNanos(r.Stalled),
		Outcome:      outcome{r.Outcome, true},
		Reason:       r.Reason,
		Flags:        r.Flags,
		Close:        r.Close,
		Simulated:    r.Simulated,
		Transport:    toTransport(&r.Transport),
	}
}

func (w *wireSaying) saying() pipeline.Speech {
	return pipeline.Speech{
		ID:           w.ID,
		Due:          w.Due.duration(),
		Ready:        w.Ready.duration(),
		Sent:         w.Sent.duration(),
		LastSent:     w.LastSent.duration(),
		FirstByte:    w.FirstByte.duration(),
		FirstAudio:   w.FirstAudio.duration(),
		FirstAudible: w.FirstAudible.duration(),
		LastAudio:    w.LastAudio.duration(),
		Lead:         w.Lead.duration(),
		Voiced:       w.Voiced.duration(),
		End:          w.End.duration(),
		Characters:   w.Characters,
		Rate:         w.Rate,
		Channels:     w.Channels,
		Bits:         w.Bits,
		Samples:      w.Samples,
		Bytes:        w.Bytes,
		Underruns:    w.Underruns,
		Stalled:      w.Stalled.duration(),
		Outcome:      w.Outcome.o,
		Reason:       w.Reason,
		Flags:        w.Flags,
		Close:        w.Close,
		Simulated:    w.Simulated,
		Transport:    w.Transport.transport(),
	}
}

type wireAnswer struct {
	ID              int64         `json:"id"`
	Due             nanos         `json:"due_ns"`
	Ready           nanos         `json:"ready_ns"`
	FirstFrame      nanos         `json:"first_frame_ns"`
	LastFrame       nanos         `json:"last_frame_ns"`
	SpeechEnd       nanos         `json:"speech_end_ns"`
	SpeechStarted   nanos         `json:"speech_started_ns"`
	SpeechStopped   nanos         `json:"speech_stopped_ns"`
	Committed       nanos         `json:"committed_ns"`
	ResponseCreated nanos         `json:"response_created_ns"`
	FirstOutput     nanos         `json:"first_output_ns"`
	FirstAudio      nanos         `json:"first_audio_ns"`
	FirstAudible    nanos         `json:"first_audible_ns"`
	LastAudio       nanos         `json:"last_audio_ns"`
	Lead            nanos         `json:"lead_ns"`
	Voiced          nanos         `json:"voiced_ns"`
	ResponseDone    nanos         `json:"response_done_ns"`
	HeardAt         nanos         `json:"heard_at_ns"`
	End             nanos         `json:"end_ns"`
	Heard           string        `json:"heard,omitempty"`
	Text            string        `json:"text,omitempty"`
	Rate            int           `json:"rate,omitempty"`
	Samples         int64         `json:"samples,omitempty"`
	Underruns       int           `json:"underruns,omitempty"`
	Stalled         nanos         `json:"stalled_ns"`
	Late            nanos         `json:"late_ns"`
	Frames          int           `json:"frames,omitempty"`
	Interrupted     nanos         `json:"interrupted_ns"`
	Noticed         nanos         `json:"noticed_ns"`
	Truncated       nanos         `json:"truncated_ns"`
	Played          nanos         `json:"played_ns"`
	Cancelled       bool          `json:"cancelled,omitempty"`
	CutIns          count         `json:"cut_ins"`
	FirstCutIn      nanos         `json:"first_cut_in_ns"`
	CutInPlayed     nanos         `json:"cut_in_played_ns"`
	CutInDropped    nanos         `json:"cut_in_dropped_ns"`
	Status          string        `json:"status,omitempty"`
	InputTokens     count         `json:"input_tokens"`
	CachedTokens    count         `json:"cached_tokens"`
	OutputTokens    count         `json:"output_tokens"`
	Events          []wireMark    `json:"events,omitempty"`
	Flags           []string      `json:"flags,omitempty"`
	Outcome         outcome       `json:"outcome"`
	Reason          string        `json:"reason,omitempty"`
	Close           int           `json:"close,omitempty"`
	Simulated       bool          `json:"simulated,omitempty"`
	Transport       wireTransport `json:"transport"`
}

func answerToWire(r *pipeline.Answered) wireAnswer {
	return wireAnswer{
		ID:              r.ID,
		Due:             toNanos(r.Due),
		Ready:           toNanos(r.Ready),
		FirstFrame:      toNanos(r.FirstFrame),
		LastFrame:       toNanos(r.LastFrame),
		SpeechEnd:       toNanos(r.SpeechEnd),
		SpeechStarted:   toNanos(r.SpeechStarted),
		SpeechStopped:   toNanos(r.SpeechStopped),
		Committed:       toNanos(r.Committed),
		ResponseCreated: toNanos(r.ResponseCreated),
		FirstOutput:     toNanos(r.FirstOutput),
		FirstAudio:      toNanos(r.FirstAudio),
		FirstAudible:    toNanos(r.FirstAudible),
		LastAudio:       toNanos(r.LastAudio),
		Lead:            toNanos(r.Lead),
		Voiced:          toNanos(r.Voiced),
		ResponseDone:    toNanos(r.ResponseDone),
		HeardAt:         toNanos(r.HeardAt),
		End:             toNanos(r.End),
		Heard:           r.Heard,
		Text:            r.Text,
		Rate:            r.Rate,
		Samples:         r.Samples,
		Underruns:       r.Underruns,
		Stalled:         toNanos(r.Stalled),
		Late:            toNanos(r.Late),
		Frames:          r.Frames,
		Interrupted:     toNanos(r.Interrupted),
		Noticed:         toNanos(r.Noticed),
		Truncated:       toNanos(r.Truncated),
		Played:          toNanos(r.Played),
		Cancelled:       r.Cancelled,
		CutIns:          toCount(r.CutIns),
		FirstCutIn:      toNanos(r.FirstCutIn),
		CutInPlayed:     toNanos(r.CutInPlayed),
		CutInDropped:    toNanos(r.CutInDropped),
		Status:          r.Status,
		InputTokens:     toCount(r.InputTokens),
		CachedTokens:    toCount(r.CachedTokens),
		OutputTokens:    toCount(r.OutputTokens),
		Events:          toMarks(r.Events),
		Flags:           r.Flags,
		Outcome:         outcome{r.Outcome, true},
		Reason:          r.Reason,
		Close:           r.Close,
		Simulated:       r.Simulated,
		Transport:       toTransport(&r.Transport),
	}
}

func (w *wireAnswer) answer() pipeline.Answered {
	return pipeline.Answered{
		ID:              w.ID,
		Due:             w.Due.duration(),
		Ready:           w.Ready.duration(),
		FirstFrame:      w.FirstFrame.duration(),
		LastFrame:       w.LastFrame.duration(),
		SpeechEnd:       w.SpeechEnd.duration(),
		SpeechStarted:   w.SpeechStarted.duration(),
		SpeechStopped:   w.SpeechStopped.duration(),
		Committed:       w.Committed.duration(),
		ResponseCreated: w.ResponseCreated.duration(),
		FirstOutput:     w.FirstOutput.duration(),
		FirstAudio:      w.FirstAudio.duration(),
		FirstAudible:    w.FirstAudible.duration(),
		LastAudio:       w.LastAudio.duration(),
		Lead:            w.Lead.duration(),
		Voiced:          w.Voiced.duration(),
		ResponseDone:    w.ResponseDone.duration(),
		HeardAt:         w.HeardAt.duration(),
		End:             w.End.duration(),
		Heard:           w.Heard,
		Text:            w.Text,
		Rate:            w.Rate,
		Samples:         w.Samples,
		Underruns:       w.Underruns,
		Stalled:         w.Stalled.duration(),
		Late:            w.Late.duration(),
		Frames:          w.Frames,
		Interrupted:     w.Interrupted.duration(),
		Noticed:         w.Noticed.duration(),
		Truncated:       w.Truncated.duration(),
		Played:          w.Played.duration(),
		Cancelled:       w.Cancelled,
		CutIns:          w.CutIns.value(),
		FirstCutIn:      w.FirstCutIn.duration(),
		CutInPlayed:     w.CutInPlayed.duration(),
		CutInDropped:    w.CutInDropped.duration(),
		Status:          w.Status,
		InputTokens:     w.InputTokens.value(),
		CachedTokens:    w.CachedTokens.value(),
		OutputTokens:    w.OutputTokens.value(),
		Events:          marksOf(w.Events),
		Flags:           w.Flags,
		Outcome:         w.Outcome.o,
		Reason:          w.Reason,
		Close:           w.Close,
		Simulated:       w.Simulated,
		Transport:       w.Transport.transport(),
	}
}

func toMarks(marks []pipeline.Mark) (all []wireMark) {
	for _, m := range marks {
		all = append(all, wireMark{m.Name, toNanos(m.At)})
	}
	return all
}

func marksOf(all []wireMark) (marks []pipeline.Mark) {
	for _, m := range all {
		marks = append(marks, pipeline.Mark{Name: m.Name, At: m.At.duration()})
	}
	return marks
}

func toCount(n int) count { return count{n, n != pipeline.UnknownCount} }

// appendSpoken appends the records of speech services, where there are any.
func appendSpoken(b []byte, t *pipeline.Trace) []byte {
	b = appendRecords(b, "hearings", t.Hearings, hearingToWire)
	b = appendRecords(b, "sayings", t.Sayings, sayingToWire)
	return appendRecords(b, "answers", t.Answers, answerToWire)
}

func appendRecords[R, W any](b []byte, key string, records []R, to func(*R) W) []byte {
	if len(records) == 0 {
		return b
	}
	b = append(append(append(b, ',', '"'), key...), `":`...)
	all := make([]W, len(records))
	for i := range records {
		all[i] = to(&records[i])
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(fmt.Sprintf("trace: %s: %s", key, err)) // nothing in them can fail
	}
	return append(b, text...)
}

// spoken adds the records of speech services to a trace.
func (w *wireTrace) spoken(t *pipeline.Trace) error {
	for i := range w.Hearings {
		t.Hearings = append(t.Hearings, w.Hearings[i].hearing())
	}
	for i := range w.Sayings {
		t.Sayings = append(t.Sayings, w.Sayings[i].saying())
	}
	for i := range w.Answers {
		t.Answers = append(t.Answers, w.Answers[i].answer())
	}
	return w.ended()
}

// ended reports a record without its outcome.
func (w *wireTrace) ended() error {
	for _, r := range w.Hearings {
		if !r.Outcome.known {
			return fmt.Errorf("hearing %d: outcome is missing", r.ID)
		}
	}
	for _, r := range w.Sayings {
		if !r.Outcome.known {
			return fmt.Errorf("saying %d: outcome is missing", r.ID)
		}
	}
	for _, r := range w.Answers {
		if !r.Outcome.known {
			return fmt.Errorf("answer %d: outcome is missing", r.ID)
		}
	}
	return nil
}
