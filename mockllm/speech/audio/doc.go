// Package audio turns bytes into samples and back: one channel of signed 16-bit
// samples at some rate is what the models of package speech hear and say.
//
// Read encoding.go for how one sample is written, decoder.go for raw bytes that arrive
// in pieces, stream.go for files that do, read.go for whole files, encoder.go for what
// is sent, and resample.go for changes of rate. MP3 is written by mp3.go and
// mp3_spectrum.go: no encoder in Go whose licence allows it could be had.
package audio
