package cassette

import (
	"bytes"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// FuzzRead checks that no file breaks the reader, and that every answer of one that was read
// can be given again, to its end.
func FuzzRead(f *testing.F) {
	broken := recorded(delta("a"))
	broken.How = exchange.Reset
	for _, all := range [][]*exchange.Exchange{{recorded(delta("a"), delta("b"), stop, usage, done)}, {broken, recorded(done)}} {
		f.Add(packed(f, all))
	}
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tape, err := Read(data)
		if err != nil {
			return
		}
		for i := range tape.Answers[:min(len(tape.Answers), 8)] {
			var loop pipeline.Virtual
			c, told := call(&loop, 1)
			NewStage(&loop, func(uint64) *Answer { return &tape.Answers[i] }).Start(c)
			if err := loop.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if len(*told) == 0 {
				t.Errorf("answer %d does not end", i)
			}
		}
	})
}

// packed returns a file of exchanges.
func packed(f *testing.F, all []*exchange.Exchange) []byte {
	var b bytes.Buffer
	w, err := exchange.NewWriter(&b, exchange.Header{})
	for _, x := range all {
		if err == nil {
			err = w.Write(x)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}
