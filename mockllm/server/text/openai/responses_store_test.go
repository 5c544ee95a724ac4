package openai

import (
	"fmt"
	"strings"
	"testing"

	"halfsecond/pipeline/wire"
)

// TestStoreForgets: the oldest responses go when there are too many, or too large ones.
func TestStoreForgets(t *testing.T) {
	var s responseStore
	response := func(i int, text string) *keptResponse {
		id := fmt.Sprint("r", i)
		return &keptResponse{wire.Response{ID: id, Output: []wire.OutputItem{{Type: wire.ItemMessage, ID: "i" + id, Text: text}}}, []string{text}}
	}
	for i := range maxKept + 2 {
		s.put(response(i, "x"))
	}
	if s.get("r1") != nil || s.get("r2") == nil || len(s.byID) != maxKept || len(s.items) != maxKept || s.bytes != maxKept {
		t.Errorf("after two too many: %d responses, %d items, %d bytes", len(s.byID), len(s.items), s.bytes)
	}
	large := strings.Repeat("y", maxKeptBytes/2+1)
	s.put(response(-1, large))
	s.put(response(-2, large))
	if s.get("r-1") != nil || s.get("r-2") == nil || len(s.byID) != 1 || len(s.order) != 1 || s.bytes != len(large) {
		t.Errorf("after two large ones: %d responses, %d bytes", len(s.byID), s.bytes)
	}
	if text, known := s.item("ir-2"); !known || text != large {
		t.Errorf("item of the last: %v", known)
	}
	if s.drop("r-1") || !s.drop("r-2") || s.bytes != 0 || len(s.items) != 0 {
		t.Errorf("after the last is dropped: %d bytes, %d items", s.bytes, len(s.items))
	}
}
