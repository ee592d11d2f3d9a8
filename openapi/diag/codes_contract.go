package diag

// Findings about what counts as the same command.
const (
	FieldUndecided   Code = "IDG301"
	UnknownUndecided Code = "IDG302"
	PathUnknown      Code = "IDG303"
	PathTwice        Code = "IDG304"
	NormaliserMisfit Code = "IDG305"
	NullMisfit       Code = "IDG306"
	DefaultMisfit    Code = "IDG307"
	NeverCounts      Code = "IDG308"
	SchemaConflict   Code = "IDG309"
	SchemaTooLarge   Code = "IDG310"
	PathSomeBranches Code = "IDG311"
	MediaDisagree    Code = "IDG312"
	MediaRefused     Code = "IDG313"
	FingerprintOff   Code = "IDG314"
	ViewDecides      Code = "IDG315"
	UniqueMisfit     Code = "IDG316"
	ViewWithoutBody  Code = "IDG317"
	SchemaEndless    Code = "IDG318"
)

// Findings about keys, scopes, retention and names.
const (
	ScopeMissing         Code = "IDG320"
	ScopeWithoutCaller   Code = "IDG321"
	ValueMisfit          Code = "IDG322"
	RetentionShort       Code = "IDG323"
	KeyDeclaredOtherwise Code = "IDG324"
	PatternNotGo         Code = "IDG325"
	LeasedUnprotected    Code = "IDG326"
	TimeMisfit           Code = "IDG327"
	NothingTakenOver     Code = "IDG328"
	NameClash            Code = "IDG330"
	NameInvalid          Code = "IDG331"
)

// Findings about operations that get no contract.
const (
	NotSupported     Code = "IDG340"
	StreamsResponses Code = "IDG341"
)

// Findings about the lock file's text.
const (
	LockSyntax   Code = "IDG350"
	LockConflict Code = "IDG351"
	LockScheme   Code = "IDG352"
	LockMember   Code = "IDG353"
	LockValue    Code = "IDG354"
	LockTwice    Code = "IDG355"
	LockVersions Code = "IDG356"
)

// LockVector is the finding about vectors of the lock that do not hold any more.
const LockVector Code = "IDG358"

// RecordsForgotten is the finding about changes against the lock after which earlier requests are not known any more.
const RecordsForgotten Code = "IDG357"

// RetriesRefused is a change after which requests are refused that were accepted before.
const RetriesRefused Code = "IDG361"

// ReleasedGone is a version that was released and left the lock.
const ReleasedGone Code = "IDG359"

