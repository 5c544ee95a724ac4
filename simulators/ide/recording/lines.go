package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// line is one line of our own format: one thing that was done.
type line struct {
	Ev     string   `json:"ev"`
	T      *instant `json:"t"`
	Doc    *int     `json:"doc"`
	Path   string   `json:"path,omitempty"`
	Text   *string  `json:"text,omitempty"`
	K      string   `json:"k,omitempty"`
	Edit   []part   `json:"edit,omitempty"`
	Src    string   `json:"src,omitempty"`
	Sel    [][2]int `json:"sel,omitempty"`
	Cursor *int     `json:"cursor,omitempty"`
	Class  string   `json:"class,omitempty"`
	Burst  int      `json:"burst,omitempty"`
	Truth  *string  `json:"truth,omitempty"`
}

// readLines reads our own format.
func readLines(r *reading, data []byte) error {
	for at := 0; at < len(data); {
		end := at + bytes.IndexByte(data[at:], '\n') + 1
		if end == at {
			end = len(data)
		}
		text := bytes.TrimSpace(data[at:end])
		if start := at + bytes.Index(data[at:end], text); len(text) > 0 {
			var l line
			if err := json.Unmarshal(text, &l); err != nil {
				return locate(data, start+offsetOf(err), err)
			}
			if err := r.do(&l); err != nil {
				return locate(data, start, err)
			}
		}
		at = end
	}
	return nil
}

// offsetOf returns the byte of a JSON text at which an error was found: of what is no
// JSON the byte that is wrong, of a wrong value its end.
func offsetOf(err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return int(syntax.Offset) - 1
	case errors.As(err, &kind):
		return int(kind.Offset)
	}
	return 0
}

// part is one replacement of an edit.
type part struct {
	start, end int
	text       string
}

// UnmarshalJSON reads [start, end, "text"].
func (p *part) UnmarshalJSON(data []byte) error {
	var fields []json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	if len(fields) != 3 {
		return fmt.Errorf("a part of an edit is %s, want [start, end, text]", data)
	}
	return errors.Join(
		json.Unmarshal(fields[0], &p.start),
		json.Unmarshal(fields[1], &p.end),
		json.Unmarshal(fields[2], &p.text),
	)
}

// MarshalJSON writes [start, end, "text"].
func (p part) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(p.text)
	return fmt.Appendf(nil, "[%d,%d,%s]", p.start, p.end, text), err
}

// instant is an instant of a recording, which files have in milliseconds, with up to
// six decimals.
type instant time.Duration

// UnmarshalJSON reads milliseconds.
func (i *instant) UnmarshalJSON(data []byte) (err error) {
	*i, err = parseInstant(string(data))
	return err
}

// MarshalJSON writes milliseconds.
func (i instant) MarshalJSON() ([]byte, error) { return []byte(i.String()), nil }

// String returns milliseconds.
func (i instant) String() string {
	whole, rest := i/1e6, i%1e6
	if rest == 0 {
		return strconv.FormatInt(int64(whole), 10)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%06d", whole, rest), "0")
}

// parseInstant reads milliseconds: exactly when they are written as String writes them,
// to the nearest nanosecond when they are not.
func parseInstant(text string) (instant, error) {
	whole, rest, _ := strings.Cut(text, ".")
	ms, err := strconv.ParseInt(whole, 10, 44)
	ns, errNS := strconv.ParseUint((rest + "000000")[:6], 10, 32)
	if err == nil && errNS == nil && len(rest) <= 6 && ms >= 0 && whole[0] != '-' && whole[0] != '+' {
		return instant(ms)*1e6 + instant(ns), nil
	}
	t, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(t) || t < 0 || t > float64(math.MaxInt64)/1e7 {
		return 0, fmt.Errorf("an instant is %s, want milliseconds from 0 on", text)
	}
	return instant(math.Round(t * 1e6)), nil
}
