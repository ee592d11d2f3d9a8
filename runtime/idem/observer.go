package idem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"time"
)

// Observer is told what happens to keys. Observe is called in the request's goroutine and must be quick and safe for
// concurrent use.
type Observer interface {
	Observe(ctx context.Context, e Event)
}

// EventKind says what happened.
type EventKind uint8

const (
	EventClaimed         EventKind = iota + 1 // the key was free: the handler runs
	EventUnkeyed                              // no key was sent where none is needed: a plain transaction
	EventCompleted                            // an outcome was stored
	EventReleased                             // no outcome: what had not committed is rolled back, and the key is free or to be taken over
	EventReplayed                             // the stored response was sent
	EventMismatch                             // the key belongs to another request
	EventInFlight                             // the key is being worked on
	EventUnknown                              // the record's outcome is unknown
	EventContractUnknown                      // the record cannot be compared
	EventRefused                              // the request or its key cannot be read
	EventNotAuthorized                        // Options.Authorize refused
	EventScopeUnresolved                      // the program could not tell whom the key belongs to
	EventNotBound                             // an operation was answered without its protection
	EventStoreFailed                          // the store failed in a claim or lookup: nothing ran
	EventNotSettled                           // a completion or release failed
	EventTookOver                             // the next attempt of a record begins
	EventLostLease                            // an attempt's record is somebody else's: its result is not stored
	EventRecovered                            // a recovery stored an outcome
	EventGaveUp                               // an attempt ended, and its outcome is unknown until somebody resolves it
	EventSwept                                // expired records were deleted
	EventNotExtended                          // leases could not be extended: they run out if it stays like that
	EventRunFailed                            // Engine.Run could not sweep, or look for what is to be recovered
)

var eventNames = [...]string{
	EventClaimed: "claimed", EventUnkeyed: "unkeyed", EventCompleted: "completed", EventReleased: "released",
	EventReplayed: "replayed", EventMismatch: "mismatch", EventInFlight: "in flight", EventUnknown: "unknown",
	EventContractUnknown: "contract unknown", EventRefused: "refused", EventNotAuthorized: "not authorised",
	EventScopeUnresolved: "scope unresolved", EventNotBound: "not bound", EventStoreFailed: "store failed",
	EventNotSettled: "not settled", EventTookOver: "took over", EventLostLease: "lost lease", EventRecovered: "recovered",
	EventGaveUp: "gave up", EventSwept: "swept", EventNotExtended: "not extended", EventRunFailed: "run failed",
}

// String gives the kind's name as it stands in logs.
func (k EventKind) String() string {
	if int(k) < len(eventNames) && eventNames[k] != "" {
		return eventNames[k]
	}
	return "unknown event"
}

// Event is one thing that happened to a key.
type Event struct {
	Kind      EventKind
	Operation string
	// KeyHash is a short hash of the key within its scope and keyspace; empty when there is no key. It tells keys apart in
	// logs and gives none away.
	KeyHash string
	Attempt int
	// Count is the number of records for EventSwept, and of leases for EventNotExtended.
	Count int
	// Status is the status that was stored or sent; 0 when there is none yet.
	Status int
	// Code is the problem that was answered; empty when there was none.
	Code Code
	// Fields are the paths that differ, for EventMismatch.
	Fields []string
	// Duration is the time since Begin.
	Duration time.Duration
	// Shadow says that this was reported and not enforced.
	Shadow bool
	// Err is the cause. It is the store's or the program's own text, which idemgen did not clean.
	Err error
}

// hashOfKey shortens a key for logs.
func hashOfKey(at address) string {
	h := sha256.New()
	for _, part := range []string{at.scope, at.keyspace, at.key} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:4])
}

// silent is the observer of a program that asked for none.
type silent struct{}

func (silent) Observe(context.Context, Event) {}

// SlogObserver writes events to a logger: what a client causes at debug or info level, what somebody must look into as
// warnings and errors.
func SlogObserver(l *slog.Logger) Observer { return slogObserver{l} }

type slogObserver struct{ logger *slog.Logger }

// Observe writes one record.
func (o slogObserver) Observe(ctx context.Context, e Event) {
	level := e.Kind.level()
	if e.Kind == EventReleased && e.Err != nil {
		level = slog.LevelWarn // the handler failed: somebody wants to know why
	}
	if !o.logger.Enabled(ctx, level) {
		return
	}
	var attrs []slog.Attr
	if e.Operation != "" { // else it is about many records
		attrs = append(attrs, slog.String("operation", e.Operation), slog.Duration("duration", e.Duration))
	}
	if e.KeyHash != "" {
		attrs = append(attrs, slog.String("key_hash", e.KeyHash))
	}
	if e.Attempt != 0 {
		attrs = append(attrs, slog.Int("attempt", e.Attempt))
	}
	if e.Count != 0 {
		attrs = append(attrs, slog.Int("count", e.Count))
	}
	if e.Status != 0 {
		attrs = append(attrs, slog.Int("status", e.Status))
	}
	if e.Code != "" {
		attrs = append(attrs, slog.String("code", string(e.Code)))
	}
	if len(e.Fields) > 0 {
		attrs = append(attrs, slog.Any("fields", e.Fields))
	}
	if e.Shadow {
		attrs = append(attrs, slog.Bool("shadow", true))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", e.Err.Error()))
	}
	o.logger.LogAttrs(ctx, level, "idempotency: "+e.Kind.String(), attrs...)
}

func (k EventKind) level() slog.Level {
	switch k {
	case EventClaimed, EventUnkeyed, EventCompleted, EventSwept:
		return slog.LevelDebug
	case EventReplayed, EventMismatch, EventInFlight, EventRefused, EventNotAuthorized, EventReleased, EventTookOver, EventRecovered:
		return slog.LevelInfo
	case EventUnknown, EventContractUnknown, EventLostLease, EventGaveUp, EventNotExtended:
		return slog.LevelWarn
	case EventScopeUnresolved, EventNotBound, EventStoreFailed, EventNotSettled, EventRunFailed:
	}
	return slog.LevelError // what nobody should meet in a healthy program
}
