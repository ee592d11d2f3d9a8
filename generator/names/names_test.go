package names_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/generator/names"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"cardNumber": "card number", "card_number": "card number", "Card-Number": "card number", "HTTPCode": "http code", "requestID": "request id",
		"SENT_AT": "sent at", "X-Request-ID": "x request id", "$select": "select", "cvv2": "cvv2",
		"": "", "__": "", "a1": "a1", "größeCM": "größe cm",
	} {
		assert.Equal(t, want, strings.Join(names.Words(text), " "), text)
		assert.Equal(t, want, strings.Join(names.New(text).Words(), " "), text)
	}
}

func TestMeanings(t *testing.T) {
	currency := []names.Name{names.New("currency"), names.New("value")}
	for meaning, c := range map[string]struct {
		is       func(names.Name) bool
		yes, not string
	}{
		"key":        {names.Name.Key, "Idempotency-Key X-Idempotency-Key idempotency_token idempotentKey", "key apiKey potencyKey idempotencyKeyTTL"},
		"request id": {names.Name.RequestID, "requestId X-Request-Id client_request_id clientToken messageId", "requestedId id orderId token"},
		"trace":      {names.Name.Trace, "traceparent X-Trace-Id correlation_id nonce", "trace id correlation"},
		"request header": {names.Name.RequestHeader, "X-Request-Id Request-ID x_correlation_id traceparent X-Cloud-Trace-Context X-B3-TraceId",
			"Lantern-Request-Id Idempotency-Key requestedId X-Client-Id"},
		"sent at": {names.Name.SentAt, "sentAt request_time clientTimestamp", "sent at timestamp deliveryTime requestedDeliveryDate"},
		"made at": {names.Name.MadeAt, "createdAt created_on updatedAt lastModified etag", "created creator dueAt"},
		"secret": {names.Name.Secret, "password cardNumber card_numbers cvc clientSecret access_token pin apiKey ssn",
			"page_token clientToken token secretName discard card pinned panel tokenType encryptedCardNumber"},
		"token":                   {names.Name.Token, "token access_token accountTokens", "page_token nextToken tokenType"},
		"metadata":                {names.Name.Metadata, "metadata meta custom_metadata", "data metadataId"},
		"authenticates":           {names.Name.Authenticates, "X-Wallet-Auth X-Signature x-jws-signature X-Api-Key X-Amz-Credential", "X-Region Author"},
		"money":                   {func(n names.Name) bool { return n.Money(nil) }, "amount totalPrice fees amountDue shipping_cost", "value amountType totals_count prices2 discount"},
		"value beside a currency": {func(n names.Name) bool { return n.Money(currency) }, "value amount", "currency note"},
		"carried":                 {names.Name.Carried, "User-Agent x-customer-user-agent Accept-Language X-Forwarded-For X-Amz-Date X-Request-Id traceparent", "X-Api-Version If-Match Stripe-Account"},
	} {
		for text := range strings.FieldsSeq(c.yes) {
			assert.True(t, c.is(names.New(text)), "%s: %s", meaning, text)
		}
		for text := range strings.FieldsSeq(c.not) {
			assert.False(t, c.is(names.New(text)), "%s: %s", meaning, text)
		}
	}
}
