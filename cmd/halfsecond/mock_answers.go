package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	accuracy, broken float64
	replyTokens      int
	thinkingTokens   int
	toolShare        float64

	transcript string   // a file, an utterance a line
	stt, tts   []string // NAME=COMPONENT
}

func (o *mockAnswers) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.source, "answers", "words", "`what` is answered: words without meaning, echo of the last message, code (the true continuation), or a file: one text, or lines of {\"contains\": ..., \"answer\": ...}")
	f.StringVar(&o.documents, "documents", "", "`folder` with the finished files, from which --answers code takes what follows the cursor")
	f.Float64Var(&o.accuracy, "accuracy", 1, "`share` of the answers of --answers code that are the true continuation")
	f.Float64Var(&o.broken, "broken", 0, "`share` of the answers of --answers code with a bracket or quote missing")
	f.IntVar(&o.replyTokens, "reply-tokens", 0, "`tokens` of an answer that nobody limits or dictates (default: drawn, of a chat's usual length)")
	f.IntVar(&o.thinkingTokens, "thinking-tokens", 0, "`tokens` of reasoning before an answer, where a request asks for reasoning")
	f.Float64Var(&o.toolShare, "tool-share", 0, "`share` of requests that may call a tool which do; who must call one always does")
	f.StringVar(&o.transcript, "transcript", "", "`file` with what speech to text hears, an utterance a line (default: words)")
	f.StringArrayVar(&o.stt, "stt", nil, "a speech-to-text model of that name is as fast as a component of the catalogue: `NAME=COMPONENT`; may be repeated")
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
		share float64
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
	c.ToolShare = o.toolShare
	return errors.Join(errs[:]...)
}

// answers returns what answers come from; nil for the mock's own words.
func (o *mockAnswers) answers(stated *given.Server) (answer.Source, error) {
	switch {
	case o.source == "words" && stated != nil && stated.Answer.Text != "":
		return answer.ReadFixture("answer", []byte(stated.Answer.Text))
	case o.source == "words":
		return nil, nil
	case o.source == "echo":
		return answer.Echo{}, nil
	case o.source == "code":
		documents, err := readDocuments(o.documents)
		return &answer.Code{Documents: documents, Accuracy: o.accuracy, Broken: o.broken}, err
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

// The largest file that counts as a document and the most that all may have, in bytes:
// every request looks through all of them, a millisecond or two for each MiB.
const (
	mostDocument  = 1 << 20
	mostDocuments = 16 << 20
)

// readDocuments returns the texts of a folder and all below it; hidden ones, and files
// that are no text, aside.
func readDocuments(folder string) (texts answer.Documents, err error) {
	if folder == "" {
		return nil, nil
	}
	total := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && path != folder && d.IsDir():
			return fs.SkipDir
		case strings.HasPrefix(d.Name(), ".") || !d.Type().IsRegular():
			return nil
		}
		text, err := readDocument(path, d)
		if text != "" {
			texts = append(texts, text)
		}
		if total += len(text); total > mostDocuments {
			return fmt.Errorf("more than %d MiB of text: name the folder of the files at hand", mostDocuments>>20)
		}
		return err
	})
	if err == nil && len(texts) == 0 {
		err = errors.New("no texts in it")
	}
	if err != nil {
		return nil, fmt.Errorf("--documents %s: %w", folder, err)
	}
	return texts, nil
}

// readDocument returns the text of a file, "" when it is none or too large.
func readDocument(path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil || info.Size() > mostDocument {
		return "", err
	}
	data, err := os.ReadFile(path)
	if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return "", err
	}
	return string(data), nil
}

// readText reads a file that must be text.
func readText(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
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
