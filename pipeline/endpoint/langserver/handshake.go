package langserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"

	"halfsecond/pipeline/wire/lsp"
)

// handshake has the server ready to be asked.
func (c *Client) handshake(ctx context.Context) error {
	m, err := c.ask(ctx, lsp.Initialize, c.hello(), c.config.Limits.Start)
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", c.config.Program(), err)
	case m.Error != nil:
		return fmt.Errorf("%s: it refuses to begin: error %d: %s", c.config.Program(), m.Error.Code, c.tidy(m.Error.Message))
	}
	var r lsp.InitializeResult
	if err := json.Unmarshal(m.Result, &r); err != nil {
		return fmt.Errorf("%s: what it answers to %s cannot be read: %s", c.config.Program(), lsp.Initialize, c.tidy(err.Error()))
	}
	c.info = r.ServerInfo
	if err := c.agree(r.Capabilities); err != nil {
		return fmt.Errorf("%s: %w", c.config.Program(), err)
	}
	c.tell(lsp.Initialized, struct{}{})
	return c.awaitOffer(ctx, m.Result)
}

// hello is what the client says first.
func (c *Client) hello() lsp.InitializeParams {
	p := lsp.InitializeParams{ClientInfo: lsp.Info{Name: "halfsecond", Version: c.config.Version}, Options: c.config.Options}
	if c.process != nil {
		pid := os.Getpid()
		p.ProcessID = &pid
	}
	root := (&url.URL{Scheme: "file", Path: c.config.Root}).String()
	p.RootURI = &root
	p.Capabilities.General.PositionEncodings = []lsp.Encoding{lsp.UTF16, lsp.UTF8}
	p.Capabilities.Workspace.Configuration = true
	p.Capabilities.Window.WorkDoneProgress = true
	p.Capabilities.TextDocument.InlineCompletion.DynamicRegistration = true
	return p
}

// agree takes what the server says of itself.
func (c *Client) agree(s lsp.ServerCapabilities) error {
	c.encoding, c.sync = s.PositionEncoding, s.Sync
	if c.encoding == "" {
		c.encoding = lsp.UTF16
	}
	if c.encoding != lsp.UTF16 && c.encoding != lsp.UTF8 {
		return fmt.Errorf("its positions are in %s, want one that was offered: %s or %s", c.tidy(string(c.encoding)), lsp.UTF16, lsp.UTF8)
	}
	if s.Inline {
		c.offer(true)
	}
	return nil
}

// offer notes whether inline completion is offered.
func (c *Client) offer(is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offered = is
	if is {
		select {
		case <-c.offering:
		default:
			close(c.offering)
		}
	}
}

// awaitOffer waits for the server to offer inline completion, which it may do later.
func (c *Client) awaitOffer(ctx context.Context, answer json.RawMessage) error {
	limit := c.config.Limits.Offer
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it offers no inline completion (%s of LSP 3.18) in %s; it offers %s",
		lsp.InlineCompletion, limit, c.tidy(providers(answer))))
	defer cancel()
	select {
	case <-c.offering:
		return nil
	case <-c.ended:
		return fmt.Errorf("%s: %w", c.config.Program(), c.why())
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", c.config.Program(), context.Cause(ctx))
	}
}

// providers returns what a server says that it provides.
func providers(answer json.RawMessage) string {
	var r struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(answer, &r); err != nil {
		return "nothing that can be read"
	}
	var names []string
	for name := range r.Capabilities {
		if strings.HasSuffix(name, "Provider") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "nothing of the kind"
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
