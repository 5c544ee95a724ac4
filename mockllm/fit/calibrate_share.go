package fit

import "halfsecond/mockllm/roofline"

// usedShare returns the share of the compute rate that products with the weights of a
// deployment reach under an MFU of its constants: on GeForce boards it is more.
// Calibrations and profiles are in this share, for it is what measurements show.
func usedShare(d roofline.Deployment, mfu float64) float64 {
	d.Constants = roofline.Ideal()
	d.Constants.MFU = mfu
	p, err := roofline.Partial(d)
	if err != nil {
		return mfu
	}
	_, share := p.Products()
	return share
}

// halvings bring an MFU within a billionth.
const halvings = 30

// mfuFor returns the smallest MFU under which a share is reached.
func mfuFor(d roofline.Deployment, share float64) float64 {
	if usedShare(d, share) <= share {
		return share
	}
	low, high := 0., share
	for range halvings {
		if mid := (low + high) / 2; usedShare(d, mid) < share {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
