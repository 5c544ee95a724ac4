package exchange

import (
	"strings"
	"testing"
)

// TestPlace: what a server copies into a redirect is kept as far as it says where that leads.
func TestPlace(t *testing.T) {
	for location, want := range map[string]string{
		"https://u:pw@h:8443/v1/chat/?token=secret#secret": "https://h:8443/v1/chat/",
		"/v1/chat/?token=secret":                           "/v1/chat/",
		"/a%2Fb?x":                                         "/a%2Fb",
		"//h/x?token=secret":                               "//h/x",
		"?token=secret":                                    "",
		"http://[secret":                                   "a place that is no URL",
	} {
		if got := Place(location); got != want {
			t.Errorf("%s: %s, want %s", location, got, want)
		}
		var x Exchange
		x.SetHeaders(map[string][]string{"Location": {location}, "Content-Location": {location}})
		if kept := x.Header("location") + x.Header("Content-Location"); kept != want+want || strings.Contains(kept, "secret") {
			t.Errorf("%s: kept as %s, want %s twice", location, kept, want)
		}
	}
}
