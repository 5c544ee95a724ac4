package trace

import "halfsecond/pipeline"

// appendOpening appends what came with the first output of a request, where that is told.
func appendOpening(b []byte, o *pipeline.Opening) []byte {
	if *o == (pipeline.Opening{}) {
		return b
	}
	b = appendInt(append(b, `,"opening":{"chunks":`...), o.Chunks)
	if o.Tokens != 0 {
		b = appendInt(append(b, `,"tokens":`...), o.Tokens)
	}
	if o.Of != 0 {
		b = appendInt(append(b, `,"bytes":`...), o.Bytes)
		b = appendInt(append(b, `,"of":`...), o.Of)
	}
	if o.Unsent != 0 {
		b = appendInt(append(b, `,"unsent":`...), o.Unsent)
	}
	if o.Sure != 0 {
		b = appendInt(append(b, `,"sure":`...), o.Sure)
	}
	return append(b, '}')
}

// wireOpening is an Opening under the names of the file.
type wireOpening struct {
	Chunks int `json:"chunks"`
	Tokens int `json:"tokens"`
	Bytes  int `json:"bytes"`
	Of     int `json:"of"`
	Unsent int `json:"unsent"`
	Sure   int `json:"sure"`
}
