package scenario

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/mockllm/speech/audio"
	"halfsecond/simulators/voice/utterance"
)

func TestAudio(t *testing.T) {
	quieter := bytes.Clone(utterance.Ours)
	quieter[50] ^= 1 // a sample
	open := func(name string) ([]byte, error) {
		switch name {
		case "q.wav":
			return utterance.Ours, nil
		case "r.wav":
			return quieter, nil
		case "silent.wav":
			return audio.Write(audio.Clip{Rate: 8000, Samples: make([]int16, 8000)}, audio.Output{Container: audio.WAV, Format: audio.Format{Rate: 8000}})
		}
		return nil, errors.New("no file " + name)
	}
	read := func(keys string) (*Scenario, error) { return Parse("test.yaml", []byte(spokenWith(keys)), open) }
	for _, c := range []struct {
		text  string
		names []string
		want  Audio // but for Says
	}{
		{"{}", []string{"ours"}, Audio{Frame: 100 * ms}},
		{"{says: [ours, q.wav], frame: 20ms, finals: asked, speech: stream}", []string{"ours", "q.wav"}, Audio{Frame: 20 * ms}},
		{"{says: [q.wav], finals: told, speech: whole}", []string{"q.wav"}, Audio{Frame: 100 * ms, Finals: FinalsTold, Silence: 300 * ms, Speech: SpeechWhole}},
		{"{finals: told, silence: 1s}", []string{"ours"}, Audio{Frame: 100 * ms, Finals: FinalsTold, Silence: time.Second}},
	} {
		s, err := read("  audio: " + c.text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		got := *s.Voice.Audio
		var names []string
		for _, x := range got.Says {
			names = append(names, x.Name)
			if x.Recording.To != 3060*ms || (x.Text == "") != (x.Name != "ours") {
				t.Errorf("%s: speech of %s ends at %s and says %q", c.text, x.Name, x.Recording.To, x.Text)
			}
		}
		got.Says = nil
		if !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(names, c.names) {
			t.Errorf("%s is %+v of %v, want %+v of %v", c.text, got, names, c.want, c.names)
		}
		again, err := Parse("again.yaml", []byte(s.Canonical()), open)
		if err != nil || !reflect.DeepEqual(again.Voice, s.Voice) || again.Hash() != s.Hash() {
			t.Errorf("%s: the canonical text reads otherwise (%v):\n%s", c.text, err, s.Canonical())
		}
	}
	if _, err := read("  audio: {says: [silent.wav]}\n"); err == nil || !strings.Contains(err.Error(), "file silent.wav: there is no speech in it") {
		t.Errorf("a silent recording is refused with %v", err)
	}
	one, err1 := read("  audio: {says: [q.wav]}\n")
	other, err2 := read("  audio: {says: [r.wav]}\n")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	renamed := strings.Replace(other.Canonical(), "r.wav", "q.wav", 1)
	if renamed == one.Canonical() {
		t.Error("the content of a recording is not in the canonical text, and so not in the hash")
	}
	if strings.Contains(parse(t, spokenWith("")).Canonical(), "\n  audio:") {
		t.Error("a scenario without audio tells of it")
	}
}

// TestAudioRefuses: what services that take sound have no part for is refused, each with its
// key.
func TestAudioRefuses(t *testing.T) {
	for keys, want := range map[string]string{
		"  audio: {says: []}\n":                                                  "nothing is said",
		"  audio: {says: [gone.wav]}\n":                                          "no file",
		"  audio: {silence: 1s}\n":                                               "goes with finals: told",
		"  audio: {frame: 10ms}\n":                                               "from 20ms to 1s",
		"  audio: {}\n  stt_from: vad_stop\n":                                    "stt_from",
		"  audio: {}\n  tts_workers: 2\n":                                        "tts_workers",
		"  audio: {}\n  stt_workers: 2\n":                                        "stt_workers",
		"  audio: {}\n  utterance: 30s\n":                                        "utterance: has no effect on audio",
		"  audio: {}\n  speech_per_token: 1s\n":                                  "speech_per_token: has no effect on audio",
		"  audio: {}\n  guess: {from: vad_stop, tts: true}\n":                    "tts: true has no effect on audio",
		"  audio: {}\n  tts_holds: 20\n":                                         "tts_holds",
		"  audio: {}\n  tts_connect: {takes: 80ms}\n":                            "tts_connect",
		"  audio: {}\n  gather: {by: token}\n":                                   "vendors allow 20 a minute",
		"  audio: {}\n  leading_silence: {exponential: 100ms}\n":                 "want one length",
		"  audio: {}\n  vad_frame: 32ms\n  vad_compute: 1ms\n  vad_workers: 1\n": "vad_workers",
		"  speech_to_speech: {first_audio: 600ms}\n  audio: {}\n":                "a chain of services",
	} {
		_, err := Parse("test.yaml", []byte(spokenWith(keys)), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q in it", keys, err, want)
		}
	}
}
