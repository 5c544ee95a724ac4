package recount

import (
	"bytes"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// FuzzTraces checks that no raw log breaks it: the requests of the traces are read again,
// missing or without bytes, each once, or it says what is wrong with the log.
func FuzzTraces(f *testing.F) {
	for _, protocol := range []string{"openai-chat", "anthropic-messages", "ollama-chat", "openai-speech", "morse"} {
		x := answered(1)
		x.Protocol = protocol
		var b bytes.Buffer
		w, err := exchange.NewWriter(&b, exchange.Header{})
		if err == nil {
			err = w.Write(x)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := exchange.NewReader(bytes.NewReader(data))
		if err != nil {
			return
		}
		r := pipeline.NewRequest(1, 1)
		r.Sent = 2
		got, err := Traces([]pipeline.Trace{{Requests: []pipeline.Request{r}}}, log)
		if err == nil && got.Again+got.Missing+got.Textless != 1 {
			t.Errorf("%+v, want one request in all", got)
		}
	})
}
