// Package llamacpp is the API that only llama.cpp's server has: /completion, /infill
// and what tells of its state. Its OpenAI-compatible paths are in package wire.
//
// Read request.go for what is asked, answer.go for the answers, timings.go for what
// they tell of time, stream.go for the events of a streamed answer, one a token, and
// state.go for slots and properties.
//
// Source of all shapes: ggml-org/llama.cpp tools/server/README.md (commit 00dc805),
// server-task.cpp (00efb3e), server-context.cpp (001d906) and server-common.cpp
// (006639c), all of 2026, read 2026-11-29.
package llamacpp
