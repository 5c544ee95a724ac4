package kv

// idle lists the blocks that nobody holds, in the order in which they were given
// back. Their neighbours are in the blocks themselves, so that one can leave the
// middle of the list at once.
type idle struct {
	oldest, newest Block
	n              int
}

// add puts a block last.
func (l *idle) add(blocks []block, b Block) {
	blocks[b].older, blocks[b].newer = l.newest, none
	if l.newest == none {
		l.oldest = b
	} else {
		blocks[l.newest].newer = b
	}
	l.newest = b
	l.n++
}

// remove takes a block out.
func (l *idle) remove(blocks []block, b Block) {
	older, newer := blocks[b].older, blocks[b].newer
	if older == none {
		l.oldest = newer
	} else {
		blocks[older].newer = newer
	}
	if newer == none {
		l.newest = older
	} else {
		blocks[newer].older = older
	}
	l.n--
}
