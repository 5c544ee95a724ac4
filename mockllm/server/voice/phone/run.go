package phone

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/mockllm/speech"
	"halfsecond/pipeline/wire/twilio"
)

const (
	// fetchLimit is how long the service waits for markup and for a server
	// (twilio.com/docs/api/errors/11205, read 2026-11-29).
	fetchLimit = 15 * time.Second
	// mostMarkup is the longest markup in bytes.
	mostMarkup = 64 << 10
	// userAgent is that of Media Streams, as servers of users logged it.
	userAgent = "Twilio.TmeWs/1.0"
)

// runCall places a call, does what its markup says, and returns when it has ended.
func (s *Service) runCall(c *call) {
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	go func() {
		select {
		case <-s.Stopped:
		case <-c.quit:
		case <-ctx.Done():
		}
		cancel()
	}()
	c.set(twilio.Ringing)
	verbs, fault := s.markupOf(ctx, c)
	if fault == nil {
		c.set(twilio.InProgress)
		fault = s.perform(ctx, c, verbs)
	}
	if fault != nil {
		c.fail(*fault)
		c.set(twilio.Failed)
		return
	}
	c.set(twilio.Completed)
}

// markupOf returns what a call shall do. A document that has to be fetched comes when
// the call is answered.
func (s *Service) markupOf(ctx context.Context, c *call) ([]twilio.Verb, *twilio.Error) {
	text := c.markup
	if c.url != "" {
		var err error
		if text, err = s.fetch(ctx, c); err != nil {
			return nil, callFault(twilio.CodeBadFetch, "fetch TwiML from %s: %v", c.url, err)
		}
	}
	verbs, err := twilio.ParseTwiML(text)
	if err != nil {
		return nil, callFault(twilio.CodeBadMarkup, "%v", err)
	}
	return verbs, nil
}

func callFault(code int, format string, args ...any) *twilio.Error {
	e := twilio.NewError(http.StatusBadRequest, code, fmt.Sprintf(format, args...))
	return &e
}

// fetch asks a server of the user what a call shall do.
func (s *Service) fetch(ctx context.Context, c *call) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	form := url.Values{
		"CallSid": {c.sid}, "AccountSid": {c.account}, "From": {c.from}, "To": {c.to}, "Caller": {c.from}, "Called": {c.to},
		"CallStatus": {twilio.InProgress}, "Direction": {twilio.OutboundAPI}, "ApiVersion": {twilio.APIVersion},
	}
	target, body := c.url, strings.NewReader(form.Encode())
	if c.method == http.MethodGet {
		parsed, err := url.Parse(c.url)
		if err != nil {
			return "", err
		}
		parsed.RawQuery = strings.TrimPrefix(parsed.RawQuery+"&"+form.Encode(), "&")
		target, body = parsed.String(), strings.NewReader("")
	}
	q, err := http.NewRequestWithContext(ctx, c.method, target, body)
	if err != nil {
		return "", err
	}
	if c.method == http.MethodPost {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: s.dial(), TLSClientConfig: s.trust(), DisableKeepAlives: true},
		CheckRedirect: func(next *http.Request, _ []*http.Request) error { return s.mayDial(next.URL) },
	}
	return s.answerOf(client, q)
}

func (s *Service) answerOf(client *http.Client, q *http.Request) (string, error) {
	answer, err := client.Do(q)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server answered %s", answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostMarkup+1))
	if err != nil {
		return "", err
	}
	if len(text) > mostMarkup {
		return "", fmt.Errorf("the document is longer than %d bytes", mostMarkup)
	}
	return string(text), nil
}

// perform does one verb after the other, until the call ends.
func (s *Service) perform(ctx context.Context, c *call, verbs []twilio.Verb) *twilio.Error {
	for _, v := range verbs {
		if ctx.Err() != nil {
			return nil
		}
		switch v := v.(type) {
		case twilio.Hangup:
			return nil
		case twilio.Pause:
			pass(ctx, v.Length)
		case twilio.Say:
			pass(ctx, speech.Length(v.Text, s.config.TTS(speech.DefaultTTS)))
		case twilio.Stream:
			hungUp, fault := s.connect(ctx, c, v)
			if hungUp || fault != nil {
				return fault
			}
		}
	}
	return nil
}

// pass waits, unless the call ends.
func pass(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// connect puts a call through to a server until one of them hangs up.
func (s *Service) connect(ctx context.Context, c *call, v twilio.Stream) (hungUp bool, fault *twilio.Error) {
	target, err := url.Parse(v.URL)
	if err != nil {
		return false, callFault(twilio.CodeBadMarkup, "<Stream> has the url %q: %v", v.URL, err)
	}
	if err := s.mayDial(target); err != nil {
		return false, callFault(twilio.CodeStreamRefused, "<Stream>: %v", err)
	}
	var stream *mediaStream
	release := context.AfterFunc(ctx, func() {
		s.OnLoop(func() {
			if stream != nil {
				stream.hangUp()
			}
		})
	})
	defer release()
	d := talk.Dialing{Dial: s.dial(), TLS: s.trust(), Limit: fetchLimit, Header: http.Header{"User-Agent": {userAgent}}}
	err = s.Call(ctx, v.URL, d, func(k *talk.Socket) talk.Session {
		stream = s.newMediaStream(k, c, v)
		if ctx.Err() != nil {
			stream.hangUp()
		}
		return stream
	})
	if err != nil {
		return false, streamFault(v.URL, err)
	}
	s.OnLoop(func() { hungUp = stream.over })
	return hungUp, nil
}

func streamFault(url string, err error) *twilio.Error {
	var refused talk.HandshakeError
	var slow net.Error
	switch {
	case errors.As(err, &refused):
		return callFault(twilio.CodeStreamHandshake, "Stream - WebSocket - Handshake Error: %s answered %s, want 101", url, refused.Status)
	case errors.As(err, &slow) && slow.Timeout():
		return callFault(twilio.CodeStreamTimeout, "Stream - WebSocket - Connection Timeout: %s: %v", url, err)
	}
	return callFault(twilio.CodeStreamRefused, "Stream - WebSocket - Connection Refused: %s: %v", url, err)
}

// dial returns what opens connections.
func (s *Service) dial() func(ctx context.Context, network, address string) (net.Conn, error) {
	if s.config.Dial != nil {
		return s.config.Dial
	}
	return (&net.Dialer{}).DialContext
}

// trust returns how servers are known over TLS: one on this machine is under test and
// has made its own certificate, so that any will do.
func (s *Service) trust() *tls.Config {
	return &tls.Config{InsecureSkipVerify: !s.config.DialAnywhere}
}

// mayDial says why an address may not be dialled: it is no address of a server, or of
// another machine. No name is looked up for that.
func (s *Service) mayDial(u *url.URL) error {
	host := u.Hostname()
	address := net.ParseIP(host)
	switch {
	case host == "":
		return fmt.Errorf("%q has no host", u)
	case s.config.DialAnywhere || host == "localhost" || address != nil && address.IsLoopback():
		return nil
	}
	return fmt.Errorf("%q is another machine, and this server dials its own only: localhost or 127.0.0.1, unless it was told to dial anywhere", host)
}

func wholeSeconds(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
