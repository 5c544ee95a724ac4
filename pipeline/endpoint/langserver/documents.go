package langserver

import (
	"fmt"
	"net/url"
	"path"

	"halfsecond/pipeline/document"
	"halfsecond/pipeline/wire/lsp"
)

// Open says that a session has another document open, in place of the one before. The path
// is taken to lie below a folder of the session's own in the config's Root; language is the
// protocol's name of its language, as Language has it. It panics when the cursor is outside
// of the text.
func (c *Client) Open(session int, name, language, text string, cursor int) {
	c.CloseDocument(session)
	m := &mirror{encoding: c.encoding, uri: c.uri(session, name)}
	m.open(text, cursor)
	c.documents[session] = m
	c.versions[m.uri]++
	m.version = c.versions[m.uri]
	if c.sync.OpenClose {
		c.tell(lsp.DidOpen, lsp.OpenParams{Document: lsp.OpenedDocument{URI: m.uri, Language: language, Version: m.version, Text: text}})
	}
}

// uri returns the name of a document. A path never leads out of the session's folder.
func (c *Client) uri(session int, name string) string {
	if name == "" {
		name = "untitled"
	}
	u := url.URL{Scheme: "file", Path: path.Join(c.config.Root, fmt.Sprintf("session%d", session), path.Clean("/"+name))}
	return u.String()
}

// Apply says that a session edited its document. It panics when a position is outside of the
// text.
func (c *Client) Apply(session int, e document.Edit) {
	m := c.documents[session]
	if m == nil {
		return
	}
	change := m.apply(e)
	if c.sync.Change == lsp.NoChanges {
		return
	}
	if c.sync.Change == lsp.FullText {
		change = lsp.ContentChange{Text: m.document.Text()}
	}
	c.versions[m.uri]++
	m.version = c.versions[m.uri]
	p := lsp.ChangeParams{Changes: []lsp.ContentChange{change}}
	p.Document.URI, p.Document.Version = m.uri, m.version
	c.mu.Lock()
	c.counts.Edits++
	c.mu.Unlock()
	c.tell(lsp.DidChange, p)
}

// Move says that the cursor of a session is elsewhere in its document, of which no server
// hears: a request names its position. It panics when that is outside of the text.
func (c *Client) Move(session, cursor int) {
	if m := c.documents[session]; m != nil {
		m.document.Move(cursor)
	}
}

// CloseDocument says that a session has no document open any more.
func (c *Client) CloseDocument(session int) {
	m := c.documents[session]
	if m == nil {
		return
	}
	delete(c.documents, session)
	if c.sync.OpenClose {
		c.tell(lsp.DidClose, lsp.CloseParams{Document: lsp.Document{URI: m.uri}})
	}
}

// languages are the protocol's names of languages by the endings of their files; source:
// LSP 3.18, text document language identifiers.
var languages = map[string]string{
	".c": "c", ".cc": "cpp", ".cpp": "cpp", ".cs": "csharp", ".css": "css", ".go": "go", ".h": "c", ".hpp": "cpp", ".html": "html",
	".java": "java", ".js": "javascript", ".json": "json", ".jsx": "javascriptreact", ".lua": "lua", ".md": "markdown", ".php": "php",
	".py": "python", ".rb": "ruby", ".rs": "rust", ".sh": "shellscript", ".sql": "sql", ".svelte": "svelte", ".swift": "swift",
	".ts": "typescript", ".tsx": "typescriptreact", ".vue": "vue", ".xml": "xml", ".yaml": "yaml", ".yml": "yaml",
}

// Language returns the protocol's name of a file's language, "plaintext" where it has none.
func Language(name string) string {
	if l, ok := languages[path.Ext(name)]; ok {
		return l
	}
	return "plaintext"
}
