package others

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// object is one JSON object, its values not yet read.
type object map[string]json.RawMessage

// objectOf reads an object; nil when it is none.
func objectOf(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func (o object) text(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

// word returns a text or a number as text.
func (o object) word(keys ...string) string {
	for _, key := range keys {
		if s := o.text(key); s != "" {
			return s
		}
		var n json.Number
		if raw := o[key]; len(raw) > 0 && raw[0] != '"' && json.Unmarshal(raw, &n) == nil && n != "" {
			return n.String()
		}
	}
	return ""
}

func (o object) has(key string) bool { raw, ok := o[key]; return ok && string(raw) != "null" }

func (o object) true(key string) bool { return string(o[key]) == "true" }

func (o object) list(key string) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(o[key], &l) != nil {
		return nil
	}
	return l
}

// number reads a number; ok is false where there is none, or null.
func (o object) number(key string) (v float64, ok bool, err error) {
	raw := o[key]
	if len(raw) == 0 || string(raw) == "null" {
		return 0, false, nil
	}
	if v, err = strconv.ParseFloat(strings.Trim(string(raw), `"`), 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false, fmt.Errorf("%s is %.40s: want a number", key, raw)
	}
	return v, true, nil
}

// span reads a length of time in a unit; unknown where there is none.
func (o object) span(key string, unit time.Duration) (time.Duration, error) {
	v, ok, err := o.number(key)
	if err != nil || !ok {
		return unknown, err
	}
	d, err := spanOf(v, unit)
	if err != nil {
		return unknown, fmt.Errorf("%s is %s %s: %w", key, strconv.FormatFloat(v, 'g', -1, 64), unitName(unit), err)
	}
	return d, nil
}

// spanOf returns a number as a length of time of a part of a turn.
func spanOf(v float64, unit time.Duration) (time.Duration, error) {
	ns := v * float64(unit)
	switch {
	case math.IsNaN(v) || ns < 0:
		return unknown, errors.New("want 0 or more, and nothing where it is not known")
	case ns > float64(longest):
		return unknown, fmt.Errorf("want %s, at most %s in all: is it in another unit?", unitName(unit), longest)
	}
	return time.Duration(math.Round(ns)), nil
}

func unitName(unit time.Duration) string {
	if unit == time.Millisecond {
		return "ms"
	}
	return "s"
}

// instant reads an instant in a unit since 1970; unknown where there is none, or 0.
func (o object) instant(key string, unit time.Duration) (time.Duration, error) {
	v, ok, err := o.number(key)
	if err != nil || !ok || v == 0 {
		return unknown, err
	}
	at, err := instantOf(v, unit)
	if err != nil {
		return unknown, fmt.Errorf("%s is %s: %w", key, strconv.FormatFloat(v, 'g', -1, 64), err)
	}
	return at, nil
}

// instantOf returns an instant since 1970.
func instantOf(v float64, unit time.Duration) (time.Duration, error) {
	if ns := v * float64(unit); ns > 0 && ns < 250*365*24*float64(time.Hour) {
		return time.Duration(math.Round(ns)), nil
	}
	return unknown, fmt.Errorf("want %s since 1970", unitName(unit))
}

// callOf returns the name of the call that a record says it belongs to.
func callOf(o object, otherwise string) string {
	if c := o.word("call", "call_id", "session_id", "room", "job_id", "conversation_id"); c != "" {
		return c
	}
	return otherwise
}

// minus returns a - b, unknown where one is.
func minus(a, b time.Duration) time.Duration {
	if a == unknown || b == unknown {
		return unknown
	}
	return a - b
}

// plus returns a + b, unknown where one is.
func plus(a, b time.Duration) time.Duration {
	if a == unknown || b == unknown {
		return unknown
	}
	return a + b
}

// figure is where a length goes.
type figure struct {
	name string
	into *time.Duration
}
