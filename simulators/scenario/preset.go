package scenario

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"halfsecond/pipeline/strict"
	"halfsecond/simulators/ide/plugin"
)

// ghost is the form of the rules of a plugin, which may begin with a preset: what the file
// states takes the place of the preset's. They are written in full, without its name.
var ghost = func() form[rules] {
	f := pluginKeys(&defaultPlugin)
	stated := f.read
	f.read = func(r *reader, n ast.Node) (rules, bool) {
		if p, ok := presetOf(n); ok {
			return pluginKeys(&p.Rules).read(r, n)
		}
		return stated(r, n)
	}
	return f
}()

// presetOf returns the preset that a mapping names.
func presetOf(n ast.Node) (p plugin.Preset, ok bool) {
	values, _ := strict.Mapping(n)
	for _, v := range values {
		key, isName := v.Key.(*ast.StringNode)
		name, isText := v.Value.(*ast.StringNode)
		if isName && isText && key.Value == "preset" {
			p, err := plugin.FindPreset(name.Value)
			return p, err == nil
		}
	}
	return p, false
}

// presetKey reads the name of a preset, of which ghost has taken the rules.
var presetKey = func() field[rules] {
	f := enum(plugin.PresetNames()...)
	return field[rules]{
		Key:   Key{Path: "preset", Want: "a name from `halfsecond catalog plugins`", Doc: "rules of a plugin that is in use, as its code had them; every other key given takes the place of the preset's"},
		read:  func(r *reader, n ast.Node, _ *rules) bool { _, ok := f.read(r, n); return ok },
		fill:  func(*rules) {},
		write: func(*rules) tree { return tree{} },
	}
}()

// PresetText returns a preset as the section of a scenario that says the same, with what each
// key rests on behind it.
func PresetText(p plugin.Preset) string {
	t := pluginKeys(&defaultPlugin).write(p.Rules).noted("", func(key string) string {
		if f, known := p.Fact(key); known {
			return fmt.Sprintf("%s [%s]", f.Says, f.From)
		}
		return ""
	})
	return tree{lines: []line{{key: "plugin", tree: t}}}.render(false)
}

// PresetKeys returns the keys of a preset that PresetText has, in its order, each with its value.
func PresetKeys(p plugin.Preset) (keys [][2]string) {
	pluginKeys(&defaultPlugin).write(p.Rules).leaves("", func(key string, t tree) { keys = append(keys, [2]string{key, t.flow()}) })
	return keys
}

// noted returns a tree with the notes of its keys, whose paths begin with so much.
func (t tree) noted(above string, note func(key string) string) tree {
	lines := make([]line, len(t.lines))
	for i, l := range t.lines {
		if lines[i] = l; l.tree.lines != nil {
			lines[i].tree = l.tree.noted(above+l.key+".", note)
			continue
		}
		lines[i].tree.note = note(above + l.key)
	}
	t.lines = lines
	return t
}

// leaves calls f for each key that has a value of its own, by its path.
func (t tree) leaves(above string, f func(key string, t tree)) {
	for _, l := range t.lines {
		switch {
		case l.tree.empty():
		case l.tree.lines != nil:
			l.tree.leaves(above+l.key+".", f)
		default:
			f(above+l.key, l.tree)
		}
	}
}
