// Package servers holds one API, payments.yaml, on every kind of server that idemgen binds to. Each kind is a package of its own with what
// its server's generator wrote (api), the binding (bind), and a server.go that ties both to the business code that all of them share.
//
//	std, chi, gin, echo, echo5       strict servers of oapi-codegen
//	nonstrict, ginplain, echoplain   plain servers of oapi-codegen, whose handlers write their responses by themselves
//	ogen                             a server of ogen
//
// A team has one of them: then the contract's package and the binding's stand beside its document, and neither --bind nor an exchange of
// types as in server.go is needed.
package servers
