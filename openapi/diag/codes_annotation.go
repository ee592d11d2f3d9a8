package diag

import "slices"

// Findings about annotations: IDG201 to IDG209 are about form, IDG210 to IDG219 about single values,
// IDG220 to IDG229 about what belongs together and where.
const (
	AnnotationForm          Code = "IDG201"
	AnnotationForeign       Code = "IDG202"
	AnnotationUnknownMember Code = "IDG203"
	AnnotationType          Code = "IDG204"
	AnnotationWord          Code = "IDG205"
	AnnotationMissing       Code = "IDG206"

	FieldPathSyntax      Code = "IDG210"
	FieldPathMany        Code = "IDG211"
	AnnotationDuration   Code = "IDG212"
	AnnotationBounds     Code = "IDG213"
	AnnotationText       Code = "IDG214"
	AnnotationHeaderName Code = "IDG215"
	AnnotationHeader     Code = "IDG216"

	AnnotationTwice         Code = "IDG220"
	AnnotationScope         Code = "IDG221"
	AnnotationLeasedOnly    Code = "IDG222"
	AnnotationExempt        Code = "IDG223"
	AnnotationDefaultsForm  Code = "IDG224"
	AnnotationOperationOnly Code = "IDG225"
)

// Findings about overlays.
const (
	OverlayForm         Code = "IDG251"
	OverlayMember       Code = "IDG252"
	OverlayTarget       Code = "IDG253"
	OverlayNoMatch      Code = "IDG254"
	OverlayIncompatible Code = "IDG255"
	OverlayRoot         Code = "IDG256"
	OverlayNoEffect     Code = "IDG257"
)

// annotationCodes are the findings about annotations and overlays: IDG2xx.
var annotationCodes = slices.Concat(annotationForms, annotationValues, annotationRules, overlayCodes)

var annotationForms = []Info{
	{
		Code: AnnotationForm, Severity: Error,
		Title: "the annotation is neither a known word nor an object",
		Explanation: `An operation's annotation is one of the words required, optional and exempt, one of the booleans true (required) and
false (exempt), or an object. Defaults at a path item or at the document's root are an object. Nothing else is guessed at: an
empty annotation could mean either "yes" or "not decided".`,
		Bad:  `x-idempotency: mandatory`,
		Good: `x-idempotency: required`,
	},
	{
		Code: AnnotationForeign, Severity: Error,
		Title: "the annotation's object belongs to another tool",
		Explanation: `None of the object's members is known here. Other tools use an extension of the same name for a language of their own;
reading half of it would give an API another meaning than its author reviewed. Write the annotation in the members that the message
lists, or choose another extension name with --extension and leave the other tool's objects alone.`,
		Bad:  `x-idempotency: {header: X-Request-Id, ttl: 86400}`,
		Good: `x-idempotency: {key: header.X-Request-Id, retention: 24h}`,
	},
	{
		Code: AnnotationUnknownMember, Severity: Error,
		Title: "an object of the annotation has an unknown member",
		Explanation: `Each object of the annotation has a fixed set of members. A misspelt one would silently leave a default in force, so it
is an error; the hint is the nearest member that exists.`,
		Bad:  `x-idempotency: {scope: [tenant], retentoin: 48h}`,
		Good: `x-idempotency: {scope: [tenant], retention: 48h}`,
	},
	{
		Code: AnnotationType, Severity: Error,
		Title: "a value has the wrong type",
		Explanation: `A list, an object, text, a number or a boolean stands where one of the others is meant. Nothing is converted: a bare word
is not a list of one word, and a number is not text unless it is quoted.`,
		Bad:  `scope: tenant`,
		Good: `scope: [tenant]`,
	},
	{
		Code: AnnotationWord, Severity: Error,
		Title: "a value is not one of the words that the member knows",
		Explanation: `The member takes one of a few words, which the message lists. Words are compared as written, in lower case; the hint is
the nearest one.`,
		Bad:  `execution: transaction`,
		Good: `execution: transactional`,
	},
	{
		Code: AnnotationMissing, Severity: Error,
		Title: "a member was begun and says nothing",
		Explanation: `An empty list of scope values or unique fields, a field with a colon and no normaliser, and a keep or concurrent without its
one member could each mean the default or its opposite. Leave the member out to have the default, or complete it.`,
		Bad:  `fields: [{body.amount: }]`,
		Good: `fields: [body.amount]`,
	},
}

