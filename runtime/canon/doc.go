// Package canon gives an HTTP request its canonical form and the digest of it: the fingerprint by which a retry is recognised.
//
// # Usage
//
// Generated code drives a [Scanner]; a program rarely calls this package itself. A scanner is taken from the pool, given to a
// generated function together with the request as it entered, and given back:
//
//	s := canon.Acquire()
//	defer s.Release()
//	digest, err := paymentsidem.FingerprintCreatePayment(s, &canon.Request{Body: body, ContentType: "application/json"})
//	var refusal *canon.Refusal
//	if errors.As(err, &refusal) {
//		// 400: refusal.Place says where, refusal.Reason says why
//	}
//
// # Guarantees
//
//   - The canonical form is an RFC 8785 document whose only scalars are strings, true, false and null. Numbers, instants and
//     bytes stand in it as normalised text, so no double is ever printed and any RFC 8785 library reproduces the bytes.
//   - A form, a multipart body and JSON are read into one tree by the same calls, so one command has one digest however it is sent
//     ([Scanner.OpenBody]). What two readers of forms could read differently is refused: brackets that do not match, a name that is a
//     value and an object, gaps in indexes, folded header lines, a boundary among the header lines of a part, repeated parameters.
//   - A body of another kind counts through a view, a function of the program: what it gives is read in place of the body, by the same rules
//     ([Scanner.OpenView]).
//   - The body is read once, from its bytes. Everywhere in it, ignored parts included, invalid UTF-8, a lone surrogate, a duplicate
//     member name and more than 128 levels are refused.
//   - Time is linear in the request, or n log n where names or set elements have to be sorted. Beside the request itself the memory
//     is that of the canonical text, at most twice (a set is sorted through a copy), and 16 bytes for each member of a map. A form takes
//     the JSON text that it stands for and 20 bytes for each name besides; a file in a multipart body takes nothing.
//   - Nothing is allocated once a scanner's buffers have grown.
//   - Nothing depends on Unicode tables, locales or another package's encoder: a toolchain upgrade never moves a digest.
//
// # Not included
//
// Keyed fingerprints (HMAC is the engine's, over the digest). Of forms and multipart bodies: charsets other than UTF-8, transfer encodings,
// multipart bodies in parts, and any style of nested names but brackets.
//
// The invariant that is otherwise invisible: after a refusal the scanner's input is empty, so every later call finds the
// input's end and does nothing. That is how the first refusal sticks without a test in each method.
package canon
