package reply

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"time"
)

// source reads the bytes of a response as they come from the connection and
// knows when. The instant is taken right after each read returns, so it is the
// same with a content coding and without.
type source struct {
	from  io.Reader
	clock func() time.Duration
	read  func(at time.Duration, p []byte) // nil when nobody wants to know
	left  int64                            // bytes that may still come
	limit int64
	reads int64 // that may still come

	at     time.Duration // when the last read returned
	first  time.Duration // when the first byte came, once got is true
	got    bool
	ended  bool  // the bytes ended cleanly
	broken error // they broke off
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.at = s.clock()
	if n > 0 && !s.got {
		s.got, s.first = true, s.at
	}
	if n > 0 && s.read != nil {
		s.read(s.at, p[:n])
	}
	if s.reads--; s.reads < 0 {
		return 0, tooManyReads(mostReads(s.limit))
	}
	if s.left -= int64(n); s.left < 0 {
		return 0, tooManyBytes(s.limit)
	}
	if err == io.EOF {
		s.ended = true
	} else if err != nil {
		s.broken = err
	}
	return n, err
}

// body reads a source without its content coding, each piece as soon as it can be
// decoded.
type body struct {
	source  *source
	coding  string    // lower case; empty for none
	decoded io.Reader // nil before the first read
	left    int64     // bytes that may still come of it
}

func (b *body) Read(p []byte) (n int, err error) {
	if b.decoded == nil {
		if b.decoded, err = b.open(); err != nil {
			return 0, err
		}
	}
	n, err = b.decoded.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tooManyBytes(b.source.limit)
	}
	return n, err
}

func (b *body) open() (io.Reader, error) {
	switch b.coding {
	case "":
		return b.source, nil
	case "gzip", "x-gzip":
		return &unzipper{from: bufio.NewReaderSize(b.source, ReadBytes)}, nil
	}
	return nil, fmt.Errorf("content coding %q is not supported; identity was asked for", b.coding)
}

// unzipper reads gzip one member at a time. A gzip.Reader left to itself reads on
// for the next member before it returns the last bytes of one, and they would
// seem to have come when the body ended. They still count as come with the eight
// bytes that end the member. Bytes of a block that the server has not flushed
// come when the block is whole.
type unzipper struct {
	from   *bufio.Reader
	member *gzip.Reader // nil before the first
	within bool         // the member has not ended
}

func (u *unzipper) Read(p []byte) (n int, err error) {
	for n == 0 && err == nil {
		if !u.within {
			if err = u.next(); err != nil {
				return 0, err
			}
		}
		if n, err = u.member.Read(p); err == io.EOF {
			u.within, err = false, nil
		}
	}
	return n, err
}

// next begins the next member; it returns io.EOF when there is none.
func (u *unzipper) next() (err error) {
	if u.member == nil {
		u.member, err = gzip.NewReader(u.from)
	} else {
		err = u.member.Reset(u.from)
	}
	if err == nil {
		u.member.Multistream(false)
		u.within = true
	}
	return err
}
