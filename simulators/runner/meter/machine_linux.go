package meter

import (
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"halfsecond/pipeline"
)

// readMachine reads what Linux counts. A file that is not there, in a container or without
// the option of the kernel, leaves its figures Unknown.
func readMachine() machine {
	m := unknownMachine()
	m.all, m.busy, m.stolen = coreTimes(text("/proc/stat"))
	m.waited = pressure(text("/proc/pressure/cpu"))
	m.held = throttled(text(path.Join("/sys/fs/cgroup", group(text("/proc/self/cgroup")), "cpu.stat")))
	return m
}

func text(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(b)
}

// tick is the unit of /proc/stat, USER_HZ, which is 100 to the second on every machine that
// Go runs on. Source: proc_stat(5) and time(7) of the Linux manual pages, read 2026-11-30.
const tick = time.Second / 100

// coreTimes reads the first line of /proc/stat: user, nice, system, idle, iowait, irq,
// softirq, steal; what follows is part of user and nice. Source: proc_stat(5), as above.
func coreTimes(stat string) (all, busy, stolen time.Duration) {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return pipeline.Unknown, pipeline.Unknown, pipeline.Unknown
		}
		d := time.Duration(n) * tick
		all += d
		switch i {
		case 3, 4: // idle, iowait
		case 7:
			stolen = d
		default:
			busy += d
		}
	}
	return all, busy, stolen
}

// pressure reads /proc/pressure/cpu: for how long some task, at least one, was ready and
// had no core, in us since the machine started. Source: Documentation/accounting/psi.rst
// of Linux, read 2026-11-30.
func pressure(text string) time.Duration {
	for line := range strings.Lines(text) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "some" {
			return micros(strings.TrimPrefix(fields[len(fields)-1], "total="))
		}
	}
	return pipeline.Unknown
}

// group reads /proc/self/cgroup: the path of the process's group of version 2, which is /
// in most containers. Source: cgroups(7) of the Linux manual pages, read 2026-11-30.
func group(text string) string {
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return path
		}
	}
	return "/"
}

// throttled reads cpu.stat of a group: for how long its limit of processor time kept it from
// running, in us. A group without a limit has no such line.
// Source: Documentation/admin-guide/cgroup-v2.rst of Linux, read 2026-11-30.
func throttled(text string) time.Duration {
	for line := range strings.Lines(text) {
		if total, ok := strings.CutPrefix(line, "throttled_usec "); ok {
			return micros(strings.TrimSpace(total))
		}
	}
	return pipeline.Unknown
}

func micros(digits string) time.Duration {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return pipeline.Unknown
	}
	return time.Duration(n) * time.Microsecond
}
