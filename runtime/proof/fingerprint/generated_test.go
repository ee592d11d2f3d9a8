package fingerprint_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	dryrun "github.com/idemgen/idemgen/golden/pipeline/dry-run-query/openapiidem"
	waits "github.com/idemgen/idemgen/golden/pipeline/duplicates-wait/openapiidem"
	forms "github.com/idemgen/idemgen/golden/pipeline/form-and-json/openapiidem"
	hostile "github.com/idemgen/idemgen/golden/pipeline/hostile-text/openapiidem"
	keyinbody "github.com/idemgen/idemgen/golden/pipeline/key-in-body/openapiidem"
	keylimits "github.com/idemgen/idemgen/golden/pipeline/key-limits/openapiidem"
	leased "github.com/idemgen/idemgen/golden/pipeline/leased-charges/openapiidem"
	uploads "github.com/idemgen/idemgen/golden/pipeline/multipart-upload/openapiidem"
	nested "github.com/idemgen/idemgen/golden/pipeline/nested-key/openapiidem"
	webhook "github.com/idemgen/idemgen/golden/pipeline/received-webhook/openapiidem"
	recursive "github.com/idemgen/idemgen/golden/pipeline/recursive-schemas/openapiidem"
	scopes "github.com/idemgen/idemgen/golden/pipeline/scope-changes/openapiidem"
	bodyscope "github.com/idemgen/idemgen/golden/pipeline/scope-from-body/openapiidem"
	sensitive "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	several "github.com/idemgen/idemgen/golden/pipeline/several-files/openapiidem"
	blobs "github.com/idemgen/idemgen/golden/pipeline/text-and-bytes/openapiidem"
	bymember "github.com/idemgen/idemgen/golden/pipeline/union-by-member/openapiidem"
	bytype "github.com/idemgen/idemgen/golden/pipeline/union-by-type/openapiidem"
	unique "github.com/idemgen/idemgen/golden/pipeline/unique-reference/openapiidem"
	vendor "github.com/idemgen/idemgen/golden/pipeline/vendor-header/openapiidem"
	views "github.com/idemgen/idemgen/golden/pipeline/viewed-bodies/openapiidem"
	clients "github.com/idemgen/idemgen/golden/pipeline/what-clients-send/openapiidem"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// generated lists the golden packages with their operations.
func generated() map[string][]*idem.Operation {
	return map[string][]*idem.Operation{
		"dry-run-query":     {&dryrun.CreateTransactionOperation},
		"duplicates-wait":   {&waits.CancelBookingOperation, &waits.CreateBookingOperation},
		"form-and-json":     {&forms.CreateChargeOperation},
		"hostile-text":      {&hostile.Contract2Operation, &hostile.CreateWindowsArm64TestOperation, &hostile.FuncImportOsOperation, &hostile.NewEngine2Operation, &hostile.Scope2Operation},
		"key-in-body":       {&keyinbody.CreateDisputeOperation, &keyinbody.CreatePaymentOperation, &keyinbody.PostCardsOperation},
		"key-limits":        {&keylimits.CreateAccountOperation, &keylimits.RequestFaucetOperation, &keylimits.SendTransactionOperation},
		"leased-charges":    {&leased.ChargeSettledOperation, &leased.CreateChargeOperation, &leased.CreateImportOperation, &leased.SendLetterOperation},
		"multipart-upload":  {&uploads.CreateDocumentOperation},
		"nested-key":        {&nested.CreateBatchOperation, &nested.TriggerTaskV1Operation},
		"received-webhook":  {&webhook.PaymentSettledOperation},
		"recursive-schemas": {&recursive.CreateRuleOperation, &recursive.PutCategoryOperation},
		"scope-changes":     {&scopes.CreateOrderOperation, &scopes.CreateShopOrderOperation},
		"scope-from-body":   {&bodyscope.PostPaymentsOperation, &bodyscope.PostPaymentsPaymentReferenceCancelsOperation},
		"sensitive-fields":  {&sensitive.StoreCardOperation},
		"several-files":     {&several.CancelOrderOperation, &several.CreateOrderOperation},
		"text-and-bytes":    {&blobs.CreateNoteOperation, &blobs.CreateOrderOperation, &blobs.PutImageOperation, &blobs.PutLimitOperation},
		"union-by-member":   {&bymember.CreatePaymentOperation},
		"union-by-type":     {&bytype.CreateTicketOperation},
		"what-clients-send": {
			&clients.CreateBatchOperation, &clients.CreateChargeOperation, &clients.CreateDocumentOperation, &clients.CreateJobOperation, &clients.CreateOrderOperation,
			&clients.CreatePaymentOperation, &clients.CreatePayoutOperation, &clients.CreateRefundOperation, &clients.DeleteSessionOperation, &clients.MakeReportOperation,
		},
		"unique-reference": {&unique.ConfirmOrderOperation, &unique.CreatePaymentOperation},
		"viewed-bodies":    {&views.AddPartsOperation, &views.CreateNoteOperation, &views.CreateOrderOperation, &views.PutMandateOperation},
		"vendor-header":    {&vendor.AuthorizationsCaptureOperation, &vendor.CapturesRefundOperation},
	}
}

