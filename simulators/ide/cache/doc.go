// Package cache is what a ghost-text plugin keeps of earlier answers, so that it need
// not ask again.
//
// Read config.go first: which answers are found again, each rule with the plugin that
// has it. cache.go keeps the entries and lets the least recently used go, find.go looks
// them up, point.go is the place in a text that an answer belongs to, and alike.go says
// which differences a plugin looks past.
//
// A plugin that keys by less than the whole text cuts its points to what it looks at
// before it hands them over.
package cache
