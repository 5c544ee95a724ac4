package phone

import (
	"testing"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/talk"
	"halfsecond/pipeline/exchange"
)

// FuzzRetell: no raw log, however odd, breaks its reader.
func FuzzRetell(f *testing.F) {
	f.Add(`{"stream":"SID","pause_ns":1000000000,"hush_ns":500000000,"patience_ns":10000000000,"longest_ns":120000000000}`, sound(span, span), clearing, []byte{0, 0, 1, 0, 2, 0, 4, 1, 3, 9, 1, 0, 2, 2, 4, 3, 5, 3})
	f.Add(`{"stream":"SID","greeting_ns":1}`, marking, "{", []byte{4, 0, 4, 0, 3, 1, 2, 1, 3, 3, 2, 3})
	f.Add(`{`, "", "", []byte{})
	f.Add(`{"stream":"SID","pause_ns":9223372036854775807,"downlink_ns":-9223372036854775808}`, sound(0, span), sound(0, span), []byte{5, 1})
	names := []string{noteSaid, noteOnset, noteSpeechEnd, noteInterrupted, noteOver, noteHungUp}
	f.Fuzz(func(t *testing.T, setting, a, b string, did []byte) {
		x := &exchange.Exchange{Request: 1, Method: "GET", Status: 101, Setting: setting, How: exchange.EOF, End: time.Second}
		for i, text := range []string{a, b, a, b} {
			x.Messages = append(x.Messages, exchange.Message{From: exchange.Server, Kind: exchange.Text, At: time.Duration(i) * 200 * msec, Data: []byte(text), Bytes: len(text)})
		}
		for ; len(did) >= 2; did = did[2:] {
			at := time.Duration(did[1]) * 100 * msec
			x.Notes = append(x.Notes, exchange.Note{Name: names[int(did[0])%len(names)], At: at, N: int64(did[1]) - 1})
		}
		told := 0
		r, err := RetellCall(x, func(talk.Event) { told++ })
		if err == nil && (told > len(x.Messages) || r.ID != 1) {
			t.Errorf("%d messages told of %d", told, len(x.Messages))
		}
		if one, again := Retell(x, nil); again == nil && one.ID != 1 && len(r.Turns) == 0 {
			t.Errorf("the record is of %d", one.ID)
		}
	})
}

// TestRetellEvents: each message is told once, as what it is; what is heard first is marked.
func TestRetellEvents(t *testing.T) {
	b := &bot{t: t, script: script(until(100*msec), "{", until(500*msec), sound(40*msec, 0), 40*msec, sound(0, 40*msec), marking, sound(0, 40*msec), clearing)}
	bubble(t, b.serve(), Config{NoGreeting: true}, func(r *rig) {
		turn := r.speak(pipeline.Turn{Voice: spoken(0, 300*msec, 0)})
		turn.wait()
		r.client.Close()
		var kinds []string
		if _, err := Retell(r.Kept()[0], func(e talk.Event) {
			kind := e.Kind + " " + e.Name
			if e.Audible {
				kind += " heard"
			}
			kinds = append(kinds, kind)
		}); err != nil {
			t.Error(err)
		}
		want := []string{"error ", "audio media", "audio media heard", "other mark", "audio media", "other clear"}
		if len(kinds) != len(want) {
			t.Fatalf("got %q, want %q", kinds, want)
		}
		for i := range want {
			if kinds[i] != want[i] {
				t.Errorf("got %q, want %q", kinds, want)
				break
			}
		}
	})
}
