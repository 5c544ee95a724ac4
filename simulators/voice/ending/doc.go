// Package ending decides when a voice agent takes a silence for the end of a turn, and
// says what a policy costs on either side: the delay after a true end, and the turns that
// it cuts in on.
//
// Read decision.go first: what a policy sees of a pause, and what it decides. The policies
// are in fixed.go, model.go, endpointing.go, confidence.go and rules.go; policy.go is what
// they have in common, preset.go the ones that are in use. turn.go holds the turns whose
// pauses are known, scores.go what a turn model says about them, trial.go one policy on one
// turn, rate.go the policy on all of them and curve.go the rates over its main setting.
//
// The commit that gives the delay of a simulated turn is the one that gives the cut-in rate, so
// the two can never be told apart. It waits for the final transcript, whatever the policy waits
// for (Pause.Commit). SOURCES.md says where the figures are from.
//
// Nothing here runs on a loop. Every draw comes from a stream named by seed, session and
// index, and each policy and each setting takes the same number of draws, so that two policies,
// or two settings of one, meet the same pauses with the same scores.
package ending
