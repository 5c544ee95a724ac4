package twilio

import (
	"fmt"
	"time"
)

// Statuses of a Call.
const (
	Queued     = "queued"
	Ringing    = "ringing"
	InProgress = "in-progress"
	Completed  = "completed"
	Failed     = "failed"
	Canceled   = "canceled"
)

// Call is a call as a resource.
type Call struct {
	AccountSid      string            `json:"account_sid"`
	Annotation      *string           `json:"annotation"`
	AnsweredBy      *string           `json:"answered_by"`
	APIVersion      string            `json:"api_version"` // APIVersion
	CallerName      *string           `json:"caller_name"`
	DateCreated     *Date             `json:"date_created"`
	DateUpdated     *Date             `json:"date_updated"`
	Direction       string            `json:"direction"`
	Duration        *string           `json:"duration"` // seconds
	EndTime         *Date             `json:"end_time"`
	ForwardedFrom   *string           `json:"forwarded_from"`
	From            string            `json:"from"`
	FromFormatted   string            `json:"from_formatted"`
	GroupSid        *string           `json:"group_sid"`
	ParentCallSid   *string           `json:"parent_call_sid"`
	PhoneNumberSid  *string           `json:"phone_number_sid"`
	Price           *string           `json:"price"`
	PriceUnit       string            `json:"price_unit"`
	QueueTime       string            `json:"queue_time"` // ms
	Sid             string            `json:"sid"`
	StartTime       *Date             `json:"start_time"`
	Status          string            `json:"status"`
	SubresourceURIs map[string]string `json:"subresource_uris"`
	To              string            `json:"to"`
	ToFormatted     string            `json:"to_formatted"`
	TrunkSid        string            `json:"trunk_sid"`
	URI             string            `json:"uri"`
}

// What every Call has.
const (
	APIVersion  = "2010-04-01"
	OutboundAPI = "outbound-api" // the direction of a call that a request made
)

// CallURI returns where a call is.
func CallURI(account, call string) string {
	return fmt.Sprintf("/%s/Accounts/%s/Calls/%s.json", APIVersion, account, call)
}

// Date is a time as the API writes it: RFC 2822, in UTC.
type Date time.Time

const dateLayout = "Mon, 02 Jan 2006 15:04:05 +0000"

// MarshalText implements encoding.TextMarshaler.
func (d Date) MarshalText() ([]byte, error) {
	return []byte(time.Time(d).UTC().Format(dateLayout)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Date) UnmarshalText(b []byte) error {
	t, err := time.Parse(dateLayout, string(b))
	*d = Date(t)
	return err
}

// Codes of an Error.
const (
	CodeNotFound        = 20404
	CodeNoTo            = 21201
	CodeBadURL          = 21205
	CodeBadDigits       = 21206
	CodeNoFrom          = 21213
	CodeCallEnded       = 21220
	CodeBadMarkup       = 12100
	CodeBadFetch        = 11200
	CodeBadRequest      = 400
	CodeStreamTimeout   = 31901
	CodeStreamRefused   = 31902
	CodeStreamHandshake = 31920
	CodeStreamProtocol  = 31924
	CodeStreamOverflow  = 31931
)

// Error is the body of a response that says what was wrong with a request.
type Error struct {
	Code     int    `json:"code"`
	Message  string `json:"message"`
	MoreInfo string `json:"more_info"`
	Status   int    `json:"status"` // of HTTP
}

// NewError returns an Error with the address of its explanation.
func NewError(status, code int, message string) Error {
	return Error{code, message, fmt.Sprintf("https://www.twilio.com/docs/errors/%d", code), status}
}
