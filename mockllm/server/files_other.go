//go:build !unix

package server

// fileLimit says in words how many files this process may have open, where that is known.
func fileLimit() string { return "" }
