package dist

// Keyed holds the random numbers of a part that serves others: to each whoever asks it
// names, by a key, which are meant for it. Those of one key are the same whatever else is
// asked, and in whichever order, so that two runs that differ in a setting can be compared
// turn by turn (common random numbers). Make one with NewKeyed; it must not be used by two
// goroutines at once.
type Keyed struct {
	seed uint64
	name string
	next Rand // of those who name no key
	own  Rand
}

// NewKeyed returns the random numbers of a seed and a name.
func NewKeyed(seed uint64, name string) *Keyed {
	return &Keyed{seed: seed, name: name, next: Stream(seed, name)}
}

// Of returns the stream of a key, from its beginning; of key 0 the one that all who name
// none share, from where the last of them left it. It holds until the next call.
func (k *Keyed) Of(key uint64) *Rand {
	if key == 0 {
		return &k.next
	}
	k.own = Stream(k.seed, k.name, int(key))
	return &k.own
}
