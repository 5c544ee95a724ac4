package exchange

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"strings"
	"testing"
)

// TestLongLineTakesNoMore: a line that is too long is refused with no more memory used than
// the longest one takes, and one that is as long as it may be is read.
func TestLongLineTakesNoMore(t *testing.T) {
	const most, around = 16 << 20, 2 << 20 // around is what unpacking and reading take
	text := func(n int) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		const head, begin, end = `{"halfsecond_exchanges":1,"scenario":"","target":"","hashed":false}` + "\n", `{"ask":"`, `","end":"eof"}` + "\n"
		for _, s := range []string{head, begin, strings.Repeat("x", n-len(begin)-len(end)), end} {
			if _, err := z.Write([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	next := func(packed []byte) (*Exchange, error) {
		r, err := NewReaderOf(bytes.NewReader(packed), most)
		if err != nil {
			t.Fatal(err)
		}
		return r.Next()
	}
	long := text(most + 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := next(long)
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > most+around {
		t.Errorf("%d bytes were used, want %d at most", used, most+around)
	}
	if want := "exchanges: line 2 is longer than 16 MiB, the most that is read here"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if x, err := next(text(most)); err != nil || len(x.Ask) < most-100 {
		t.Errorf("%v, error %v, want an exchange", x, err)
	}
}
