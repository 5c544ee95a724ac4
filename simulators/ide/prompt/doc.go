// Package prompt makes the prompts of a ghost-text plugin out of a document.
//
// Read shape.go first: how a plugin makes them. builder.go makes one after the other,
// cut.go finds how much of the document goes in, context.go is what goes in beside it,
// plan.go the order of the parts, prompt.go the prompt itself, and drift.go where two
// differ first, and why. Tokens are counted as the document grows: tally.go counts those
// of a text, joint.go those of texts that follow each other. window.go finds what an
// editor without a shape sends.
package prompt
