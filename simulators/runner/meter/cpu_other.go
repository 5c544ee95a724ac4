//go:build !unix

package meter

import (
	"time"

	"halfsecond/pipeline"
)

func processCPU() time.Duration { return pipeline.Unknown }
