// Package observe tells what typing and which habits of a ghost-text plugin the prompts
// tell of that reach a server. The plugin is not touched: each of its requests holds the
// text around the cursor, so two of them differ by what was done in the editor meanwhile.
//
// An Observer keeps the latest requests, and a Report is computed from them when somebody
// wants it.
//
// Read request.go first: what is known of one request; prompt.go says how its text is
// split at the cursor. align.go finds the edit between two prompts, document.go puts
// prompts of one text together, and step.go says what each edit was. judge.go says what
// became of the answers, reuse.go what of a prompt a server can have kept. Each finding has
// a file: flood.go, stale.go, drift.go, suffix.go, limit.go, connection.go, again.go,
// whole.go. report.go and words.go write them down, keys.go the typing.
//
// # Which requests belong together
//
// Two prompts are of one document when at least half of the second is found in what is
// known of the first's text, in one piece before and one after a single edit, or when it is
// all of that with at most a suggestion put in at the cursor. Of several
// such documents it is the one that needs the smallest edit and the shortest way of the
// cursor. A large edit begins a document of its own, which is found to be the same unless
// requests of both came by turns, as those of two people at one file do. Connections tell
// nothing: plugins share one between files, and lose one at each cancel. A jump to where
// nothing is known of the file begins another document.
//
// # What cannot be known
//
// When a key was pressed is known in bounds only: after the request before it and before
// the request that shows it. Two edits between two requests look like one that replaces
// what lies between. A plugin that sends nothing after the cursor hides where the text
// ends: moving up looks like deleting. Text that equals an answer, to its end or to the end
// of one of its lines, counts as accepted, though a person can have typed it.
package observe
