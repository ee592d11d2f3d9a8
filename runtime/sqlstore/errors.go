package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
)

// failure is what an error of a driver means to a claim or a completion.
type failure uint8

const (
	failureOther failure = iota
	failureNone          // no answer of a database: no connection, or a lost one
	failureSerialization
	failureLocked      // somebody else holds what was asked for
	failureUnavailable // going down, coming up, full, out of reach, or only to be read
	failureStoodStill  // the server ended the transaction, which had stood still for too long
	failureAborted     // an earlier error has ended the transaction
	failureEnded       // there is no transaction, or not the one that claimed
	failureFence       // there is no such claim
	failureDuplicate   // a row of this name is there
)

// What a handler can do to its transaction. None of them lets anything be stored.
var (
	errEnded      = fmt.Errorf("%w: the handler ended the transaction itself; its writes are not bound to the record", idem.ErrFenced)
	errAborted    = errors.New("the transaction was aborted by an error that the handler did not report")
	errRefused    = errors.New("the driver took no further statement, as when the handler left rows open")
	errRunning    = errors.New("the handler still runs a statement")
	errStoodStill = errors.New("the server ended the transaction, which had stood still for too long")
	errNoOutcome  = errors.New("the state is not an outcome")
	errRolledBack = errors.New("the commit was answered with a rollback")
	errBusy       = errors.New("other transactions kept the database busy")
)

// failure sorts an error, those of database/sql itself included.
func (s *Store) failure(err error) failure {
	switch {
	case errors.Is(err, sql.ErrTxDone):
		return failureEnded
	case err == nil:
		return failureOther
	}
	return s.dialect.failure(err)
}

// NotSerialized implements idem.Serializer: a serialisation failure or a deadlock in a handler's statement.
func (s *Store) NotSerialized(err error) bool { return s.failure(err) == failureSerialization }

// What failures mean to the engine, by the moment. One that is not listed is the error itself.
var (
	// Nothing could have been committed yet.
	atStart = map[failure]error{
		failureSerialization: idem.ErrSerialization, failureNone: idem.ErrStoreUnavailable, failureUnavailable: idem.ErrStoreUnavailable,
	}
	// A statement that settles, before the commit is sent. That the server had ended the idle transaction is the loss of the claim.
	atWork = map[failure]error{
		failureSerialization: idem.ErrSerialization, failureEnded: errEnded, failureFence: idem.ErrFenced, failureStoodStill: idem.ErrFenced,
		failureAborted: errAborted, failureUnavailable: idem.ErrStoreUnavailable,
	}
	atCommit = map[failure]error{
		failureSerialization: idem.ErrSerialization, failureEnded: errEnded, failureStoodStill: idem.ErrFenced,
		failureAborted: errAborted, failureUnavailable: idem.ErrCommitUnknown,
	}
	// A transaction that could not be rolled back: it was over already, or the connection is lost.
	atRelease = map[failure]error{
		failureNone: idem.ErrStoreUnavailable, failureUnavailable: idem.ErrStoreUnavailable, failureStoodStill: idem.ErrStoreUnavailable,
		failureEnded: errEnded, failureOther: errEnded,
	}
)

// sort puts before err what it means.
func (s *Store) sort(meanings map[failure]error, err error) error {
	if err == nil {
		return nil
	}
	if meaning := meanings[s.failure(err)]; meaning != nil {
		return fmt.Errorf("%w: %w", meaning, err)
	}
	return err
}

// startError sorts an error from before anything could have been committed.
func (s *Store) startError(err error) error {
	if errors.Is(err, idem.ErrSerialization) || errors.Is(err, idem.ErrCommitUnknown) || errors.Is(err, idem.ErrStoreUnavailable) {
		return err
	}
	return s.sort(atStart, err)
}

// workError sorts an error of a statement that settles. One that does not come from the database is its loss where the transaction cannot
// be rolled back either.
func (s *Store) workError(o *open, err error) error {
	switch {
	case errors.Is(err, idem.ErrFenced):
		return err
	case s.failure(err) == failureNone && o.rollBack() != nil:
		return fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	case s.failure(err) == failureNone:
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return s.sort(atWork, err)
}

// commitError sorts an error of the commit. A database that still answers has answered it: then nothing is in doubt.
func (s *Store) commitError(ctx context.Context, o *open, err error) error {
	switch {
	case s.failure(err) != failureNone:
		return s.sort(atCommit, err)
	case o.alive(ctx):
		return fmt.Errorf("%w: %w", errRolledBack, err)
	}
	return fmt.Errorf("%w: %w", idem.ErrCommitUnknown, err)
}
