package gogen_test

import (
	"time"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// scopeChanges has a scope that changes, from one with a part of the request and from everybody's; duplicates wait.
func scopeChanges() *contract.API {
	order := newContract("createOrder", "POST", "/orders")
	order.Scope = []contract.ScopeTerm{{Text: "tenant", Dimension: 0}, {Text: "user", Dimension: 1}}
	order.Before = []contract.ScopeTerm{{Text: "tenant", Dimension: 0}, {Text: "header.Shop", Dimension: -1, In: "header", Name: "Shop", As: canon.Int}}
	order.Wait = 90 * time.Second
	ping := newContract("ping", "POST", "/ping")
	ping.Before = []contract.ScopeTerm{{Text: "global", Dimension: -1, Literal: "global"}}
	return newAPI("changesidem", order, ping)
}

// uniqueReference has business keys: of a body that may be absent and comes in two media types, of parameters alone, and without a
// comparison.
func uniqueReference() *contract.API {
	charge := newContract("createCharge", "POST", "/shops/{shop}/charges")
	charge.Key.Required = false
	charge.PathParams = []contract.CommandParam{{Name: "shop", GoName: "Shop", Type: plainType(contract.TypeInt64), Required: true}}
	charge.Version.Params = []canon.Param{{In: canon.InPath, Name: "shop", As: canon.Int, Required: true, Field: 2}}
	withBody(charge, false,
		object("CreateChargeBody", canon.RejectUnknown, optional("amount", leaf(canon.Decimal, 0)),
			optional("reference", nullable(contract.NullDistinct, leaf(canon.ASCIILower, 1)))),
		structOf("CreateChargeBody", optionalField("amount", "Amount", plainType(contract.TypeNumber)), nullableField("reference", "Reference", plainType(contract.TypeString))),
		"body.amount", "body.reference", "path.shop")
	charge.Spec.Accepts = []canon.Media{canon.JSON, canon.Form}
	charge.Version.Spec = charge.Spec
	withBusiness(charge, object("CreateChargeBusiness", canon.IgnoreUnknown, ignored("amount"), required("reference", leaf(canon.ASCIILower, -1))),
		"body.reference", "path.shop")
	charge.Unique.Version.Params = []canon.Param{{In: canon.InPath, Name: "shop", As: canon.Int, Required: true, Field: -1}}

	ping := newContract("ping", "POST", "/ping")
	ping.Unique = &contract.Unique{Paths: []string{"query.at", "query.of"}, Version: contract.Version{ID: "00000000000000b2", Params: []canon.Param{
		{In: canon.InQuery, Name: "at", As: canon.Instant, Required: true, Field: -1},
		{In: canon.InQuery, Name: "of", As: canon.Exact, Default: `"all"`, Field: -1},
	}}}
	nameBusiness(ping)

	notify := newContract("notify", "POST", "/notifications")
	notify.Compare, notify.Version = false, contract.Version{}
	notify.Spec = canon.BodySpec{Required: true, Accepts: []canon.Media{canon.JSON}}
	notify.BodyRequired, notify.BodyType = true, plainType(contract.TypeRaw)
	event := unionOf("NotifyBusinessEvent", "", "string", "number")
	event.Union.Branches[1].Node.As = canon.Int
	withBusiness(notify, object("NotifyBusiness", canon.IgnoreUnknown, required("event", event)), "body.event")
	return newAPI("referencesidem", charge, ping, notify)
}

// withBusiness gives op a business key with a body.
func withBusiness(op *contract.Contract, body *contract.Node, paths ...string) {
	op.Unique = &contract.Unique{Paths: paths, Version: contract.Version{ID: "00000000000000b1", Spec: op.Spec, Body: body}}
	op.Unique.Version.Spec.Required = true
	nameBusiness(op)
}

func nameBusiness(op *contract.Contract) {
	op.Names.Business, op.Names.BusinessParams, op.Names.BusinessBody = "BusinessKey"+op.GoName, op.Name+"BusinessParams", op.Name+"BusinessBody"
}

// leasedTransfers are leased, with every policy for attempts that have ended without an outcome: a recovery that needs headers, with an
// optional key beside a business key; a webhook that recovers; a handler that runs again; and what nobody touches.
func leasedTransfers() *contract.API {
	transfer := newContract("createTransfer", "POST", "/banks/{bank}/transfers") // with all that a wrapper can have
	transfer.Before = []contract.ScopeTerm{{Text: "user", Dimension: 1}}
	transfer.Wait, transfer.Docs, transfer.Summary = 2*time.Second, "https://docs.example.com/retries", "Send money"
	transfer.PathParams = []contract.CommandParam{{Name: "bank", GoName: "Bank", Type: plainType(contract.TypeString), Required: true}}
	transfer.QueryParams = []contract.CommandParam{{Name: "mode", GoName: "Mode", Type: plainType(contract.TypeString)}}
	transfer.Version.Params = []canon.Param{{In: canon.InPath, Name: "bank", As: canon.Exact, Required: true, Field: 1}}
	lease(transfer, contract.TakeoverRecover, 30*time.Second, 5)
	transfer.Key.Required = false
	transfer.HeaderParams = []contract.CommandParam{{Name: "X-Tier", GoName: "XTier", Type: plainType(contract.TypeString)}}
	transfer.CommandHeaders, transfer.Names.Recover = []string{"X-Tier"}, "RecoverCreateTransfer"
	withBody(transfer, true, object("CreateTransferBody", canon.RejectUnknown, required("reference", leaf(canon.Exact, 0))),
		structOf("CreateTransferBody", field("reference", "Reference", plainType(contract.TypeString))), "body.reference", "path.bank")
	withBusiness(transfer, object("CreateTransferBusiness", canon.IgnoreUnknown, required("reference", leaf(canon.Exact, -1))), "body.reference")

	settled := newContract("transferSettled", "", "")
	settled.Webhook = "transferSettled"
	lease(settled, contract.TakeoverRecover, 5*time.Second, 1)

	run := newContract("createImport", "POST", "/imports")
	lease(run, contract.TakeoverRetake, time.Hour, 2)
	run.Wait = 2 * time.Second

	letter := newContract("sendLetter", "POST", "/letters")
	lease(letter, contract.TakeoverHold, 90*time.Second, 5)
	return newAPI("transfersidem", transfer, settled, run, letter)
}

func lease(op *contract.Contract, takeover string, d time.Duration, attempts int) {
	op.Execution, op.Takeover, op.Lease, op.Attempts = contract.Leased, takeover, d, attempts
}
