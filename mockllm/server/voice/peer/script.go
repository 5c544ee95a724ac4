package peer

import (
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Script is what a server does: waits (a time.Duration), sends text (a string) or bytes,
// closes with a code, breaks off, or waits for ever.
type Script []any

// What a script can hold beside spans, texts and bytes.
type (
	Closes int
	Breaks struct{}
	Hangs  struct{}
)

// Session is a server over a WebSocket that plays a script.
type Session struct {
	Greets []string // what it says at once
	// Begins reports whether the script begins with a message of the client; nil is any.
	Begins func(text string, binary bool) bool
	Script Script
	// Heard is told of each message that is text and does not begin the script.
	Heard func(r *http.Request, at time.Duration, text string)
}

// Serve returns what serves it.
func (s Session) Serve(t testing.TB) Serve {
	return func(mux *http.ServeMux) func() {
		start := time.Now()
		return Handle(func(w http.ResponseWriter, r *http.Request) {
			up := websocket.Upgrader{}
			conn, err := up.Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			v := &visit{conn: conn, gone: make(chan struct{}), begun: make(chan struct{}, 1)}
			for _, text := range s.Greets {
				v.say(websocket.TextMessage, []byte(text))
			}
			go v.hear(&s, r, start)
			v.play(s.Script)
		})(mux)
	}
}

// visit is one session under way.
type visit struct {
	conn  *websocket.Conn
	gone  chan struct{} // the client is
	begun chan struct{}
}

func (v *visit) hear(s *Session, r *http.Request, start time.Time) {
	defer close(v.gone)
	for {
		kind, data, err := v.conn.ReadMessage()
		if err != nil {
			return
		}
		if binary := kind == websocket.BinaryMessage; s.Begins == nil || s.Begins(string(data), binary) {
			select {
			case v.begun <- struct{}{}:
			default:
			}
		} else if s.Heard != nil && !binary {
			s.Heard(r, time.Since(start), string(data))
		}
	}
}

// play does what a script says, once it begins.
func (v *visit) play(s Script) {
	select {
	case <-v.begun:
	case <-v.gone:
		return
	}
	for _, x := range s {
		switch x := x.(type) {
		case time.Duration:
			select {
			case <-time.After(x):
			case <-v.gone:
				return
			}
		case Breaks:
			return
		case Hangs:
			<-v.gone
		case Closes:
			_ = v.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(int(x), "so it is"), time.Now().Add(time.Second))
			<-v.gone
		case string:
			v.say(websocket.TextMessage, []byte(x))
		case []byte:
			v.say(websocket.BinaryMessage, x)
		}
	}
}

// say sends a message. A client that has gone does not get it.
func (v *visit) say(kind int, data []byte) { _ = v.conn.WriteMessage(kind, data) }

// Handle serves a handler, and waits for those under way.
func Handle(h http.HandlerFunc) Serve {
	return func(mux *http.ServeMux) func() {
		var mu sync.Mutex // orders a handler that nobody hears of before the wait for it
		var handlers sync.WaitGroup
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			handlers.Add(1)
			mu.Unlock()
			defer handlers.Done()
			h(w, r)
		})
		return func() {
			mu.Lock()
			defer mu.Unlock()
			handlers.Wait()
		}
	}
}

// Body plays a script as the body of a response.
func Body(contentType string, s Script) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		for _, x := range s {
			switch x := x.(type) {
			case time.Duration:
				time.Sleep(x)
			case Breaks:
				panic(http.ErrAbortHandler)
			case Hangs:
				<-r.Context().Done()
			case []byte:
				if _, err := w.Write(x); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		}
	}
}

// Extends serves the opening of a WebSocket with an extension that nobody asked for.
func Extends(t testing.TB) Serve {
	return Handle(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		sum := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) // RFC 6455, 4.2.2
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "+
			base64.StdEncoding.EncodeToString(sum[:])+"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n")
	})
}
