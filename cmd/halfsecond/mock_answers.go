package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"halfsecond/mockllm/answer"
	"halfsecond/mockllm/given"
	"halfsecond/mockllm/server"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/dist"
)

// mockAnswers says what the mock says and hears, as typed.
type mockAnswers struct {
	source           string // words, echo, code or a file
	documents        string // a folder
	accuracy, broken shareFlag
	replyTokens      int
	thinkingTokens   int
	toolShare        shareFlag

	transcript string   // a file, an utterance a line
	stt, tts   []string // NAME=COMPONENT
}

func (o *mockAnswers) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.source, "answers", "words", "`what` is answered: words without meaning, echo of the last message, code (the true continuation), or a file: one text, or lines of {\"contains\": ..., \"answer\": ...}")
	f.StringVar(&o.documents, "documents", "", "`folder` with the finished files, from which --answers code takes what follows the cursor; implies it")
	o.accuracy = 1
	f.Var(&o.accuracy, "accuracy", "`share` of the answers of --answers code that are the true continuation; implies it")
	f.Var(&o.broken, "broken", "`share` of the answers of --answers code whose syntax goes wrong in them; implies it")
	f.IntVar(&o.replyTokens, "reply-tokens", 0, "`tokens` of an answer that nobody limits or dictates (default: drawn, of a chat's usual length)")
	f.IntVar(&o.thinkingTokens, "thinking-tokens", 0, "`tokens` of reasoning before an answer, where a request asks for reasoning")
	f.Var(&o.toolShare, "tool-share", "`share` of requests that may call a tool which do; who must call one always does")
	f.StringVar(&o.transcript, "transcript", "", "`file` with what speech to text hears, an utterance a line (default: words)")
	f.StringArrayVar(&o.stt, "stt", nil, "a speech-to-text model of that name is as fast as a component of the catalogue: `NAME=COMPONENT`, such as my-stt=stt-deepgram-nova-3-general; may be repeated")
	f.StringArrayVar(&o.tts, "tts", nil, "the same for text to speech: `NAME=COMPONENT`; may be repeated")
}

// fill sets what the server says. A stated server has its own length of answers.
func (o *mockAnswers) fill(c *server.Config, stated *given.Server, given func(flag string) bool) error {
	var errs [9]error
	if flags := typed(given, "documents", "accuracy", "broken"); len(flags) > 0 && o.source != "code" {
		if given("answers") || stated != nil && stated.Answer.Text != "" {
			return fmt.Errorf("%s: that is of --answers code alone", strings.Join(flags, ", "))
		}
		o.source = "code"
	}
	c.Answers, errs[0] = o.answers(stated)
	if stated != nil {
		c.Answers = stated.Says(c.Answers)
	}
	c.Transcript, errs[1] = lines("--transcript", o.transcript)
	c.STT, errs[2] = listener(o.stt)
	c.TTS, errs[3] = speaker(o.tts)
	errs[4] = within("reply-tokens", o.replyTokens, 0, mostTokens)
	errs[5] = within("thinking-tokens", o.thinkingTokens, 0, mostTokens)
	for i, f := range []struct {
		name  string
		share shareFlag
	}{{"accuracy", o.accuracy}, {"broken", o.broken}, {"tool-share", o.toolShare}} {
		if !(f.share >= 0 && f.share <= 1) {
			errs[6+i] = fmt.Errorf("--%s %g: want a share from 0 to 1", f.name, f.share)
		}
	}
	n := o.replyTokens
	if stated != nil && n == 0 {
		n = stated.N
	}
	if n > 0 {
		c.ReplyTokens = dist.ConstantCount(n)
	}
	if o.thinkingTokens > 0 {
		c.ThinkingTokens = dist.ConstantCount(o.thinkingTokens)
	}
	c.ToolShare = float64(o.toolShare)
	return errors.Join(errs[:]...)
}

// untold reports that code is to be answered and nobody said which.
func (o *mockAnswers) untold() bool { return o.source == "code" && o.documents == "" }

// answers returns what answers come from; nil for the mock's own words.
func (o *mockAnswers) answers(stated *given.Server) (answer.Source, error) {
	switch {
	case o.source == "words" && stated != nil && stated.Answer.Text != "":
		return answer.Always(stated.Answer.Text), nil
	case o.source == "words":
		return nil, nil
	case o.source == "echo":
		return answer.Echo{}, nil
	case o.source == "code":
		c := &answer.Code{Accuracy: float64(o.accuracy), Broken: float64(o.broken)}
		if o.documents == "" {
			return c, nil
		}
		var err error
		if c.Documents, err = answer.ReadDocuments(os.DirFS(o.documents)); err != nil {
			err = fmt.Errorf("--documents %s: %w", o.documents, err)
		}
		return c, err
	}
	data, err := readText(o.source)
	if err != nil {
		return nil, fmt.Errorf("--answers %s: want words, echo, code or a file: %w", o.source, err)
	}
	f, err := answer.ReadFixture(o.source, data)
	if err != nil {
		return nil, fmt.Errorf("--answers: %w", err)
	}
	return f, nil
}

// readText reads a file that must be text.
func readText(name string) ([]byte, error) {
	data, err := readFile(name, mostTextFile)
	if err == nil && !utf8.Valid(data) {
		err = fmt.Errorf("%s is not UTF-8 text", name)
	}
	return data, err
}

// lines returns the lines of a file that are not empty.
func lines(flag, name string) (out []string, err error) {
	if name == "" {
		return nil, nil
	}
	data, err := readText(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s %s: no text in it", flag, name)
	}
	return out, nil
}

// listener returns how speech-to-text models behave, nil when nothing was said of any.
func listener(texts []string) (func(model string) speech.STT, error) {
	named, err := components("stt", texts, speech.FindSTT)
	if len(named) == 0 {
		return nil, err
	}
	return func(model string) speech.STT { return behaviour(named, model, speech.FindSTT) }, err
}

// speaker is listener for text to speech.
func speaker(texts []string) (func(model string) speech.TTS, error) {
	named, err := components("tts", texts, speech.FindTTS)
	if len(named) == 0 {
		return nil, err
	}
	return func(model string) speech.TTS { return behaviour(named, model, speech.FindTTS) }, err
}

// behaviour returns what was said of a model, or else what is known of it.
func behaviour[T any](named map[string]T, model string, find func(string) (T, bool)) T {
	if p, ok := named[model]; ok {
		return p
	}
	p, _ := find(model)
	return p
}

// components reads texts of the form NAME=COMPONENT.
func components[T any](flag string, texts []string, find func(string) (T, bool)) (map[string]T, error) {
	named := map[string]T{}
	for _, text := range texts {
		name, component, ok := strings.Cut(text, "=")
		p, known := find(component)
		switch {
		case !ok || name == "":
			return nil, fmt.Errorf("--%s %s: want NAME=COMPONENT", flag, text)
		case !known:
			return nil, fmt.Errorf("--%s %s: unknown component %q: 'halfsecond catalog components' lists those of kind %s", flag, text, component, flag)
		}
		named[name] = p
	}
	return named, nil
}