// subject is a generated operation with the contract that it was generated from, and requests that mutations begin with.
type subject struct {
	operation *idem.Operation
	contract  *canon.Contract
	requests  []*canon.Request
	bodies    []string // in JSON
}

// subjects builds the contracts of a golden case from its document again, and pairs them with what was generated.
func subjects(t *testing.T, golden string, operations []*idem.Operation) []*subject {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "golden", "pipeline", golden)
	opts := openapi.Options{Webhooks: true}
	if overlay := filepath.Join(dir, "overlay.yaml"); exists(overlay) {
		opts.Overlays = []string{overlay}
	}
	doc, found, err := openapi.Load(filepath.Join(dir, "openapi.yaml"), opts)
	require.NoError(t, err)
	require.False(t, found.HasErrors())
	api, found := contract.Build(doc, contract.Options{Base: "openapi"})
	require.False(t, found.HasErrors())
	var out []*subject
	for _, c := range api.Contracts {
		if !c.Compare {
			continue
		}
		i := slices.IndexFunc(operations, func(op *idem.Operation) bool { return op.Name == c.Name })
		require.GreaterOrEqual(t, i, 0, "%s of %s is not in the list", c.Name, golden)
		out = append(out, newSubject(t, operations[i], c))
	}
	require.Len(t, out, len(operations), golden)
	return out
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// newSubject begins with the requests of the contract's vectors, which are those of a JSON body too where other bodies are taken.
func newSubject(t *testing.T, op *idem.Operation, c *contract.Contract) *subject {
	t.Helper()
	s := &subject{operation: op, contract: c.Version.Reference(c.Name)}
	inJSON := *c
	if !slices.ContainsFunc(s.contract.Accepts, func(m canon.Media) bool { return m == canon.Text || m == canon.Octets }) {
		inJSON.Version.Spec.Accepts = []canon.Media{canon.JSON}
	}
	for i, one := range []*contract.Contract{c, &inJSON} {
		one.Version.Vectors = nil
		contract.AddVectors(&contract.API{Contracts: []*contract.Contract{one}})
		expanded, err := one.Expand()
		require.NoError(t, err)
		require.NotEmpty(t, expanded, c.Name)
		for _, v := range expanded {
			if i == 0 {
				s.requests = append(s.requests, v.Whole.Canon(c.Path))
			}
			if text := v.Whole.Body + v.Whole.View; i == 1 && parseDraft(text) != nil {
				s.bodies = append(s.bodies, text)
			}
		}
	}
	return s
}

