package diag

// What a reviewer would say of documents that can be generated: of operations, of what counts, and of what the document tells its readers.
const (
	OperationUndecided Code = "IDG501"
	SafeAnnotated      Code = "IDG502"

	RequiredIgnored Code = "IDG510"
	HeaderUnlisted  Code = "IDG511"
	KeyCounts       Code = "IDG512"
	AttemptCounts   Code = "IDG513"
	StampCounts     Code = "IDG514"
	DefaultDistinct Code = "IDG515"
	MoneyDouble     Code = "IDG516"
	MoneyNumber     Code = "IDG517"
	SecretGuessable Code = "IDG518"
	KeyOfAttempt    Code = "IDG519"

	ScopeUnsecured    Code = "IDG530"
	AnswersUndeclared Code = "IDG531"
	CallsInside       Code = "IDG532"
	PatternsNotGo     Code = "IDG533"
)

// AcceptanceUnused is an acceptance that matches no finding.
const AcceptanceUnused Code = "IDG590"

// lintCodes are those findings: IDG5xx. All of them are warnings.
var lintCodes = []Info{
	{
		Code: OperationUndecided, Severity: Warning,
		Title: "nobody has decided whether an operation needs a key",
		Explanation: "Other operations of the document are annotated, and this POST or PATCH is not. A retry of it may take effect twice, and nobody can tell whether that was " +
			"looked at. Annotate it, or say exempt, with the reason: then the next reviewer knows. `idemgen init` proposes annotations. " +
			"A document without a single annotation is left alone.",
		Bad: `paths:
  /refunds:
    patch: {operationId: changeRefund, responses: {"200": {description: OK}}}
    post:
      x-idempotency: required`,
		Good: `paths:
  /refunds:
    patch: {operationId: changeRefund, x-idempotency: {exempt: sets a note}, responses: {"200": {description: OK}}}
    post:
      x-idempotency: required`,
	},
	{
		Code: SafeAnnotated, Severity: Warning,
		Title: "an operation that only reads is annotated",
		Explanation: "GET, HEAD, OPTIONS, TRACE and QUERY are safe (RFC 9110 section 9.2.1): a retry changes nothing. With a key their answers are stored and replayed, " +
			"so that clients see old data, and a cache in between does not know of it. If the operation does change something, it needs another method.",
		Bad: `paths:
  /payments:
    get: {x-idempotency: required, responses: {"200": {description: OK}}}
    post:
      x-idempotency: required`,
		Good: `paths:
  /payments:
    get: {responses: {"200": {description: OK}}}
    post:
      x-idempotency: required`,
	},
	{
		Code: RequiredIgnored, Severity: Warning,
		Title: "a part that every request has does not count",
		Explanation: "The entry ignores a path parameter, or a member that the schema requires. What every request has to say mostly is what it asks for: with another value " +
			"and the same key the client gets the answer about the first value, as a success. Names of attempts, clocks and metadata are not told, " +
			"nor what the scope keeps apart.",
		Bad:  "fingerprint: {fields: [body.note], ignored: [path.accountId], unknown: reject}",
		Good: "fingerprint: {fields: [path.accountId, body.note], unknown: reject}",
	},
	{
		Code: HeaderUnlisted, Severity: Warning,
		Title: "a declared header is neither in fields nor in ignored",
		Explanation: "Headers count only where fields lists them, so this one silently does not: a request that sends another value is the same command. " +
			"List it, or ignore it to say that somebody has looked. Headers that describe the transport or the client are not told, nor what the scope keeps apart.",
		Bad: `post:
  parameters: [{name: X-Region, in: header, schema: {type: string}}]
  x-idempotency: required`,
		Good: `post:
  parameters: [{name: X-Region, in: header, schema: {type: string}}]
  x-idempotency: {fingerprint: {ignored: [header.X-Region]}}`,
	},
	{
		Code: KeyCounts, Severity: Warning,
		Title: "a second name of the request counts",
		Explanation: "The member looks like an idempotency key or a request's id. Where clients make it anew for every attempt each retry is another command and gets 422; where they " +
			"send the same one it repeats what the key says. Ignore it, make it the key, or name it in unique if it names what the request makes.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {requestId: {type: string}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {requestId: {type: string}}}}}}
  x-idempotency: {fingerprint: {ignored: [body.requestId]}}`,
	},
	{
		Code: AttemptCounts, Severity: Warning,
		Title: "what changes with every attempt counts",
		Explanation: "By its name the member says when a request was sent, or names it on its way. A client that fills it in anew makes every retry another command, which gets 422. " +
			"Ignore it; if it names a moment of the business, accept the finding.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {sentAt: {type: string}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {sentAt: {type: string}}}}}}
  x-idempotency: {fingerprint: {ignored: [body.sentAt]}}`,
	},
	{
		Code: StampCounts, Severity: Warning,
		Title: "what a server stamps counts",
		Explanation: "By its name the member is the server's to set: when a thing was made or changed, and by whom. Mostly one schema serves requests and answers, and readOnly was " +
			"forgotten. A client that sends back what it read makes another command of it. readOnly members never count.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {createdAt: {type: string}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {createdAt: {type: string, readOnly: true}}}}}}
  x-idempotency: required`,
	},
	{
		Code: DefaultDistinct, Severity: Warning,
		Title: "a default and a missing value are two commands",
		Explanation: "The schema says what a missing value means. A client library that begins to send that default, or a retry through another client, makes another command of the " +
			"same wish. With default: materialise both are one command. It moves the contract's id, so decide before the first release.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {currency: {type: string, default: EUR}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {currency: {type: string, default: EUR}}}}}}
  x-idempotency: {fingerprint: {fields: [body, body.currency: {default: materialise}], unknown: include}}`,
	},
	{
		Code: MoneyDouble, Severity: Warning,
		Title: "money is compared as a double",
		Explanation: "double takes two numbers for one value when they are the same IEEE 754 double: beyond 15 digits other amounts are the same command. " +
			"decimal, the default of numbers, compares every digit.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: number}}}}}}
  x-idempotency: {fingerprint: {fields: [body, body.amount: double], unknown: include}}`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: string, format: decimal}}}}}}
  x-idempotency: {fingerprint: {fields: [body, body.amount: decimal], unknown: include}}`,
	},
	{
		Code: MoneyNumber, Severity: Warning,
		Title: "money is declared as a number",
		Explanation: "Most clients read and compute JSON numbers in binary floating point. One that adds 0.1 and 0.2 sends 0.30000000000000004, and its retry from a stored 0.3 is " +
			"another command. Declare a string of format decimal, or an integer of the smallest unit.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: number}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {amount: {type: string, format: decimal}}}}}}
  x-idempotency: required`,
	},
	{
		Code: SecretGuessable, Severity: Warning,
		Title: "a secret counts by a digest that can be guessed from",
		Explanation: "Fingerprints are stored. Whoever reads the table can try passwords or card numbers until a digest fits, and one field has few enough values. " +
			"sensitive: true makes the digest under a key that is not in the database, and a mismatch never names the field; the program then needs a key ring " +
			"(idem.Options.Keys). Or ignore the member. What the schema calls writeOnly is a secret too.",
		Bad: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {cvc: {type: string}}}}}}
  x-idempotency: required`,
		Good: `post:
  requestBody: {content: {application/json: {schema: {type: object, properties: {cvc: {type: string}}}}}}
  x-idempotency: {fingerprint: {fields: [body, body.cvc: {sensitive: true}], unknown: include}}`,
	},
	{
		Code: KeyOfAttempt, Severity: Warning,
		Title: "the key is what names an attempt",
		Explanation: "X-Request-Id, X-Correlation-Id, traceparent and their like follow one request on its way: client libraries and proxies fill them in anew for every attempt. " +
			"Taken for the key each retry is a new command and runs again, silently. Take a header of its own, Idempotency-Key; a client that does send the same id again can " +
			"send it there. Where the document's clients are known to repeat it, accept the finding.",
		Bad: `post:
  x-idempotency: {key: header.X-Request-Id}`,
		Good: `post:
  x-idempotency: {key: header.Idempotency-Key}`,
	},
	{
		Code: ScopeUnsecured, Severity: Warning,
		Title: "the scope needs a caller whom the document does not ask for",
		Explanation: "A part of the scope comes from the authenticated caller, and neither the operation nor the document has a security requirement. " +
			"Readers of the document cannot tell whose keys are kept apart. Where a gateway authenticates, say so in the document, or accept the finding.",
		Bad: `paths:
  /payments:
    post:
      x-idempotency: {scope: [tenant]}`,
		Good: `paths:
  /payments:
    post:
      security: [{bearerAuth: []}]
      x-idempotency: {scope: [tenant]}`,
	},
	{
		Code: AnswersUndeclared, Severity: Warning,
		Title: "the operation does not declare the answers that a key brings",
		Explanation: "A request whose key is being worked on, and one whose key belongs to another request, get problems: 409 and 422, unless errors chooses others. Generated clients " +
			"meet them as unexpected answers unless the document declares them, as a status, as 4XX or as default. `idemgen docs --format openapi` gives the document with all of them.",
		Bad: `responses:
  '201': {description: Created}`,
		Good: `responses:
  '201': {description: Created}
  '409': {description: the first request with this Idempotency-Key has not ended yet}
  '422': {description: this Idempotency-Key belongs to another request}`,
	},
	{
		Code: CallsInside, Severity: Warning,
		Title: "a transactional operation calls other systems",
		Explanation: "The document declares a callback, or a link to another server. A call from inside of the transaction cannot be taken back when that rolls back, and the retry makes " +
			"it again; the transaction stays open while the other system thinks. With execution: leased calls stand between phases, each under a key of its own. " +
			"Where the call is made after the commit, from an outbox say, accept the finding.",
		Bad: `post:
  callbacks: {paid: {'{$request.body#/url}': {post: {responses: {'200': {description: OK}}}}}}
  x-idempotency: required`,
		Good: `post:
  callbacks: {paid: {'{$request.body#/url}': {post: {responses: {'200': {description: OK}}}}}}
  x-idempotency: {execution: leased}`,
	},
	{
		Code: PatternsNotGo, Severity: Warning,
		Title: "a pattern of the request cannot be read by Go",
		Explanation: "Patterns are ECMAScript's, and Go's regexp has no look-ahead, no look-behind and no back references (RE2). idemgen does not check patterns, but a validator " +
			"in Go refuses the document or leaves the check out. Say the same in RE2's syntax, or check it in the handler.",
		Bad:  "post:\n  requestBody: {content: {application/json: {schema: {type: object, properties: {code: {type: string, pattern: '^(?!0)[0-9]+$'}}}}}}\n  x-idempotency: required",
		Good: "post:\n  requestBody: {content: {application/json: {schema: {type: object, properties: {code: {type: string, pattern: '^[1-9][0-9]*$'}}}}}}\n  x-idempotency: required",
	},
	{
		Code: AcceptanceUnused, Severity: Warning,
		Title: "an accepted finding does not exist",
		Explanation: "idemgen.yaml accepts findings that are right as they are, each with a reason. This one matches nothing in the documents that the file lists: " +
			"what it was about was mended, renamed or moved to another line. Left standing it would accept whatever comes to its place next.",
		Bad:  "accept:\n  - {code: IDG323, at: removedOperation, reason: why}",
		Good: "accept: []",
	},
}
