package gogen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/gogen"
	"github.com/idemgen/idemgen/runtime/canon"
)

// TestRefusesWhatCannotBeSpelled breaks a good API in one place at a time. Every such API is refused before anything is emitted.
func TestRefusesWhatCannotBeSpelled(t *testing.T) {
	cyclic := structOf("CreatePaymentBody")
	cyclic.Fields = []contract.TypeField{nullableField("self", "Self", cyclic)}
	nested := array(canon.List, -1, nil)
	nested.Elem = nested
	odd := structOf("CreatePaymentBody", optionalField("a\"b", "UnmarshalJSON", plainType(contract.TypeString)))

	cases := map[string]struct {
		harm func(api *contract.API, op *contract.Contract)
		want string
	}{
		"package name":           {func(a *contract.API, _ *contract.Contract) { a.Package = "pay ments" }, `package name "pay ments" cannot be imported`},
		"package main":           {func(a *contract.API, _ *contract.Contract) { a.Package = "main" }, "cannot be imported"},
		"test package":           {func(a *contract.API, _ *contract.Contract) { a.Package = "pay_test" }, "cannot be imported"},
		"dimension":              {func(a *contract.API, _ *contract.Contract) { a.Dimensions[0].GoName = "tenant" }, `Scope: field "tenant" is no exported`},
		"equal dimensions":       {func(a *contract.API, _ *contract.Contract) { a.Dimensions[1].GoName = "Tenant" }, "field Tenant stands there twice"},
		"code as a name":         {func(_ *contract.API, op *contract.Contract) { op.Names.Operation = "X = 1; func init() {}; var Y" }, "is no Go identifier"},
		"keyword":                {func(_ *contract.API, op *contract.Contract) { op.Names.Decode = "func" }, `"func" is no Go identifier`},
		"unexported handler":     {func(_ *contract.API, op *contract.Contract) { op.Names.Handle = "handle" }, "handle is not exported"},
		"name of the package":    {func(_ *contract.API, op *contract.Contract) { op.Names.Command = "Scope" }, "Scope is declared by the package already"},
		"name of an import":      {func(_ *contract.API, op *contract.Contract) { op.Version.Names.Params = "canon" }, "canon is declared by generated code already"},
		"equal names":            {func(_ *contract.API, op *contract.Contract) { op.Names.Command = op.Names.Operation }, "is declared by contract createPayment already"},
		"file name":              {func(_ *contract.API, op *contract.Contract) { op.FileName = "create_windows" }, `file name "create_windows"`},
		"file outside":           {func(_ *contract.API, op *contract.Contract) { op.FileName = "../x" }, `file name "../x"`},
		"no file name":           {func(_ *contract.API, op *contract.Contract) { op.FileName = "" }, `file name ""`},
		"reserved file":          {func(_ *contract.API, op *contract.Contract) { op.FileName = "contract" }, "is taken by the package"},
		"execution":              {func(_ *contract.API, op *contract.Contract) { op.Execution = "queued" }, `execution "queued" cannot be generated`},
		"key place":              {func(_ *contract.API, op *contract.Contract) { op.Key.In = "cookie" }, `key place "cookie"`},
		"key format":             {func(_ *contract.API, op *contract.Contract) { op.Key.Format = "ulid" }, `key format "ulid"`},
		"scope without a place":  {func(_ *contract.API, op *contract.Contract) { op.Scope[0].Dimension = -1 }, `place "" is unknown`},
		"scope out of range":     {func(_ *contract.API, op *contract.Contract) { op.Scope[0].Dimension = 2 }, "there is no dimension 2"},
		"parameter field":        {func(_ *contract.API, op *contract.Contract) { op.Version.Params[0].Field = 4 }, `parameter "accountId": there is no field 4`},
		"parameter normaliser":   {func(_ *contract.API, op *contract.Contract) { op.Version.Params[0].As = 0 }, `parameter "accountId"`},
		"parameter without type": {func(_ *contract.API, op *contract.Contract) { op.PathParams[0].Type = nil }, "has no type"},
		"no media type":          {func(_ *contract.API, op *contract.Contract) { op.Spec.Accepts = nil }, "no kind of body is taken"},
		"media type":             {func(_ *contract.API, op *contract.Contract) { op.Spec.Accepts = []canon.Media{99} }, "media 99 is unknown"},
		"part kind":              {func(_ *contract.API, op *contract.Contract) { op.Spec.Parts = []canon.Part{{Name: "a"}} }, `part "a": kind 0 is unknown`},
		"two specs":              {func(_ *contract.API, op *contract.Contract) { op.Spec.Required = !op.Spec.Required }, "other bodies than the operation takes"},
		"body without a type":    {func(_ *contract.API, op *contract.Contract) { op.BodyType = nil }, "a body that counts has no type"},
		"sensitive field":        {func(_ *contract.API, op *contract.Contract) { op.Version.Sensitive = []int{9} }, "sensitive: there is no field 9"},
		"scope normaliser":       {func(_ *contract.API, op *contract.Contract) { op.Scope[0].As = 99 }, "normaliser 99 is unknown"},
		"no normaliser":          {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node.As = 99 }, "body.amount: normaliser"},
		"member twice":           {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[1].Name = "amount" }, "body.amount is declared twice"},
		"member without node":    {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node = nil }, "body.amount has no node"},
		"node field":             {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node.Field = 9 }, "body.amount: there is no field 9"},
		"node kind":              {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node.Kind = 0 }, "node kind 0"},
		"no branch":              {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node = unionOf("U", "") }, "body.amount: the union has no branch"},
		"branch twice": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = unionOf("U", "t", "a", "a")
		}, "body.amount{a} is declared twice"},
		"branch type": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = unionOf("U", "", "integer")
		}, "body.amount{integer}: there is no such JSON type"},
		"branch null": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = unionOf("U", "", "string")
			op.Version.Body.Members[0].Node.Union.Branches[0].Node.Null = contract.NullDistinct
		}, "body.amount{string}: null is the union's to take"},
		"recursion to nowhere": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = &contract.Node{Kind: contract.RecursionNode, Field: -1, Back: leaf(canon.Int, -1)}
		}, "body.amount: the recursion leads to no node above it"},
		"recursion that is not marked": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = &contract.Node{Kind: contract.RecursionNode, Field: -1, Back: op.Version.Body}
		}, "body.amount: the recursion leads to no node above it"},
		"null rule":      {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node.Null = 9 }, "null rule 9"},
		"unknown policy": {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Unknown = 0 }, "body: unknown policy 0"},
		"absent body":    {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Null = contract.NullAbsent }, "a null body cannot count as absent"},
		"absent element": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = array(canon.List, 0, nullable(contract.NullAbsent, leaf(canon.Int, -1)))
		}, "body.amount[]: a null element cannot count as absent"},
		"array kind": {func(_ *contract.API, op *contract.Contract) {
			op.Version.Body.Members[0].Node = array(0, 0, leaf(canon.Int, -1))
		}, "array kind 0"},
		"endless arrays":      {func(_ *contract.API, op *contract.Contract) { op.Version.Body.Members[0].Node = nested }, "more than 128 arrays"},
		"struct name":         {func(_ *contract.API, op *contract.Contract) { op.BodyType.GoName = "createPaymentBody" }, "createPaymentBody is not exported"},
		"struct field":        {func(_ *contract.API, op *contract.Contract) { op.BodyType.Fields[0].GoName = "a b" }, `field "a b" is no exported`},
		"member name":         {func(_ *contract.API, op *contract.Contract) { op.BodyType.Fields[1].Name = "amount" }, `member "amount" stands there twice`},
		"type kind":           {func(_ *contract.API, op *contract.Contract) { op.BodyType.Fields[0].Type = plainType(99) }, "a part of the body has no type"},
		"list of nothing":     {func(_ *contract.API, op *contract.Contract) { op.BodyType.Fields[0].Type = listOf(nil) }, "a part of the body has no type"},
		"contains itself":     {func(_ *contract.API, op *contract.Contract) { op.BodyType = cyclic }, "struct CreatePaymentBody contains itself"},
		"field and method":    {func(_ *contract.API, op *contract.Contract) { op.BodyType = odd }, "field UnmarshalJSON stands there twice"},
		"view of the package": {func(_ *contract.API, op *contract.Contract) { op.Version.View = "claims" }, `the package has no view "claims"`},
		"view of nobody": {func(a *contract.API, _ *contract.Contract) {
			a.Views = []contract.View{{Name: "claims", GoName: "Claims"}}
		}, `no operation has the view "claims"`},
		"view's field": {func(a *contract.API, op *contract.Contract) {
			a.Views = []contract.View{{Name: "claims", GoName: "claims"}}
		}, `Views: field "claims" is no exported`},
		"view of an object": {func(a *contract.API, op *contract.Contract) {
			a.Views, op.Version.View = []contract.View{{Name: "claims", GoName: "Claims"}}, "claims"
		}, "a body with a view is not generic"},
		"view without a table": {func(a *contract.API, op *contract.Contract) {
			a.Views, op.Version.View = []contract.View{{Name: "claims", GoName: "Claims"}}, "claims"
			op.Version.Body = leaf(canon.Generic, 0)
		}, "a body with a view has no table of its media types"},
		"struct called Views": {func(_ *contract.API, op *contract.Contract) { op.Names.Command = "Views" }, "Views is declared by the package already"},
		"contract twice":      {func(a *contract.API, op *contract.Contract) { a.Contracts = append(a.Contracts, op) }, "contract createPayment"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			api := plainPayment()
			c.harm(api, api.Contracts[0])
			files, err := gogen.Generate(api, "payments.yaml")
			require.ErrorContains(t, err, c.want)
			assert.Empty(t, files)
		})
	}
}

