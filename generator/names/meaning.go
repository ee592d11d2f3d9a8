package names

import (
	"slices"
	"strings"
)

// Key recognises idempotency keys: Idempotency-Key, X-Idempotency-Key, idempotency_token, idempotentKey and the like. Not what is said of one:
// idempotencyKeyTTL.
func (n Name) Key() bool {
	return slices.ContainsFunc(n.words, func(w string) bool { return strings.HasPrefix(w, "idempoten") }) &&
		!n.EndsIn("ttl", "expiry", "retention", "window", "type", "at", "enabled", "version", "seconds", "minutes", "hours", "days")
}

// RequestID recognises names that a client gives to a request, once or anew with every attempt.
func (n Name) RequestID() bool {
	return n.Is("requestid", "clientrequestid", "requestkey", "requesttoken", "clienttoken", "deduplicationid", "deduplicationkey", "dedupid", "dedupkey",
		"dedupekey", "dedupeid", "messageid", "clientmessageid") || n.EndsIn("request id")
}

// Trace recognises names of a request on its way.
func (n Name) Trace() bool {
	return n.Is("traceid", "spanid", "parentspanid", "traceparent", "tracestate", "tracecontext", "correlationid", "nonce") ||
		n.EndsIn("trace id", "correlation id", "trace context")
}

// RequestHeader recognises headers in which clients and proxies name each attempt anew. What a vendor puts its own name before (Acme-Request-Id)
// is none of them: it may be a key.
func (n Name) RequestHeader() bool { return n.Trace() || n.Is("requestid", "xrequestid") }

// SentAt recognises moments at which the client did something about the request.
func (n Name) SentAt() bool {
	return n.Is("sentat", "senttime", "senttimestamp", "requestedat", "requesttime", "requesttimestamp", "requestdatetime", "clienttime",
		"clienttimestamp", "clientsentat", "submittedat", "submissiontime", "submissiontimestamp", "transmissiontime", "transmissiondatetime",
		"messagetimestamp")
}

// MadeAt recognises what a server stamps upon a thing that it keeps.
func (n Name) MadeAt() bool {
	return n.Is("createdat", "createdon", "createdtime", "creationtime", "creationdate", "createtime", "datecreated", "createdby",
		"updatedat", "updatedon", "updatedtime", "updatetime", "dateupdated", "updatedby", "modifiedat", "modifiedon", "datemodified", "lastmodified",
		"lastmodifiedat", "lastupdated", "lastupdatedat", "deletedat", "processedat", "etag")
}

// Secret recognises values whose digest would let somebody who has the records try out guesses, and credentials. What was encrypted or hashed
// before it was sent is none. A token alone mostly is the name of a thing.
func (n Name) Secret() bool {
	if _, covered := n.Has("encrypted", "hashed", "masked", "tokenized"); covered {
		return false
	}
	return n.EndsIn("card number", "pan", "cvc", "cvv", "cvv2", "security code", "pin", "secret", "password", "passphrase", "passcode",
		"private key", "secret key", "api key", "ssn", "access token", "refresh token", "auth token", "session token", "bearer token")
}

// Token recognises tokens that are not for turning pages.
func (n Name) Token() bool {
	return n.EndsIn("token") && !n.EndsIn("page token", "next token", "continuation token", "sync token")
}

// Money recognises amounts, and a value by the currency beside it.
func (n Name) Money(beside []Name) bool {
	if n.Is("value") {
		return slices.ContainsFunc(beside, func(b Name) bool { return b.Is("currency", "currencycode") })
	}
	if len(n.words) == 2 && n.words[0] == "amount" {
		return slices.Contains([]string{"due", "paid", "refunded", "captured", "authorized", "received"}, n.words[1])
	}
	return n.EndsIn("amount", "price", "total", "subtotal", "fee", "cost", "balance", "tip", "gratuity", "surcharge")
}

// Metadata recognises members that clients may fill with what they like.
func (n Name) Metadata() bool {
	return n.Is("metadata", "meta", "custommetadata", "usermetadata", "clientmetadata", "extrametadata", "additionalmetadata")
}

// Carried recognises headers that describe the transport, the client or the wished form of the answer, and no command.
func (n Name) Carried() bool {
	return n.Is("useragent", "acceptlanguage", "acceptcharset", "acceptencoding", "acceptversion", "cachecontrol", "contentlength", "contentencoding", "contentmd5",
		"connection", "host", "origin", "referer", "cookie", "date", "via", "forwarded", "prefer", "expect") ||
		n.beginsWith("x", "forwarded") || n.beginsWith("x", "amz") || n.EndsIn("interaction id", "user agent", "ip address", "first sent") ||
		n.RequestID() || n.Trace()
}

// Authenticates recognises headers that prove who sends a request, or that it arrived as it was sent.
func (n Name) Authenticates() bool {
	_, has := n.Has("auth", "authz", "authorization", "authentication", "signature", "signed", "credential", "assertion", "digest", "jws", "dpop")
	return has || n.Secret() || n.Token()
}

func (n Name) beginsWith(words ...string) bool {
	return len(n.words) > len(words) && slices.Equal(n.words[:len(words)], words)
}
