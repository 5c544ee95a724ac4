package utterance

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCut: a recording whose end is missing is refused, with what it lacks; one whose header is
// wrong by a few samples passes.
func TestCut(t *testing.T) {
	at := strings.Index(string(Ours), "data") + 4
	size := int(binary.LittleEndian.Uint32(Ours[at:]))
	if _, err := Read(Ours); err != nil {
		t.Fatal(err)
	}
	var cut CutError
	if _, err := Read(Ours[:at+4+size/2]); !errors.As(err, &cut) || cut.Lacks < 100*time.Millisecond || !strings.Contains(err.Error(), "its header says that it goes on for ") {
		t.Errorf("half of it: %v", err)
	}
	few := slices.Clone(Ours)
	binary.LittleEndian.PutUint32(few[at:], uint32(size+40))
	if _, err := Read(few); err != nil {
		t.Errorf("40 bytes too many in the header: %v", err)
	}
	if _, err := Read(nil); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty file: %v", err)
	}
}
