package pgstore

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idem"
)

// ErrManaged is what Commit and Rollback of a handler's transaction give: claim, writes and stored response commit together,
// after the handler has returned. Transactions that the handler begins inside it are its own.
var ErrManaged = errors.New("pgstore: the engine commits or rolls back this transaction when the handler has returned")

// errSettled also is pgx.ErrTxClosed, which code around a pgx.Tx knows to expect after its end.
var errSettled = fmt.Errorf("pgstore: %w: %w", idem.ErrSettled, pgx.ErrTxClosed)

// errSpent is what a claim is told whose record was made, ended and has expired.
var errSpent = fmt.Errorf("%w: the record that it made has expired", idem.ErrFenced)

// What a handler can do to its transaction. None of them lets anything be stored.
var (
	errEnded      = fmt.Errorf("%w: the handler ended the transaction itself; its writes are not bound to the record", idem.ErrFenced)
	errAborted    = errors.New("the transaction was aborted by an error that the handler did not report")
	errResults    = errors.New("the handler left rows or a batch unread")
	errRunning    = errors.New("the handler still runs a statement")
	errNested     = errors.New("the handler left a nested transaction open")
	errStoodStill = errors.New("the server ended the transaction, which had stood still for too long")
	errNoOutcome  = errors.New("the state is not an outcome")
	errRolledBack = errors.New("the commit was answered with a rollback")
)

// sqlstate gives the server's code for err, empty when err does not come from the server.
func sqlstate(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// cannotSerialize: another transaction came in between; nothing was committed.
func cannotSerialize(code string) bool {
	return code == "40001" || code == "40P01"
}

// NotSerialized implements idem.Serializer: a serialisation failure or a deadlock in a handler's statement.
func (s *Store) NotSerialized(err error) bool { return cannotSerialize(sqlstate(err)) }

// lockTimedOut: somebody else holds the key. It does not say that he will complete.
func lockTimedOut(code string) bool { return code == "55P03" }

// unavailable: the server is going down, coming up, full, out of reach, or only reads (a standby).
func unavailable(code string) bool {
	switch code {
	case "57P01", "57P02", "57P03", "57P04", "53300", "25006", "25P03", "25P04":
		return true
	}
	return len(code) == 5 && code[:2] == "08"
}

// stoodStill: the server ended a transaction that was idle, or open, for too long.
func stoodStill(code string) bool { return code == "25P03" || code == "25P04" }

// startError sorts an error from before anything could have been committed.
func startError(err error) error {
	code := sqlstate(err)
	switch {
	case errors.Is(err, idem.ErrSerialization), errors.Is(err, idem.ErrCommitUnknown), errors.Is(err, idem.ErrStoreUnavailable),
		errors.Is(err, errSpent):
		return err
	case cannotSerialize(code):
		return fmt.Errorf("%w: %w", idem.ErrSerialization, err)
	case code == "" || unavailable(code): // no answer of the server: no connection, or a lost one
		return fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	}
	return err
}

// commitError sorts an error from the round trip that ends in COMMIT. lost says whether the connection is gone.
func commitError(err error, lost bool) error {
	code := sqlstate(err)
	switch {
	case cannotSerialize(code):
		return fmt.Errorf("%w: %w", idem.ErrSerialization, err)
	case stoodStill(code): // the server had ended the idle transaction before it read the commit
		return fmt.Errorf("%w: %w", idem.ErrFenced, err)
	case code == "25P02": // the transaction had been aborted: a commit cannot have happened
		return fmt.Errorf("%w: %w", errAborted, err)
	case lost && neverSent(err):
		return fmt.Errorf("%w: %w", idem.ErrStoreUnavailable, err)
	case lost:
		return fmt.Errorf("%w: %w", idem.ErrCommitUnknown, err)
	}
	return err
}

// lostError sorts an error from a round trip that commits by itself: when it cost the connection, it may have happened.
func lostError(err error, conn *pgxpool.Conn) error {
	if err != nil && conn.Conn().IsClosed() {
		return commitError(err, true)
	}
	return err
}

// neverSent: the server cannot have read the commit, because not a byte went out or because the statements were still being
// prepared, which is a round trip of its own.
func neverSent(err error) bool {
	var preparing pgx.ErrPreprocessingBatch
	return pgconn.SafeToRetry(err) || errors.As(err, &preparing)
}
