package dialect

import "strings"

// Place is where a protocol is spoken.
type Place struct {
	URL      string
	Protocol Protocol
}

// Meant asks whether one of the places was meant by somebody who asked for a protocol
// where it is not spoken; "" for no places.
func Meant(places []Place, by Protocol) string {
	var named []string
	for _, p := range places {
		if p.Protocol == by {
			named = append(named, p.URL)
		} else {
			named = append(named, p.URL+" with the protocol "+string(p.Protocol))
		}
	}
	if named == nil {
		return ""
	}
	return "did you mean " + strings.Join(named, ", or ") + "?"
}
