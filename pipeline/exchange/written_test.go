package exchange

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestWritten: no message is longer in a file than Written says.
func TestWritten(t *testing.T) {
	for _, data := range []string{"", "hello", `{"a":"b\\"}`, strings.Repeat("<&>\x00\n\u2028é", 100), "\xff\xfe", strings.Repeat("x", 1000)} {
		for _, kind := range []string{Text, Binary} {
			m := Message{From: Server, Kind: kind, At: 1<<62 - 1, Due: -time.Hour, Bytes: len(data), Data: []byte(data)}
			b, err := json.Marshal(messageLines([]Message{m})[0])
			if n := m.Written(); err != nil || int64(len(b)) > n || n > int64(6*len(b)+200) {
				t.Errorf("%q as %s has %d bytes in a file, %v; Written says %d", data, kind, len(b), err, n)
			}
		}
	}
}
