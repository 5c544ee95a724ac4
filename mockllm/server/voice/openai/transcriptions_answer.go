package openai

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/ear"
	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/token"
	"halfsecond/pipeline/wire"
)

// whole returns the answer at once, and its content type.
func (t *transcription) whole() (contentType string, body []byte) {
	const plainText = "text/plain; charset=utf-8"
	switch t.format {
	case wire.TranscriptText:
		return plainText, []byte(t.Text() + "\n")
	case wire.TranscriptSRT:
		return plainText, t.srt()
	case wire.TranscriptVTT:
		return plainText, t.vtt()
	case wire.TranscriptVerbose:
		return "application/json", talk.JSON(t.verbose())
	case wire.TranscriptDiarized:
		return "application/json", talk.JSON(t.diarized())
	}
	a := t.plainAnswer()
	if t.task == "translate" {
		a.Usage = nil
	}
	return "application/json", talk.JSON(a)
}

// plainAnswer returns the answer in its usual form.
func (t *transcription) plainAnswer() wire.Transcription {
	a := wire.Transcription{Text: t.Text(), Usage: t.usage()}
	if strings.HasPrefix(t.model, "gpt-transcribe") {
		a.Languages = []wire.TranscriptLanguage{{Code: t.code()}}
	}
	for i := range t.Words {
		a.Logprobs = append(a.Logprobs, t.logprob(i)...)
	}
	return a
}

// code returns the language that was heard: the one that was named.
func (t *transcription) code() string {
	if t.language != "" {
		return t.language
	}
	return "en"
}

// delta returns what word i adds to the text.
func (t *transcription) delta(i int) string {
	if i == 0 {
		return t.Words[i].Text
	}
	return " " + t.Words[i].Text
}

// logprob returns how certain word i is, as one token, if that was asked for.
func (t *transcription) logprob(i int) []wire.TranscriptLogprob {
	if !t.logprobs {
		return nil
	}
	text := t.delta(i)
	l := wire.TranscriptLogprob{Token: text, Logprob: ear.FourDigits(math.Log(t.Words[i].Confidence))}
	for _, b := range []byte(text) {
		l.Bytes = append(l.Bytes, int(b))
	}
	return []wire.TranscriptLogprob{l}
}

// heardTokens is how many tokens a second of audio is: 37 for a clip of some 3.7 s
// (answers of gpt-4o-mini-transcribe in a public repository, read 2026-11-29).
const heardTokens = 10

// usage returns what the upload cost: tokens of the models that count them, and else
// seconds, of which a part counts whole.
func (t *transcription) usage() *wire.TranscriptUsage {
	if !strings.HasPrefix(t.model, "gpt-4o") {
		return &wire.TranscriptUsage{Type: "duration", Seconds: int(math.Ceil(t.Duration.Seconds()))}
	}
	in := wire.TranscriptInputDetail{
		TextTokens: token.Count(t.prompt), AudioTokens: int(math.Round(t.Duration.Seconds() * heardTokens)),
	}
	u := &wire.TranscriptUsage{Type: "tokens", InputDetail: &in, InputTokens: in.TextTokens + in.AudioTokens, OutputTokens: token.Count(t.Text())}
	u.TotalTokens = u.InputTokens + u.OutputTokens
	return u
}

// languageNames are the names of the languages that are often asked for; others are
// told by their code.
var languageNames = map[string]string{
	"ar": "arabic", "de": "german", "en": "english", "es": "spanish", "fr": "french", "hi": "hindi", "it": "italian", "ja": "japanese",
	"ko": "korean", "nl": "dutch", "pl": "polish", "pt": "portuguese", "ru": "russian", "tr": "turkish", "uk": "ukrainian", "zh": "chinese",
}

func (t *transcription) verbose() wire.VerboseTranscription {
	v := wire.VerboseTranscription{Task: t.task, Language: "english", Duration: talk.Seconds(t.Duration), Text: t.Text(), Usage: t.usage()}
	if name := languageNames[t.code()]; t.task == "transcribe" && name != "" {
		v.Language = name
	} else if t.task == "transcribe" {
		v.Language = t.code()
	}
	if len(t.granularities) == 0 || slices.Contains(t.granularities, "segment") {
		v.Segments = t.segments()
	}
	if slices.Contains(t.granularities, "word") {
		for _, w := range t.Words {
			v.Words = append(v.Words, wire.TranscriptWord{Word: w.Text, Start: talk.Seconds(w.Start), End: talk.Seconds(w.End)})
		}
	}
	return v
}

