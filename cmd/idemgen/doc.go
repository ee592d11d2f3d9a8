// Command idemgen generates Go for the operations of an OpenAPI document that carry x-idempotency: a canonical hash and a typed
// handler wrapper for each, and the lock that says what makes two requests the same command.
//
// # Usage
//
//	idemgen init payments.yaml        propose annotations for operations that have none, as an overlay for review
//	idemgen generate payments.yaml    write paymentsidem/ and payments.idempotency.lock.yaml
//	idemgen check payments.yaml       fail when they are not current; for continuous integration
//	idemgen lint payments.yaml        only say what is wrong
//	idemgen vectors payments.yaml     the contracts' test vectors as JSON, for other languages
//	idemgen explain IDG401            what a diagnostic means
//	idemgen explain OPERATION …       what an operation makes of a request, and with --database what is stored for it
//	idemgen diff payments.yaml        what a change of the contracts does to retries
//	idemgen docs payments.yaml        a sheet for those who call the API
//	idemgen schema document           the JSON Schema of annotations, for editors
//	idemgen prune payments.yaml       take versions out that no record needs
//	idemgen keys list                 records that wait for people
//	idemgen generate                  all documents of idemgen.yaml
//	idemgen migrate                   the SQL of the PostgreSQL store
//
// # Guarantees
//
// Exit codes are the same for every verb: 0 without errors (warnings count only with --strict), 1 for errors in documents and for
// drift, 2 when the job could not be done: wrong usage, a file that cannot be read, a folder that cannot be written. Products and
// machine formats go to standard output, narration and diagnostics for people to standard error. The command uses no network but the
// database that --database names, and starts no program but git, which changes nothing and asks no remote, and go, where a binding is made.
//
// # Not included
//
// What the verbs do: that is package generator's.
package main
