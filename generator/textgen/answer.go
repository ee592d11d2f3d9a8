package textgen

import (
	"net/http"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// answer is one thing that an operation answers in place of its handler.
type answer struct {
	code   idem.Code
	status int
	// retry is what Retry-After says; 0: there is none. When leased attempts decide, it is the least.
	retry time.Duration
	when  string // what has happened
	then  string // what the client does
	// leased says that Retry-After is what is left of a lease.
	leased bool
}

const (
	newKey   = "Correct the request; the same key may be used again."
	sameKey  = "Send the same request with the same key after `Retry-After`."
	ownFault = "Nothing was carried out. Tell the operator."
)

// answersOf are the answers of c, in the order of the statuses' table (STATE section 2). Those that cannot come are left out.
func answersOf(api *contract.API, c *contract.Contract) []answer {
	s := c.Statuses
	var out []answer
	add := func(applies bool, a answer) {
		if applies {
			out = append(out, a)
		}
	}
	body := len(c.Spec.Accepts) > 0
	shared := len(sharers(api, c)) > 0
	add(c.Key.Required, answer{code: idem.CodeKeyMissing, status: s.Missing, when: "The key is missing or empty.", then: "Send one."})
	add(true, answer{code: idem.CodeKeyMalformed, status: s.Malformed, when: "The key is no key, too short or too long, or there are two.", then: newKey})
	add(true, answer{code: idem.CodeRequestMalformed, status: http.StatusBadRequest, when: requestMalformed(c),
		then: "`pointer` or `parameter` says where. " + newKey})
	add(body, answer{code: idem.CodeRequestTooLarge, status: http.StatusRequestEntityTooLarge, when: "The body is larger than the operation takes.", then: "Send less."})
	add(body, answer{code: idem.CodeRequestEncoding, status: http.StatusUnsupportedMediaType,
		when: "The body has a media type that is not taken, or a `Content-Encoding` other than gzip.", then: newKey})
	add(c.Compare || shared, answer{code: idem.CodeMismatch, status: s.Mismatch, when: "The key belongs to another request.",
		then: "`fields` names what differs, where it is known. A new command needs a new key."})
	add(c.Unique != nil, answer{code: idem.CodeDuplicateDiffers, status: s.Mismatch,
		when: "Another request has made the same thing with other values.", then: "It cannot be made twice, under whatever key."})
	inFlight := answer{code: idem.CodeInFlight, status: s.InFlight, retry: time.Second, when: "The first request is still running.", then: sameKey,
		leased: c.Execution == contract.Leased}
	if c.Wait > 0 {
		inFlight.when = "The first request is still running, and has not come to its end while the duplicate waited " + spell(c.Wait) + "."
	}
	add(true, inFlight)
	add(true, answer{code: idem.CodeOutcomeUnknown, status: s.Unknown, retry: 30 * time.Second,
		when: "Nobody knows how the first request ended; it is being looked into.", then: sameKey + " A new key may do the thing twice."})
	add(c.Compare, answer{code: idem.CodeContractUnknown, status: s.Unavailable, retry: 5 * time.Second,
		when: "The first request was taken by a version of the server that this one does not know.", then: sameKey})
	add(true, answer{code: idem.CodeStoreUnavailable, status: s.Unavailable, retry: 5 * time.Second, when: "The server cannot look the key up; nothing was carried out.", then: sameKey})
	add(true, answer{code: idem.CodeTryAgain, status: s.Unavailable, retry: time.Second, when: "The request could not be settled.", then: sameKey})
	add(true, answer{code: idem.CodeScopeUnresolved, status: http.StatusInternalServerError, when: "The server could not tell whom the key belongs to.", then: ownFault})
	add(true, answer{code: idem.CodeNotBound, status: http.StatusInternalServerError, when: "The server has mounted the operation without its protection.", then: "Tell the operator."})
	add(true, answer{code: idem.CodeCompletionFailed, status: http.StatusInternalServerError, when: "The request could not be completed.", then: ownFault})
	return out
}

func requestMalformed(c *contract.Contract) string {
	if !c.Compare {
		return "The request cannot be read."
	}
	if v := &c.Version; v.Body != nil && v.View == "" && v.Unknown == canon.RejectUnknown {
		return "A part that counts is missing, `null` or of another type, a member is written twice, or one is not declared."
	}
	return "A part that counts is missing, `null` or of another type, or a member is written twice."
}

// sharers are the other operations whose keys are c's too.
func sharers(api *contract.API, c *contract.Contract) []string {
	var out []string
	for _, other := range api.Contracts {
		if other != c && other.Keyspace == c.Keyspace {
			out = append(out, other.Name)
		}
	}
	return out
}

// retryText is what Retry-After says.
func (a *answer) retryText() markdown {
	switch {
	case a.leased:
		return "1 to 60 s"
	case a.retry > 0:
		return markdown(strconv.Itoa(int(a.retry/time.Second)) + " s")
	}
	return ""
}

// spell gives a duration in words.
func spell(d time.Duration) string {
	if d == contract.Forever {
		return "for ever"
	}
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		if d >= unit.of && d%unit.of == 0 {
			n := int(d / unit.of)
			if n == 1 {
				if unit.name == "day" {
					return "24 hours"
				}
				return "1 " + unit.name
			}
			return strconv.Itoa(n) + " " + unit.name + "s"
		}
	}
	return d.String()
}
