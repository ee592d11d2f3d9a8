package generator

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi"
)

// Options say how documents are read and where the result goes. The zero Options are the defaults.
type Options struct {
	// Overlays are OpenAPI Overlay 1.0 files, applied to every document in this order.
	Overlays []string
	// Extension is the annotation's name. Empty means x-idempotency.
	Extension string
	// Webhooks allows annotations below `webhooks`.
	Webhooks bool
	// SkipUnsupported leaves out, with a warning, the operations that cannot be generated yet.
	SkipUnsupported bool
	// Out is the folder of the generated package, relative to the working folder.
	// Empty means a folder beside the document that has the package's name.
	Out string
	// Package is the generated package's name. Empty means that it is derived from the document's file name.
	Package string
	// Server is the package of the server that a binding is generated for: a folder that begins with ./ or ../, or an import path. Empty
	// means the one that is generated from the document, where there is one; NoServer means that there is no binding.
	Server string
	// Bind is the folder of the binding, relative to the working folder. Empty means the folder bind in that of the generated package.
	Bind string
	// Lock is the lock file's path, relative to the working folder. Empty means <base>.idempotency.lock.yaml beside the document.
	Lock string
	// NewLock starts again at version 1 where generated files exist and their lock does not.
	// It changes nothing where there is a lock.
	NewLock bool
	// Base is the git revision of what is released, or a branch of it: origin/main. Empty means the default branch of the remote origin;
	// where git does not know it, the branch of origin that GITHUB_BASE_REF or CI_MERGE_REQUEST_TARGET_BRANCH_NAME names, else main or master,
	// whichever is the only one there. NoBase means that nothing is compared with. Versions that the lock has at the merge base are never replaced.
	Base string
	// Accept names changes that forget records and that are accepted for Reason: a contract, or one of its changes (createPayment.scope).
	// The lock keeps them.
	Accept []string
	Reason string

	// Complete, if it is not nil, gives a document what these options leave open: what a configuration says of it.
	Complete func(document string, opts Options) Options
	// Config is the configuration file that was asked for by name, for hints. Empty: none was.
	Config string
	// Policy says how much findings weigh that are no errors by themselves, and which are accepted. Nil changes nothing.
	Policy *lint.Policy

	// MergeLock joins the two sides of a lock that git could not merge, before anything is built against it.
	MergeLock bool

	// linting asks all rules, not only those whose findings are errors by the policy.
	linting bool
	// comparing leaves changes that forget records to whoever compares.
	comparing bool
	// prune takes versions out of a lock before anything is built against it.
	prune func(document string, lock *contract.Lock) error
	// texts are read in place of the files of these names.
	texts map[string][]byte
}

// of gives the options that hold for one document.
func (o Options) of(document string) Options {
	if o.Complete == nil {
		return o
	}
	o = o.Complete(document, o)
	o.Complete = nil
	return o
}

// load are the options that the document's reader takes.
func (o Options) load() openapi.Options {
	return openapi.Options{Overlays: o.Overlays, Extension: o.Extension, Webhooks: o.Webhooks, Texts: o.texts}
}

// extension is the annotation's name in force.
func (o Options) extension() string {
	if o.Extension == "" {
		return "x-idempotency"
	}
	return o.Extension
}
