package diag

// Findings about the server that a binding is generated for.
const (
	ServerMissing     Code = "IDG601"
	ServerBroken      Code = "IDG602"
	ServerUnknown     Code = "IDG603"
	ServerRefused     Code = "IDG604"
	ServerSeveral     Code = "IDG605"
	ServerUnreachable Code = "IDG606"

	MethodMissing Code = "IDG611"
	ServerShape   Code = "IDG612"
)

// serverCodes are the findings about servers: IDG6xx. All of them stop generation: half a binding would leave operations unprotected.
var serverCodes = []Info{
	{
		Code: ServerMissing, Severity: Error,
		Title: "there is no server package where it was looked for",
		Explanation: `--server, or server in idemgen.yaml, names the package that your server generator writes: a folder that begins with ./ or ../,
or an import path; without it a go:generate line, or oapi-codegen's configuration beside the document, says where the server goes. Nothing
that is a Go package was found there, or there is a binding and no server any more. Run the server's generator first: idemgen reads what it
wrote, so in a generate.go its line comes before idemgen's. With --server none no binding is generated, and only then is one deleted.`,
		Bad:  `idemgen generate payments.yaml --server ./iternal/api`,
		Good: `idemgen generate payments.yaml --server ./internal/api`,
	},
	{
		Code: ServerBroken, Severity: Error,
		Title: "the server package does not compile",
		Explanation: `Signatures are taken from the compiled package, so that the binding fits what business code really implements. The package has
errors, or something that it imports is not in the module. Correct what is said here, or run the server's generator again; go build of the
package says the same.`,
		Good: `go mod tidy && go build ./internal/api`,
	},
	{
		Code: ServerUnknown, Severity: Error,
		Title: "the package has no server that can be bound",
		Explanation: `A binding needs the interface that business code implements: StrictServerInterface or ServerInterface of oapi-codegen, or Handler
of ogen. The package has none of them: it holds models or a client alone, say. Let oapi-codegen generate a server, strict-server
where you can, since business code then returns its responses; or name the package that has it. With --server none no binding is generated, and
the handlers of the contract's package serve on any router.`,
		Bad: `generate: {models: true}`,
		Good: `generate:
  std-http-server: true
  strict-server: true
  models: true`,
	},
	{
		Code: ServerRefused, Severity: Error,
		Title: "the server's framework cannot be wrapped",
		Explanation: `fiber and iris do not speak net/http: their requests and responses never pass a net/http handler, so the engine's middleware cannot
stand around the API, and nothing could hold an answer back until the commit. Use a net/http server (std-http-server, chi-server, gorilla-server,
gin-server, echo-server), or serve the annotated operations by the contract's own handlers on a net/http port.`,
		Bad:  `generate: {fiber-server: true, strict-server: true}`,
		Good: `generate: {chi-server: true, strict-server: true}`,
	},
	{
		Code: ServerSeveral, Severity: Error,
		Title: "several servers are generated from the document",
		Explanation: `Without --server the one server that is generated from the document is taken. Here there are several, and a binding belongs to one.
Name it, on the command line or in idemgen.yaml. A binding for each goes into a folder of its own with --bind.`,
		Bad:  `idemgen generate payments.yaml`,
		Good: `idemgen generate payments.yaml --server ./internal/api`,
	},
	{
		Code: ServerUnreachable, Severity: Error,
		Title: "the binding cannot import what it needs",
		Explanation: `The binding is a package that imports your server's and the contract's. A package main cannot be imported: let the server's
generator write into a package of its own. And the folder of the contract has to stand in a Go module, since only then does it have an
import path; one of letters, digits and the punctuation that Go allows. The binding's folder holds the binding alone: in the server's or the
contract's own it would import itself.`,
		Bad: `package: main
output: api.gen.go`,
		Good: `package: api
output: internal/api/api.gen.go`,
	},
	{
		Code: MethodMissing, Severity: Error,
		Title: "an annotated operation has no method in the server",
		Explanation: `The server's interface has no method for the operation's method and path, which its comments say, and none without a comment whose
name is the operationId's apart from case and punctuation; or the comments of several have its route. Nothing is guessed: an operation that is
bound to a wrong method would run unprotected. Mostly the server was generated from an older version of the document, or leaves the operation out (exclude-tags,
exclude-operation-ids): run its generator first.`,
	},
	{
		Code: ServerShape, Severity: Error,
		Title: "a method of the server has an unknown signature",
		Explanation: `The binding inserts the execution behind the context of a signature that it knows: of oapi-codegen's strict servers and ogen (a context
first, an error last), or of oapi-codegen's plain ones for net/http, gin and echo. A method that looks otherwise, or has a type without an
exported name, cannot be bound; nor can an interface with a method that is not exported, which no other package implements. A template of your own for the server's generator may be the reason.`,
	},
}
