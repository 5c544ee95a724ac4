package others

import (
	"slices"

	"halfsecond/pipeline"
)

// stages are the spans of a voice turn that some source logs, in the order of the pipeline:
// the columns that a table may have.
var stages = slices.Concat(beforeAgent, []string{
	pipeline.SpanVADBacklog, pipeline.SpanVADWait, pipeline.SpanSTTTail, pipeline.SpanSTTTimer, pipeline.SpanEndOfTurn, pipeline.SpanPolicyWait, pipeline.SpanHook,
}, inReply, afterAgent)

var (
	beforeAgent = []string{pipeline.SpanCapture, pipeline.SpanUplink, pipeline.SpanJitterBuffer}
	inReply     = slices.Concat([]string{pipeline.SpanToolCall, pipeline.SpanTool, pipeline.SpanLLMConnect, pipeline.SpanLLMLoad}, ofFirstToken, []string{
		pipeline.SpanLLMFirstToken, pipeline.SpanGathering,
		pipeline.SpanTTSConnect, pipeline.SpanTTSQueue, pipeline.SpanTTSHeld, pipeline.SpanTTSFirstAudio, pipeline.SpanModelAudio, pipeline.SpanLeading,
	})
	ofFirstToken = []string{pipeline.SpanLLMQueue, pipeline.SpanLLMPrefill, pipeline.SpanLLMReasoning}
	afterAgent   = []string{pipeline.SpanPostWait, pipeline.SpanPreBuffer, pipeline.SpanEgress, pipeline.SpanPlayout}
)

// order returns where a stage stands in the pipeline, -1 for one that no source logs.
func order(name string) int { return slices.Index(stages, name) }
