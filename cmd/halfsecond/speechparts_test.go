//go:build unix

package main

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"halfsecond/pipeline/realpart"
)

// speechParts are engines of speech that nobody here wrote, behind .ci/speech, which makes
// them reachable by protocols that are spoken here. The recogniser hears flite's slt and
// rms almost word for word, espeak-ng's voices badly.
type speechParts struct {
	stt  string // deepgram-listen; model pocketsphinx
	tts  string // openai-speech; models flite, espeak-ng and festival, each with voices of its own
	root string // http://ADDRESS, what both begin with
}

// The engines' names and a voice of each.
const (
	pocketsphinx = "pocketsphinx"
	flite        = "flite"
	fliteVoice   = "slt"
	espeak       = "espeak-ng"
	espeakVoice  = "en-us"
	festival     = "festival" // speaks a text as a whole, after a second or more
	festivalSays = "kal_diphone"
)

// startSpeechParts starts them until the test ends. Flags are those of .ci/speech/serve.py,
// such as "--silence-ms=700", the silence that ends an utterance where the client asks for
// no other: it is 300 ms otherwise.
func startSpeechParts(t *testing.T, flags ...string) speechParts {
	t.Helper()
	python := realpart.Need(t, "/usr/bin/python3", "apt-get install python3")
	realpart.NeedFile(t, "/usr/lib/python3/dist-packages/pocketsphinx", "apt-get install python3-pocketsphinx")
	realpart.NeedFile(t, "/usr/share/pocketsphinx/model/en-us", "apt-get install pocketsphinx-en-us")
	realpart.Need(t, "flite", "apt-get install flite")
	realpart.Need(t, "espeak-ng", "apt-get install espeak-ng")
	realpart.Need(t, "text2wave", "apt-get install festival")
	realpart.NeedFile(t, "/usr/share/festival/voices/english/kal_diphone", "apt-get install festvox-kallpc16k")
	p := exec.Command(python, append([]string{"-B", "../../.ci/speech/serve.py"}, flags...)...)
	var errs bytes.Buffer
	p.Stderr = &errs
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n') // it says no more
		first <- strings.TrimSpace(line)
		ended <- p.Wait()
	}()
	t.Cleanup(func() { endSpeechParts(t, p, ended, &errs) })
	select {
	case root := <-first:
		if root == "" {
			err := <-ended
			ended <- err
			t.Fatalf(".ci/speech has ended: %v: %s", err, &errs)
		}
		return speechParts{stt: root + "/v1/listen", tts: root + "/v1", root: root}
	case <-time.After(time.Minute):
		t.Fatal(".ci/speech does not listen after a minute")
		panic("unreachable")
	}
}

// endSpeechParts asks them to end, and wants all of their processes gone, without a word: the
// error stream, which each of them holds, ends with the last.
func endSpeechParts(t *testing.T, p *exec.Cmd, ended chan error, errs *bytes.Buffer) {
	_ = p.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-ended:
		if err != nil || errs.Len() > 0 {
			t.Errorf(".ci/speech ended with %v and said %q", err, errs)
		}
	case <-time.After(30 * time.Second):
		t.Error(".ci/speech, or an engine of it, does not end")
		_ = p.Process.Kill()
	}
}
