package main

import (
	"fmt"

	"halfsecond/pipeline/endpoint/counters"
)

// noMetrics is the word for not looking at a server's metrics.
const noMetrics = "none"

// metricsAt returns where the server at an endpoint shows its metrics, "" for nowhere.
func (o *runOptions) metricsAt() (string, error) {
	if o.metrics == noMetrics {
		return "", nil
	}
	if err := counters.Check(o.metrics); err != nil {
		return "", fmt.Errorf("--metrics: %w; %s does not look", err, noMetrics)
	}
	return o.metrics, nil
}
