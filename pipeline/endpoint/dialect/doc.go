// Package dialect knows the protocols of language models from the client's side: where
// and how each is asked, and what its messages say.
//
// Read dialect.go first for what there is to know of a protocol. Each has a file, with
// the body that asks and a reply.Decoder.
package dialect
