package peer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"halfsecond/pipeline"
	"halfsecond/pipeline/exchange"
)

// Expect has the record of a request made again, when all is over, from what was kept of it
// in a raw log that was written and read: it must be the same to the last nanosecond.
func Expect[R any](r *Rig, id int64, record *R, outcome func(*R) pipeline.Outcome, retell func(*exchange.Exchange) (R, error)) {
	ExpectIn(r, id, id, record, outcome, retell)
}

// ExpectIn is Expect for a request whose conversation was opened for another one.
func ExpectIn[R any](r *Rig, opened, id int64, record *R, outcome func(*R) pipeline.Outcome, retell func(*exchange.Exchange) (R, error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.again = append(r.again, func(kept map[int64]*exchange.Exchange) {
		x := kept[opened]
		if o := outcome(record); x == nil || o == pipeline.Dropped {
			if o != pipeline.Dropped && o != pipeline.Cancelled { // those may not have been sent
				r.T.Errorf("nothing was kept of request %d, which is %s", id, o)
			}
			return
		}
		again, err := retell(x)
		if err != nil {
			r.T.Errorf("request %d: %v", id, err)
			return
		}
		if got, want := fmt.Sprintf("%+v", again), fmt.Sprintf("%+v", *record); got != want {
			r.T.Errorf("request %d\n by its bytes %s\nby its client %s", id, got, want)
		}
	})
}

// retell does what Expect was told to.
func (r *Rig) retell() {
	r.T.Helper()
	kept := map[int64]*exchange.Exchange{}
	for _, x := range Reread(r.T, r.Kept(), false) {
		kept[x.Request] = x
	}
	for _, check := range r.again {
		check(kept)
	}
}

// Reread writes exchanges and reads them, with or without their texts.
func Reread(t testing.TB, all []*exchange.Exchange, hashed bool) (again []*exchange.Exchange) {
	t.Helper()
	var file bytes.Buffer
	w, err := exchange.NewWriter(&file, exchange.Header{Hashed: hashed})
	for _, x := range all {
		err = errors.Join(err, w.Write(x))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := exchange.NewReader(&file)
	for err == nil {
		var x *exchange.Exchange
		if x, err = f.Next(); err == nil {
			again = append(again, x)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return again
}
