package wire

import (
	"encoding/json"
	"testing"
)

// TestTranscriptions reads what the service wrote, as its schema and its users quote it,
// and writes it again.
func TestTranscriptions(t *testing.T) {
	for _, c := range []struct {
		into any
		text string
	}{
		{&Transcription{}, `{"text":"hello","usage":{"type":"tokens","input_tokens":14,"input_token_details":{"text_tokens":10,"audio_tokens":4},"output_tokens":101,"total_tokens":115}}`},
		{&Transcription{}, `{"text":"hello","languages":[{"code":"en"}],"usage":{"type":"duration","seconds":4}}`},
		{&TranscriptDelta{}, `{"type":"transcript.text.delta","delta":" wonderful"}`},
		{&TranscriptDone{}, `{"type":"transcript.text.done","text":"I see","logprobs":[{"token":"I","logprob":-0.5,"bytes":[73]}],"usage":{"type":"tokens","input_tokens":14,"output_tokens":2,"total_tokens":16}}`},
		{&VerboseTranscription{}, `{"task":"transcribe","language":"english","duration":8.47,"text":"The beach","segments":[{"id":0,"seek":0,"start":0,"end":3.3,"text":" The beach","tokens":[50364,440],` +
			`"temperature":0,"avg_logprob":-0.286,"compression_ratio":1.236,"no_speech_prob":0.009}],"usage":{"type":"duration","seconds":9}}`},
		{&SpeakerSegment{}, `{"type":"transcript.text.segment","id":"seg_001","start":0,"end":4.7,"text":"Hi","speaker":"A"}`},
	} {
		if err := json.Unmarshal([]byte(c.text), c.into); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, _ := json.Marshal(c.into); string(got) != c.text {
			t.Errorf("read and written\n got %s\nwant %s", got, c.text)
		}
	}
}
