package talk

import (
	"bytes"
	"testing"
)

// An outlet takes one long recording, and gives up on a client that does not read when
// more comes after it.
func TestOutletTakesALongFrame(t *testing.T) {
	o := newOutlet(nil)
	o.put(frame{data: bytes.Repeat([]byte{1}, mostPending+1)})
	if frames, ended, choked := o.take(); len(frames) != 1 || ended || choked {
		t.Errorf("one long frame: %d frames, ended %t, choked %t, want 1, false, false", len(frames), ended, choked)
	}
	o.put(frame{data: bytes.Repeat([]byte{1}, mostPending+1)})
	o.put(frame{data: []byte{1}})
	if _, _, choked := o.take(); !choked {
		t.Error("more came for a client that does not read, and it was not given up")
	}
}
