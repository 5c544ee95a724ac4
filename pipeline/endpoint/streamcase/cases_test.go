package streamcase_test

import (
	"flag"
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/endpoint/streamcase"
	"halfsecond/pipeline/endpoint/talk"
)

var casesDir = flag.String("cases", "", "folder of stream cases, of all protocols, in place of ours")

// Protocols of cases of speech.
const (
	speechCase        = "openai-speech"
	transcriptionCase = "ws-transcription"
)

// compare plays a case under a fake clock, and returns what differs.
func compare(t *testing.T, c *streamcase.Case) []string {
	t.Helper()
	switch c.Protocol {
	case speechCase:
		return compareSpeech(t, c)
	case transcriptionCase:
		return compareTranscription(t, c)
	}
	d, err := dialect.Of(dialect.Protocol(c.Protocol))
	if err != nil {
		t.Fatalf("%s: nothing here plays protocol %q", c.ID, c.Protocol)
	}
	return streamcase.Compare(c.Expect, c.Exchanges[0].Read(d.NewDecoder(), d.Endless))
}

func compareSpeech(t *testing.T, c *streamcase.Case) []string {
	t.Helper()
	x := &c.Exchanges[0]
	body := x.Play()
	r, failure, err := speak.Read(
		speak.Config{Protocol: speak.OpenAISpeech, Format: c.Request.Format},
		speak.Response{Status: x.Status, Header: x.Header(), Body: body, Clock: body.Clock},
	)
	if err != nil {
		t.Fatal(err)
	}
	return streamcase.CompareSpeech(c.Expect, &r, failure)
}

func compareTranscription(t *testing.T, c *streamcase.Case) []string {
	t.Helper()
	r, failure, err := listen.Read(listen.Config{Protocol: listen.OpenAIRealtime}, recorded(c))
	if err != nil {
		t.Fatal(err)
	}
	return streamcase.CompareTranscription(c.Expect, &r, failure)
}

// recorded returns the session of a case.
func recorded(c *streamcase.Case) listen.Recorded {
	r := listen.Recorded{FirstFrame: pipeline.Unknown, LastFrame: pipeline.Unknown, SpeechEnd: c.Session.SpeechEnd.Duration()}
	for _, f := range c.Frames {
		at := f.At.Duration()
		r.End = at
		switch {
		case f.Opcode == "close":
			r.Close = f.Code
		case f.Dir == "s2c":
			r.Messages = append(r.Messages, talk.Message{At: at, Binary: f.Opcode == "binary", Data: []byte(f.Text)})
		case f.Opcode == "binary":
			if r.Frames == 0 {
				r.FirstFrame = at
			}
			r.LastFrame, r.Frames = at, r.Frames+1
		}
	}
	return r
}

// TestStreamCases plays the cases of every protocol, and compares every member of what each
// expects. A case of a protocol that nothing here plays is a failure.
func TestStreamCases(t *testing.T) {
	for _, c := range streamcase.Load(t, *casesDir) {
		t.Run(c.ID, func(t *testing.T) {
			for _, diff := range compare(t, c) {
				t.Error(diff)
			}
		})
	}
}

// TestSpeechCasesNoticeMutations changes each value that the cases of speech expect, one at
// a time: the comparison must object.
func TestSpeechCasesNoticeMutations(t *testing.T) {
	played := 0
	for _, c := range streamcase.Load(t, "") {
		if c.Protocol != speechCase && c.Protocol != transcriptionCase {
			continue
		}
		played++
		n := 0
		streamcase.Mutations(c.Expect, func(path string) {
			n++
			if len(compare(t, c)) == 0 {
				t.Errorf("%s: nobody noticed a wrong %s", c.ID, path)
			}
		})
		if n < len(c.Expect) {
			t.Errorf("%s: %d mutations of %d members", c.ID, n, len(c.Expect))
		}
		c.Expect["no_such_figure"] = nil
		if len(compare(t, c)) != 1 {
			t.Errorf("%s: a figure that is not known went through", c.ID)
		}
	}
	if played != 2 {
		t.Errorf("%d cases of speech, want 2", played)
	}
}

// TestLateTranscript shifts the end of speech of the case behind its final text: there is
// none for the caller then.
func TestLateTranscript(t *testing.T) {
	for _, c := range streamcase.Load(t, "") {
		if c.Protocol != transcriptionCase {
			continue
		}
		s := recorded(c)
		s.SpeechEnd = 861 * time.Millisecond
		r, _, err := listen.Read(listen.Config{Protocol: listen.OpenAIRealtime}, s)
		if err != nil || r.TTFS() != pipeline.Unknown || len(r.Flags) != 1 || r.Flags[0] != pipeline.FlagNoFinal || r.Outcome != pipeline.Truncated {
			t.Errorf("ttfs %s, flags %q, %s, error %v; want none, %s, truncated", r.TTFS(), r.Flags, r.Outcome, err, pipeline.FlagNoFinal)
		}
	}
}