var annotationValues = []Info{
	{
		Code: FieldPathSyntax, Severity: Error,
		Title: "a field path cannot be read",
		Explanation: `A field path begins with body, path, query or header. Its steps are .name for a member, [] for every element of an array,
.* for every additional member of a map, and ["name"] for a name with characters such as dots or blanks, with the escapes of JSON. In a
flow list of YAML a path with brackets needs quotes around it.`,
		Bad:  `ignored: ["body.lines[0].note"]`,
		Good: `ignored: ["body.lines[].note"]`,
	},
	{
		Code: FieldPathMany, Severity: Error,
		Title: "a field path names more than one value",
		Explanation: `A key, a scope value and a part of a business key are one value each. A path with [] or * names as many as the request
happens to have, and body alone names all of them at once.`,
		Bad:  `key: body.lines[].id`,
		Good: `key: body.id`,
	},
	{
		Code: AnnotationDuration, Severity: Error,
		Title: "a duration cannot be read",
		Explanation: `A duration is one integer with s, m, h or d (90s, 15m, 24h, 45d; a day is 24 hours), or an ISO 8601 duration of weeks, days,
hours, minutes and seconds (P30D, PT12H). It is longer than zero and shorter than 292 years. Years and months are refused because they
differ in length. Only retention may be forever.`,
		Bad:  `retention: 86400`,
		Good: `retention: 24h`,
	},
	{
		Code: AnnotationBounds, Severity: Error,
		Title: "a number is out of range",
		Explanation: `Key lengths are from 1 to 255 characters, the minimum not above the maximum; attempts from 1 to 1000; statuses of problems and
those excepted from keep from 400 to 599, since an answer below 400 tells the client that its command took effect.`,
		Bad:  `keep: {except: [202, 503]}`,
		Good: `keep: {except: [503]}`,
	},
	{
		Code: AnnotationText, Severity: Error,
		Title: "a text cannot be used as it is",
		Explanation: `Names of contracts and keyspaces are 1 to 200 bytes without characters that cannot be seen and without blanks at the ends: they
appear in locks, logs and records. A view is named by a Go identifier in ASCII. errors.docs is an absolute http or https URL in ASCII, since
it is sent in a header.`,
		Bad:  `errors: {docs: /docs/idempotency}`,
		Good: `errors: {docs: "https://api.example.com/docs/idempotency"}`,
	},
	{
		Code: AnnotationHeaderName, Severity: Error,
		Title: "a header name is not a token",
		Explanation: `Header names are tokens of RFC 9110 section 5.6.2: ASCII letters, digits and ! # $ % & ' * + - . ^ _ ` + "` | ~." + ` Blanks, colons and
values do not belong to the name.`,
		Bad:  `replay: {headers: ["Location:"]}`,
		Good: `replay: {headers: [Location]}`,
	},
	{
		Code: AnnotationHeader, Severity: Error,
		Title: "a header can never be listed for replay",
		Explanation: `A stored response is sent again to whoever retries. Set-Cookie, authentication and Proxy- headers would hand one caller's
session to it; Connection, Transfer-Encoding and their like belong to one connection; Content-Length and Date are made anew.
Content-Type, Content-Encoding and Content-Language are always stored and are not listed. The marker follows the same rule.`,
		Bad:  `replay: {headers: [Location, Set-Cookie]}`,
		Good: `replay: {headers: [Location]}`,
	},
}

var annotationRules = []Info{
	{
		Code: AnnotationTwice, Severity: Error,
		Title: "the same thing is listed twice",
		Explanation: `A field path stands twice in a list or both in fields and in ignored, or a scope value, a status or a header stands twice. One of the two
entries does nothing, and a reviewer cannot tell which one was meant. Header names are compared without case, field paths by what they
name: body.amount and body["amount"] are the same.`,
		Bad:  `fingerprint: {fields: [body.amount, body.note], ignored: [body.note]}`,
		Good: `fingerprint: {fields: [body.amount], ignored: [body.note]}`,
	},
	{
		Code: AnnotationScope, Severity: Error,
		Title: "a scope contradicts itself",
		Explanation: `A scope is an ordered list of words (dimensions that the server supplies) and field paths. A word has ASCII letters, digits, _
and -, a letter first. global stands alone. While a scope is being changed it is {now: […], before: […]}, both given and different: each
record is then claimed under both.`,
		Bad:  `scope: [tenant, global]`,
		Good: `scope: [tenant]`,
	},
	{
		Code: AnnotationLeasedOnly, Severity: Error,
		Title: "a member makes sense only with execution: leased",
		Explanation: `lease, takeover and attempts speak of attempts that outlive their transaction. A transactional operation has none: when its
handler ends without an outcome everything is rolled back. Take the member away, or write execution: leased if the operation calls other
systems. At a path item or the document's root these members are defaults for the leased operations below, and no fault.`,
		Bad:  `x-idempotency: {scope: [tenant], takeover: hold}`,
		Good: `x-idempotency: {scope: [tenant]}`,
	},
	{
		Code: AnnotationExempt, Severity: Error,
		Title: "exempt is not the reason alone",
		Explanation: `{exempt: "why"} says that an operation was looked at and decided against. The reason is text, and no other member stands
beside it: it could have no effect. Without a reason write the short form exempt.`,
		Bad:  `x-idempotency: {exempt: true}`,
		Good: `x-idempotency: {exempt: "naturally idempotent: sets a flag"}`,
	},
	{
		Code: AnnotationDefaultsForm, Severity: Error,
		Title: "a short form stands where defaults stand",
		Explanation: `The block of a path item or of the document's root gives defaults for the operations below and opts none of them in. required,
optional, exempt, true and false are decisions about one operation, so there they would say something that does not happen. Write the word
on each operation.`,
		Bad: `paths:
  /payments:
    x-idempotency: required`,
		Good: `paths:
  /payments:
    post:
      x-idempotency: required`,
	},
	{
		Code: AnnotationOperationOnly, Severity: Error,
		Title: "a member stands in the wrong block",
		Explanation: `name and exempt are said of one operation and cannot be defaults for several: two operations of one name would be one contract.
operations, which gives blocks to operations by their operationId, stands only in the block at the document's root.`,
		Bad: `paths:
  /payments:
    x-idempotency: {name: createPayment}`,
		Good: `paths:
  /payments:
    post:
      x-idempotency: {name: createPayment}`,
	},
}

