package replay

import (
	"encoding/json"
	"slices"
	"strings"

	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/exchange"
)

// modelLists returns, by the path where clients of the recorded protocols look for it, the
// list of the models that were asked.
func modelLists(all []*exchange.Exchange) map[string][]byte {
	names := map[string][]string{}
	for _, x := range all {
		if path := modelPath(x); path != "" && x.Model != "" && !slices.Contains(names[path], x.Model) {
			names[path] = append(names[path], x.Model)
		}
	}
	lists := map[string][]byte{}
	for path, models := range names {
		lists[path] = modelList(models)
	}
	return lists
}

// modelPath returns where the list of models is, "" where there is none.
func modelPath(x *exchange.Exchange) string {
	d, err := dialect.Of(dialect.Protocol(x.Protocol))
	if err != nil || d.Models == "" {
		return ""
	}
	fixed, _, _ := strings.Cut(d.Path, "?")
	fixed, _, _ = strings.Cut(fixed, "MODEL")
	at := strings.LastIndex(x.Path, fixed)
	if at < 0 {
		return ""
	}
	path, _, _ := strings.Cut(d.Models, "?")
	return x.Path[:at] + path
}

// modelList returns a list that clients of all protocols read.
func modelList(names []string) []byte {
	type model struct {
		ID     string `json:"id,omitempty"`
		Object string `json:"object,omitempty"`
		Type   string `json:"type,omitempty"`
		Name   string `json:"name,omitempty"`
		Model  string `json:"model,omitempty"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
		Models []model `json:"models"`
	}{Object: "list"}
	for _, n := range names {
		list.Data = append(list.Data, model{ID: n, Object: "model", Type: "model"})
		list.Models = append(list.Models, model{Name: n, Model: n})
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic("replay: " + err.Error()) // names always encode
	}
	return text
}
