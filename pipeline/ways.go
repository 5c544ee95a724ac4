package pipeline

// ToAgent returns the spans of a voice turn from the mouth to the agent, in their order.
func ToAgent() []string {
	return []string{SpanCapture, SpanUplink, SpanUplinkLoss, SpanJitterBuffer}
}

// ToEar returns the spans of a voice turn from the agent to the ear, in their order.
func ToEar() []string { return []string{SpanEgress, SpanPlayout, SpanPlayoutLoss} }
