package trace_test

import (
	"fmt"

	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

func Example() {
	steps, err := trace.Parse("claim.trace", "alice claims k -> ours\nclock +1s\nbob cliams k -> in flight")
	fmt.Println(err)
	fmt.Println(steps[0].Actor, steps[0].Verb.Name(), steps[0].Key(), steps[0].Want)
	// Output:
	// claim.trace:3:5: no verb "cliams"; did you mean "claims"?
	// alice claims k ours
}

func ExampleVerbs() {
	for _, v := range trace.Verbs() {
		fmt.Printf("%s\n    %s\n", v.Usage(), v.Purpose)
	}
	// Output:
	// claims KEY [scope TEXT] [before TEXT] [keyspace TEXT] [operation TEXT] [command TEXT] [business TEXT] [retention DURATION] [again]
	//     takes a key in a transaction
	// writes KEY NAME
	//     writes in the open transaction or phase of a key
	// completes KEY STATUS [BODY] [not-kept] [retention DURATION] [rolling-back]
	//     stores an outcome, and commits; from status 400 on a failure
	// releases KEY
	//     rolls back
	// leases KEY [scope TEXT] [before TEXT] [keyspace TEXT] [operation TEXT] [command TEXT] [business TEXT] [retention DURATION] [again] [lease DURATION]
	//     takes a key for a lease
	// looks KEY [scope TEXT] [keyspace TEXT]
	//     reads the record of a key
	// takes KEY [lease DURATION]
	//     takes over what the actor found last under a key
	// opens KEY
	//     begins a phase of its attempt
	// commits KEY NAME [RESULT] [not-kept] [retention DURATION] [ending STATUS] [body TEXT]
	//     commits the phase, ending with an outcome if there is a status
	// undoes KEY
	//     rolls the phase back
	// settles KEY STATE [STATUS] [BODY] [not-kept] [retention DURATION] [after DURATION]
	//     ends its attempt without a phase
	// extends KEY…
	//     sends a heartbeat for its attempts
	// recovers LIMIT [operation TEXT]
	//     takes over what is due
	// sweeps LIMIT
	//     deletes expired records
	// erases VALUE…
	//     deletes the records of a scope
	// lists LIMIT
	//     lists stuck records
	// inspects KEY
	//     reads the record that stood under a key last
	// resolves KEY STATUS [BODY] [not-kept] [retention DURATION]
	//     stores an outcome for a stuck record
	// frees KEY
	//     deletes a stuck record
	// counts NAME
	//     counts the writes that were committed under a name
}
