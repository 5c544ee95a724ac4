// Package dashboard numbers a voice turn as the dashboards of Pipecat, LiveKit Agents and
// Vapi would, beside voice-to-voice, so that a team can reconcile the two.
//
// Read metric.go first: each metric with the events that it counts from and to, and where
// that was read. seen.go finds those events in a trace, and numbers.go the numbers of a run
// with what a metric leaves out of voice-to-voice, by the name of its span.
//
// A trace of our own knows more than a framework does, and less of its insides: where two
// events of a framework are one in a trace, or an event is taken for another, the metric's
// words say so.
package dashboard
