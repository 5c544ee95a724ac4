package speak

import (
	"encoding/json"
	"regexp"
	"strings"

	"halfsecond/pipeline/exchange"
)

// Asked is what a service was asked for, by the bytes of a raw log; "" and 0 are what they do
// not say.
type Asked struct {
	Format string
	Rate   int
	Text   string
	Voice  string
}

// pathVoice finds a voice in a path.
var pathVoice = regexp.MustCompile(`/text-to-speech/(.+)/stream(-input)?$`)

// AskedOf returns what was asked for in a conversation.
func AskedOf(x *exchange.Exchange) (Asked, error) {
	s, err := settingOf(x)
	a := Asked{Format: s.Format, Rate: s.Rate}
	a.read(x.Ask)
	for _, m := range x.Messages {
		if m.From == exchange.Client && m.Kind == exchange.Text {
			a.read(m.Data)
		}
	}
	a.Text = strings.TrimSpace(a.Text)
	if in := pathVoice.FindStringSubmatch(x.Path); in != nil {
		a.Voice = in[1]
	}
	return a, err
}

// read takes what the client said once.
func (a *Asked) read(said []byte) {
	var m struct {
		Input      string `json:"input"`
		Text       string `json:"text"`
		Transcript string `json:"transcript"`
		Voice      any    `json:"voice"`
	}
	if json.Unmarshal(said, &m) != nil {
		return
	}
	a.Text += m.Input + m.Text + m.Transcript
	switch v := m.Voice.(type) {
	case string:
		a.Voice = v
	case map[string]any:
		if id, ok := v["id"].(string); ok {
			a.Voice = id
		}
	}
}
