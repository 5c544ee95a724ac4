package scenario

import (
	"slices"
	"strings"
)

// Changed returns what a file's section voice has to have for its turns to be others, in one line
// as the file has it: each key with all of its value, which takes the place of what stands there,
// or with "left out". What a key within a value stands for when it is left out is.
//
// A detector's silence that was a preset's is stated beside a policy that is none.
func (v *Voice) Changed(to *Voice) string {
	was, is := spoken.write(*v), spoken.write(*to)
	fromPreset := v.Ending != nil && v.Ending.Preset != "" && (to.Ending == nil || to.Ending.Preset == "")
	var parts []string
	for _, f := range spoken.keys {
		if strings.Contains(f.Path, ".") {
			continue
		}
		before, after := was.at(f.Path), is.at(f.Path)
		switch {
		case before.flow() == after.flow() && !(fromPreset && f.Path == "vad_silence"):
		case after.empty() && !before.empty():
			parts = append(parts, f.Path+": left out")
		case !after.empty():
			parts = append(parts, f.Path+": "+after.brief())
		}
	}
	return strings.Join(parts, ", ")
}

// at returns what a key of a block has; empty for nothing.
func (t tree) at(key string) tree {
	if i := slices.IndexFunc(t.lines, func(l line) bool { return l.key == key }); i >= 0 {
		return t.lines[i].tree
	}
	return tree{}
}

// brief returns the tree in one line, without keys that have the value that they have when they
// are left out, but for one where no other is left.
func (t tree) brief() string {
	if t.lines == nil {
		return t.flow()
	}
	var parts, all []string
	for _, l := range t.lines {
		if l.tree.empty() {
			continue
		}
		all = append(all, l.key+": "+l.tree.brief())
		if l.usual == nil || !l.usual() {
			parts = append(parts, all[len(all)-1])
		}
	}
	if len(parts) == 0 && len(all) > 0 {
		parts = all[:1]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// At returns what a key of a scenario has, in one line as a file has it; "left out" for nothing.
func (s *Scenario) At(key string) string {
	t := schema.write(*s)
	for name := range strings.SplitSeq(key, ".") {
		t = t.at(name)
	}
	if t.empty() {
		return "left out"
	}
	return t.brief()
}