// TestRefusesBusinessKeysThatAreNone does the same to an API with business keys: one that does not demand its values would let two
// things be one.
func TestRefusesBusinessKeysThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(op *contract.Contract)
		want string
	}{
		"scope before":        {func(op *contract.Contract) { op.Before = []contract.ScopeTerm{{Text: "x", Dimension: 2}} }, "scope x: there is no dimension 2"},
		"negative wait":       {func(op *contract.Contract) { op.Wait = -1 }, "wait -1ns is negative"},
		"function":            {func(op *contract.Contract) { op.Names.Business = "businessKey" }, "businessKey is not exported"},
		"table of parameters": {func(op *contract.Contract) { op.Names.BusinessParams = op.Names.Params }, "createChargeParams is declared"},
		"table of bodies":     {func(op *contract.Contract) { op.Names.BusinessBody = "x y" }, `"x y" is no Go identifier`},
		"no paths":            {func(op *contract.Contract) { op.Unique.Paths = nil }, "the business key has no values"},
		"no values":           {func(op *contract.Contract) { op.Unique.Version = contract.Version{} }, "the business key has no values"},
		"parameter not there": {func(op *contract.Contract) { op.Unique.Version.Params[0].Required = false }, `parameter "shop" of the business key is not demanded`},
		"body not there":      {func(op *contract.Contract) { op.Unique.Version.Spec.Required = false }, "the business key does not demand its body"},
		"member not there":    {func(op *contract.Contract) { op.Unique.Version.Body.Members[1].Required = false }, "body.reference of the business key is not demanded"},
		"null":                {func(op *contract.Contract) { op.Unique.Version.Body.Members[1].Node.Null = contract.NullDistinct }, "body.reference of the business key may be null"},
		"several values": {func(op *contract.Contract) {
			op.Unique.Version.Body.Members[1].Node = array(canon.List, -1, leaf(canon.Exact, -1))
		}, "body.reference of the business key is no plain value"},
		"numbered":              {func(op *contract.Contract) { op.Unique.Version.Body.Members[1].Node.Field = 0 }, "body.reference: there is no field 0"},
		"the fingerprint's own": {func(op *contract.Contract) { op.Unique.Version.Body = op.Version.Body }, "body.amount of the business key is not demanded"},
	} {
		t.Run(name, func(t *testing.T) {
			api := uniqueReference()
			c.harm(api.Contracts[0])
			files, err := gogen.Generate(api, "references.yaml")
			require.ErrorContains(t, err, c.want)
			assert.Empty(t, files)
		})
	}
}

