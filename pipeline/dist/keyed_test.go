package dist

import "testing"

// A key's numbers do not depend on what others asked for, and keys differ; who names none
// gets the next of a common stream.
func TestKeyed(t *testing.T) {
	first := func(k *Keyed, key uint64) uint64 { return k.Of(key).Uint64() }
	a, b := NewKeyed(1, "x"), NewKeyed(1, "x")
	seven := first(a, 7)
	first(b, 9)
	first(b, 0)
	if got := first(b, 7); got != seven {
		t.Errorf("key 7 after others: %x, alone %x", got, seven)
	}
	if got := first(b, 7); got != seven {
		t.Errorf("key 7 again: %x, want %x", got, seven)
	}
	if first(a, 9) == seven || first(NewKeyed(2, "x"), 7) == seven || first(NewKeyed(1, "y"), 7) == seven {
		t.Error("another key, seed or name has the same numbers")
	}
	common := Stream(1, "x")
	common.Uint64()
	if got, want := first(b, 0), common.Uint64(); got != want {
		t.Errorf("the second without a key: %x, want %x", got, want)
	}
}