var overlayCodes = []Info{
	{
		Code: OverlayForm, Severity: Error,
		Title: "the file is not an OpenAPI Overlay 1.0",
		Explanation: `An overlay is an object whose member overlay is the text 1.0.0 (any patch number of 1.0). Overlay 1.1 and later give some updates another
meaning and are not read.`,
		Bad:  `overlay: 1.1.0`,
		Good: `overlay: 1.0.0`,
	},
	{
		Code: OverlayMember, Severity: Error,
		Title: "a member of the overlay is missing, unknown or of the wrong type",
		Explanation: `An overlay has overlay, info (title and version), optionally extends, and actions: a list of at least one object with
target and either update or remove, and optionally description. Members that begin with x- are allowed everywhere. Others would have no
effect, which is not what their author expects.`,
		Bad: `actions:
  - target: $.paths['/payments'].post
    updates: {x-idempotency: required}`,
		Good: `actions:
  - target: $.paths['/payments'].post
    update: {x-idempotency: required}`,
	},
	{
		Code: OverlayTarget, Severity: Error,
		Title: "an action's target is not JSONPath",
		Explanation: `A target is a query of RFC 9535. It begins with $; a name with other characters than letters, digits and _ stands in brackets
and quotes; a filter is [?@.name == 'x'].`,
		Bad:  `target: $.paths./payments.post`,
		Good: `target: $.paths['/payments'].post`,
	},
	{
		Code: OverlayNoMatch, Severity: Error,
		Title: "an action's target matches nothing",
		Explanation: `The action would change nothing, so the operation that it was written for would silently stay without its annotation, often
after a path was renamed in the document. Actions see what earlier actions did: a target may also have been removed above.`,
		Bad:  `target: $.paths['/payment'].post`,
		Good: `target: $.paths['/payments'].post`,
	},
	{
		Code: OverlayIncompatible, Severity: Error,
		Title: "an action's update does not fit what it would change",
		Explanation: `An object is updated by an object, member by member; an array takes one new entry from each action; in between, objects
merge, arrays are appended to, and a plain value replaces a plain value. A plain value cannot be a target: select the object around it. A
value is not turned into another kind: remove it in an action before.`,
		Bad: `- target: $.paths['/payments'].post.summary
  update: Create a payment`,
		Good: `- target: $.paths['/payments'].post
  update: {summary: Create a payment}`,
	},
	{
		Code: OverlayRoot, Severity: Error,
		Title:       "an action removes the whole document",
		Explanation: `Nothing would be left to generate from. The target of a removal is a member or an entry.`,
		Bad: `- target: $
  remove: true`,
		Good: `- target: $.webhooks
  remove: true`,
	},
	{
		Code: OverlayNoEffect, Severity: Warning,
		Title: "an action, or its update, has no effect",
		Explanation: `An action with neither update nor remove: true changes nothing, and with remove: true an update is not looked at (Overlay 1.0).
Both read as if they did something.`,
		Bad: `- target: $.paths['/payments'].post
  remove: true
  update: {x-idempotency: required}`,
		Good: `- target: $.paths['/payments'].post
  update: {x-idempotency: required}`,
	},
}
