package idem

// Condition is what a claim finds under its key: a record's state together with its clocks.
type Condition uint8

const (
	ConditionAbsent Condition = iota // no record
	ConditionExpired
	ConditionInFlight  // running, its holder alive
	ConditionLeaseOver // running, its lease has run out; leased execution only
	ConditionCompleted
	ConditionFailedReplayable
	ConditionFailedRetryable
	ConditionUnknown
	conditions
)

// Comparison is how the request compares with the one that made the record.
type Comparison uint8

const (
	SameCommand Comparison = iota
	OtherCommand
	NotComparable // no common contract version, or an unknown key id
	comparisons
)

// Action is what the second request gets.
type Action uint8

const (
	ActClaim        Action = iota + 1 // take the key and run
	ActInFlight                       // 409 with Retry-After, or wait
	ActMismatch                       // 422
	ActIncomparable                   // 503 with Retry-After
	ActReplay                         // the stored response
	ActTakeOver                       // the operation's takeover policy
	ActNextAttempt                    // run again under the same record
	ActUnknown                        // 409: the outcome is unknown until somebody resolves it
)

// decisions is the table of STATE section 1: what each condition means for the same command, another one, and one that
// cannot be compared.
var decisions = map[ExecutionMode][conditions][comparisons]Action{
	Transactional: {
		ConditionAbsent:  {ActClaim, ActClaim, ActClaim},
		ConditionExpired: {ActClaim, ActClaim, ActClaim},
		// The running row is invisible to other processes and its holder may still roll back: nothing is compared.
		ConditionInFlight:         {ActInFlight, ActInFlight, ActInFlight},
		ConditionLeaseOver:        {ActInFlight, ActInFlight, ActInFlight},
		ConditionCompleted:        {ActReplay, ActMismatch, ActIncomparable},
		ConditionFailedReplayable: {ActReplay, ActMismatch, ActIncomparable},
		ConditionFailedRetryable:  {ActNextAttempt, ActMismatch, ActIncomparable},
		ConditionUnknown:          {ActUnknown, ActMismatch, ActIncomparable},
	},
	Leased: {
		ConditionAbsent:           {ActClaim, ActClaim, ActClaim},
		ConditionExpired:          {ActClaim, ActClaim, ActClaim},
		ConditionInFlight:         {ActInFlight, ActMismatch, ActIncomparable},
		ConditionLeaseOver:        {ActTakeOver, ActMismatch, ActIncomparable},
		ConditionCompleted:        {ActReplay, ActMismatch, ActIncomparable},
		ConditionFailedReplayable: {ActReplay, ActMismatch, ActIncomparable},
		ConditionFailedRetryable:  {ActNextAttempt, ActMismatch, ActIncomparable},
		ConditionUnknown:          {ActUnknown, ActMismatch, ActIncomparable},
	},
}

// Decide gives the action for what a claim found. It is the only place that decides: the engine, the stores and the tests ask it.
func Decide(c Condition, cmp Comparison, mode ExecutionMode) Action { return decisions[mode][c][cmp] }

// ConditionOf gives the condition of a record. Only outcomes expire: a record in flight or unknown answers until it is settled.
// A state that this runtime does not know is unknown, so it is never run again.
func ConditionOf(state State, expired, leaseOver bool) Condition {
	switch state {
	case StateAbsent:
		return ConditionAbsent
	case StateInFlight:
		if leaseOver {
			return ConditionLeaseOver
		}
		return ConditionInFlight
	case StateCompleted:
		return unlessExpired(ConditionCompleted, expired)
	case StateFailedReplayable:
		return unlessExpired(ConditionFailedReplayable, expired)
	case StateFailedRetryable:
		return unlessExpired(ConditionFailedRetryable, expired)
	case StateUnknown:
	}
	return ConditionUnknown
}

func unlessExpired(c Condition, expired bool) Condition {
	if expired {
		return ConditionExpired
	}
	return c
}
