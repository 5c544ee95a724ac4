package observe

import "sync"

// Config sets up an Observer.
type Config struct {
	// Kept is the most requests held, and Bytes the most bytes of their text; older ones are
	// dropped. 0 means MostKept and MostBytes.
	Kept, Bytes int
}

// What an Observer keeps unless its configuration says otherwise: some hours of one
// person's typing, and prompts of 16 kB for a quarter of them.
const (
	MostKept  = 10_000
	MostBytes = 64 << 20
)

// Observer keeps the latest completions that were asked for. Its methods may be called
// from any goroutine, and do no more than keep what they are told.
type Observer struct {
	config Config

	mu      sync.Mutex // guards what follows
	kept    []*Request // their numbers follow one another
	bytes   int        // of their text
	came    int
	cleared int // the last of those that were cleared away
	dropped int
	given   int // given up by their clients
	others  int // requests that are no completion of a document
	refused int // before anybody looked at their prompts
}

// New returns an Observer that has seen nothing.
func New(c Config) *Observer {
	if c.Kept == 0 {
		c.Kept = MostKept
	}
	if c.Bytes == 0 {
		c.Bytes = MostBytes
	}
	return &Observer{config: c}
}

// Begin keeps a request that has arrived, and returns its number, to be given to Finish.
func (o *Observer) Begin(r Request) (number int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.came++
	r.Number, r.End = o.came, running
	o.kept = append(o.kept, &r)
	o.bytes += r.size()
	o.fit()
	return r.Number
}

// fit drops the oldest requests until the rest is within its limits.
func (o *Observer) fit() {
	n := 0
	for n < len(o.kept) && (len(o.kept)-n > o.config.Kept || o.bytes > o.config.Bytes) {
		o.bytes -= o.kept[n].size()
		o.kept[n] = nil
		n++
	}
	o.kept = o.kept[n:]
	o.dropped += n
}

// Finish keeps how a request ended, unless it has been dropped.
func (o *Observer) Finish(number int, e End) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if number <= o.cleared {
		return
	}
	if e.Left >= 0 {
		o.given++
	}
	if len(o.kept) == 0 || number < o.kept[0].Number {
		return
	}
	r := o.kept[number-o.kept[0].Number]
	o.bytes += len(e.Answer)
	r.End = e
	o.fit()
}

// Other counts a request that is no completion of a document, such as a conversation.
func (o *Observer) Other() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.others++
}

// Refused counts a request that was turned away before anybody looked at its prompt.
func (o *Observer) Refused() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused++
}

// Clear forgets what was seen. Requests under way are not heard of any more.
func (o *Observer) Clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cleared = o.came
	o.kept, o.bytes, o.dropped, o.given, o.others, o.refused = nil, 0, 0, 0, 0, 0
}

// Counts is how much was seen.
type Counts struct {
	Requests int // of documents
	Dropped  int // of them, that are no longer kept
	GivenUp  int // of them, by their clients
	Others   int // no completions of a document
	Refused  int // before anybody looked at their prompts
}

// Counts returns how much was seen so far.
func (o *Observer) Counts() Counts {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.counts()
}

func (o *Observer) counts() Counts {
	return Counts{Requests: o.dropped + len(o.kept), Dropped: o.dropped, GivenUp: o.given, Others: o.others, Refused: o.refused}
}

// look returns what is kept now: the requests do not change any more.
func (o *Observer) look() (Counts, []*Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	all := make([]*Request, len(o.kept))
	for i, r := range o.kept {
		copied := *r
		all[i] = &copied
	}
	return o.counts(), all
}
