package langserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/exchange"
	"halfsecond/pipeline/wire/jsonrpc"
	"halfsecond/pipeline/wire/lsp"
)

// Client is a language server as a pipeline.LLM. A call is answered at the cursor of the
// document that its session has open. Open, Apply, Move, CloseDocument, Start and Cancel run
// on the loop, as do the callbacks of a call; none of them waits for the server.
//
// An answer comes as one text: its record has no instant of a first output. What a server
// counts in tokens it does not say.
type Client struct {
	config  Config
	loop    endpoint.Loop
	secrets []string // of the environment, which no words may have

	queue   *queue
	process *process // nil where a Stream is given
	stream  io.ReadWriteCloser
	ended   chan struct{} // closed when nothing more is read
	work    sync.WaitGroup

	info     lsp.Info
	encoding lsp.Encoding
	sync     lsp.Sync

	flying int   // calls under way; owned by the loop, as what follows
	over   error // the cap that was met; nil until then

	documents map[int]*mirror // by session
	versions  map[string]int  // of the documents that were ever open

	mu       sync.Mutex // guards what follows
	lastID   int64
	pending  map[jsonrpc.ID]*call
	own      map[jsonrpc.ID]chan jsonrpc.Message // requests of the client itself
	counts   Counts
	broken   error // why nothing can be asked any more
	closing  bool
	offered  bool          // inline completion is
	offering chan struct{} // closed when it is for the first time
}

var errClosed = errors.New("the client was closed")

// New starts the server of config, or meets the one at its Stream, and has it ready to be
// asked. The error says what is wrong with config, or what the server did instead.
func New(ctx context.Context, config Config, loop endpoint.Loop) (*Client, error) {
	if err := config.Check(); err != nil {
		return nil, fmt.Errorf("language server: %w", err)
	}
	c := &Client{
		config: config.withDefaults(), loop: loop, ended: make(chan struct{}), offering: make(chan struct{}),
		documents: map[int]*mirror{}, versions: map[string]int{}, pending: map[jsonrpc.ID]*call{}, own: map[jsonrpc.ID]chan jsonrpc.Message{},
	}
	if err := c.connect(); err != nil {
		return nil, fmt.Errorf("language server: %w", err)
	}
	if err := c.handshake(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("language server: %w", err)
	}
	return c, nil
}

// connect starts the program and the goroutines that read and write.
func (c *Client) connect() error {
	c.stream = c.config.Stream
	if c.stream == nil {
		c.secrets = secretsOf()
		p, err := startProcess(c.config.Command)
		if err != nil {
			return err
		}
		c.process, c.stream = p, p
		c.work.Go(p.listen)
	}
	c.queue = newQueue(c.config.MaxWaiting)
	c.work.Go(c.write)
	c.work.Go(c.read)
	return nil
}

// tidy makes one short line of words of the server, without the secrets of the environment.
func (c *Client) tidy(words string) string {
	for _, s := range c.secrets {
		words = exchange.Mask(words, s)
	}
	return endpoint.Key{}.Tidy(words)
}

// nextID returns the ID of the next request; the caller holds the lock.
func (c *Client) nextID() jsonrpc.ID {
	c.lastID++
	return jsonrpc.NumberID(c.lastID)
}

// ask sends a request of the client's own and waits for the answer.
func (c *Client) ask(ctx context.Context, method string, params any, limit time.Duration) (jsonrpc.Message, error) {
	answer := make(chan jsonrpc.Message, 1)
	c.mu.Lock()
	id := c.nextID()
	c.own[id] = answer
	c.mu.Unlock()
	m, err := jsonrpc.NewRequest(id, method, params)
	if err == nil {
		err = c.send(&m, nil)
	}
	if err != nil {
		return jsonrpc.Message{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not answer %s in %s", method, limit))
	defer cancel()
	select {
	case m := <-answer:
		return m, nil
	case <-c.ended:
		return jsonrpc.Message{}, c.why()
	case <-ctx.Done():
		return jsonrpc.Message{}, context.Cause(ctx)
	}
}

// why returns why nothing can be asked any more.
func (c *Client) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.broken
}

// tell sends a notification.
func (c *Client) tell(method string, params any) {
	m, err := jsonrpc.NewNotification(method, params)
	if err == nil {
		err = c.send(&m, nil)
	}
	if err != nil {
		c.breaks(err)
	}
}

// send queues a message. sent, which may be nil, is called when it goes out.
func (c *Client) send(m *jsonrpc.Message, sent func()) error {
	frame, err := m.Append(nil)
	if err != nil {
		return err
	}
	if err := c.why(); err != nil {
		return err
	}
	c.mu.Lock()
	c.counts.Bytes += int64(len(frame))
	c.mu.Unlock()
	return c.queue.add(frame, sent)
}

// gone says to an asker why the server cannot be asked.
func gone(err error) string { return "the language server is gone: " + err.Error() }

// breaks ends what is under way, since the server cannot be asked any more.
func (c *Client) breaks(err error) {
	c.mu.Lock()
	if c.broken != nil {
		c.mu.Unlock()
		return
	}
	c.broken = err
	var hit []*call
	for _, a := range c.pending {
		if !a.givenUp {
			a.givenUp = true
			hit = append(hit, a)
		}
	}
	closing := c.closing
	c.mu.Unlock()
	o := pipeline.Error
	if closing {
		o = pipeline.Cancelled
	}
	for _, a := range hit {
		at := c.loop.Elapsed()
		c.loop.Post(at, func() { a.finish(at, o, c.tidy(gone(err))) })
	}
	c.queue.finish()
}

// Close asks the server to shut down, ends it where it does not, with all that it started,
// and waits for all goroutines. Calls under way end as Cancelled if the loop still runs.
// Nothing else may be called during or after Close, Counts aside.
func (c *Client) Close() {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	if c.why() == nil {
		c.part()
	}
	c.breaks(errClosed)
	c.queue.finish()
	c.end()
	c.work.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.pending {
		a.limit.Stop()
	}
}

// part says good-bye as the protocol wants, and waits a while for the server to end.
func (c *Client) part() {
	ctx := context.Background()
	if _, err := c.ask(ctx, lsp.Shutdown, nil, c.config.Limits.End); err != nil {
		return
	}
	c.tell(lsp.Exit, nil)
	c.queue.finish()
	within(c.ended, c.config.Limits.End)
}

// end closes the stream, or ends the program.
func (c *Client) end() {
	select {
	case <-c.ended:
	default:
		c.mu.Lock()
		c.counts.Killed = true
		c.mu.Unlock()
	}
	// What closing returns is the end of a program that was told to, or killed.
	_ = c.stream.Close()
}

// Program returns the name of the program, without its arguments, which may hold a secret.
func (c Config) Program() string {
	if len(c.Command) == 0 {
		return "the language server"
	}
	return filepath.Base(c.Command[0])
}

// Name returns what the server calls itself, or else the name of the program.
func (c *Client) Name() string {
	name := strings.TrimSpace(c.info.Name + " " + c.info.Version)
	return c.tidy(cmp.Or(name, c.config.Program()))
}
