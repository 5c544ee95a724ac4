package cartesia

import (
	"encoding/json"
	"testing"
)

func TestGenerationJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"model_id":"sonic-3","transcript":"Hello, ","voice":{"mode":"id","id":"v"},"language":"en","output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":16000},"add_timestamps":true,"context_id":"x","continue":true,"flush":true,"max_buffer_delay_ms":0}`: "",
		`{"model_id":"sonic-3","transcript":"","voice":"v","output_format":{"container":"mp3","sample_rate":44100,"bit_rate":128000},"generation_config":{"speed":1.2}}`:                                                                                                          `{"model_id":"sonic-3","transcript":"","voice":{"id":"v"},"output_format":{"container":"mp3","sample_rate":44100,"bit_rate":128000},"generation_config":{"speed":1.2}}`,
		`{"context_id":"x","cancel":true}`:          `{"model_id":"","transcript":null,"voice":null,"output_format":null,"context_id":"x","cancel":true}`,
		`{"voice":{"embedding":[1]},"flush":null}`:  `{"model_id":"","transcript":null,"voice":{"embedding":[1]},"output_format":null}`,
		`{"voice":null,"more":1,"continue":null}`:   `{"model_id":"","transcript":null,"voice":null,"output_format":null}`,
		`{"max_buffer_delay_ms":null,"speed":"no"}`: `{"model_id":"","transcript":null,"voice":null,"output_format":null}`,
	} {
		if want == "" {
			want = text
		}
		var g Generation
		if err := json.Unmarshal([]byte(text), &g); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if b, err := json.Marshal(g); err != nil || string(b) != want {
			t.Errorf("%s: written as %s, %v, want %s", text, b, err, want)
		}
	}
	var g Generation
	if err := json.Unmarshal([]byte(`{"voice":[1]}`), &g); err == nil || err.Error() != "voice: want the id of a voice or an object with it" {
		t.Errorf("a list of voices: %v", err)
	}
}

func TestAnswerJSON(t *testing.T) {
	base := Base{TypeChunk, "x", 206, false}
	code := "model_not_found"
	for want, m := range map[string]any{
		`{"type":"chunk","context_id":"x","status_code":206,"done":false,"data":"AQI=","step_time":123,"flush_id":1}`:                                                                 Chunk{base, []byte{1, 2}, 123, 1},
		`{"type":"chunk","status_code":206,"done":false,"data":"AQI=","step_time":0.5}`:                                                                                               Chunk{Base: Base{TypeChunk, "", 206, false}, Data: []byte{1, 2}, StepTime: .5},
		`{"type":"timestamps","context_id":"x","status_code":206,"done":false,"word_timestamps":{"words":["Hello"],"start":[0],"end":[1]}}`:                                           Timestamps{Base: Base{TypeTimestamps, "x", 206, false}, Words: WordTimes{[]string{"Hello"}, []float64{0}, []float64{1}}},
		`{"type":"flush_done","context_id":"x","status_code":206,"done":false,"flush_id":1,"flush_done":true}`:                                                                        FlushDone{Base{TypeFlushDone, "x", 206, false}, 1, true},
		`{"type":"error","context_id":"x","status_code":400,"done":true,"error_code":"model_not_found","title":"Invalid model","message":"The model is not valid.","request_id":"r"}`: TTSError{&Base{TypeError, "x", 400, true}, &code, "Invalid model", "The model is not valid.", "r"},
		`{"error_code":null,"title":"t","message":"m","request_id":"r"}`:                                                                                                              TTSError{nil, nil, "t", "m", "r"},
		`{"type":"error","status_code":400,"done":true,"error":"Invalid model: not valid"}`:                                                                                           PlainError{Base{TypeError, "", 400, true}, "Invalid model: not valid"},
	} {
		if b, err := json.Marshal(m); err != nil || string(b) != want {
			t.Errorf("got %s, %v, want %s", b, err, want)
		}
	}
}

// A generation that can be read can be written, and reads as the same again.
func FuzzGeneration(f *testing.F) {
	for _, seed := range []string{
		`{"model_id":"m","transcript":"a","voice":"v","output_format":{"container":"raw"}}`, `{"voice":{"id":"v","mode":"id"},"cancel":true}`, `{"voice":7}`, `[]`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var g, again Generation
		if json.Unmarshal(b, &g) != nil {
			return
		}
		first, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		if second, _ := json.Marshal(again); string(second) != string(first) {
			t.Errorf("%s became %s", first, second)
		}
	})
}
