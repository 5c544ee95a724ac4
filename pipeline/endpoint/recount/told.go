package recount

import (
	"time"

	"halfsecond/pipeline"
)

// told is what the bytes of a run say, by the IDs of its records: nothing of those that could
// not be read.
type told struct {
	requests map[int64]pipeline.Request
	hearings map[int64]pipeline.Transcription
	sayings  map[int64]pipeline.Speech
	answers  map[int64]pipeline.Answered
}

func newTold() *told {
	return &told{map[int64]pipeline.Request{}, map[int64]pipeline.Transcription{}, map[int64]pipeline.Speech{}, map[int64]pipeline.Answered{}}
}

// add takes what the bytes of a session say.
func (s *told) add(r record) {
	switch v := r.value.Interface().(type) {
	case pipeline.Transcription:
		s.hearings[r.id] = v
	case pipeline.Speech:
		s.sayings[r.id] = v
	case pipeline.Answered:
		s.answers[r.id] = v
	}
}

// outputs are the instants of a request between its being sent and its end.
func outputs(r *pipeline.Request) []*time.Duration {
	return []*time.Duration{&r.FirstByte, &r.FirstOutput, &r.FirstText, &r.FirstSeen, &r.LastOutput}
}

// corrected returns the record of a trace with what the bytes say in it: seen is that record
// without the modelled network that is part of it, and again what the bytes have in its place.
func corrected(record, seen, again *pipeline.Request) pipeline.Request {
	q := *record
	q.Due, q.Outcome = again.Due, again.Outcome
	put := func(at *time.Duration, seen, again time.Duration) {
		if *at == pipeline.Unknown || seen == pipeline.Unknown || again == pipeline.Unknown {
			*at = again
		} else {
			*at += again - seen
		}
	}
	were, are := outputs(seen), outputs(again)
	for i, at := range outputs(&q) {
		put(at, *were[i], *are[i])
	}
	put(&q.Sent, seen.Sent, again.Sent)
	put(&q.End, seen.End, again.End)
	return q
}

// say returns a trace with what the bytes say in place of its records. read is how many of
// them were read, whole whether all were that went over a wire, and spoken whether one was of
// a speech service.
func (s *told) say(t *pipeline.Trace) (out pipeline.Trace, read int, whole, spoken bool) {
	out, whole = *t, true
	out.Requests = replaced(t.Requests, s.requests, &read, &whole, func(q *pipeline.Request) (int64, bool) { return q.ID, q.Simulated || q.Sent == pipeline.Unknown })
	asked := read
	out.Hearings = replaced(t.Hearings, s.hearings, &read, &whole, func(h *pipeline.Transcription) (int64, bool) { return h.ID, h.Simulated })
	out.Sayings = replaced(t.Sayings, s.sayings, &read, &whole, func(x *pipeline.Speech) (int64, bool) { return x.ID, x.Simulated })
	out.Answers = replaced(t.Answers, s.answers, &read, &whole, func(a *pipeline.Answered) (int64, bool) { return a.ID, a.Simulated })
	return out, read, whole, read > asked
}

// replaced returns records with those of the bytes in their places, and takes note of those
// that left bytes and were not read.
func replaced[T any](records []T, by map[int64]T, read *int, whole *bool, of func(*T) (id int64, byteless bool)) []T {
	out := make([]T, len(records))
	for i := range records {
		id, byteless := of(&records[i])
		again, ok := by[id]
		switch {
		case byteless:
			out[i] = records[i]
		case ok:
			*read++
			out[i] = again
		default:
			out[i], *whole = records[i], false
		}
	}
	return out
}
