package finding

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"halfsecond/budgets"
	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// deliveries finds streams that something holds back.
func deliveries(v *view) []Finding {
	s := &v.shape
	f := Finding{Severity: Slow, Cost: s.cost()}
	switch s.form {
	case whole:
		f.ID, f.Title = "held_whole", "the whole answer comes at the end: something holds the stream back"
		f.Evidence = []string{
			fmt.Sprintf("%s: all %d chunks came within %s, %s after the request was sent", v.which(s.request), s.chunks, ms(s.span()), ms(ttft(s.request))),
			"so every clock on the stream, ttft and tpot too, only tells when the answer ended",
		}
		f.Fix = cureHeld(s.request)
	case bySize:
		f.ID, f.Title = "held_buffer", "the answer comes a buffer at a time: a proxy passes it on when "+byteCount(s.bytes)+" are full"
		f.Evidence = []string{fmt.Sprintf("%s: %d chunks came in %d deliveries of %s, one every %s", v.which(s.request), s.chunks, s.packs, byteCount(s.bytes), ms(s.every))}
		f.Fix = cureHeld(s.request)
	case clumped:
		f.ID, f.Title = "clumps", "the answer comes in clumps, one every "+ms(s.every)
		f.Evidence = []string{fmt.Sprintf("%s: %d chunks came in %d deliveries, some %d at a time, one every %s", v.which(s.request), s.chunks, s.packs, s.chunks/s.packs, ms(s.every))}
		f.Fix = cureClumped(s.request)
	case partly:
		if !s.heap.first && len(v.stalls()) > 0 {
			return nil // what came behind a pause
		}
		f.ID, f.Title = "held_part", "a part of the answer is held back, and then comes at once"
		if s.heap.first {
			f.Title = "the beginning of the answer is held back, and then comes at once"
		}
		f.Evidence = []string{
			fmt.Sprintf("%s: %d of %d chunks came together, %s after the request was sent; the others in %d deliveries, one every %s", v.which(s.request), s.heap.chunks, s.chunks, ms(s.request.Since(s.heap.at)), s.packs-1, ms(s.every)),
			"so tpot and tokens a second are those of what was held back as well, and faster than the model is",
		}
		if s.heap.first {
			f.Evidence = append(f.Evidence, "and ttft tells when they were let go, not when the first was made")
		}
		f.Fix = cureHeld(s.request)
	default:
		return nil
	}
	f.Evidence = append(f.Evidence, who(s.request)...)
	return []Finding{f}
}

// span returns the time from the first output to the last.
func (s *shape) span() time.Duration {
	return s.request.Record.LastOutput - s.request.Record.FirstOutput
}

// cost returns how long the first chunk lay, at least.
func (s *shape) cost() time.Duration {
	switch s.form {
	case whole:
		return ttft(s.request)
	case bySize, clumped:
		return s.every
	case partly:
		return s.lay()
	}
	return pipeline.Unknown
}

// which names a request.
func (v *view) which(r *seen.Request) string {
	return fmt.Sprintf("request %d", r.Record.ID)
}

func byteCount(n int) string { return budgets.Number(float64(n), 0) + " bytes" }

// who returns what the headers tell of the way that an answer came.
func who(r *seen.Request) []string {
	said := []string{"HTTP/" + r.Record.Transport.HTTP}
	proxies, named := shown(r)
	tell := func(name, value string) {
		if h := name + ": " + value; value != "" && !slices.Contains(said, h) {
			said = append(said, h)
		}
	}
	for _, name := range []string{"Server", "Via", "X-Accel-Buffering", "Content-Encoding", "Content-Length", "Connection"} {
		tell(name, r.Header(name))
	}
	for _, h := range named {
		tell(h[0], h[1])
	}
	line := "the response came with " + strings.Join(said, "; ")
	if r.Header("Server") == "" && r.Header("Via") == "" && len(proxies) == 0 {
		line += "; no header names a proxy"
	}
	return []string{line}
}

// compressions finds content codings.
func compressions(v *view) []Finding {
	for _, r := range v.begun {
		if r.Reply.Compressed {
			return []Finding{{
				ID: "compressed", Severity: Slow, Cost: pipeline.Unknown,
				Title:    "the answer is compressed although identity was asked for",
				Evidence: append([]string{v.which(r) + " was sent with Accept-Encoding: identity"}, who(r)...),
				Fix:      "do not compress text/event-stream: a compressor waits for bytes that belong together; " + cureZipped(r),
			}}
		}
	}
	return v.gzipHeld()
}

// gzipHeld finds streams that are held back only from those who accept gzip, as most
// libraries do.
func (v *view) gzipHeld() []Finding {
	for _, r := range v.gzip {
		s := shapeOf(r)
		if !s.held() || v.shape.held() {
			continue
		}
		what, deliveries := "the whole answer at the end", fmt.Sprintf("%d deliveries", s.packs)
		if s.packs == 1 {
			deliveries = "1 delivery"
		}
		if s.form != whole {
			what = "the answer in pieces"
		}
		return []Finding{{
			ID: "gzip_held", Severity: Slow, Cost: s.cost(),
			Title: "clients that accept gzip, as most libraries do, get " + what,
			Evidence: append([]string{
				fmt.Sprintf("%s, sent with Accept-Encoding: gzip: %d chunks came in %s, the first %s after sending", v.which(r), s.chunks, deliveries, ms(ttft(r))),
				"requests with Accept-Encoding: identity, which is how Halfsecond measures, are not held back",
			}, who(r)...),
			Fix: cureZipped(r) + ". Until then have clients send Accept-Encoding: identity",
		}}
	}
	return nil
}
