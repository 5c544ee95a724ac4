package arrival

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"slices"
	"sync"
)

// azure holds the traces of azure/README.md, which says where they are from and under
// which licence.
//
//go:embed azure
var azure embed.FS

var builtins = []string{"azure-conv", "azure-code"}

// TraceNames returns the names of the traces that come with the program: one of a
// service for conversation, one for code.
func TraceNames() []string { return slices.Clone(builtins) }

var conversation, code = sync.OnceValue(func() *Trace { return unpack("azure-conv") }), sync.OnceValue(func() *Trace { return unpack("azure-code") })

// BuiltinTrace returns the trace of that name; ok is false when there is none.
func BuiltinTrace(name string) (t *Trace, ok bool) {
	switch name {
	case "azure-conv":
		return conversation(), true
	case "azure-code":
		return code(), true
	}
	return nil, false
}

func unpack(name string) *Trace {
	packed, err := azure.ReadFile("azure/" + name + ".csv.gz")
	if err == nil {
		var r *gzip.Reader
		if r, err = gzip.NewReader(bytes.NewReader(packed)); err == nil {
			var t *Trace
			if t, err = ReadCSV(name, r); err == nil {
				return t
			}
		}
	}
	panic(fmt.Sprintf("arrival: %s: %v", name, err))
}
