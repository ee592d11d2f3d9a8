package gogen_test

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// goldenCase is one directory of golden/gogen.
type goldenCase struct {
	name   string
	source string
	api    *contract.API
}

func goldenCases() []goldenCase {
	return []goldenCase{
		{"array-is-body", "batch.yaml", arrayIsBody()},
		{"fingerprint-none", "pings.yaml", fingerprintNone()},
		{"hostile-text", hostileSource, hostileText()},
		{"leased-transfers", "transfers.yaml", leasedTransfers()},
		{"lines-are-set", "orders.yaml", linesAreSet()},
		{"map-with-members", "labels.json", mapWithMembers()},
		{"no-body", "captures.yaml", noBody()},
		{"nulls-and-defaults", "profiles.yaml", nullsAndDefaults()},
		{"optional-body", "refunds.yaml", optionalBody()},
		{"plain-payment", "payments.yaml", plainPayment()},
		{"scope-changes", "changes.yaml", scopeChanges()},
		{"unique-reference", "references.yaml", uniqueReference()},
	}
}

// plainPayment is the example of the README: one required body, one path parameter, one ignored member.
func plainPayment() *contract.API {
	op := newContract("createPayment", "POST", "/accounts/{accountId}/payments")
	op.Summary = "Create a payment"
	op.Version.Params = []canon.Param{{In: canon.InPath, Name: "accountId", As: canon.Exact, Required: true, Field: 3}}
	op.PathParams = []contract.CommandParam{{
		Name: "accountId", GoName: "AccountID", Type: plainType(contract.TypeString), Required: true, Doc: "The account that is charged.",
	}}
	withBody(op, true,
		object("CreatePaymentBody", canon.RejectUnknown,
			required("amount", leaf(canon.Decimal, 0)), required("currency", leaf(canon.ASCIIUpper, 1)),
			optional("merchantReference", leaf(canon.Exact, 2)), ignored("metadata")),
		structOf("CreatePaymentBody",
			described(field("amount", "Amount", plainType(contract.TypeNumber)), "Amount in the currency's main unit."),
			field("currency", "Currency", plainType(contract.TypeString)),
			optionalField("merchantReference", "MerchantReference", plainType(contract.TypeString)),
			optionalField("metadata", "Metadata", &contract.Type{Kind: contract.TypeMap, Elem: plainType(contract.TypeString)})),
		"body.amount", "body.currency", "body.merchantReference")
	op.Version.Fields = append(op.Version.Fields, contract.Field{Path: "path.accountId", Rule: "exact/1 required"})
	return newAPI("paymentsidem", op)
}

// linesAreSet has arrays of every kind: objects in a set, leaves in a multiset, and a list in a list.
func linesAreSet() *contract.API {
	op := newContract("createOrder", "POST", "/orders")
	op.Version.Number, op.Retention = 2, -1
	op.RetentionText = "forever"
	op.Scope = append(op.Scope, contract.ScopeTerm{Text: "user", Dimension: 1})
	line := object("CreateOrderBodyLines", canon.IgnoreUnknown,
		required("quantity", leaf(canon.Int, 3)), required("sku", leaf(canon.Exact, 4)))
	matrix := array(canon.List, 1, array(canon.List, -1, leaf(canon.Int, -1)))
	lineType := structOf("CreateOrderBodyLines",
		field("quantity", "Quantity", plainType(contract.TypeInt64)), field("sku", "SKU", plainType(contract.TypeString)))
	withBody(op, true,
		object("CreateOrderBody", canon.IncludeUnknown,
			optional("codes", array(canon.Multiset, 0, leaf(canon.ASCIILower, -1))),
			optional("grid", matrix),
			required("lines", array(canon.Set, 2, line)),
			optional("spare", array(canon.List, 5, line)), // the same node twice: one function
		),
		structOf("CreateOrderBody",
			optionalField("codes", "Codes", listOf(plainType(contract.TypeString))),
			optionalField("grid", "Grid", listOf(listOf(plainType(contract.TypeInt64)))),
			field("lines", "Lines", listOf(lineType)), optionalField("spare", "Spare", listOf(lineType))),
		"body.codes[]", "body.grid[]", "body.lines[]", "body.lines[].quantity", "body.lines[].sku", "body.spare[]")
	return newAPI("ordersidem", op)
}

