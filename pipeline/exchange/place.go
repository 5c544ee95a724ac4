package exchange

import "net/url"

// Place returns where a Location header leads, without user, query and fragment: servers copy
// the query of what was asked, and it may hold something that opens a door. What is no URL is
// not told.
func Place(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return "a place that is no URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
