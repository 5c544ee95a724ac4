package engine

import "slices"

// queue holds waiting requests: those of the highest priority first, and of one
// priority in order.
type queue struct{ lines []line }

// line is the waiting requests of one priority. Requests that left it are skipped
// when they reach the front, so leaving costs nothing.
type line struct {
	priority int
	items    []*Request
	head     int
}

// pushBack puts a request behind all others of its priority.
func (q *queue) pushBack(r *Request, priority int) {
	l := q.line(priority)
	l.items = append(l.items, r)
}

// pushFront puts a preempted request before all others of its priority.
func (q *queue) pushFront(r *Request, priority int) {
	l := q.line(priority)
	if l.head > 0 {
		l.head--
		l.items[l.head] = r
		return
	}
	l.items = slices.Insert(l.items, 0, r)
}

// line returns that of a priority, and makes it when there is none.
func (q *queue) line(priority int) *line {
	i := 0
	for i < len(q.lines) && q.lines[i].priority > priority {
		i++
	}
	if i == len(q.lines) || q.lines[i].priority != priority {
		q.lines = slices.Insert(q.lines, i, line{priority: priority})
	}
	return &q.lines[i]
}

// front returns the first request that still waits, or nil.
func (q *queue) front() *Request {
	for i := range q.lines {
		if r := q.lines[i].front(); r != nil {
			return r
		}
	}
	return nil
}

// drop takes out the request that front returned.
func (q *queue) drop() {
	for i := range q.lines {
		if l := &q.lines[i]; l.head < len(l.items) {
			l.drop()
			return
		}
	}
}

func (l *line) front() *Request {
	for l.head < len(l.items) {
		if r := l.items[l.head]; r.state == waiting {
			return r
		}
		l.drop()
	}
	l.items, l.head = l.items[:0], 0
	return nil
}

// drop takes the first request out and, now and then, gives memory back.
func (l *line) drop() {
	l.items[l.head] = nil
	l.head++
	if l.head >= 1024 && l.head*2 >= len(l.items) {
		n := copy(l.items, l.items[l.head:])
		clear(l.items[n:])
		l.items, l.head = l.items[:n], 0
	}
}
