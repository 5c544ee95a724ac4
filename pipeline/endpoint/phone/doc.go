// Package phone is a caller on the telephone: it dials the WebSocket of a running bot as
// Twilio's Media Streams do, and measures at the ear what the bot says. Nothing of the bot
// has to be changed.
//
// Read config.go for what is set, call.go for a call of several turns and stream.go for what
// it sends, client.go and single.go for turns as a pipeline.Converser, story.go and turn.go for
// whose audio it is and when somebody is through, ear.go for the queue that a telephone plays,
// measure.go for the figures of a turn and ending.go for how it ended, message.go for what a bot
// says, mulaw.go for samples, and retell.go for how records are made again from a raw log. Facts
// of the protocol, with their sources, are those of package pipeline/wire/twilio.
//
// # What is modelled
//
// The caller speaks into a microphone, which gives 20 ms of mu-law at 8 kHz every 20 ms from
// the start of the stream to its end, silence where nobody speaks. Each frame is in the
// server of Media Streams Uplink later, which sends it on.
//
// Audio of the bot is queued there and played in order, a frame of 20 ms every 20 ms on a
// grid that begins with the stream. What came until a frame begins is in it; where there is
// less than a frame, silence fills it. What is played is at the caller's ear Downlink later.
// A mark goes back when the audio before it has left the queue. A clear empties the queue:
// the frame under way, and what is between the queue and the ear, is still heard.
//
// # Clocks
//
// Speech ends when its last sample leaves the mouth, and the answer has landed when its first
// sample of magnitude pipeline.Audible is heard: Record.Voiced. When that sample came,
// Record.FirstAudible, is what a bot's own dashboard would rather show.
package phone
