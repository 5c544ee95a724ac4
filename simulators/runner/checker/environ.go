package checker

import "os"

// handedOn are the variables that a program gets to see: what it needs to find its parts,
// a home for its files, and its language. Keys that stand in others stay here.
var handedOn = []string{
	"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL",
	"SYSTEMROOT", "PATHEXT", "TEMP", "TMP", "USERPROFILE", // of Windows
}

// environ returns the environment of a program.
func environ() (all []string) {
	for _, name := range handedOn {
		if value, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+value)
		}
	}
	return all
}
