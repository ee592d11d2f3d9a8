package memstore_test

import (
	"context"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
)

func Example() {
	ctx := context.Background()
	store := memstore.New()
	claim := idem.Claim{
		Scope: `["acme"]`, Keyspace: "createPayment", Key: "key-1", Operation: "createPayment",
		Token: idem.NewUUID(), RecordID: idem.NewUUID(), Retention: idem.Forever,
	}

	held, _, err := store.Claim(ctx, claim)
	if err != nil {
		fmt.Println(err)
		return
	}
	held.Tx().OnCommit(func() { fmt.Println("the payment is made") })
	if err := held.Complete(ctx, idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 201}}); err != nil {
		fmt.Println(err)
		return
	}

	_, prior, err := store.Claim(ctx, claim)
	fmt.Println(prior.State == idem.StateCompleted, prior.Response.Status, err)
	// Output:
	// the payment is made
	// true 201 <nil>
}
