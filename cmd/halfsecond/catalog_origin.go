package main

import "halfsecond/mockllm/catalog"

// rowStatus is the column that says what a row rests on.
func rowStatus(unverified, own bool) string { return either(own, "yours", status(unverified)) }

// readOn is the day on which a row's figures were read in their source, "" for a row of
// the user's own.
func readOn(own bool) string { return either(own, "", catalog.ReadOn) }