// draw makes a request that is near to one that the operation accepts.
func (s *subject) draw(r *rand.Rand) *canon.Request {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	request := *s.requests[r.IntN(len(s.requests))]
	if len(s.contract.Accepts) > 0 && r.IntN(8) > 0 {
		s.drawBody(r, &request, s.contract.Accepts[r.IntN(len(s.contract.Accepts))])
	}
	if r.IntN(4) > 0 {
		return &request
	}
	values := append(oddTexts(), oddScalars()...)
	request.Path = slices.Clone(request.Path)
	if len(request.Path) > 0 {
		request.Path[r.IntN(len(request.Path))] = pick(values)
	}
	pieces := strings.Split(request.Query, "&")
	name, _, _ := strings.Cut(pick(pieces), "=")
	request.Query = strings.Join(append(pieces, name+"="+pick(values)), "&")
	for name := range request.Header {
		request.Header = map[string][]string{name: {pick(values)}}
	}
	return &request
}

func (s *subject) drawBody(r *rand.Rand, request *canon.Request, media canon.Media) {
	if s.contract.View != "" {
		request.View = mutate(r, s.bodies)
		return
	}
	switch media {
	case canon.JSON:
		request.ContentType, request.Body = "application/json", mutate(r, s.bodies)
		if r.IntN(32) == 0 {
			request.ContentType = fingerprint.ContentTypes()[r.IntN(len(fingerprint.ContentTypes()))]
		}
	case canon.Form:
		request.ContentType, request.Body = "application/x-www-form-urlencoded", mutateForm(r, s.bodies)
	case canon.Multipart:
		request.ContentType, request.Body = mutateMultipart(r, s.bodies, s.contract.Parts)
	case canon.Text, canon.Octets:
		request.Body = damage(r, slices.Clone(request.Body))
	case canon.NoBody:
	}
}

// The code that was generated for a contract, and the reference interpreter that reads the contract, agree on it.
func TestGeneratedAgreesWithReference(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	for golden, operations := range generated() {
		t.Run(golden, func(t *testing.T) {
			for i, s := range subjects(t, golden, operations) {
				scan := s.operation.Versions[0].Fingerprint
				require.Equal(t, s.contract.ID, s.operation.Versions[0].ID, "%s was generated from another contract", s.operation.Name)
				for _, request := range s.requests {
					require.NoError(t, fingerprint.Compare(s.contract, scan, request), "%s: %+v\n%q", s.contract.Name, request, request.Body)
				}
				r := rand.New(rand.NewPCG(uint64(i), 10))
				accepted := 0
				for range rounds {
					request := s.draw(r)
					require.NoError(t, fingerprint.Compare(s.contract, scan, request), "%s: %+v\n%q", s.contract.Name, request, request.Body)
					if _, err := s.contract.Canonical(request); err == nil {
						accepted++
					}
				}
				assert.Greater(t, accepted, rounds/50, "%s: mutations that are nearly all refused prove little", s.contract.Name)
				t.Logf("%s: %d of %d accepted", s.contract.Name, accepted, rounds)
			}
		})
	}
}

// A contract with a difference is found by the requests that are drawn for it.
func TestGeneratedDisagreesWithAnotherContract(t *testing.T) {
	for golden, spoil := range map[string]func(c *canon.Contract){
		"multipart-upload": func(c *canon.Contract) { c.Parts[1].Kind = canon.TextPart }, // owner, an object
		"form-and-json":    func(c *canon.Contract) { memberOf(c, "amount").Node.As = canon.Decimal },
		"union-by-member": func(c *canon.Contract) {
			memberOf(c, "method").Node.Union.Branches = memberOf(c, "method").Node.Union.Branches[1:]
		},
		"sensitive-fields": func(c *canon.Contract) { memberOf(c, "pin").Default = "" },
		"dry-run-query":    func(c *canon.Contract) { c.Params = c.Params[:len(c.Params)-1] },
	} {
		t.Run(golden, func(t *testing.T) {
			s := subjects(t, golden, generated()[golden])[0]
			spoil(s.contract)
			r := rand.New(rand.NewPCG(7, 11))
			for range 5000 {
				if fingerprint.Compare(s.contract, s.operation.Versions[0].Fingerprint, s.draw(r)) != nil {
					return
				}
			}
			t.Error("the difference was not found")
		})
	}
}
