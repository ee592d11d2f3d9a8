package diag

// Findings about files and documents: IDG101 to IDG109 are about text, IDG110 to IDG119 about references,
// IDG120 to IDG129 about where annotations stand, IDG130 to IDG149 about operations and schemas.
const (
	Syntax          Code = "IDG101"
	DuplicateMember Code = "IDG102"
	TooMuch         Code = "IDG103"
	NotOpenAPI      Code = "IDG104"
	Swagger2        Code = "IDG105"
	UnknownVersion  Code = "IDG106"

	RefRemote      Code = "IDG110"
	RefAbsolute    Code = "IDG111"
	RefFileMissing Code = "IDG112"
	RefMissing     Code = "IDG113"
	RefCycle       Code = "IDG114"
	RefMalformed   Code = "IDG115"
	RefOnOperation Code = "IDG116"
	SchemaInItself Code = "IDG117"

	AnnotatedWebhook  Code = "IDG120"
	AnnotatedCallback Code = "IDG121"
	AnnotationNowhere Code = "IDG122"
	AnnotationSpelled Code = "IDG123"
	UnknownOperation  Code = "IDG124"
	AnnotatedTwice    Code = "IDG125"

	PathTemplate       Code = "IDG130"
	PathUndeclared     Code = "IDG131"
	PathParamUnused    Code = "IDG132"
	BadParameter       Code = "IDG133"
	DuplicateParameter Code = "IDG134"
	PathUnservable     Code = "IDG135"
	ServerURL          Code = "IDG136"
	WrongShape         Code = "IDG140"
	WrongKeyword       Code = "IDG141"
	DynamicRef         Code = "IDG142"
	UnknownType        Code = "IDG143"
	BadValue           Code = "IDG144"
	Unreadable         Code = "IDG149"
)

