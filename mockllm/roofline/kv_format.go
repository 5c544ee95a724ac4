package roofline

import (
	"fmt"
	"strings"
)

// KVFormat is how keys and values are kept in the cache. The zero KVFormat is
// KVFP16.
type KVFormat struct {
	name  string
	bytes float64 // of one value, scales included
}

// The formats of caches. Eight-bit integers carry about 3 % of scales; q8_0 and
// q4_0 are llama.cpp's blocks of 32 values with a 16-bit scale (ggml-org/llama.cpp
// ggml/src/ggml-common.h, read 2026-11-29).
var (
	KVFP16 = KVFormat{"fp16", 2}
	KVFP8  = KVFormat{"fp8", 1}
	KVINT8 = KVFormat{"int8", 1.03}
	KVQ8   = KVFormat{"q8_0", 34. / 32}
	KVQ4   = KVFormat{"q4_0", 18. / 32}
)

// KVFormats lists the formats of caches.
func KVFormats() []KVFormat { return []KVFormat{KVFP16, KVFP8, KVINT8, KVQ8, KVQ4} }

// ParseKVFormat returns the format with that name: fp16, fp8, int8, q8_0 or q4_0.
func ParseKVFormat(name string) (KVFormat, error) {
	var names []string
	for _, f := range KVFormats() {
		if f.name == name {
			return f, nil
		}
		names = append(names, f.name)
	}
	return KVFormat{}, fmt.Errorf("unknown cache format %q: want one of %s", name, strings.Join(names, ", "))
}

// String returns the format's name.
func (f KVFormat) String() string { return f.orDefault().name }

// Bytes returns the bytes of one cached value.
func (f KVFormat) Bytes() float64 { return f.orDefault().bytes }

func (f KVFormat) orDefault() KVFormat {
	if f == (KVFormat{}) {
		return KVFP16
	}
	return f
}
