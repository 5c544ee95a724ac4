package phone

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"halfsecond/mockllm/server/voice/talk"
	"halfsecond/pipeline/wire/twilio"
)

// longestCall is how long a call lasts at most unless it is said, and can last
// (twilio.com/docs/voice/api/call-resource, TimeLimit, read 2026-11-29).
const longestCall = 4 * time.Hour

// callDigits are what the caller may press (twilio.com/docs/api/errors/21206, read
// 2026-11-29), and mostDigits how much of it; that limit is ours.
const (
	callDigits = "0123456789ABCD*#wW"
	mostDigits = 100
)

// placeCall answers POST Calls.json.
func (s *Service) placeCall(w http.ResponseWriter, r *http.Request) {
	c, fault := s.callAsked(w, r)
	if fault != nil {
		talk.WriteJSON(w, fault.Status, fault)
		return
	}
	s.calls.add(c)
	s.Go(func() { s.runCall(c) })
	talk.WriteJSON(w, http.StatusCreated, c.queued())
}

// queued returns the call as it was when it was asked for.
func (c *call) queued() twilio.Call {
	r := c.resource()
	r.Status, r.StartTime, r.EndTime, r.Duration = twilio.Queued, nil, nil, nil
	return r
}

// callAsked returns the call that a request asks for.
func (s *Service) callAsked(w http.ResponseWriter, r *http.Request) (*call, *twilio.Error) {
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody)
	if err := r.ParseForm(); err != nil {
		return nil, callFault(twilio.CodeBadRequest, "The form could not be read: %v", err)
	}
	now := time.Now()
	c := &call{
		sid: s.newSid("CA"), account: r.PathValue("account"), to: r.PostForm.Get("To"), from: r.PostForm.Get("From"),
		url: r.PostForm.Get("Url"), method: http.MethodPost, digits: r.PostForm.Get("SendDigits"), limit: longestCall,
		arrived: s.Loop.Elapsed(), created: now, updated: now, status: twilio.Queued, quit: make(chan struct{}),
	}
	if c.url == "" { // as the service has it, Twiml counts only without Url
		c.markup = r.PostForm.Get("Twiml")
	}
	switch {
	case c.to == "":
		return nil, callFault(twilio.CodeNoTo, "No 'To' number is specified")
	case c.url == "" && c.markup == "":
		return nil, callFault(twilio.CodeBadURL, "Url parameter is required.")
	case c.from == "":
		return nil, callFault(twilio.CodeNoFrom, "From phone number is required.")
	}
	if fault := s.checkCall(c, r.PostForm); fault != nil {
		return nil, fault
	}
	c.caller.lines = s.lines()
	return c, nil
}

// checkCall says what of a call cannot be.
func (s *Service) checkCall(c *call, form url.Values) *twilio.Error {
	if m := form.Get("Method"); m != "" {
		c.method = strings.ToUpper(m)
	}
	if c.method != http.MethodGet && c.method != http.MethodPost {
		return callFault(twilio.CodeBadRequest, "Method %q: want GET or POST", form.Get("Method"))
	}
	if len(c.digits) > mostDigits || strings.Trim(c.digits, callDigits) != "" {
		return callFault(twilio.CodeBadDigits, "Invalid SendDigits %.*q: want at most %d of %s", mostDigits, c.digits, mostDigits, callDigits)
	}
	if text := form.Get("TimeLimit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > int(longestCall/time.Second) {
			return callFault(twilio.CodeBadRequest, "TimeLimit %q: want whole seconds from 1 to %d", text, longestCall/time.Second)
		}
		c.limit = time.Duration(n) * time.Second
	}
	if c.url != "" {
		return s.checkURL(c.url)
	}
	return s.checkMarkup(c.markup)
}

func (s *Service) checkURL(text string) *twilio.Error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return callFault(twilio.CodeBadURL, "Url is not a valid URL: %s", text)
	}
	if err := s.mayDial(u); err != nil {
		return callFault(twilio.CodeBadURL, "Url is not a valid URL: %v", err)
	}
	return nil
}

// checkMarkup looks at markup at once, where the service does so when the call is
// answered: whoever made it learns what is wrong with it.
func (s *Service) checkMarkup(text string) *twilio.Error {
	verbs, err := twilio.ParseTwiML(text)
	if err != nil {
		return callFault(twilio.CodeBadMarkup, "%v", err)
	}
	for _, v := range verbs {
		stream, ok := v.(twilio.Stream)
		if !ok {
			continue
		}
		u, err := url.Parse(stream.URL)
		if err != nil || u.Scheme != "ws" && u.Scheme != "wss" {
			return callFault(twilio.CodeBadMarkup, "<Stream> has the url %q, want one of ws or wss", stream.URL)
		}
		if err := s.mayDial(u); err != nil {
			return callFault(twilio.CodeBadMarkup, "<Stream>: %v", err)
		}
	}
	return nil
}

// callOf returns the call that a path names; when there is none, that has been said.
func (s *Service) callOf(w http.ResponseWriter, r *http.Request) *call {
	sid, _ := strings.CutSuffix(r.PathValue("call"), ".json")
	c := s.calls.find(sid)
	if c == nil || c.account != r.PathValue("account") {
		talk.WriteJSON(w, http.StatusNotFound, twilio.NewError(http.StatusNotFound, twilio.CodeNotFound, fmt.Sprintf("The requested resource %s was not found", r.URL.Path)))
		return nil
	}
	return c
}

// showCall answers GET Calls/SID.json.
func (s *Service) showCall(w http.ResponseWriter, r *http.Request) {
	if c := s.callOf(w, r); c != nil {
		talk.WriteJSON(w, http.StatusOK, c.resource())
	}
}

// changeCall answers POST Calls/SID.json, which can end a call.
func (s *Service) changeCall(w http.ResponseWriter, r *http.Request) {
	c := s.callOf(w, r)
	if c == nil {
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, s.MaxBody)
	status := r.PostFormValue("Status")
	switch {
	case !slices.Contains([]string{twilio.Completed, twilio.Canceled}, status):
		talk.WriteJSON(w, http.StatusBadRequest, callFault(twilio.CodeBadRequest, "Status %q: want completed or canceled; calls under way are not redirected", status))
	case c.over():
		talk.WriteJSON(w, http.StatusBadRequest, callFault(twilio.CodeCallEnded, "Call is not in-progress. Cannot redirect."))
	default:
		c.end()
		answer := c.resource()
		answer.Status = status
		talk.WriteJSON(w, http.StatusOK, answer)
	}
}
