package contract

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// view is the name of the function of the program that makes of the body what counts of it; empty where the body counts as it is.
func (o *operation) view() string { return o.src.Annotation.Fingerprint.Value.View.Value.Name }

// checkView reports what cannot be beside a view.
func (o *operation) checkView() {
	fp := o.src.Annotation.Fingerprint.Value
	switch {
	case o.view() == "":
	case o.src.Body == nil:
		o.found.Add(diag.Diagnostic{Pos: fp.View.Pos, Code: diag.ViewWithoutBody, Hint: "take it away, or write the operation's own fingerprint: all",
			Message: o.title() + " has no body that the view " + o.view() + " could read"})
	case fp.Unknown.Set:
		o.viewDecides(fp.Unknown.Pos, "unknown", "take the line away")
	}
}

// viewDecides reports what the annotation says of a body that counts through a view.
func (o *operation) viewDecides(pos diag.Pos, what, hint string) {
	o.found.Add(diag.Diagnostic{Pos: pos, Code: diag.ViewDecides, Hint: hint,
		Message: what + " can say nothing: the body is what the view " + o.view() + " makes of it",
		Related: []diag.Related{{Pos: o.src.Annotation.Fingerprint.Value.View.Pos, Message: "the view"}}})
}

// viewedPath reports a path into a body that counts through a view: only the program knows what stands there.
func (o *operation) viewedPath(path openapi.FieldPath) bool {
	if o.view() == "" || o.src.Body == nil || path.In != openapi.InBody {
		return false
	}
	hint := "take the line away"
	switch {
	case path.Pos == o.src.Annotation.Key.Value.From.Pos:
		hint = "key: header." + defaultKeyHeader
	case len(path.Segments) == 0:
		hint = "view: {name: " + o.view() + ", sensitive: true}   # where nobody may guess it"
	}
	o.viewDecides(path.Pos, path.String(), hint)
	return true
}

// viewedCarriers are all media types that are declared, each as bytes: the view knows what they are.
func viewedCarriers(media []openapi.Media) []carrier {
	var out []carrier
	for _, m := range media {
		if kind, subtype, ok := strings.Cut(mediaName(m.Type), "/"); ok && kind != "" && subtype != "" {
			out = append(out, carrier{m, canon.Octets})
		}
	}
	return out
}

// chooseView decides upon the body as a whole.
func (o *operation) chooseView() {
	view := o.src.Annotation.Fingerprint.Value.View
	if o.view() == "" {
		return
	}
	o.choice.decided[bodyText] = decided{selected, view.Pos}
	o.choice.asked[bodyText] = asked{sensitive: view.Value.Sensitive.Value, pos: view.Pos}
}

// viewPrefix begins the line of a body that counts through a view.
const viewPrefix = "view("

// viewHead names a view: view(claims)/1. What it gives is read under generic, so the version is generic's.
func viewHead(name string) string {
	return viewPrefix + name + ")/" + strconv.Itoa(canon.Generic.Version())
}

// viewed reports whether the line is that of a body which counts through a view.
func (f Field) viewed() bool { return strings.HasPrefix(f.Rule, viewPrefix) }

// indexViews collects the views of the operations, those of older versions too: the program supplies one as long as a version needs it.
func indexViews(api *API) {
	for _, c := range api.Contracts {
		for _, v := range c.Versions() {
			if name := v.View; name != "" && !slices.ContainsFunc(api.Views, func(v View) bool { return v.Name == name }) {
				api.Views = append(api.Views, View{Name: name})
			}
		}
	}
	slices.SortFunc(api.Views, func(a, b View) int { return strings.Compare(a.Name, b.Name) })
}

// Views reports whether a live version of c goes through a view.
func (c *Contract) Views(name string) bool {
	return slices.ContainsFunc(c.Versions(), func(v *Version) bool { return v.View == name })
}

// viewed reads the line of a body that counts through a view.
func (r *restorer) viewed(field int, f Field, of rule) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(of.head, viewPrefix), ")")
	switch {
	case f.Path != openapi.InBody.String():
		return errors.New("a view reads the whole body")
	case of.head != viewHead(name):
		return fmt.Errorf("this idemgen has no %s", of.head)
	}
	r.view = name
	return r.attach(f.Path, &Node{Kind: LeafNode, Field: field, As: canon.Generic, Sensitive: f.Sensitive}, of)
}
