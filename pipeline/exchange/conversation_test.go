package exchange

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"halfsecond/pipeline"
)

// spoken is a conversation with a bit of everything.
func spoken() *Exchange {
	return &Exchange{
		Request: 3, Protocol: "deepgram-listen", Method: "GET", Path: "/v1/listen", Due: 1, Sent: 2, Status: 101, HTTP: "1.1", Answered: 3, End: 9, How: EOF,
		Ask: []byte{}, Body: []byte{}, Setting: `{"pace":1,"words":"my secret"}`,
		Messages: []Message{
			{From: Client, Kind: Binary, At: 4, Due: 4, Data: []byte{0, 0xff}, Bytes: 2},
			{From: Server, Kind: Text, At: 5, Due: pipeline.Unknown, Data: []byte(`{"a":"my secret"}`), Bytes: 17},
			{From: Server, Kind: Text, At: 6, Due: pipeline.Unknown, Data: []byte{0xfe}, Bytes: 1},
			{From: Server, Kind: Close, At: 9, Due: pipeline.Unknown, Code: 1011, Data: []byte("so it is"), Bytes: 8},
		},
		Notes: []Note{{"bye", 8, 0}, {"tls", 2, 77}, {"due", pipeline.Unknown, 0}},
	}
}

func TestConversation(t *testing.T) {
	got, cut := readAll(t, file(t, Header{Scenario: "s", Target: "endpoint"}, spoken()))
	if cut || len(got) != 1 || !reflect.DeepEqual(got[0], spoken()) || !got[0].Whole() {
		t.Errorf("got  %+v\nwant %+v", got[0], spoken())
	}
	if n, ok := got[0].Noted("tls"); !ok || n.N != 77 {
		t.Errorf("noted %+v, %t", n, ok)
	}
	if _, ok := got[0].Noted("dns"); ok {
		t.Error("something is noted that is not there")
	}
}

func TestConversationHashed(t *testing.T) {
	got, _ := readAll(t, file(t, Header{Hashed: true}, spoken()))
	x := got[0]
	for i, m := range x.Messages {
		live := spoken().Messages[i]
		if len(m.Data) != 0 || m.Sum != Hash(live.Data) || m.Bytes != live.Bytes || m.At != live.At || m.Due != live.Due || m.Code != live.Code {
			t.Errorf("message %d is %+v", i, m)
		}
	}
	if x.Whole() {
		t.Error("a conversation without its bytes is whole")
	}
	again, _ := readAll(t, file(t, Header{Hashed: true}, x))
	if !reflect.DeepEqual(again[0], x) {
		t.Errorf("written again it is %+v, want %+v", again[0], x)
	}
}

func TestConversationRedactMove(t *testing.T) {
	x := spoken()
	x.Messages = append(x.Messages, Message{From: Server, Kind: Binary, Data: []byte("\x00\xffmy secret"), Bytes: 11})
	x.Redact("my secret")
	if last := x.Messages[len(x.Messages)-1]; string(last.Data) != "\x00\xff*********" {
		t.Errorf("a binary message was redacted to %q", last.Data)
	}
	if text := string(x.Messages[1].Data); text != `{"a":"*********"}` || strings.Contains(x.Setting, "secret") {
		t.Errorf("redacted to %s, %s", text, x.Setting)
	}
	y := spoken().Moved(time.Second)
	if y.Messages[0].At != time.Second+4 || y.Messages[0].Due != time.Second+4 || y.Messages[1].Due != pipeline.Unknown || y.Notes[0].At != time.Second+8 || y.Notes[2].At != pipeline.Unknown {
		t.Errorf("moved to %+v, %+v", y.Messages, y.Notes)
	}
	if !reflect.DeepEqual(spoken().Messages[0], x.Messages[0]) {
		t.Error("audio was changed")
	}
}

func TestBadConversation(t *testing.T) {
	for want, line := range map[string]string{
		"message 0: from: want client or server":         `{"from":"me","kind":"text","at_ns":1,"bytes":0}`,
		"message 0: kind: want text, binary or close":    `{"from":"client","kind":"ping","at_ns":1,"bytes":0}`,
		"message 0: bytes: it has others":                `{"from":"client","kind":"text","at_ns":1,"bytes":3,"text":"ab"}`,
		"message 0: bytes: want 0 or more":               `{"from":"client","kind":"text","at_ns":1,"bytes":-3,"sha256":"ab"}`,
		"message 0: illegal base64 data at input byte 0": `{"from":"client","kind":"binary","at_ns":1,"bytes":3,"base64":"?"}`,
	} {
		l := lineOf(t, line)
		if _, err := l.exchange(false, nil); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// lineOf returns the line of an exchange with one message.
func lineOf(t *testing.T, message string) *line {
	t.Helper()
	var l line
	if err := decode([]byte(`{"request":1,"protocol":"p","method":"GET","path":"/","headers":null,"reads":[],"end":"eof","messages":[`+message+`]}`), &l); err != nil {
		t.Fatal(err)
	}
	return &l
}
