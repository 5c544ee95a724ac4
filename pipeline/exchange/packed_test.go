package exchange

import (
	"bytes"
	"compress/gzip"
	"testing"
)

// A packed answer that says the key is not kept; another one is, to the byte.
func TestRedactPacked(t *testing.T) {
	const key = "sk-proj-0123456789"
	for text, kept := range map[string]bool{"nothing of it": true, "the key is " + key: false, "it ends with ...23456789": false} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil { // broken off: without its end
			t.Fatal(err)
		}
		x := &Exchange{Protocol: "openai-chat", How: Reset, Sent: 1, Answered: 1, End: 3, Status: 200, Headers: [][2]string{{"Content-Encoding", "gzip"}}}
		x.Add(2, b.Bytes())
		sum := Hash(x.Body)
		x.Redact(key)
		if !bytes.Equal(x.Body, b.Bytes()) {
			t.Errorf("%q: the body that is in hand has changed", text)
		}
		all, cut := readAll(t, file(t, Header{}, x))
		if cut || len(all) != 1 || all[0].Whole() != kept || kept != bytes.Equal(all[0].Body, b.Bytes()) || !kept && all[0].BodySum != sum {
			t.Errorf("%q: read again %+v, cut %t", text, all, cut)
		}
	}
}
