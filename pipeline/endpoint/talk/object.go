package talk

import (
	"encoding/json"
	"errors"
	"fmt"

	"halfsecond/pipeline/endpoint/reply"
)

// Object reads a message that must be an object of JSON. The failure is nil where it is one;
// where a member is of another kind than the protocol has, it is what the message complains
// of, if it does.
func Object(data []byte, into any) *reply.Failure {
	err := json.Unmarshal(data, into)
	if err == nil {
		return nil
	}
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if f := Complaint(data); f != nil {
			return f
		}
		err = fmt.Errorf("its member %q is of kind %s", odd.Field, odd.Value)
		if odd.Field == "" {
			err = fmt.Errorf("it is of kind %s, and no object of JSON", odd.Value)
		}
	}
	return &reply.Failure{Kind: reply.BadLink, Cause: fmt.Errorf("a message that cannot be read: %w", err)}
}
