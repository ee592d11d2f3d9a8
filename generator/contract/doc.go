// Package contract makes the contract of every annotated operation: what an idempotency key belongs to, which parts of a request make
// two requests the same command, and how all of it is called in Go.
//
// # Usage
//
//	lock, found := contract.ParseLock(text, "payments.idempotency.lock.yaml")
//	api, found := contract.Build(doc, contract.Options{Base: "payments", Lock: lock})
//	if !found.HasErrors() {
//		emit(api)
//		write(contract.EncodeLock(api))
//	}
//
// # Field lines
//
// [Version.Fields] says, one line for each part of the request that counts and for each object, map and array on the way to one,
// what decides the hash. The lines stand in the order in which a scanner numbers fields: the body depth first with members in canonical
// order (UTF-16 code units), then header, path and query parameters by name. A line's rule is
//
//	rule     = head [ " of " element ] [ presence ] { trait }
//	head     = "object" | "map" | leaf | array | union | view | "recursion of " path
//	leaf     = normaliser "/" version                        exact/1
//	view     = "view(" name ")/" version                     the body, read by generic of that version from what a function of the program makes of it
//	union    = "union" [ "(" member ")" ]                    of kinds that differ by JSON type, or by what the member says
//	array    = ( "list" | "set" | "multiset" ) "/" version
//	element  = head | "(" head { trait } ")"                 of an array, except where its elements are arrays: those have a line of their own
//	presence = " required" | " optional"                     left out where a part is no member: elements, and entries of a map
//	trait    = " null=distinct" | " null=absent"             left out where null is refused, and under generic, which takes it as a value
//	         | " unknown=" policy                            an object whose policy is not the contract's own
//	         | " split=" JSON string                         a parameter whose elements stand in one value
//	         | " default=" JSON text                         canonical text that stands for a missing member
//	         | " sensitive"                                  the value needs a keyed fingerprint; always the last trait, and no part of the id
//
// A path ends in [] for an array, in .* for the entries of a map. Header names are in lower case. Below a union each path names the kind
// of value that it is in, by its labels in braces: the values of the discriminator that select it, sorted and quoted where a name would
// be, or its JSON type (string, number, boolean, array, object).
//
//	body.method: union(type) required
//	body.method{iban}: object
//	body.method{iban}.iban: ascii-upper/1 required
//	body.method{mastercard,visa}: object
//	body.method{mastercard,visa}.number: exact/1 required
//	body.delay: union optional null=distinct
//	body.delay{number}: int/1
//	body.delay{string}: instant/1
//	body: view(claims)/1 required
//	body.children[]: list/1 of (recursion of body) optional
//
// [PlainPath] gives such a path as the annotation writes it. A recursion is its own line and nothing below it: what stands there is read,
// compared and counted as at the place that it names. Contracts without unions and recursion have the lines, and the ids, that they would
// have if neither existed.
//
// # Contract id
//
// The id is the first 8 bytes, in hexadecimal, of the SHA-256 of an RFC 8785 document:
//
//	{"fields":{"body":"object required","body.amount":"decimal/1 required"},"ignored":["body.note"],
//	 "scheme":"idempotency-fingerprint/1","unknown":"include"}
//
// fields are the lines above. ignored has the members that do not count of those objects and maps whose undeclared members do, sorted;
// the member is left out when there are none. unknown is the contract's policy; it is reject where no object is open, whatever the
// annotation says, so that the id of an operation without a body does not depend on it. The lock leaves it out there.
//
// # Versions from their lines
//
// What a lock says of a version is all that is needed to read requests as it did: LockedVersion.restore makes its nodes again. [CheckLock]
// holds that together, for every lock that is written.
//
// # Business keys
//
// [Contract.Unique] is a contract of its own, of the values that name what a request makes: lines as above, all of them required (but for a
// materialised default), none null, and everything else ignored. Its id is made as above with the scheme "idempotency-business-key/1"; in its
// digest the contract's name is followed by a tab and "unique". So nothing that is no part of it moves it, and it is never a fingerprint.
//
// # Vectors
//
// [AddVectors] synthesises requests from the contract's types, and has the reference interpreter say what becomes of them: whole requests
// (minimal, typical, all), then changes of them, field by field: another value, another spelling, one that is refused, absent, null, empty, the
// default. Where a body counts through a view, they begin with what the view made. Package vector says what they mean as data. A locked vector that does not hold any more is a finding: the id would stay while the
// fingerprints move.
//
// # Guarantees
//
// The result depends on what the document says, not on the order of its operations, properties and parameters, on where its schemas stand,
// nor on descriptions. Everything that is wrong with a document is reported at once, at its place. A schema that unfolds without end
// costs neither time nor memory: nothing is unfolded that no line needs, and 5,000 lines are the most.
//
// # Not included
//
// Several versions of one contract, and bodies in parts that have no names.
//
// This package never reads or writes files, and no map's order reaches its output.
package contract
