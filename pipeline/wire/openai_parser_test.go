package wire

import (
	"reflect"
	"testing"
)

// Chunks of the common shape, as servers write them.
var commonChunks = []string{
	`{"id":"c","object":"chat.completion.chunk","created":1730000000,"model":"m","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}],"usage":null}`,
	`{"id": "c", "object": "text_completion", "created": 1730000000, "model": "m", "choices": [{"index": 0, "text": "\n\"a\\\/\t", "logprobs": null, "finish_reason": null, "stop_reason": null}]}`,
	`{"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}],"obfuscation":"x"}`,
	`{"choices":[{"delta":{"reasoning_content":"hé 🌍","content":null,"tool_calls":null}}],"service_tier":"default"}`,
	`{"choices":[{"index":3,"delta":{"reasoning":"r"},"finish_reason":"stop","matched_stop":2}]}`,
	`{"choices":[{"index":null,"delta":null,"text":null,"finish_reason":"length"}],"timings":null}`,
	" { } ",
	`{"choices":[]}`,
}

// Chunks that only look as if they were of the common shape.
var rareChunks = []string{
	`{"choices":[{"text":"a","text":"b"}]}`, `{"choices":[{"text":"a"}],"choices":[{}]}`, `{"choices":[{"delta":{"content":"a"},"delta":{}}]}`,
	`{"choices":[{"Text":"a"}]}`, `{"CHOICES":[{"text":"a"}]}`, `{"choices":[{"delta":{"\u0063ontent":"a"}}]}`,
	`{"choices":[{"text":"\u00e9\ud83c\udf0d"}]}`, "{\"choices\":[{\"text\":\"\xff\"}]}", "{\"choices\":[{\"text\":\"a\nb\"}]}",
	`{"choices":[{"text":"\q"}]}`, `{"choices":[{"text":"\`, `{"choices":[{"text":"a`, "{\"choices\":[{\"text\":\"\\\n\"}]}",
	`{"choices":[{"index":01}]}`, `{"choices":[{"index":1.5}]}`, `{"choices":[{"index":1e3}]}`, `{"choices":[{"index":-1}]}`,
	`{"choices":[{"index":12345678901234567890}]}`, `{"choices":[{"index":"1","text":"a"}]}`, `{"created":0123}`, `{"created":1.5,"choices":[]}`,
	`{"choices":[{"text":"a"},{"index":1,"text":"b"}]}`, `{"choices":[{"text":"a"},]}`, `{"choices":[,]}`, `{"choices":null}`, `{"choices":{}}`,
	`{"choices":[{"text":"a"}]}x`, `{"choices":[{"text":"a"}]} {}`, `{"choices":[{"text":"a"}`, `{"choices":[{"text":nulL}]}`, `{"usage":nullx}`,
	`{"usage":{"completion_tokens":1}}`, `{"error":null}`, `{"choices":[{"delta":{"tool_calls":[]}}]}`, `{"choices":[{"delta":{"content":[{"text":"a"}]}}]}`,
	`{"choices":[{"message":{"content":"a"}}]}`, `{"choices":[null]}`, `[]`, `null`, ``, `{`, `{"a"}`, `{"id":}`, `{"id":"a",}`, "\x00", "{}\x00",
}

func TestChunkParserScans(t *testing.T) {
	var p ChunkParser
	for _, in := range commonChunks {
		if !p.scan([]byte(in)) {
			t.Errorf("%s is not of the common shape", in)
		}
	}
}

// A parser that has read one text must read the next as if it were new.
func TestChunkParserIsParseChunk(t *testing.T) {
	all := append(commonChunks, rareChunks...)
	for _, before := range all {
		for _, in := range all {
			var p ChunkParser
			_, _ = p.Parse([]byte(before))
			compareChunks(t, &p, []byte(in))
		}
	}
}

// FuzzChunkParser compares with encoding/json.
func FuzzChunkParser(f *testing.F) {
	for _, in := range append(commonChunks, rareChunks...) {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var p ChunkParser
		compareChunks(t, &p, in)
		compareChunks(t, &p, in)
	})
}

func compareChunks(t *testing.T, p *ChunkParser, in []byte) {
	t.Helper()
	want, wantErr := ParseChunk(in)
	got, err := p.Parse(in)
	if (err == nil) != (wantErr == nil) || err == nil && !reflect.DeepEqual(*got, want) {
		t.Errorf("Parse(%s) = %+v, error %v; want %+v, error %v", in, *got, err, want, wantErr)
	}
}

func BenchmarkChunkParser(b *testing.B) {
	event := NewChatStream("chatcmpl-1", "Mistral-NeMo-12B", 1730000000, true).AppendText(nil, " token")
	data := event[len("data: "):]
	var p ChunkParser
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
