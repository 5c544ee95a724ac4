package audition

import (
	"context"
	"sync"
	"time"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/audition/heard"
	"halfsecond/pipeline/endpoint/converse"
	"halfsecond/pipeline/endpoint/listen"
	"halfsecond/pipeline/endpoint/speak"
	"halfsecond/pipeline/exchange"
)

// Run holds the sessions, one after another, each with a connection of its own where the
// protocol is one of WebSockets. The error is about the config; ctx ends it early, with what
// was heard so far.
func Run(ctx context.Context, c Config) (*heard.Endpoint, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	e := Endpoint(c)
	h := &host{config: c, endpoint: e, loop: c.Loop, kept: make(chan *exchange.Exchange, 1)}
	if h.loop == nil {
		h.loop = pipeline.NewPreciseWall()
		var loop sync.WaitGroup
		loop.Go(func() { _ = h.loop.Run(context.Background()) }) // ends with Stop
		defer loop.Wait()
		defer h.loop.Stop()
	}
	return e, h.hold(ctx)
}

// Endpoint returns what is known of an endpoint before it is asked.
func Endpoint(c Config) *heard.Endpoint {
	e := &heard.Endpoint{
		URL: shown(c.Reach.URL), Kind: KindOf(c.Protocol), Protocol: c.Protocol, Model: c.Model, KeyGiven: c.Reach.Key.String() != "",
		Voice: c.Voice, Idle: c.Idle, Planned: c.Sessions,
	}
	if e.Kind == heard.Speaks {
		e.Text, e.Format, e.Rate = c.Text, c.speaks().WithDefaults().Format, c.speaks().WithDefaults().Rate
	} else {
		recording := c.Recording
		e.Recording = &recording
	}
	return e
}

// host holds the sessions of one audition.
type host struct {
	config   Config
	endpoint *heard.Endpoint
	loop     *pipeline.Wall
	kept     chan *exchange.Exchange
}

func (h *host) hold(ctx context.Context) error {
	client, err := h.open()
	if err != nil {
		return err
	}
	defer client.Close()
	for number := 1; number <= h.config.Sessions; number++ {
		s, err := h.session(ctx, client, number)
		if err != nil {
			return err
		}
		h.endpoint.Sessions = append(h.endpoint.Sessions, s)
		if number < h.config.Sessions {
			h.endpoint.Stopped = stops(&s)
		}
		if ctx.Err() != nil {
			h.endpoint.Stopped = heard.Interrupted
		}
		if h.endpoint.Stopped != "" {
			return nil
		}
	}
	return nil
}

// stops says why nothing more is to be asked after a session; "" when nothing speaks
// against it.
func stops(s *heard.Session) string {
	status := s.Transport().Status
	switch {
	case s.Outcome() == pipeline.Dropped:
		return heard.Refused
	case status == 0:
		return heard.Unanswered
	case status != 101 && (status < 200 || status > 299), s.Unopened():
		return heard.Refused
	case s.Closed() && len(s.Events) == 0:
		return heard.Refused
	}
	return ""
}

// ear, mouth and mind are clients of the three kinds.
type (
	ear   struct{ own, forced *listen.Client }
	mouth struct{ *speak.Client }
	mind  struct{ *converse.Client }
)

// client starts and gives up what it is asked for.
type client interface {
	// start starts a session on the loop: done is called when its record is complete. It
	// returns what gives it up.
	start(h *host, number int, into *heard.Session, done func()) (cancel func())
	Close()
}

// open returns a client of the endpoint.
func (h *host) open() (client, error) {
	c := h.config
	keep := c.Reach.Keep
	c.Reach.Keep = func(x *exchange.Exchange) {
		if keep != nil {
			keep(x)
		}
		h.kept <- x
	}
	switch h.endpoint.Kind {
	case heard.Listens:
		return openEar(c, h.loop)
	case heard.Speaks:
		m, err := speak.NewClient(c.speaks(), h.loop)
		return mouth{m}, err
	}
	m, err := converse.NewClient(c.converses(), h.loop)
	return mind{m}, err
}

// openEar returns one client that leaves the end of speech to the service, and another that
// tells it.
func openEar(c Config, loop *pipeline.Wall) (client, error) {
	e := ear{}
	var err error
	if e.own, err = listen.NewClient(c.listens(c.forced(1)), loop); err != nil {
		return nil, err
	}
	if c.forced(2) {
		e.forced, err = listen.NewClient(c.listens(true), loop)
	}
	return e, err
}

func (e ear) Close() {
	e.own.Close()
	if e.forced != nil {
		e.forced.Close()
	}
}

// begins returns when the first sample is to be spoken.
func (h *host) begins() time.Duration {
	if h.config.Idle == 0 {
		return pipeline.Unknown
	}
	return h.loop.Now() + h.config.Idle
}

func (e ear) start(h *host, number int, into *heard.Session, done func()) func() {
	c := e.own
	if into.Forced = h.config.forced(number); into.Forced && e.forced != nil {
		c = e.forced
	}
	q := &pipeline.Hearing{Voice: h.config.Samples, Begin: h.begins(), Record: pipeline.NewTranscription(int64(number), h.loop.Now())}
	q.Done = func() { into.Transcription = &q.Record; done() }
	c.Start(q)
	return func() { c.Cancel(q) }
}

func (m mouth) start(h *host, number int, into *heard.Session, done func()) func() {
	q := &pipeline.Saying{Text: h.config.Text, Record: pipeline.NewSpeech(int64(number), h.loop.Now()+h.config.Idle)}
	q.Done = func() { into.Speech = &q.Record; done() }
	if h.config.Idle > 0 {
		q.Text, q.More = "", true
		h.loop.After(h.config.Idle, pipeline.RankStart, func() { m.Say(q, h.config.Text); m.Finish(q) })
	}
	m.Start(q)
	return func() { m.Cancel(q) }
}

func (m mind) start(h *host, number int, into *heard.Session, done func()) func() {
	q := &pipeline.Turn{Voice: h.config.Samples, Begin: h.begins(), Record: pipeline.NewAnswered(int64(number), h.loop.Now())}
	q.Done = func() { into.Answered = &q.Record; done() }
	m.Start(q)
	return func() { m.Cancel(q) }
}

// session holds one session and waits for its end.
func (h *host) session(ctx context.Context, c client, number int) (heard.Session, error) {
	s := heard.Session{ID: int64(number)}
	done := make(chan struct{})
	var cancel func()
	h.loop.Post(h.loop.Elapsed(), func() { cancel = c.start(h, number, &s, func() { close(done) }) })
	stop := context.AfterFunc(ctx, func() { h.loop.Post(h.loop.Elapsed(), func() { cancel() }) })
	<-done
	stop()
	if s.Outcome() == pipeline.Dropped || s.Outcome() == pipeline.Cancelled {
		c.Close() // it may not have been sent: after this it is known
		close(h.kept)
	}
	x, sent := <-h.kept
	if !sent {
		return s, nil
	}
	_, err := see(&s, x)
	return s, err
}
