package gogen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// takeovers are the runtime's names of the policies.
var takeovers = map[string]string{contract.TakeoverRecover: "Recover", contract.TakeoverRetake: "Retake", contract.TakeoverHold: "Hold"}

// executionFields are the descriptor's fields about how the operation runs.
func executionFields(op *contract.Contract) []jen.Code {
	execution := member("Execution", idem(executions[op.Execution]))
	if op.Execution != contract.Leased {
		return []jen.Code{execution}
	}
	fields := []jen.Code{jen.List(execution,
		member("Lease", duration(op.Lease)), member("Takeover", idem(takeovers[op.Takeover])), member("Attempts", jen.Lit(op.Attempts)))}
	if len(op.CommandHeaders) > 0 {
		fields = append(fields, member("CommandHeaders", stringList(op.CommandHeaders)))
	}
	return fields
}

// executionText says it; empty where there is nothing to say.
func executionText(op *contract.Contract) string {
	text := op.Execution
	if op.Execution == contract.Leased {
		attempts := fmt.Sprintf("at most %d attempts", op.Attempts)
		if op.Attempts == 1 {
			attempts = "one attempt"
		}
		text = "leased for " + op.Lease.String() + ", takeover: " + op.Takeover + ", " + attempts
	}
	if op.Wait > 0 {
		return text + "; a duplicate of a running request waits " + op.Wait.String()
	}
	if op.Execution == contract.Leased {
		return text
	}
	return ""
}

// afterwards says what becomes of an attempt that has ended without an outcome.
func afterwards(op *contract.Contract) string {
	last := fmt.Sprintf(" After %d attempts the outcome is unknown.", op.Attempts)
	if op.Attempts == 1 {
		last = " But there is one attempt: the outcome is unknown."
	}
	switch op.Takeover {
	case contract.TakeoverRecover:
		return "recovery ends it, in the next request or in Engine.Run, where lease.Scope says whose it is." + last
	case contract.TakeoverRetake:
		return "handler runs again with the next request, and phases that are recorded do not." + last
	default: // hold; check refuses every other word
		return "the outcome is unknown, until somebody resolves the record."
	}
}

// leasedHandleFunc declares the net/http handler of a leased operation.
func leasedHandleFunc(op *contract.Contract) jen.Code {
	params := []jen.Code{jen.Id("engine").Add(generic("Engine")), jen.Id("handler").Add(leasedBusiness(op))}
	recovery := jen.Nil()
	if op.Takeover == contract.TakeoverRecover {
		params = append(params, recoveryParam(op))
		recovery = jen.Id("recovery")
	}
	about := []string{
		op.Names.Handle + " serves " + endpoint(op) + ". It takes the key before handler runs and answers every further request",
		"with the same key itself." + coverage(op) + " Authentication comes before it, and Engine.Run has to be running.",
		"handler writes in phases (idem.Phase), each a transaction of its own, and calls other systems between them, with lease.DownstreamKey.",
		"A returned response is stored. When an attempt ends without one, by an error, a panic, a status that is not kept or a lost lease,",
		afterwards(op),
	}
	return doc(about...).Func().Id(op.Names.Handle).Types(jen.Id("Tx").Any()).Add(paramLines(params...)).
		Qual("net/http", "Handler").Block(
		jen.Return(idem("HandleLeased").Call(
			jen.Id("engine"), jen.Op("&").Id(op.Names.Operation), jen.Id(op.Names.Decode), jen.Id("handler"), recovery)))
}

// recovers reports whether the middleware needs to be told of a recovery: a webhook has no place there.
func recovers(op *contract.Contract) bool {
	return op.Takeover == contract.TakeoverRecover && op.Method != ""
}

// recoverFunc declares how a program that mounts the operation under a framework registers its recovery.
func recoverFunc(op *contract.Contract) jen.Code {
	return doc(
		op.Names.Recover+" gives the engine the recovery of "+endpoint(op)+", for a program that serves it under Engine.Middleware;",
		op.Names.Handle+" does it by itself. It comes before the first request.",
	).Func().Id(op.Names.Recover).Types(jen.Id("Tx").Any()).
		Add(paramLines(jen.Id("engine").Add(generic("Engine")), recoveryParam(op))).Error().Block(
		jen.Return(idem("RegisterRecovery").Call(
			jen.Id("engine"), jen.Op("&").Id(op.Names.Operation), jen.Id(op.Names.Decode), jen.Id("recovery"))))
}

// leasedBusiness is the type of the program's handler.
func leasedBusiness(op *contract.Contract) *jen.Statement {
	return jen.Func().Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("lease").Add(generic("Lease")), jen.Id("cmd").Id(op.Names.Command),
	).Params(idem("Response"), jen.Error())
}

// recoveryParam is the parameter for the program's recovery.
func recoveryParam(op *contract.Contract) *jen.Statement {
	return jen.Id("recovery").Func().Params(
		jen.Id("ctx").Qual("context", "Context"), jen.Id("lease").Add(generic("Lease")), jen.Id("cmd").Id(op.Names.Command), jen.Id("prior").Add(idem("Prior")),
	).Params(idem("Response"), jen.Error())
}

// generic is a pointer to one of the runtime's types over transactions.
func generic(name string) *jen.Statement { return jen.Op("*").Add(idem(name)).Types(jen.Id("Tx")) }

// lease checks what belongs to leased execution, and that a transactional operation has nothing of it.
func (k *checker) lease(op *contract.Contract) {
	if op.Execution != contract.Leased {
		if op.Lease != 0 || op.Takeover != "" || op.Attempts != 0 || len(op.CommandHeaders) > 0 || op.Names.Recover != "" {
			k.fail("a lease in execution %q", op.Execution)
		}
		return
	}
	if takeovers[op.Takeover] == "" {
		k.fail("takeover %q is unknown", op.Takeover)
	}
	if op.Lease <= 0 || op.Attempts < 1 {
		k.fail("lease %v and %d attempts: both are needed", op.Lease, op.Attempts)
	}
	if !op.Key.Required && op.Unique == nil {
		k.fail("a leased operation with neither a key nor a business key")
	}
	if recovers(op) {
		k.export(op.Names.Recover)
	}
}