// segments returns the segments as Whisper tells of them; figures beside times and text
// are those of a clear recording, numbers of tokens but a count.
func (t *transcription) segments() (all []wire.TranscriptSegment) {
	for i, e := range t.Segments {
		first, last := e.Words[0], e.Words[len(e.Words)-1]
		g := wire.TranscriptSegment{
			ID: i, Seek: int(first.Start/ear.Window) * int(ear.Window/(10*time.Millisecond)), Start: talk.Seconds(first.Start), End: talk.Seconds(last.End),
			Text: segmentText(e), Temperature: t.temperature, AvgLogprob: ear.FourDigits(math.Log(ear.MeanConfidence(e.Words))), CompressionRatio: 1.2, NoSpeechProb: .01,
		}
		for n := range token.Count(g.Text) {
			g.Tokens = append(g.Tokens, n)
		}
		all = append(all, g)
	}
	return all
}

func (t *transcription) diarized() wire.DiarizedTranscription {
	return wire.DiarizedTranscription{Task: t.task, Duration: talk.Seconds(t.Duration), Text: t.Text(), Segments: t.speakers(), Usage: t.usage()}
}

// speakers returns the segments as those of one speaker: the mock tells none apart.
func (t *transcription) speakers() []wire.SpeakerSegment {
	all := []wire.SpeakerSegment{}
	for i, e := range t.Segments {
		all = append(all, wire.SpeakerSegment{
			Type: wire.TranscriptSegmentType, ID: segmentID(i), Text: ear.Spelled(e.Words), Speaker: "A",
			Start: talk.Seconds(e.Words[0].Start), End: talk.Seconds(e.Words[len(e.Words)-1].End),
		})
	}
	return all
}

func segmentID(i int) string { return fmt.Sprintf("seg_%03d", i) }

// srt returns the segments as SubRip subtitles.
func (t *transcription) srt() []byte {
	var b strings.Builder
	for i, e := range t.Segments {
		fmt.Fprintf(&b, "%d\n%s --> %s\n%s\n\n", i+1, stamp(e.Words[0].Start, ","), stamp(e.Words[len(e.Words)-1].End, ","), ear.Spelled(e.Words))
	}
	return []byte(b.String())
}

// vtt returns the segments as WebVTT.
func (t *transcription) vtt() []byte {
	b := strings.Builder{}
	b.WriteString("WEBVTT\n\n")
	for _, e := range t.Segments {
		fmt.Fprintf(&b, "%s --> %s\n%s\n\n", stamp(e.Words[0].Start, "."), stamp(e.Words[len(e.Words)-1].End, "."), ear.Spelled(e.Words))
	}
	return []byte(b.String())
}

// stamp returns a time of a subtitle, such as 00:00:01,500.
func stamp(d time.Duration, point string) string {
	ms := d.Round(time.Millisecond).Milliseconds()
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, point, ms%1000)
}

// events returns the answer as events. The transcript is done when an answer at once
// would be there; the words are told evenly in the second half of that time. That share
// is assumed: no figure for the first word was found.
func (t *transcription) events() (all []talk.Piece) {
	add := func(after time.Duration, event any) {
		all = append(all, talk.Piece{After: after, Data: wire.AppendEvent(nil, "", talk.JSON(event))})
	}
	n, i := len(t.Words), 0
	for g, segment := range t.Segments {
		for range segment.Words {
			d := wire.TranscriptDelta{Type: wire.TranscriptDeltaType, Delta: t.delta(i), Logprobs: t.logprob(i)}
			if t.format == wire.TranscriptDiarized {
				d.SegmentID = segmentID(g)
			}
			add(t.Latency/2+t.Latency/2*time.Duration(i)/time.Duration(n), d)
			i++
		}
		if t.format == wire.TranscriptDiarized {
			add(t.Latency/2+t.Latency/2*time.Duration(i)/time.Duration(n), t.speakers()[g])
		}
	}
	add(t.Latency, wire.TranscriptDone{Type: wire.TranscriptDoneType, Transcription: t.plainAnswer()})
	return all
}
