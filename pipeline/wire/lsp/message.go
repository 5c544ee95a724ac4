package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Methods.
const (
	Initialize       = "initialize"
	Initialized      = "initialized"
	Shutdown         = "shutdown"
	Exit             = "exit"
	CancelRequest    = "$/cancelRequest"
	DidOpen          = "textDocument/didOpen"
	DidChange        = "textDocument/didChange"
	DidClose         = "textDocument/didClose"
	InlineCompletion = "textDocument/inlineCompletion"
	Register         = "client/registerCapability"
	Unregister       = "client/unregisterCapability"
	Configuration    = "workspace/configuration"
	CreateProgress   = "window/workDoneProgress/create"
)

// InitializeParams is what a client says first.
type InitializeParams struct {
	ProcessID    *int               `json:"processId"` // of the client, whose end is the server's as well; null for none
	ClientInfo   Info               `json:"clientInfo"`
	RootURI      *string            `json:"rootUri"`
	Capabilities ClientCapabilities `json:"capabilities"`
	Options      json.RawMessage    `json:"initializationOptions,omitempty"`
}

// Info is the name of a program.
type Info struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// ClientCapabilities is what a client of inline completion can do.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []Encoding `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		Configuration bool `json:"configuration"`
	} `json:"workspace"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
	TextDocument struct {
		InlineCompletion struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"inlineCompletion"`
	} `json:"textDocument"`
}

// InitializeResult is what a server answers.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   Info               `json:"serverInfo"`
}

// ServerCapabilities is what a server says that it does.
type ServerCapabilities struct {
	PositionEncoding Encoding `json:"positionEncoding,omitempty"` // "" is UTF16
	Sync             Sync     `json:"textDocumentSync"`
	// Inline is that the server completes: true, or its options. It may register that later.
	Inline Provider `json:"inlineCompletionProvider,omitempty"`
}

// Provider is a capability that is true, false or an object of options, which stands for true.
type Provider bool

// UnmarshalJSON implements json.Unmarshaler.
func (p *Provider) UnmarshalJSON(text []byte) error {
	switch {
	case text[0] == '{':
		*p = true
		return nil
	case text[0] == 'n':
		*p = false
		return nil
	}
	return json.Unmarshal(text, (*bool)(p))
}

// Change is how a server wants to be told of edits.
type Change int

// Kinds of Change.
const (
	NoChanges   Change = 0
	FullText    Change = 1
	Incremental Change = 2
)

// Sync is what a server wants to be told of documents: Change, and whether they open and
// close. A server may say it as the number alone.
type Sync struct {
	OpenClose bool   `json:"openClose"`
	Change    Change `json:"change"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Sync) UnmarshalJSON(text []byte) error {
	type plain Sync
	var err error
	if text[0] == '{' {
		err = json.Unmarshal(text, (*plain)(s))
	} else if err = json.Unmarshal(text, &s.Change); err == nil {
		s.OpenClose = s.Change != NoChanges
	}
	if err == nil && (s.Change < NoChanges || s.Change > Incremental) {
		err = fmt.Errorf("textDocumentSync has change %d, want 0 (none), 1 (full) or 2 (incremental)", s.Change)
	}
	return err
}

// Position is a place between two characters of a line, both counted from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in units of the Encoding
}

// Range is the text from Start to End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Document names a document.
type Document struct {
	URI string `json:"uri"`
}

// OpenParams is what DidOpen says.
type OpenParams struct {
	Document OpenedDocument `json:"textDocument"`
}

// OpenedDocument is a document with its text.
type OpenedDocument struct {
	URI      string `json:"uri"`
	Language string `json:"languageId"`
	Version  int    `json:"version"`
	Text     string `json:"text"`
}

// ChangeParams is what DidChange says.
type ChangeParams struct {
	Document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
	} `json:"textDocument"`
	Changes []ContentChange `json:"contentChanges"`
}

// ContentChange is an edit; one without a Range is all of the new text.
type ContentChange struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// CloseParams is what DidClose says.
type CloseParams struct {
	Document Document `json:"textDocument"`
}

// CancelParams is what CancelRequest says.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}

// Kinds of triggers.
const (
	Invoked   = 1 // the user asks
	Automatic = 2 // typing does
)

// InlineParams is what a request for inline completion says. It has no version of the
// document: that is the one of the last change before it.
type InlineParams struct {
	Document Document `json:"textDocument"`
	Position Position `json:"position"`
	Context  struct {
		TriggerKind int `json:"triggerKind"`
	} `json:"context"`
}

// RegisterParams is what Register says, and with Unregisterations in place Unregister.
type RegisterParams struct {
	Registrations []Registration `json:"registrations"`
	// The member is spelled so in the protocol.
	Unregistrations []Registration `json:"unregisterations"`
}

// Registration is a method that a server offers from now on, or no more.
type Registration struct {
	ID     string `json:"id"`
	Method string `json:"method"`
}

// ConfigurationParams is what Configuration says: one answer is wanted for each item.
type ConfigurationParams struct {
	Items []json.RawMessage `json:"items"`
}

// Items reads the result of a request for inline completion: a list, an object with one, or
// null for none.
func Items(result json.RawMessage) ([]Item, error) {
	result = bytes.TrimSpace(result)
	var items []Item
	switch {
	case len(result) == 0 || result[0] == 'n':
		return nil, nil
	case result[0] == '[':
		err := json.Unmarshal(result, &items)
		return items, err
	}
	var list struct {
		Items *[]Item `json:"items"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return nil, err
	}
	if list.Items == nil {
		return nil, errors.New("the result is an object without items")
	}
	return *list.Items, nil
}
