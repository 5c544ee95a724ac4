package twilio

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

func TestParseTwiML(t *testing.T) {
	got, err := ParseTwiML(`<?xml version="1.0" encoding="UTF-8"?>
<Response>
  <Say voice="alice">One moment &amp; then</Say>
  <Pause/><Pause length="3"/>
  <Connect><Stream url="wss://host/path?a=1&amp;b=2" name="n"><Parameter name="k" value="v"/><Parameter name="l" value=""/></Stream></Connect>
  <Hangup/>
</Response>`)
	want := []Verb{
		Say{"One moment & then"}, Pause{time.Second}, Pause{3 * time.Second},
		Stream{"wss://host/path?a=1&b=2", "n", map[string]string{"k": "v", "l": ""}}, Hangup{},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ParseTwiML = %#v, %v, want %#v", got, err, want)
	}
	if got, err := ParseTwiML("<Response/>"); err != nil || got != nil {
		t.Errorf("ParseTwiML of nothing = %v, %v, want nothing", got, err)
	}
}

func TestParseTwiMLRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "read TwiML: EOF"},
		{"hello", "read TwiML: EOF"},
		{"<Response>", "read TwiML: XML syntax error on line 1: unexpected EOF"},
		{"<Answer/>", "read TwiML: the document is a <Answer>, want a <Response>"},
		{"<Response/><Response/>", "read TwiML: there is something after the document"},
		{"<Response><Dial>1</Dial></Response>", "read TwiML: <Dial> is not served: want <Connect>, <Say>, <Pause> or <Hangup>"},
		{"<Response><Start><Stream url='ws://x'/></Start></Response>", "read TwiML: <Start> is not served: nothing can answer on a stream of one direction, use <Connect><Stream>"},
		{"<Response><Connect/></Response>", "read TwiML: <Connect> has nothing in it, want <Stream>"},
		{"<Response><Connect><Room/></Connect></Response>", "read TwiML: <Connect> has <Room> in it, want <Stream>"},
		{"<Response><Connect><Stream/></Connect></Response>", "read TwiML: <Stream> has no url"},
		{"<Response><Pause length='1.5'/></Response>", `read TwiML: <Pause> has the length "1.5", want whole seconds`},
		{"<Response><Pause length='999999999999'/></Response>", `read TwiML: <Pause> has the length "999999999999", want whole seconds`},
	} {
		if _, err := ParseTwiML(c.text); err == nil || err.Error() != c.want {
			t.Errorf("ParseTwiML(%q): %v, want %s", c.text, err, c.want)
		}
	}
}

func FuzzParseTwiML(f *testing.F) {
	f.Add("<Response><Connect><Stream url='ws://x'><Parameter name='a' value='b'/></Stream></Connect></Response>")
	f.Add("<Response><Pause length='-1'/><Say>")
	f.Fuzz(func(t *testing.T, text string) {
		verbs, err := ParseTwiML(text)
		if err != nil && verbs != nil {
			t.Errorf("%v with %v", verbs, err)
		}
	})
}

// TestMessage checks messages of the service's own documentation.
func TestMessage(t *testing.T) {
	for _, text := range []string{
		`{"event":"start","sequenceNumber":"1","start":{"accountSid":"AC1","streamSid":"MZ1","callSid":"CA1","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw","sampleRate":8000,"channels":1},"customParameters":{"FirstName":"Jane"}},"streamSid":"MZ1"}`,
		`{"event":"media","sequenceNumber":"3","media":{"track":"inbound","chunk":"1","timestamp":"5","payload":"no+J"},"streamSid":"MZ1"}`,
		`{"event":"dtmf","sequenceNumber":"5","dtmf":{"track":"inbound_track","digit":"1"},"streamSid":"MZ1"}`,
		`{"event":"mark","sequenceNumber":"4","mark":{"name":"label"},"streamSid":"MZ1"}`,
		`{"event":"stop","sequenceNumber":"5","stop":{"accountSid":"AC1","callSid":"CA1"},"streamSid":"MZ1"}`,
		`{"event":"clear","streamSid":"MZ1"}`,
	} {
		var m Message
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(m)
		if err != nil || string(got) != text {
			t.Errorf("got %s, %v, want %s", got, err, text)
		}
	}
}

func TestDate(t *testing.T) {
	const text = `"Tue, 31 Aug 2010 20:36:28 +0000"`
	var d Date
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(d); err != nil || string(got) != text {
		t.Errorf("got %s, %v, want %s", got, err, text)
	}
	if err := json.Unmarshal([]byte(`"2010-08-31"`), &d); err == nil {
		t.Error("a date of another form was taken")
	}
}
