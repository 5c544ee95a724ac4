package roofline

import (
	"strings"
	"time"

	"halfsecond/mockllm/catalog"
)

// Latency of an all-reduce inside a captured graph: 8-10 us over NVLink, 25-30 us
// over PCIe. Fits to vidur's all-reduce medians, microsoft/vidur commit 7d47513,
// whose small messages also show the 20-60 us by which launches on several devices
// are apart when nothing is captured. AMD's fabric is taken as twice NVLink: its
// devices are joined in a mesh without a switch. Read 2026-11-29.
const (
	nvlinkLatency = 9 * time.Microsecond
	pcieLatency   = 27 * time.Microsecond
	fabricLatency = 18 * time.Microsecond
	launchSkew    = 25 * time.Microsecond
)

// fabricShare is what an all-reduce reaches of the 448 GB/s of eight MI300X: 48 of the
// 64 GB/s of a link are usable, and three quarters of those taken as reached. Source:
// AMD, "Understanding RCCL Bandwidth and xGMI Performance", 2025-03-02, read 2026-11-29.
const fabricShare = .75 * .75

// allReduce returns the latency of an all-reduce and the share of the link that it
// reaches. Shares are those of vidur's medians at 67 MB: A100 over NVLink .52, .56
// and .58 at 2, 4 and 8 devices, H100 .61, .70 and .81, PCIe .75 (24 GB/s of PCIe 4,
// 49 of PCIe 5). What is joined otherwise is taken as PCIe.
func allReduce(d Deployment) (time.Duration, float64) {
	latency, share := fabricOf(d.Hardware, d.tensor())
	if !d.captured() {
		latency += launchSkew
	}
	return latency, share
}

func fabricOf(h catalog.Hardware, devices int) (time.Duration, float64) {
	switch {
	case bridged(h) && devices > 2:
		return pcieLatency, bridgedBus(h) / h.Link
	case strings.HasPrefix(h.Interconnect, "NVLink"):
		return nvlinkLatency, nvlinkShare(h, devices)
	case h.Interconnect == "Infinity Fabric":
		return fabricLatency, fabricShare
	default:
		return pcieLatency, .75
	}
}

func nvlinkShare(h catalog.Hardware, devices int) float64 {
	shares := [3]float64{.52, .56, .58}
	if h.Family == "hopper" || h.Family == "blackwell" {
		shares = [3]float64{.61, .70, .81}
	}
	switch {
	case devices <= 2:
		return shares[0]
	case devices <= 4:
		return shares[1]
	}
	return shares[2]
}

// bridged reports whether NVLink joins the devices only in pairs.
func bridged(h catalog.Hardware) bool { return h.Interconnect == "NVLink bridge" }

// bridgedBus is the rate of an all-reduce over PCIe between pairs: 24 GB/s measured
// on A100, 49 GB/s on H100, by the same source.
func bridgedBus(h catalog.Hardware) float64 {
	if h.Family == "hopper" {
		return 49e9
	}
	return 24e9
}
