package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// title names the operation in messages.
func (o *operation) title() string { return operationText(o.src) }

// operationText is how the lock names an operation.
func operationText(op *openapi.Operation) string {
	if op.Method == "" {
		return "webhook " + op.Webhook
	}
	return op.Method + " " + op.Path
}

// notSupported reports something that a later version brings.
func (o *operation) notSupported(pos diag.Pos, what string) { o.notSupportedHint(pos, what, "") }

func (o *operation) notSupportedHint(pos diag.Pos, what, hint string) {
	if !pos.IsValid() {
		pos = o.src.Annotation.Pos
	}
	o.unsupported.Add(diag.Diagnostic{Pos: pos, Code: diag.NotSupported, Hint: hint,
		Message: o.title() + ": " + what + " is not supported by this version"})
}

// checkSupport reports what of the operation this version cannot generate.
func (o *operation) checkSupport() {
	a := &o.src.Annotation
	if o.src.Method == "" {
		o.notSupported(o.src.Pos, "a webhook")
	}
	for _, u := range o.src.Unsupported {
		o.unsupported.Add(diag.Diagnostic{Pos: u.Pos, Code: u.Code, Message: u.Message})
	}
	if o.src.Streaming.IsValid() {
		o.found.Add(diag.Diagnostic{Pos: o.src.Streaming, Code: diag.StreamsResponses,
			Message: o.title() + " streams its response and cannot be annotated", Hint: o.annotated() + ": exempt",
			Related: []diag.Related{{Pos: a.Pos, Message: "the annotation"}}})
	}
	if a.Execution.Set && a.Execution.Value != "transactional" {
		o.notSupported(a.Execution.Pos, "execution: "+a.Execution.Value)
	}
	if a.Unique.Set && len(a.Unique.Value) > 0 {
		o.notSupported(a.Unique.Pos, "unique")
	}
	if a.Wait.Set && a.Wait.Value > 0 {
		o.notSupported(a.Wait.Pos, "concurrent: {wait: …}")
	}
	if view := a.Fingerprint.Value.View; view.Set {
		o.notSupported(view.Pos, "fingerprint.view")
	}
}

// chooseMedia picks the media type that fingerprints are made of; nil when there is none.
func (o *operation) chooseMedia() *openapi.Media {
	if o.src.Body == nil {
		return nil
	}
	media := o.src.Body.Media
	i := slices.IndexFunc(media, func(m openapi.Media) bool { return isJSON(m.Type) })
	if i < 0 {
		o.bodyUnsupported = true
		what := "a body without a media type"
		if len(media) > 0 {
			what = "a body of type " + media[0].Type
		}
		o.notSupported(o.src.Body.Pos, what)
		return nil
	}
	o.reportRefused(media)
	return &media[i]
}

// reportRefused warns of media types that clients may send today and that are answered with 415.
func (o *operation) reportRefused(media []openapi.Media) {
	var names []string
	var pos diag.Pos
	for _, m := range media {
		if isJSON(m.Type) {
			continue
		}
		if len(names) == 0 {
			pos = m.Pos
		}
		names = append(names, m.Type)
	}
	if len(names) > 0 {
		o.found.Add(diag.Diagnostic{Pos: pos, Code: diag.MediaRefused,
			Message: o.title() + " is generated for JSON; a body of type " + strings.Join(names, ", ") + " is answered with 415"})
	}
}

// isJSON reports whether a media type, or a range of them, has JSON bodies.
func isJSON(mediaType string) bool {
	name, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	name = strings.TrimSpace(name)
	return name == "application/json" || strings.HasSuffix(name, "+json") || name == "*/*" || name == "application/*"
}

// checkOtherMedia holds all JSON media types to the same fields.
func (o *operation) checkOtherMedia(chosen *openapi.Media, v Version) {
	if chosen == nil {
		return
	}
	for _, m := range o.src.Body.Media {
		if !isJSON(m.Type) || m.Schema == chosen.Schema {
			continue
		}
		body, src := *o.src.Body, *o.src
		body.Media, src.Body = []openapi.Media{m}, &body
		other := newOperation(&src, o.name)
		other.tree = newTree(other.merger, m, &body)
		other.collectParams()
		other.readKey()
		other.choose()
		if other.version().ID != v.ID {
			o.unsupported.Add(diag.Diagnostic{Pos: m.Pos, Code: diag.MediaDisagree, Message: o.title() + ": " + m.Type + " leads to other fields than " + chosen.Type,
				Related: []diag.Related{{Pos: chosen.Pos, Message: "the other media type"}}})
		}
	}
}
