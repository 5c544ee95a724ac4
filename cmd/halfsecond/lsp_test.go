package main

import (
	"encoding/json"
	"os"

	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// serveLanguage is a language server whose completions are "x"; its argument is what it says of
// itself.
func serveLanguage() {
	capabilities := `{"textDocumentSync": 2, "inlineCompletionProvider": true}`
	if len(os.Args) > 1 {
		capabilities = os.Args[1]
	}
	r := jsonrpc.NewReader(os.Stdin, jsonrpc.Limits{})
	for {
		text, err := r.Next()
		if err != nil {
			return
		}
		m, err := jsonrpc.Decode(text)
		if err != nil {
			panic(err)
		}
		answer := jsonrpc.Message{ID: m.ID, Result: json.RawMessage(`null`)}
		switch m.Method {
		case lsp.Exit:
			return
		case lsp.Initialize:
			answer.Result = json.RawMessage(`{"capabilities": ` + capabilities + `, "serverInfo": {"name": "fake", "version": "7"}}`)
		case lsp.InlineCompletion:
			answer.Result = json.RawMessage(`[{"insertText": "x"}]`)
		}
		if !m.Request() {
			continue
		}
		frame, err := answer.Append(nil)
		if err != nil {
			panic(err)
		}
		if _, err := os.Stdout.Write(frame); err != nil {
			return
		}
	}
}