// contractCodes are the findings about contracts: IDG3xx.
var contractCodes = []Info{
	{
		Code: FieldUndecided, Severity: Error,
		Title: "a part of the request is neither in fields nor in ignored",
		Explanation: "Every declared body property, path parameter and query parameter is decided upon: it makes two requests different commands, " +
			"or it does not. Without this rule a property that is added later would silently not count, and a changed request would get the old answer. " +
			"The hint is an entry for either list: paste it into fields or into ignored. A decision about an object or an array covers what is declared below it.",
		Bad:  "fingerprint:\n  fields: [body.amount]   # body.tip is declared too\n  unknown: reject",
		Good: "fingerprint:\n  fields: [body.amount, body.tip]\n  unknown: reject",
	},
	{
		Code: UnknownUndecided, Severity: Error,
		Title: "the annotation does not say what an undeclared body member means",
		Explanation: "The schema allows members that it does not declare, and the fields are listed by hand, so the author says what such a member does: " +
			"reject refuses the request, include makes it count, ignore leaves it out of the comparison. " +
			"Where the schema says additionalProperties: false, reject is in force without a word.",
		Bad:  "fingerprint:\n  fields: [body.amount]",
		Good: "fingerprint:\n  fields: [body.amount]\n  unknown: reject",
	},
	{
		Code: PathUnknown, Severity: Error,
		Title: "a field path names nothing that the document declares",
		Explanation: "Paths are resolved through references, allOf and every branch of oneOf and anyOf. A path that leads nowhere is mostly a misspelling, " +
			"an array without [] or the entries of a map without .*; the hint gives the nearest spelling.",
		Bad:  "fields: [body.lines.sku]",
		Good: "fields: [\"body.lines[].sku\"]",
	},
	{
		Code: PathTwice, Severity: Error,
		Title:       "a part of the request is decided upon twice",
		Explanation: "One path stands twice in fields, twice in ignored, or in both. Two decisions about one value cannot both hold; keep one.",
		Bad:         "fields: [body.amount]\nignored: [body.amount]",
		Good:        "fields: [body.amount]",
	},
	{
		Code: NormaliserMisfit, Severity: Error,
		Title: "a normaliser does not fit the declared type",
		Explanation: "A normaliser says which spellings of a value are the same value, so it needs values of its kind: int for integers, set for arrays, " +
			"ascii-lower for strings. On another type every request would be refused. A normaliser of an array's elements stands at path[].",
		Bad:  "fields: [{body.active: int}]     # a boolean",
		Good: "fields: [body.active]",
	},
	{
		Code: NullMisfit, Severity: Error,
		Title: "null: absent cannot hold here",
		Explanation: "null: absent makes a null equal to a missing member. The schema has to allow both, and the value has to be a member: an element of an array " +
			"or an entry of a map cannot be absent.",
		Bad:  "fields: [{body.amount: {null: absent}}]   # required",
		Good: "fields: [body.amount]",
	},
	{
		Code: DefaultMisfit, Severity: Error,
		Title: "default: materialise cannot hold here",
		Explanation: "default: materialise makes a missing member equal to its schema default. The member has to be optional, the schema needs a default, " +
			"and the default has to be a value that a request could send.",
		Bad:  "fields: [{body.currency: {default: materialise}}]   # the schema has no default",
		Good: "fields: [body.currency]",
	},
	{
		Code: NeverCounts, Severity: Error,
		Title: "a listed field never counts",
		Explanation: "readOnly properties are the server's to set and the idempotency key is what finds the record; neither is a part of the command. " +
			"Take the line away.",
		Bad:  "fields: [body.id]   # readOnly",
		Good: "fields: [body.amount]",
	},
	{
		Code: SchemaConflict, Severity: Error,
		Title: "the parts of an allOf contradict each other",
		Explanation: "All parts of an allOf hold at once. Here they name types that no value can have together, or formats that mean different normalisers, " +
			"so it is not clear which spellings are the same value. Correct the schema, or ignore the property.",
		Bad:  "allOf:\n  - {type: string}\n  - {type: integer}",
		Good: "allOf:\n  - {type: string}\n  - {maxLength: 20}",
	},
	{
		Code: SchemaTooLarge, Severity: Error,
		Title: "the body's schema is too large to list field by field",
		Explanation: "A contract lists every field, and nobody reviews more than 5,000 lines; below 64 levels the same holds. Mostly one property brings a whole model with it. " +
			"List it as generic (the value counts as a whole) or put it into ignored.",
		Bad:  "fingerprint: all",
		Good: "fingerprint:\n  fields: [body.amount, {body.template: generic}]\n  unknown: reject",
	},
	{
		Code: PathSomeBranches, Severity: Warning,
		Title: "a field path fits only some branches",
		Explanation: "The path leads through oneOf or anyOf, and some of the branches do not declare it. A request of such a branch has no value there: " +
			"its key or its scope is missing, and in fields or ignored the line says nothing of it.",
	},
	{
		Code: MediaDisagree, Severity: Error,
		Title: "two media types of one body disagree on its fields",
		Explanation: "The same command must have the same fingerprint whichever media type carries it, so the schemas of JSON, forms and multipart bodies " +
			"have to lead to the same fields. Let them share one schema. With --skip-unsupported such operations are left out, each with a warning, and the others are generated.",
	},
	{
		Code: MediaRefused, Severity: Warning,
		Title: "some declared media types are refused at run time",
		Explanation: "The body is declared with media types that have members (JSON, forms, multipart) and with others. Fingerprints are made of the members; nothing says " +
			"which of them a document of another kind has, so a request that sends one is answered with 415. Clients that send it today would see that.",
	},
	{
		Code: FingerprintOff, Severity: Warning,
		Title: "requests are not compared",
		Explanation: "With fingerprint: none a second request with the same key gets the first one's answer even when it asks for something else: " +
			"a client's mistake is answered with a success.",
	},
	{
		Code: ViewDecides, Severity: Error,
		Title: "the annotation speaks of parts of a body that counts through a view",
		Explanation: "With view: NAME a function of the program makes of the body what counts of it, whatever the body's schema says. So fields and ignored have nothing of the body to name, " +
			"and unknown has no undeclared members; path, query and header parameters are decided upon as ever. Keys, business keys and scopes are found before the view is called, " +
			"and nothing but the view knows how to read such a body: take them from a header, the path, the query, or the authenticated caller.",
		Bad:  "fingerprint:\n  view: claims\n  fields: [path.accountId, body.sub]",
		Good: "fingerprint:\n  view: claims\n  fields: [path.accountId]",
	},
	{
		Code: UniqueMisfit, Severity: Error,
		Title: "a value cannot be a part of a business key",
		Explanation: "unique names the thing that a request makes, and two requests that name one thing are duplicates. A field that is ignored cannot name it: a request " +
			"about another thing, sent with the same key, would be the same command and get the answer about the first. A sensitive field cannot either: a business key " +
			"has to be found, so its digest is made without the key ring, and whoever reads the table could try values until one fits.",
		Bad:  "unique: [body.cardNumber]   # sensitive",
		Good: "unique: [path.accountId, body.merchantReference]",
	},
	{
		Code: ViewWithoutBody, Severity: Error,
		Title: "a view has no body to read",
		Explanation: "The operation declares no body, so the function would never be called. Mostly the view is meant for other operations and was written where this one inherits it: " +
			"a fingerprint at the operation replaces the whole one from above.",
		Bad:  "fingerprint: {view: claims}   # of an operation without a requestBody",
		Good: "fingerprint: all",
	},
	{
		Code: SchemaEndless, Severity: Warning,
		Title: "no request can satisfy the schema",
		Explanation: "A schema that requires a member which is another value of the same schema, and so on, allows no body that comes to an end: every request is refused. " +
			"What was meant is mostly a member that may be missing, or null, in the last one. A list of such values may be empty, and is no fault.",
		Bad: `openapi: 3.1.0
info: {title: Rules, version: "1"}
paths:
  /rules:
    post:
      x-idempotency: {scope: [tenant]}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/rule'}}}}
      responses: {"201": {description: Created}}
components:
  schemas:
    rule: {type: object, required: [next], properties: {next: {$ref: '#/components/schemas/rule'}}}`,
		Good: `openapi: 3.1.0
info: {title: Rules, version: "1"}
paths:
  /rules:
    post:
      x-idempotency: {scope: [tenant]}
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/rule'}}}}
      responses: {"201": {description: Created}}
components:
  schemas:
    rule: {type: object, properties: {next: {$ref: '#/components/schemas/rule'}}}`,
	},
	{
		Code: ScopeMissing, Severity: Error,
		Title: "nobody says whom a key belongs to",
		Explanation: "Two callers may choose the same key. Without a scope one of them would be answered with the other's response. " +
			"Write a scope at the operation, the path item or the document's root.",
		Bad:  "x-idempotency: required",
		Good: "x-idempotency:\n  scope: [tenant]",
	},
	{
		Code: ScopeWithoutCaller, Severity: Warning,
		Title: "no part of the scope comes from the authenticated caller",
		Explanation: "A scope of request parts alone, or [global], lets any caller who knows a key and those parts read the stored answer. " +
			"Add a dimension that the server supplies.",
		Bad:  "scope: [path.accountId]",
		Good: "scope: [tenant, path.accountId]",
	},
	{
		Code: ValueMisfit, Severity: Error,
		Title: "a key, a scope or a business key needs one plain value",
		Explanation: "The path leads to an object, an array, the entries of a map, a file, or through elements of an array. A key, a part of a scope and a part of unique are one " +
			"string, number or boolean of the request. In unique its type has to be declared too: it says which spellings are one value.",
		Bad:  "key: body.lines[].id",
		Good: "key: body.requestId",
	},
	{
		Code: RetentionShort, Severity: Warning,
		Title: "records are kept for less than 24 hours",
		Explanation: "A retry that comes after the retention runs again. Clients retry after outages, queues after a weekend; shorter than a day is seldom meant. One that is " +
			"shorter than the lease does not outlast a single attempt.",
		Bad:  "retention: 5m",
		Good: "retention: 24h",
	},
	{
		Code: KeyDeclaredOtherwise, Severity: Warning,
		Title:       "the document declares the key otherwise than the annotation",
		Explanation: "Readers of the document see the parameter, the program follows the annotation. Name, place, required and length should say the same in both.",
	},
	{
		Code: PatternNotGo, Severity: Warning,
		Title:       "the key's declared pattern is not checked",
		Explanation: "The pattern uses ECMAScript syntax that Go's regexp does not have (look-ahead, back references). It stays documentation.",
	},
	{
		Code: LeasedUnprotected, Severity: Error,
		Title: "a leased operation can be called without any key",
		Explanation: "A leased operation works outside of one database transaction, so what is left of an attempt that died has to be found again: by the idempotency key, or " +
			"by a business key (unique). With neither a retry would charge a second time, and nobody could tell that it was one. Demand the key, or say what names the thing.",
		Bad:  "execution: leased\nkey: {required: false}",
		Good: "execution: leased\nkey: {required: false}\nunique: [path.accountId, body.reference]",
	},
	{
		Code: TimeMisfit, Severity: Error,
		Title: "a lease or a wait is too short or too long",
		Explanation: "lease is how long an attempt may stay silent, from 5s to 1h. A living attempt extends it at every third of it, so it need not be as long as the work; " +
			"but a pause of the process, a slow network or a failover of the database must not look like its end, and a retry waits for that end. wait is how long a " +
			"duplicate's request is kept open, 1m at most: clients and the proxies in front of a server give up before, and each one that waits is a connection and memory.",
		Bad:  "concurrent: {wait: 1h}",
		Good: "concurrent: {wait: 5s}",
	},
	{
		Code: NothingTakenOver, Severity: Warning,
		Title: "a takeover that never happens",
		Explanation: "attempts counts the first one too. With attempts: 1 there is no second one that could recover or run again: an attempt that ends without an outcome leaves it " +
			"unknown at once. If that is meant, takeover: hold says so.",
		Bad:  "execution: leased\nattempts: 1",
		Good: "execution: leased\ntakeover: hold\nattempts: 1",
	},
	{
		Code: NameClash, Severity: Error,
		Title:       "two operations have one contract name",
		Explanation: "A contract's name is part of every record, and records of different operations must never meet. Give one of them another name.",
		Good:        "x-idempotency:\n  name: createRefund",
	},
	{
		Code: NameInvalid, Severity: Error,
		Title:       "a name cannot be used",
		Explanation: "A contract's name has 1 to 128 letters, digits and the characters . _ - / : ~. A package name is a Go identifier and no keyword.",
	},
	{
		Code: NotSupported, Severity: Error,
		Title: "this version cannot generate the operation yet",
		Explanation: "The annotation or the document asks for something that a later version brings. Nothing is wrong with the document. " +
			"With --skip-unsupported such operations are left out, each with a warning, and the others are generated.",
	},
	{
		Code: StreamsResponses, Severity: Error,
		Title:       "an operation that streams its response cannot be annotated",
		Explanation: "A response is stored before a byte of it is sent, so that a retry gets the same bytes. A stream has no end to wait for.",
	},
	{
		Code: LockSyntax, Severity: Error,
		Title:       "the lock file is not readable",
		Explanation: "The lock is generated YAML of a fixed form. Restore it from version control; do not write it by hand.",
	},
	{
		Code: LockConflict, Severity: Error,
		Title: "the lock file holds an unresolved merge conflict",
		Explanation: "Resolve the document first, then run generate --merge-lock: it joins both sides of the lock. Versions that are released stay as they are, and what neither side " +
			"has released is written anew from the document. Where nobody knows what is released, the versions of both sides stay.",
	},
	{
		Code: LockScheme, Severity: Error,
		Title:       "the lock file was written for another fingerprint scheme",
		Explanation: "The scheme names the way in which fingerprints are made. This version knows idempotency-fingerprint/1; a lock of another scheme needs a newer idemgen.",
	},
	{
		Code: LockMember, Severity: Error,
		Title:       "the lock file has a member that is not known, or lacks one",
		Explanation: "Mostly the lock was written by a newer idemgen. Use that one, or restore the lock from version control.",
	},
	{
		Code: LockValue, Severity: Error,
		Title:       "a value in the lock file cannot be what was generated",
		Explanation: "Somebody edited the lock, or a merge mixed two of its lines. Restore it from version control.",
	},
	{
		Code: LockTwice, Severity: Error,
		Title:       "the lock file names one thing twice",
		Explanation: "Two branches both added it and the merge kept both. Keep the one of the branch that is released, then run generate again.",
	},
	{
		Code: LockVersions, Severity: Error,
		Title: "a version in the lock file cannot be kept",
		Explanation: "The lock keeps every version of a contract that programs may still have written records under, and generated code reads requests by each of them: " +
			"that is how a retry from before a deploy is recognised. Here a version cannot be made again from its lines. Two versions have one id, the lines were edited by hand " +
			"or mixed by a merge, or the operation moved to a path with another number of parameters. Restore the lock from version control; " +
			"a version of a path that no client asks for any more can be pruned.",
	},
	{
		Code: RecordsForgotten, Severity: Error,
		Title: "a change against the lock makes the program forget earlier requests",
		Explanation: "A record is found by scope, keyspace and key, and belongs to the contract of its name. The lock has another one of them for this operation, " +
			"so the records that are there are not found, and a retry that is under way while the change is deployed takes effect a second time. With a shorter retention " +
			"the same happens to retries that come later than it, and with another business key to duplicates that come with another key. A contract that no operation has any more " +
			"protects nothing: its annotation was taken away, the operation was left out, or it got another name and another path at once; name: gives it its contract back. The hint keeps the old value; of a scope " +
			"it gives the change that forgets nothing, records under both. If the change is wanted, because no client retries while it is deployed or because running twice does no harm, " +
			"say so: generate --accept createPayment.scope --reason \"why\". The lock keeps the change and the reason, and a reviewer sees both.",
		Bad:  "x-idempotency:\n  scope: [tenant, user]   # [tenant] in the lock",
		Good: "x-idempotency:\n  scope: {now: [tenant, user], before: [tenant]}",
	},
	{
		Code: LockVector, Severity: Error,
		Title: "a vector of the lock does not hold",
		Explanation: "The vectors say what a version of a contract makes of certain requests, down to the digest that stands in records. This idemgen makes something else of one " +
			"although the contract's id is the same, so retries of earlier requests would not be recognised. Mostly somebody edited the lock, or a merge mixed two of its lines: " +
			"restore it from version control. If it is as it was generated, use the idemgen that wrote it, and report the difference. " +
			"A version whose member vectors is taken out gets new ones.",
	},
	{
		Code: ReleasedGone, Severity: Error,
		Title: "a released version is missing from the lock",
		Explanation: "The lock has the version at the merge base with what is released, so programs may have written records under it. Without it they are not recognised: a retry " +
			"of such a request is answered 503 until its record expires. Restore the version's lines from version control. A version may go when the last program that wrote it " +
			"has stopped, plus the longest retention that applied, plus a day: idemgen prune takes it out then, and leaves a line that says so.",
	},
	{
		Code: RetriesRefused, Severity: Warning,
		Title: "a change makes the program refuse requests that it accepted",
		Explanation: "A field became required, a value is read more narrowly, or a kind of body is not taken any more. A client that sent its request before the deploy sends the same bytes " +
			"again: if the first one arrived, the record's own version knows it and its answer is replayed; if it did not, the retry gets 400 and the client cannot tell why. " +
			"Give clients time: accept both first, and refuse when the old requests have stopped. idemgen diff reports this.",
		Bad:  "type: object\nrequired: [amount, currency]   # currency was optional",
		Good: "type: object\nrequired: [amount]",
	},
}
