package contract

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/vector"
)

// history builds one contract again and again, each time from another document and against the lock of the time before.
type history struct {
	t        *testing.T
	path     string
	webhook  string // in place of method and path
	lock     *Lock
	released *Lock // nil: nobody knows
}

func (h *history) build(members string) *Contract {
	h.t.Helper()
	c, found := h.try(members)
	require.Empty(h.t, errorsOf(found))
	return c
}

// try builds from a document whose body has the members, and takes the lock that results.
func (h *history) try(members string) (*Contract, diag.List) {
	h.t.Helper()
	var props []openapi.Property
	for name := range strings.FieldsSeq(members) {
		props = append(props, property(name, typed("string")))
	}
	op := operationOf(closed(props...))
	if h.path != "" {
		op.Path = h.path
	}
	if h.webhook != "" {
		op.Method, op.Path, op.Webhook = "", "", h.webhook
	}
	api, found := Build(document(op), Options{Base: "payments", Lock: h.lock, Released: h.released})
	if found.HasErrors() {
		return nil, found
	}
	text := EncodeLock(api)
	require.NoError(h.t, CheckLock(api, text))
	h.lock = h.parse(text)
	return api.Contracts[0], found
}

func (h *history) parse(text []byte) *Lock {
	h.t.Helper()
	lock, found := ParseLock(text, "lock")
	require.Empty(h.t, found.All(), string(text))
	return lock
}

// release makes everything that the lock has a released version.
func (h *history) release() { h.released = h.lock }

func numbers(c *Contract) (out []int) {
	for _, v := range c.Versions() {
		out = append(out, v.Number)
	}
	return out
}

func TestVersionsAreAddedOnceReleased(t *testing.T) {
	h := &history{t: t, released: &Lock{}}
	first := h.build("a!")
	assert.Equal(t, []int{1}, numbers(h.build("a! b")), "nobody has written records under version 1: it is replaced in place")
	h.build("a!")
	h.release()

	c := h.build("a! b")
	require.Equal(t, []int{2, 1}, numbers(c))
	assert.Equal(t, first.Version.ID, c.Older[0].ID)
	assert.Equal(t, first.Version.Vectors, c.Older[0].Vectors)
	assert.Empty(t, readsOtherwise(&first.Version, &c.Older[0]), "it reads what it read, though the document says otherwise now")
	assert.Equal(t, "v1FingerprintCreatePayment", c.Older[0].Names.Fingerprint)
	assert.Equal(t, "V1CreatePaymentBody", c.Older[0].Body.GoName)

	assert.Equal(t, []int{2, 1}, numbers(h.build("a! b c")), "version 2 is not released: replaced in place")
	h.release()
	assert.Equal(t, []int{3, 2, 1}, numbers(h.build("a! c")))
	assert.Equal(t, []int{3, 2, 1}, numbers(h.build("a! c")), "nothing has changed")
}

func TestVersionsThatComeBack(t *testing.T) {
	h := &history{t: t, released: &Lock{}}
	first := h.build("a!")
	h.release()
	h.build("a! b")
	assert.Equal(t, []int{1}, numbers(h.build("a!")), "version 2 was taken back before it was released")

	second := h.build("a! b")
	h.release()
	c := h.build("a!")
	assert.Equal(t, []int{3, 2}, numbers(c), "released and taken back: the number goes on, and the id is the first one's")
	assert.Equal(t, first.Version.ID, c.Version.ID)
	assert.Equal(t, second.Version.ID, c.Older[0].ID)
}

func TestVersionsWithoutAMergeBase(t *testing.T) {
	h := &history{t: t}
	h.build("a!")
	assert.Equal(t, []int{2, 1}, numbers(h.build("a! b")), "the file on disk counts as released")
}

func TestNumbersAreNotUsedAgain(t *testing.T) {
	h := &history{t: t}
	h.build("a!")
	c := h.build("a! b")
	was := h.lock.Contracts["createPayment"]
	was.Retired = []string{retiredText(2, string(c.Version.ID))}
	delete(was.Versions, 2)
	was.Current = 1
	c = h.build("a! c")
	assert.Equal(t, []int{3, 1}, numbers(c))
	assert.Equal(t, was.Retired, h.lock.Contracts["createPayment"].Retired, "the lock remembers")
	for _, text := range []string{"", "1", "0 5d0c1f7a92b4e863", "1 5D0C1F7A92B4E863", "1  5d0c1f7a92b4e863", "1 5d0c1f7a92b4e863 x"} {
		_, ok := parseRetired(text)
		assert.False(t, ok, text)
	}
}

func TestVersionsOfAnotherPath(t *testing.T) {
	h := &history{t: t, path: "/accounts/{id}/payments/{part}"}
	h.build("a!")
	h.path = "/accounts/{accountId}/payments/{part}"
	c := h.build("a!")
	require.Equal(t, []int{2, 1}, numbers(c))
	assert.Equal(t, "/accounts/{id}/payments/{part}", c.Older[0].Path)
	assert.Equal(t, "/accounts/{id}/payments/{part}", h.lock.Contracts["createPayment"].Versions[1].Path)
	assert.Equal(t, []int{2, 1}, numbers(h.build("a!")), "it stays what it was")

	h.path = "/payments/{part}"
	_, found := h.try("a!")
	require.NotEmpty(t, errorsOf(found))
	assert.Contains(t, errorsOf(found)[0], "another number of parameters")
}

// A webhook has no path that an older version could have had, and its name is none.
func TestVersionsOfAWebhook(t *testing.T) {
	h := &history{t: t, webhook: "payment.settled"}
	h.build("a!")
	c := h.build("a! b")
	require.Equal(t, []int{2, 1}, numbers(c))
	assert.Empty(t, c.Older[0].Path)
	assert.Equal(t, []int{2, 1}, numbers(h.build("a! b")), "the lock can be read back")
}

func TestOlderVersionsHoldTheirVectors(t *testing.T) {
	h := &history{t: t}
	h.build("a!")
	h.build("a! b")
	old := h.lock.Contracts["createPayment"].Versions[1]
	i := slices.IndexFunc(old.Vectors, func(v vector.Vector) bool { return v.SHA256 != "" })
	old.Vectors[i].SHA256 = strings.Repeat("0", 64)
	_, found := h.try("a! b")
	require.Len(t, errorsOf(found), 1)
	assert.Contains(t, errorsOf(found)[0], "IDG358 version 1 of createPayment")
}

func TestEditedLinesOfAnOlderVersion(t *testing.T) {
	h := &history{t: t}
	h.build("a!")
	h.build("a! b")
	h.lock.Contracts["createPayment"].Versions[1].Fields[1].Rule = "exact/1 optional"
	_, found := h.try("a! b")
	require.Len(t, errorsOf(found), 1)
	assert.Contains(t, errorsOf(found)[0], "IDG356 version 1 of createPayment cannot be kept: its lines have the id")
}
