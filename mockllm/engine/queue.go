package engine

// queue holds waiting requests in order. Requests that left it are skipped when
// they reach the front, so leaving costs nothing.
type queue struct {
	items []*Request
	head  int
}

func (q *queue) pushBack(r *Request) { q.items = append(q.items, r) }

// pushFront puts a preempted request before all others.
func (q *queue) pushFront(r *Request) {
	if q.head > 0 {
		q.head--
		q.items[q.head] = r
		return
	}
	q.items = append(q.items, nil)
	copy(q.items[1:], q.items)
	q.items[0] = r
}

// front returns the first request that still waits, or nil.
func (q *queue) front() *Request {
	for q.head < len(q.items) {
		if r := q.items[q.head]; r.state == waiting {
			return r
		}
		q.drop()
	}
	q.items, q.head = q.items[:0], 0
	return nil
}

// drop takes the first request out and, now and then, gives memory back.
func (q *queue) drop() {
	q.items[q.head] = nil
	q.head++
	if q.head >= 1024 && q.head*2 >= len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}