// nullsAndDefaults has every rule for null and absence, at leaves, arrays, objects and the entries of a map.
func nullsAndDefaults() *contract.API {
	op := newContract("updateProfile", "PATCH", "/profiles/{profileId}")
	op.Scope = []contract.ScopeTerm{{Text: "path.profileId", Dimension: -1, In: "path", Name: "profileId"}}
	op.PathParams = []contract.CommandParam{{Name: "profileId", GoName: "ProfileID", Type: plainType(contract.TypeString), Required: true}}
	op.Version.Params = []canon.Param{{In: canon.InPath, Name: "profileId", As: canon.UUID, Required: true, Field: 9}}
	address := nullable(contract.NullDistinct, object("UpdateProfileBodyAddress", canon.RejectUnknown, optional("city", leaf(canon.Exact, 2))))
	address.Field = 1
	body := nullable(contract.NullDistinct, object("UpdateProfileBody", canon.RejectUnknown,
		defaulted("active", "true", leaf(canon.Boolean, 0)),
		optional("address", address),
		optional("born", nullable(contract.NullAbsent, leaf(canon.Instant, 3))),
		optional("extra", nullable(contract.NullDistinct, leaf(canon.Generic, 4))),
		optional("names", nullable(contract.NullDistinct, array(canon.List, 5, nullable(contract.NullDistinct, leaf(canon.Exact, -1))))),
		optional("photo", nullable(contract.NullDistinct, leaf(canon.Base64, 6))),
		optional("ratio", nullable(contract.NullAbsent, leaf(canon.Double, 7))),
		optional("tags", nullable(contract.NullAbsent, mapOf("UpdateProfileBodyTags", nullable(contract.NullAbsent, leaf(canon.ASCIITrim, 8)))))))
	withBody(op, true, body,
		structOf("UpdateProfileBody",
			optionalField("active", "Active", plainType(contract.TypeBool)),
			nullableField("address", "Address", structOf("UpdateProfileBodyAddress", optionalField("city", "City", plainType(contract.TypeString)))),
			optionalField("born", "Born", plainType(contract.TypeInstant)),
			nullableField("extra", "Extra", plainType(contract.TypeRaw)),
			nullableField("names", "Names", listOf(plainType(contract.TypeRaw))),
			nullableField("photo", "Photo", plainType(contract.TypeBytes)),
			optionalField("ratio", "Ratio", plainType(contract.TypeNumber)),
			nullableField("tags", "Tags", &contract.Type{Kind: contract.TypeMap, Elem: plainType(contract.TypeString)})),
		"body.active", "body.address", "body.address.city", "body.born", "body.extra", "body.names[]", "body.photo", "body.ratio",
		"body.tags.*", "path.profileId")
	return newAPI("profilesidem", op)
}

func nullableField(name, goName string, t *contract.Type) contract.TypeField {
	return contract.TypeField{Name: name, GoName: goName, Type: t, Optional: true, Nullable: true}
}

// noBody has parameters of every place and type, and a key in the query.
func noBody() *contract.API {
	op := newContract("capturePayment", "POST", "/payments/{paymentId}/capture/{part}")
	op.Key = contract.Key{From: "query.key", In: "query", Name: "key", Required: true, MinLength: 36, MaxLength: 36, Format: "uuid"}
	op.Docs = "https://docs.example.com/retries"
	op.Scope = append(op.Scope, contract.ScopeTerm{Text: "header.Stripe-Account", Dimension: -1, In: "header", Name: "Stripe-Account"})
	op.Version.Params = []canon.Param{
		{In: canon.InHeader, Name: "stripe-account", As: canon.Exact, Required: true, Field: 0},
		{In: canon.InPath, Name: "part", Index: 1, As: canon.Int, Required: true, Field: 1},
		{In: canon.InPath, Name: "paymentId", As: canon.UUID, Required: true, Field: 2},
		{In: canon.InQuery, Name: "dry_run", As: canon.Boolean, Default: "false", Field: 3},
		{In: canon.InQuery, Name: "expand", As: canon.Exact, Array: canon.Set, Field: 4},
		{In: canon.InQuery, Name: "ids", As: canon.Int, Array: canon.List, Split: ',', Field: 5},
	}
	for _, f := range []string{"header.stripe-account", "path.part", "path.paymentId", "query.dry_run", "query.expand", "query.ids"} {
		op.Version.Fields = append(op.Version.Fields, contract.Field{Path: f})
	}
	param := func(name, goName string, t *contract.Type, required bool) contract.CommandParam {
		return contract.CommandParam{Name: name, GoName: goName, Type: t, Required: required}
	}
	op.PathParams = []contract.CommandParam{param("paymentId", "PaymentID", plainType(contract.TypeString), true), param("part", "Part", plainType(contract.TypeInt32), true)}
	op.PathParams[1].Index = 1
	op.QueryParams = []contract.CommandParam{
		param("dry_run", "DryRun", plainType(contract.TypeBool), false),
		param("expand", "Expand", listOf(plainType(contract.TypeString)), false),
		param("ids", "IDs", listOf(plainType(contract.TypeInt64)), false),
		param("since", "Since", plainType(contract.TypeInstant), true),
		param("filter", "Filter", plainType(contract.TypeRaw), false),
	}
	op.QueryParams[2].Split = ','
	op.HeaderParams = []contract.CommandParam{
		param("Stripe-Account", "StripeAccount", plainType(contract.TypeString), true),
		param("X-Tags", "XTags", listOf(plainType(contract.TypeString)), false),
	}
	// A second operation without anything: no parameters, no body.
	ping := newContract("ping", "POST", "/ping")
	api := newAPI("capturesidem", op, ping)
	api.BasePath = ""
	return api
}

