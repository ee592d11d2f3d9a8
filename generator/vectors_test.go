package generator

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const vectorDocument = `openapi: 3.1.0
info: {title: Payments, version: "1"}
x-idempotency: {scope: [tenant]}
paths:
  /accounts/{accountId}/payments:
    post:
      operationId: createPayment
      x-idempotency:
        fingerprint: {fields: [path.accountId, body.amount: decimal, body.currency: ascii-upper, "body.tags[]"], ignored: [body.note], unknown: reject}
      parameters: [{name: accountId, in: path, required: true, schema: {type: string}}]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [amount, currency]
              properties: {amount: {type: number}, currency: {type: string}, note: {type: string}, tags: {type: array, items: {type: string}}}
      responses: {"201": {description: Created}}
  /pings:
    post:
      operationId: ping
      x-idempotency: {scope: [tenant], fingerprint: none}
      responses: {"204": {description: Pong}}
`

// The generated test passes on what was generated, says nothing, and finds a fingerprint that moved: a vector that was edited stands for one,
// and so does an edited scanner.
func TestGeneratedTestFindsWhatMoved(t *testing.T) {
	module := consumerModule(t)
	document := put(t, module, "payments.yaml", vectorDocument)
	plan, findings, err := Prepare([]string{document}, Options{})
	require.NoError(t, err)
	require.False(t, findings.HasErrors())
	_, err = plan.Write()
	require.NoError(t, err)

	out, err := goTest(module)
	require.NoError(t, err, out)
	assert.Regexp(t, `^ok\s+example\.com/consumer/paymentsidem`, out, "what holds is silent")

	test := filepath.Join(module, "paymentsidem", "contract_gen_test.go")
	restore := change(t, test, `Canonical: `+"`"+`{"body":{"amount":"2.5"`, `Canonical: `+"`"+`{"body":{"amount":"2.50"`)
	out, err = goTest(module)
	assert.Error(t, err)
	assert.Contains(t, out, `contract "createPayment" version 1, vector "typical": its canonical text moved`)
	assert.Contains(t, out, `canonical wanted: {"body":{"amount":"2.50","currency":`)
	assert.Contains(t, out, `canonical seen: {"body":{"amount":"2.5","currency":`)
	restore()

	for _, c := range []struct{ old, new, want string }{
		{"s.ASCIIUpper(2)", "s.Exact(2)", `vector "body.currency spelled otherwise": it must be the same command as "typical"`},
		{"canon.List", "canon.Set", `vector "body.tags in another order": it must be another command than "typical"`},
		{"canon.RejectUnknown", "canon.IgnoreUnknown", `vector "body with an undeclared member": it must be refused, and is accepted`},
		{`s.Finish("createPayment"`, `s.Finish("createPayments"`, `vector "typical": its digest moved, for the same canonical text`},
	} {
		restore := change(t, filepath.Join(module, "paymentsidem", "createpayment.gen.go"), c.old, c.new)
		out, err := goTest(module)
		assert.Error(t, err, c.new)
		assert.Contains(t, out, c.want)
		restore()
	}
}

func goTest(module string) (string, error) {
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// change edits a file, and gives what takes the change back.
func change(t *testing.T, path, old, new string) (restore func()) {
	t.Helper()
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(before), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(before), old, new)), 0o644))
	return func() { require.NoError(t, os.WriteFile(path, before, 0o644)) }
}

// The JSON of other languages needs nothing else to be checked: every digest follows from scheme, name, id and canonical text, whose JSON is
// the one that its own members say.
func TestVectorsAsJSONStandAlone(t *testing.T) {
	text, findings, err := Vectors(put(t, t.TempDir(), "payments.yaml", vectorDocument), Options{})
	require.NoError(t, err)
	require.False(t, findings.HasErrors())
	var file struct {
		Scheme    string
		Contracts []struct {
			Name, Operation, ID string
			Version             int
			Vectors             []struct {
				Name, Like, Unlike string
				Refused            bool
				Request            struct {
					ContentType, Body, Query string
					Path, Header             map[string]string
				}
				Canonical, SHA256 string
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &file))
	require.Len(t, file.Contracts, 1, "an operation that compares nothing has none")
	c := file.Contracts[0]
	assert.Equal(t, "POST /accounts/{accountId}/payments", c.Operation)
	assert.Equal(t, 1, c.Version)
	digests := map[string]string{}
	kinds := map[string]int{}
	for _, v := range c.Vectors {
		assert.NotContains(t, digests, v.Name)
		digests[v.Name] = v.SHA256
		assert.Contains(t, v.Request.Path, "accountId")
		if v.Refused {
			kinds["refused"]++
			assert.Empty(t, v.Canonical+v.SHA256)
			continue
		}
		sum := sha256.Sum256([]byte(file.Scheme + "\n" + c.Name + "\n" + c.ID + "\n" + v.Canonical))
		assert.Equal(t, hex.EncodeToString(sum[:]), v.SHA256, v.Name)
		var canonical struct{ Body map[string]any }
		require.NoError(t, json.Unmarshal([]byte(v.Canonical), &canonical))
		assert.Contains(t, canonical.Body, "amount")
		if v.Like != "" {
			kinds["like"]++
			assert.Equal(t, digests[v.Like], v.SHA256, v.Name)
		}
		if v.Unlike != "" {
			kinds["unlike"]++
			assert.NotEqual(t, digests[v.Unlike], v.SHA256, v.Name)
		}
	}
	assert.Greater(t, kinds["like"], 5)
	assert.Greater(t, kinds["unlike"], 5)
	assert.Greater(t, kinds["refused"], 5)
}

// Of a body that counts through a view other languages get what the view gave, and of what type the body was.
func TestVectorsOfAViewAsJSON(t *testing.T) {
	text, findings, err := Vectors(filepath.Join("..", "golden", "pipeline", "viewed-bodies", "openapi.yaml"), Options{})
	require.NoError(t, err)
	require.False(t, findings.HasErrors())
	var file VectorFile
	require.NoError(t, json.Unmarshal(text, &file))
	seen := 0
	for _, c := range file.Contracts {
		for _, v := range c.Vectors {
			if c.Name == "createOrder" && v.Name != "body absent" {
				seen++
				assert.Empty(t, v.Request.Body, v.Name)
				assert.NotEmpty(t, v.Request.View, v.Name)
				assert.Equal(t, "application/json", v.Request.ContentType, v.Name)
			}
		}
	}
	assert.Equal(t, 5, seen)
}

func TestVectorsOfABadDocument(t *testing.T) {
	text, findings, err := Vectors(put(t, t.TempDir(), "payments.yaml", "openapi: 3.1.0\ninfo: {title: A, version: \"1\"}\npaths: {}\n"), Options{})
	require.NoError(t, err)
	assert.True(t, findings.HasErrors())
	assert.Nil(t, text)
	_, _, err = Vectors(filepath.Join(t.TempDir(), "none.yaml"), Options{})
	assert.Error(t, err)
}
