// Package clients sends what clients, proxies and browsers send to a generated package, over HTTP: one test, with a name of its own, for each
// thing that the field got wrong about idempotency keys and fingerprints. The things were collected from public reports about some thirty
// systems. A request is written byte by byte where net/http's client would tidy it up.
//
// Every test can fail: it says which requests run, which get the first one's answer, which are another command and which are refused, and the
// site counts what really ran.
//
// Not included: what goes wrong between the claim and the answer (stores and the engine have suites for that), and how a contract changes.
package clients