// TestFindsEverythingAtOnce: one run tells the whole of what is wrong.
func TestFindsEverythingAtOnce(t *testing.T) {
	api := plainPayment()
	api.Package = "main"
	api.Contracts[0].Execution = "eventually"
	_, err := gogen.Generate(api, "payments.yaml")
	require.ErrorContains(t, err, "cannot be imported")
	require.ErrorContains(t, err, "eventually")
}

// TestRecursionIsFine: structs that reach themselves by pointer, list or map, and nodes that read themselves.
func TestRecursionIsFine(t *testing.T) {
	tree := object("CreateTreeBody", canon.RejectUnknown)
	tree.Members = []contract.Member{optional("children", array(canon.List, -1, tree)), optional("left", tree)}
	body := structOf("CreateTreeBody")
	body.Fields = []contract.TypeField{optionalField("children", "Children", listOf(body)), optionalField("left", "Left", body)}
	op := newContract("createTree", "POST", "/trees")
	withBody(op, true, tree, body)
	files, err := gogen.Generate(newAPI("treesidem", op), "trees.yaml")
	require.NoError(t, err)
	text := string(fileNamed(t, files, "createtree.gen.go").Content)
	assert.Contains(t, text, "Left     *CreateTreeBody")
	assert.Contains(t, text, "scanCreateTreeBody(s)")
}

// unionOf is a union of texts.
func unionOf(goName, discriminator string, labels ...string) *contract.Node {
	n := &contract.Node{Kind: contract.UnionNode, GoName: goName, Field: -1, Union: &contract.Union{Discriminator: discriminator}}
	for _, label := range labels {
		n.Union.Branches = append(n.Union.Branches, contract.Branch{Label: label, Node: leaf(canon.Exact, -1)})
	}
	return n
}
