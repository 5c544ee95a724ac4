package jsonrpc

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// ID names a request: a whole number or a string. IDs can be compared. The zero ID is none,
// that of a notification.
type ID struct {
	kind   idKind
	number int64
	text   string
}

type idKind uint8

const (
	noID idKind = iota
	numberID
	textID
	nullID
)

// NumberID returns the ID of a number.
func NumberID(n int64) ID { return ID{kind: numberID, number: n} }

// TextID returns the ID of a string.
func TextID(s string) ID { return ID{kind: textID, text: s} }

// Null is the ID of an answer to what could not be read. No request has it.
func Null() ID { return ID{kind: nullID} }

// Given reports whether there is an ID.
func (i ID) Given() bool { return i.kind != noID }

// String returns the ID as JSON has it, "" for none.
func (i ID) String() string {
	switch i.kind {
	case numberID:
		return strconv.FormatInt(i.number, 10)
	case textID:
		text, _ := json.Marshal(i.text) // a string always has a form
		return string(text)
	case nullID:
		return "null"
	}
	return ""
}

// parseID reads an ID, with nil for none.
func parseID(text json.RawMessage) (ID, error) {
	if text == nil {
		return ID{}, nil
	}
	switch text[0] {
	case 'n':
		return Null(), nil
	case '"':
		var s string
		err := json.Unmarshal(text, &s)
		return TextID(s), err
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return ID{}, fmt.Errorf("id is %s, want a string or a whole number of 64 bits", short(text))
	}
	return NumberID(n), nil
}
