package probe

import (
	"encoding/json"
	"strings"

	"halfsecond/pipeline/endpoint/dialect"
)

// list has the members of the lists of models, and of the errors, of all APIs.
type list struct {
	Type string `json:"type"`
	Data []struct {
		Type   string `json:"type"`
		Object string `json:"object"`
	} `json:"data"`
	Models []struct {
		Name string `json:"name"`
	} `json:"models"`
	Error json.RawMessage `json:"error"`
}

// shape returns the first protocol of the family whose list of models this is, or whose
// error; "" when it is neither or could be of several.
func shape(body []byte) dialect.Protocol {
	var l list
	if json.Unmarshal(body, &l) != nil {
		return ""
	}
	switch {
	case len(l.Data) > 0 && l.Data[0].Object == "" && l.Data[0].Type == "model":
		return dialect.Anthropic
	case l.Data != nil:
		return dialect.OpenAIChat
	case len(l.Models) > 0 && strings.HasPrefix(l.Models[0].Name, "models/"):
		return dialect.Gemini
	case l.Models != nil:
		return dialect.OllamaChat
	case l.Type == "error" && l.Error != nil:
		return dialect.Anthropic
	}
	return googleError(l.Error)
}

// googleError returns Gemini when an error has the form of Google's APIs.
func googleError(text json.RawMessage) dialect.Protocol {
	var e struct {
		Code   int    `json:"code"`
		Status string `json:"status"`
	}
	if json.Unmarshal(text, &e) == nil && e.Code != 0 && e.Status != "" {
		return dialect.Gemini
	}
	return ""
}