// documentCodes are the findings about documents and their references: IDG1xx.
var documentCodes = []Info{
	{
		Code: Syntax, Severity: Error,
		Title: "the file is not valid YAML or JSON",
		Explanation: `The file cannot be read from here on, so nothing after this place was looked at. A file whose name ends in .json is read
strictly as JSON; any other may be either. All text is UTF-8, and a file holds one document.`,
		Bad:  `summary: Pay: now`,
		Good: `summary: "Pay: now"`,
	},
	{
		Code: DuplicateMember, Severity: Error,
		Title: "a member is written twice",
		Explanation: `An object has two members of one name. Readers disagree about which of them counts, so what one person reviews may not be
what another tool uses. Keep one of them.`,
		Bad: `post:
  operationId: pay
  operationId: charge`,
		Good: `post:
  operationId: pay`,
	},
	{
		Code: TooMuch, Severity: Error,
		Title: "the file is larger or deeper than idemgen follows",
		Explanation: `A file may have 64 MiB, 1000 levels of nesting, and 500,000 values that come from repeating YAML anchors. Real documents
stay far below; a file beyond these limits is broken or was made to exhaust the reader.`,
	},
	{
		Code: NotOpenAPI, Severity: Error,
		Title: "the file is no OpenAPI document",
		Explanation: `An OpenAPI document is an object whose member openapi names the version it is written in. The file is empty, or is
something else: a part of another document, an overlay, another kind of description.`,
		Good: `openapi: 3.1.0
info: {title: Payments, version: "1"}
paths: {}`,
	},
	{
		Code: Swagger2, Severity: Error,
		Title: "Swagger 2.0 is not read",
		Explanation: `Swagger 2.0 describes bodies and forms in another way than OpenAPI 3, and converters exist that are used and tested by
many. Convert the document once, and annotate the result.`,
		Bad:  `swagger: "2.0"`,
		Good: `openapi: 3.0.3`,
	},
	{
		Code: UnknownVersion, Severity: Error,
		Title: "this version of OpenAPI is not known",
		Explanation: `idemgen reads OpenAPI 3.0, 3.1 and 3.2. What a later version means by the same words is not known today, and a guess could
leave a field out of a fingerprint.`,
		Bad:  `openapi: 4.0.0`,
		Good: `openapi: 3.1.0`,
	},
	{
		Code: RefRemote, Severity: Error,
		Title: "a $ref points to the network",
		Explanation: `idemgen never opens a network connection: what is generated must not depend on what a server answers today. Copy the file
into the repository and refer to it by a relative path.`,
		Bad:  `$ref: https://example.com/common.yaml#/Money`,
		Good: `$ref: ./common.yaml#/Money`,
	},
	{
		Code: RefAbsolute, Severity: Error,
		Title:       "a $ref is an absolute path",
		Explanation: `An absolute path is another file on every machine. Files are read relative to the file that refers to them.`,
		Bad:         `$ref: /home/me/common.yaml#/Money`,
		Good:        `$ref: ../common.yaml#/Money`,
	},
	{
		Code: RefFileMissing, Severity: Error,
		Title: "the file of a $ref cannot be read",
		Explanation: `The path is relative to the file in which the $ref stands, not to the root document and not to the current folder.
Upper and lower case count, also on machines whose file system does not tell them apart.`,
		Bad:  `$ref: ./comon.yaml#/Money`,
		Good: `$ref: ./common.yaml#/Money`,
	},
	{
		Code: RefMissing, Severity: Error,
		Title: "a $ref points to nothing",
		Explanation: `The file exists, but it has nothing at the place that stands after the #. The steps of that place are member names
separated by /, with ~1 for / and ~0 for ~ inside a name.`,
		Bad:  `$ref: '#/components/schemas/Paymnt'`,
		Good: `$ref: '#/components/schemas/Payment'`,
	},
	{
		Code: RefCycle, Severity: Error,
		Title: "a $ref leads back to itself",
		Explanation: `Following these references never arrives at anything: there is no object between them. A schema may contain itself through a
property or an array's items, but not be nothing except itself.`,
		Bad: `A: {$ref: '#/components/schemas/B'}
B: {$ref: '#/components/schemas/A'}`,
		Good: `A: {$ref: '#/components/schemas/B'}
B: {type: object}`,
	},
	{
		Code: RefMalformed, Severity: Error,
		Title: "a $ref cannot be understood",
		Explanation: `A $ref is a text: a relative path, a # with a place inside the file, or both. Steps of the place begin with /, and % is
followed by two hexadecimal digits.`,
		Bad:  `$ref: components.schemas.Payment`,
		Good: `$ref: '#/components/schemas/Payment'`,
	},
	{
		Code: RefOnOperation, Severity: Error,
		Title: "an operation is a $ref",
		Explanation: `OpenAPI allows a $ref for a path item, not for one operation of it, and tools that meet one either fail or leave the operation
out. Move the operation's path item to the other file, or write the operation here.`,
		Bad: `/payments:
  post: {$ref: ./pay.yaml#/post}`,
		Good: `/payments: {$ref: ./pay.yaml}`,
	},
	{
		Code: SchemaInItself, Severity: Error,
		Title: "a schema consists of itself",
		Explanation: `Through allOf, oneOf, anyOf and $ref alone, without a property or an item between, the schema demands itself, so it says
nothing about what it allows. Often a base schema lists its variants in oneOf while each variant names the base in allOf: that is
understood, and this finding is about the cases that are not.`,
		Bad:  `Money: {allOf: [{$ref: '#/components/schemas/Money'}]}`,
		Good: `Money: {type: object, properties: {amount: {type: string}}}`,
	},
	{
		Code: AnnotatedWebhook, Severity: Error,
		Title: "an annotation stands on a webhook",
		Explanation: `Operations under webhooks describe requests that this API sends. The program that receives them can be made idempotent too:
generate with --webhooks there. To protect an endpoint of this API, annotate it under paths.`,
	},
	{
		Code: AnnotatedCallback, Severity: Error,
		Title: "an annotation stands on a callback",
		Explanation: `Operations under callbacks describe requests that this API sends to an address that the client gave. They are handled by the
client's program, so nothing is generated for them here.`,
	},
	{
		Code: AnnotationNowhere, Severity: Error,
		Title: "an annotation stands where it has no meaning",
		Explanation: `Only an operation is opted in. A path item and the document root hold defaults. Anywhere else (a schema, a parameter, a
response, a path item that no path uses) an annotation would look like protection and give none.`,
		Bad: `requestBody:
  x-idempotency: required`,
		Good: `post:
  x-idempotency: required
  requestBody: {}`,
	},
	{
		Code: AnnotationSpelled, Severity: Warning,
		Title: "a member looks like an annotation, but is not read",
		Explanation: `The name is close to that of the annotation. If it belongs to another tool, all is well; if it was meant for idemgen, the
operation is not protected. Another name for the annotation is chosen with --extension. Or a member of the annotation, scope for one, stands
beside it as a member of the operation: what belongs to the annotation stands inside it.`,
		Bad:  `x-idempotent: required`,
		Good: `x-idempotency: required`,
	},
	{
		Code: UnknownOperation, Severity: Error,
		Title: "operations names an operation that does not exist",
		Explanation: `The member operations of the annotation at the document root is keyed by operationId. No operation, or more than one, has this
one.`,
	},
	{
		Code: AnnotatedTwice, Severity: Error,
		Title: "an operation is annotated twice",
		Explanation: `The operation has an annotation of its own, and the member operations at the document root has one for it. Which of the two
a reviewer sees depends on where he looks, so only one may stand.`,
	},
	{
		Code: PathTemplate, Severity: Error,
		Title: "a path cannot be understood",
		Explanation: `A path begins with / and has its parameters in braces, each under a name of its own. The path of an annotated operation is
matched against requests, so it must be clear.`,
		Bad:  `/payments/{id/capture`,
		Good: `/payments/{id}/capture`,
	},
	{
		Code: PathUndeclared, Severity: Error,
		Title: "a path parameter is not declared",
		Explanation: `The path has a variable that neither the path item nor the operation declares. A variable of the path takes part in what makes
two requests the same command, so its type must be known.`,
		Good: `parameters:
  - {name: paymentId, in: path, required: true, schema: {type: string}}`,
	},
	{
		Code: PathParamUnused, Severity: Warning,
		Title: "a path parameter is not in the path",
		Explanation: `The parameter is declared with in: path, but the path has no variable of that name, so it never has a value. It is left
out.`,
	},
	{
		Code: BadParameter, Severity: Error,
		Title: "a parameter cannot be understood",
		Explanation: `A parameter has a name and a place: path, query, header or cookie. Bodies and forms are described by requestBody since
OpenAPI 3.`,
		Bad:  `- {name: amount, in: body}`,
		Good: `- {name: dryRun, in: query, schema: {type: boolean}}`,
	},
	{
		Code: DuplicateParameter, Severity: Error,
		Title: "a parameter is declared twice",
		Explanation: `One list declares two parameters of one name and place. An operation's parameter replaces the path item's of the same name;
inside one list the names are unique. Header names are compared without case.`,
	},
	{
		Code: PathUnservable, Severity: Error,
		Title: "no request can have this path",
		Explanation: `The path holds a ? or a #, or a line break. None is part of the path of a request: what follows ? or # is the query or
never sent. The operation cannot be told apart from others by its path.`,
		Bad:  `/payments?action=capture`,
		Good: `/payments/capture`,
	},
	{
		Code: ServerURL, Severity: Warning,
		Title: "the base path cannot be taken from servers",
		Explanation: `The paths of requests begin with the path of the first server's URL. Here that path has a variable without a default, or an
operation has servers of its own with another path. Set Options.BasePath of the engine if the default is wrong.`,
	},
	{
		Code: WrongShape, Severity: Error,
		Title: "a part of the document is not what it should be",
		Explanation: `Something that OpenAPI describes as an object, a list or a text is something else, and what the operation accepts depends on
it.`,
		Bad:  `properties: [amount, currency]`,
		Good: `properties: {amount: {type: string}, currency: {type: string}}`,
	},
	{
		Code: WrongKeyword, Severity: Warning,
		Title: "a keyword has a value that it cannot have",
		Explanation: `The keyword is left out of account, as if it were not written. What remains is wider than what the author meant, which is safe for
a fingerprint, but may not be what is wanted.`,
		Bad:  `maxLength: "ten"`,
		Good: `maxLength: 10`,
	},
	{
		Code: DynamicRef, Severity: Error,
		Title: "$dynamicRef is not followed",
		Explanation: `What a $dynamicRef points to depends on the way that led to it. idemgen needs one answer for each place. Use $ref with a
component that is written out.`,
	},
	{
		Code: UnknownType, Severity: Warning,
		Title: "a type is not known",
		Explanation: `JSON Schema has the types object, array, string, number, integer, boolean and null. Another word is left out of account, so any
value is allowed.`,
		Bad:  `type: float`,
		Good: `type: number`,
	},
	{
		Code: BadValue, Severity: Warning,
		Title: "a value cannot be written as JSON",
		Explanation: `Defaults and enumerated values are compared with what stands in requests, which are JSON. JSON has no infinities and no
NaN. The value is left out of account.`,
		Bad:  `default: .inf`,
		Good: `default: 0`,
	},
	{
		Code: Unreadable, Severity: Error,
		Title: "an operation cannot be read",
		Explanation: `The library that reads schemas refused the operation's part of the document, for a reason that idemgen did not foresee. The
message gives its words. Please report it with the smallest document that shows it.`,
	},
}
