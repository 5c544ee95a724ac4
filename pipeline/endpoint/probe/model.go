package probe

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"halfsecond/pipeline"
	"halfsecond/pipeline/endpoint"
	"halfsecond/pipeline/endpoint/dialect"
	"halfsecond/pipeline/endpoint/probe/seen"
)

// model finds the model.
func (f *finder) model() error {
	d, err := dialect.Of(f.config.Protocol)
	if err != nil {
		return err
	}
	if d.Models == "" && f.config.Model == "" {
		f.config.Model, f.seen.ModelBy = "default", seen.Ignored
	}
	if d.Models != "" {
		if err := f.listed(d); err != nil {
			return err
		}
	}
	f.seen.Model = f.config.Model
	if f.seen.ModelBy == "" && f.config.Model != "" {
		f.seen.ModelBy = seen.Told
	}
	return nil
}

// listed takes the model from the list, where it is needed and can be.
func (f *finder) listed(d *dialect.Dialect) error {
	l, err := f.list(d.Protocol)
	if err != nil {
		return err
	}
	names, unread := d.ModelNames(l.Body)
	given := l.Status == http.StatusOK && unread == nil
	if given {
		f.seen.Models = append([]string{}, names...)
	}
	switch {
	case f.config.Model != "":
		if fails(l, given) {
			f.seen.NoList = look(l)
		}
	case !given:
		return f.unlisted(l)
	case len(names) == 1:
		f.config.Model, f.seen.ModelBy = names[0], seen.Only
	case len(names) > 1:
		return fmt.Errorf("the endpoint has several models; name one with --model: %s", few(names))
	default:
		return errNone
	}
	return nil
}

var errNone = errors.New("the endpoint lists no model; name one with --model")

// fails reports whether a Look shows that the server has a list of models, or should have
// one, and did not give it.
func fails(l endpoint.Look, given bool) bool {
	switch l.Status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return false
	case http.StatusOK:
		return !given && (l.Type == "text/html" || l.Failed != "")
	}
	return true
}

// unlisted finds out why a server gave no list of models when one was needed: whether a
// name would help. The error says so where nothing else is wrong.
func (f *finder) unlisted(l endpoint.Look) error {
	answer, p := unsure, l
	if !f.enough {
		var err error
		if answer, p, err = f.place(f.config.Protocol); err != nil {
			return err
		}
	}
	switch {
	case f.enough:
		f.hinder(f.stop)
	case answer == absent:
		f.hinder(p)
	case answer == present && fails(l, false):
		f.seen.NoList = look(l)
	case answer == present:
		return f.none()
	case answerOf(l) == unsure:
		f.hinder(l)
	default:
		f.hinder(p)
	}
	return nil
}

// none returns the error where completions are there and a list of models is not, with
// where there is one.
func (f *finder) none() error {
	if !f.looked {
		f.around()
	}
	if meant := dialect.Meant(f.seen.Elsewhere, f.config.Protocol); meant != "" {
		return fmt.Errorf("%w; %s", errNone, meant)
	}
	return errNone
}

// hinder keeps why the endpoint cannot be asked; that the user has enough is no reason.
func (f *finder) hinder(l endpoint.Look) {
	if f.ctx.Err() == nil {
		f.seen.Hindrance = look(l)
	}
}

func look(l endpoint.Look) *seen.Look {
	n := noted(l)
	return &n
}

// few returns names for a sentence, not too many.
func few(names []string) string {
	const most = 12
	if len(names) <= most {
		return pipeline.Printable(strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s and %d others", pipeline.Printable(strings.Join(names[:most], ", ")), len(names)-most)
}
