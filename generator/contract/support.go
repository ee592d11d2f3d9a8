package contract

import (
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// title names the operation in messages.
func (o *operation) title() string { return operationText(o.src) }

// webhookMethod stands where other operations have their method: a webhook has no path.
const webhookMethod = "webhook"

// operationText is how the lock names an operation.
func operationText(op *openapi.Operation) string {
	if op.Method == "" {
		return webhookMethod + " " + op.Webhook
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
	for _, u := range o.src.Unsupported {
		o.unsupported.Add(diag.Diagnostic{Pos: u.Pos, Code: u.Code, Message: u.Message})
	}
	if o.src.Streaming.IsValid() {
		o.found.Add(diag.Diagnostic{Pos: o.src.Streaming, Code: diag.StreamsResponses,
			Message: o.title() + " streams its response and cannot be annotated", Hint: o.annotated() + ": exempt",
			Related: []diag.Related{{Pos: a.Pos, Message: "the annotation"}}})
	}
}
