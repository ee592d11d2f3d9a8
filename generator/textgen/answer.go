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
	// always is what has happened, in words that are true of every operation: those with one status may share a component. Empty: as when.
	always string
	then   string // what the client does
	// leased says that the operation is: Retry-After of what is in flight is what is left of a lease, and more may have been done.
	leased bool
}

const (
	newKey  = "Correct the request; the same key may be used again."
	sameKey = "Send the same request with the same key after `Retry-After`."
	// twice is why no client may give up its key when it does not know what was done.
	twice       = " A new key may do the thing twice."
	whenMended  = "Tell the operator, and keep the key: the same request with it is right when the fault is mended."
	didNothing  = " This request did nothing; an earlier one with the key may have done it."
	notEnded    = "The first request has not ended yet"
	notComplete = "The request could not be completed; "
)

// answersOf are the answers of c, in the order of the statuses' table (STATE section 2). Those that cannot come are left out.
func answersOf(api *contract.API, c *contract.Contract) []answer {
	out := refusals(api, c)
	for _, a := range []answer{inFlight(c), outcomeUnknown(c), {
		code: idem.CodeContractUnknown, status: c.Statuses.Unavailable, retry: 5 * time.Second,
		when: "What is stored of the first request cannot be read at present: another version of the server has taken it, say.", then: sameKey + twice,
	}, {
		code: idem.CodeStoreUnavailable, status: c.Statuses.Unavailable, retry: 5 * time.Second, when: storeUnavailable(c),
		always: "The server cannot look the key up, or cannot store the answer; the request may have been carried out.", then: sameKey + twice,
	}, {
		code: idem.CodeTryAgain, status: c.Statuses.Unavailable, retry: time.Second,
		when: "The request could not be settled; it may have been carried out.", then: sameKey + twice,
	}, {
		code: idem.CodeScopeUnresolved, status: http.StatusInternalServerError, when: "The server could not tell whom the key belongs to." + didNothing, then: whenMended,
	}, {
		code: idem.CodeNotBound, status: http.StatusInternalServerError, when: "The server has mounted the operation without its protection." + didNothing, then: whenMended,
	}, completionFailed(c)} {
		a.leased = c.Execution == contract.Leased
		out = append(out, a)
	}
	return out
}

// refusals are the answers to what is wrong with a request.
func refusals(api *contract.API, c *contract.Contract) (out []answer) {
	s := c.Statuses
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
		always: "The request cannot be read: a part that counts is missing, of another type or written twice, say.",
		then:   "`pointer` or `parameter` says where. " + newKey})
	add(body, answer{code: idem.CodeRequestTooLarge, status: http.StatusRequestEntityTooLarge, when: "The body is larger than the operation takes.", then: "Send less."})
	add(body, answer{code: idem.CodeRequestEncoding, status: http.StatusUnsupportedMediaType,
		when: "The body has a media type that is not taken, or a `Content-Encoding` other than gzip.", then: newKey})
	add(c.Compare || shared, answer{code: idem.CodeMismatch, status: s.Mismatch, when: "The key belongs to another request.",
		then: "`fields` names what differs, where it is known. A new command needs a new key."})
	add(c.Unique != nil, answer{code: idem.CodeDuplicateDiffers, status: s.Mismatch,
		when: "Another request has made the same thing with other values.", then: "It cannot be made twice, under whatever key."})
	return out
}

func inFlight(c *contract.Contract) answer {
	a := answer{code: idem.CodeInFlight, status: c.Statuses.InFlight, retry: time.Second, when: notEnded + ".", always: notEnded + ".", then: sameKey}
	if c.Wait > 0 {
		a.when = notEnded + ", nor has it while the duplicate waited " + spell(c.Wait) + "."
	}
	return a
}

// outcomeUnknown comes of a transactional operation only where its handler has ended the transaction by itself.
func outcomeUnknown(c *contract.Contract) answer {
	a := answer{code: idem.CodeOutcomeUnknown, status: c.Statuses.Unknown, retry: 30 * time.Second,
		when: "Nobody knows how the first request ended; it is being looked into.", then: sameKey + twice}
	a.always = a.when
	if c.Execution != contract.Leased {
		a.when = "A fault of the server has left open how the first request ended; it is being looked into."
	}
	return a
}

func storeUnavailable(c *contract.Contract) string {
	if c.Execution == contract.Leased { // an outcome that cannot be stored is told so, too, and other systems may have done their part
		return "The server cannot look the key up, or cannot store the answer; the request may have been carried out."
	}
	return "The server cannot look the key up, or cannot store the answer." + didNothing
}

// completionFailed is the one answer behind which work may be done that is not recorded.
func completionFailed(c *contract.Contract) answer {
	a := answer{code: idem.CodeCompletionFailed, status: http.StatusInternalServerError, always: notComplete + "it may have been carried out.",
		when: notComplete + "it may have been carried out, in other systems too.",
		then: "Send the same request with the same key; tell the operator when it fails again." + twice}
	if c.Execution != contract.Leased {
		a.when = notComplete + "nothing of it is kept, unless `detail` says that it may have been carried out."
	}
	if !c.Key.Required {
		a.then += " Sent without a key, it may be done twice: ask the operator first."
	}
	return a
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
	case a.leased && a.code == idem.CodeInFlight:
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
