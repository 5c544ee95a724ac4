// Package listen is speech to text over the network as a pipeline.STT: OpenAI's
// transcriptions and its realtime transcription, Deepgram's /v1/listen and Flux,
// AssemblyAI's streaming and Cartesia's speech to text.
//
// Read config.go for what is set, protocol.go for what differs from vendor to vendor (with
// one file each for what their messages mean), client.go and call.go for a session of one
// utterance or several, flight.go for one that is under way, upload.go for those that are sent
// whole, gather.go for the record that each leaves, and retell.go for how that is made again from
// a raw log.
//
// Speech goes out in frames at the pace of speech, each at its own instant. Recordings are
// sent whole, and silence after them until the service says that the turn has ended, or in a
// session of several utterances until it has said so of the last. Where
// speech ends is known from the recording, so that the time to the final transcript counts
// from the instant at which its last sample was spoken.
package listen