// optionalBody may be absent: absent, {} and null are three different things.
func optionalBody() *contract.API {
	op := newContract("createRefund", "POST", "/payments/{paymentId}/refunds")
	op.Key.Required = false
	op.PathParams = []contract.CommandParam{{Name: "paymentId", GoName: "PaymentID", Type: plainType(contract.TypeString), Required: true}}
	op.Version.Params = []canon.Param{{In: canon.InPath, Name: "paymentId", As: canon.Exact, Required: true, Field: 1}}
	withBody(op, false,
		object("CreateRefundBody", canon.RejectUnknown, optional("amount", leaf(canon.Decimal, 0))),
		structOf("CreateRefundBody", optionalField("amount", "Amount", plainType(contract.TypeNumber))),
		"body.amount", "path.paymentId")
	return newAPI("refundsidem", op)
}

// fingerprintNone compares nothing and takes its key from the body; the scope is global.
func fingerprintNone() *contract.API {
	op := newContract("notify", "POST", "/notifications")
	op.Compare = false
	op.Version = contract.Version{}
	op.Key = contract.Key{From: "body.meta.id", In: "body", Path: []string{"meta", "id"}, Required: true, MinLength: 1, MaxLength: 64}
	op.Scope = []contract.ScopeTerm{{Text: "global", Dimension: -1, Literal: "global"}}
	op.BodyRequired = true
	op.Spec = canon.BodySpec{Required: true, Accepts: []canon.Media{canon.JSON, canon.Form}}
	op.BodyType = structOf("NotifyBody", field("meta", "Meta", plainType(contract.TypeRaw)))
	webhook := newContract("pinged", "", "")
	webhook.Compare = false
	webhook.Version = contract.Version{}
	webhook.Scope = []contract.ScopeTerm{{Text: "body.account", Dimension: -1, In: "body", Path: []string{"account"}}}
	webhook.BodyType = plainType(contract.TypeRaw)
	webhook.Spec = canon.BodySpec{Accepts: []canon.Media{canon.JSON}}
	api := newAPI("pingsidem", op, webhook)
	api.Dimensions = nil
	return api
}

// mapWithMembers has declared members beside dynamic entries, maps of objects, and an object that declares nothing.
func mapWithMembers() *contract.API {
	op := newContract("putLabels", "PUT", "/labels")
	withBody(op, true,
		mapOf("PutLabelsBody", leaf(canon.Exact, 0),
			ignored("comment"),
			optional("empty", object("PutLabelsBodyEmpty", canon.IncludeUnknown)),
			required("owners", mapOf("PutLabelsBodyOwners", object("PutLabelsBodyOwnersValue", canon.RejectUnknown, required("since", leaf(canon.Instant, 1))))),
			required("version", leaf(canon.Int, 2)),
		),
		structOf("PutLabelsBody",
			optionalField("comment", "Comment", plainType(contract.TypeString)),
			optionalField("empty", "Empty", structOf("PutLabelsBodyEmpty")),
			field("owners", "Owners", &contract.Type{Kind: contract.TypeMap, Elem: structOf("PutLabelsBodyOwnersValue", field("since", "Since", plainType(contract.TypeInstant)))}),
			field("version", "Version", plainType(contract.TypeInt64))),
		"body.*", "body.owners.*.since", "body.version")
	return newAPI("labelsidem", op)
}

// arrayIsBody has a list as a body, a leaf as a body, and a body of any JSON value.
func arrayIsBody() *contract.API {
	list := newContract("createBatch", "POST", "/batch")
	withBody(list, true,
		array(canon.List, 0, object("CreateBatchBodyItem", canon.IncludeUnknown, required("id", leaf(canon.UUID, 1)))),
		listOf(structOf("CreateBatchBodyItem", field("id", "ID", plainType(contract.TypeString)))), "body[]", "body[].id")
	single := newContract("setLimit", "PUT", "/limit")
	withBody(single, true, nullable(contract.NullDistinct, leaf(canon.Int, 0)), plainType(contract.TypeInt64), "body")
	whole := newContract("storeDocument", "PUT", "/documents")
	withBody(whole, false, leaf(canon.Generic, 0), plainType(contract.TypeRaw), "body")
	return newAPI("batchidem", list, single, whole)
}
