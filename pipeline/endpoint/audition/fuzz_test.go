package audition

import (
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/exchange"
)

// FuzzAgain: no conversation of a log breaks its reading, whatever it says.
func FuzzAgain(f *testing.F) {
	for i := range Protocols() {
		f.Add(uint8(i), `{"pace":1,"speech_ns":5,"rate":24000,"format":"pcm"}`, []byte(`{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"a"}]}}`), true, uint8(i))
		f.Add(uint8(i), `{"interrupt_after_ns":1,"begin_ns":-9}`, []byte("RIFF\xff\xff\xff\xffWAVE"), false, uint8(1))
	}
	f.Add(uint8(13), `{"transcribes":true}`, []byte(`{"type":"session.updated","session":{"audio":{"output":{"format":{"rate":8000}}}}}`), false, uint8(0))
	f.Fuzz(func(t *testing.T, protocol uint8, setting string, data []byte, binary bool, how uint8) {
		names := Protocols()
		x := &exchange.Exchange{
			Request: 1, Protocol: names[int(protocol)%len(names)], Method: "GET", Status: 101, Setting: setting, Sent: 1, Answered: 2, End: 9,
			How: []string{exchange.EOF, exchange.Reset, exchange.Open, exchange.None}[how%4], Headers: [][2]string{{"Content-Type", "audio/pcm"}},
		}
		if how > 127 {
			x.Method, x.Status, x.Body, x.Reads = "POST", 200, data, []exchange.Read{{At: 3, Bytes: len(data)}}
		}
		kind := exchange.Text
		if binary {
			kind = exchange.Binary
		}
		for i := range 2 {
			x.Messages = append(x.Messages,
				exchange.Message{From: exchange.Client, Kind: kind, At: 3, Due: 2, Data: data, Bytes: len(data)},
				exchange.Message{From: exchange.Server, Kind: kind, At: 4, Due: pipeline.Unknown, Data: data[i*len(data)/2:], Bytes: len(data)})
		}
		x.Notes = []exchange.Note{{Name: "enough", At: 5, N: int64(int8(how))}, {Name: "interrupted", At: 4}}
		s, err := see(&heard.Session{ID: 1}, x)
		if err == nil && s.Outcome() == pipeline.OK && s.Transport().Status == 0 {
			t.Errorf("a session without an answer is ok: %+v", s)
		}
		if err == nil {
			_, _ = s.Sound()
			_ = s.Zero()
		}
	})
}
