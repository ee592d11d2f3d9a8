package generator

import "github.com/idemgen/idemgen/openapi/diag"

// expected says for each public document what becomes of it when all of its POST and PATCH operations are annotated.
var expected = map[string]expectation{
	"adyen-checkout-v72.yaml":               {generated: 24, proposed: 24},
	"aws-amplifyuibuilder.json":             {generated: 9, proposed: 9},
	"azure-widget-manager-3.0.yaml":         {generated: 5, proposed: 5},
	"coinbase-cdp.yaml":                     {generated: 73, proposed: 70, exempt: 3},
	"datapulse-memberships.yaml":            {generated: 3, proposed: 3},
	"datapulse-vouchers.yaml":               {generated: 3, proposed: 3},
	"dwolla-multi/specs/spec.yml":           {generated: 31, proposed: 29, exempt: 2},
	"formance-ledger.yaml":                  {generated: 22, proposed: 22},
	"k8s-batch-v1.json":                     {generated: 6, proposed: 6},
	"lithic.yml":                            {generated: 100, proposed: 92, exempt: 8},
	"moov-ach.yaml":                         {generated: 9, proposed: 8, exempt: 1},
	"museum.yaml":                           {generated: 3, proposed: 3},
	"oai-callback-3.0.yaml":                 {generated: 1, proposed: 1},
	"oai-link-3.0.yaml":                     {generated: 1, proposed: 1},
	"oai-petstore-3.0.yaml":                 {generated: 1, proposed: 1},
	"oai-uber-swagger-2.0.yaml":             {code: diag.Swagger2, why: "Swagger 2.0"},
	"oai-webhook-3.1.yaml":                  {code: diag.NoOperations, why: "has webhooks and no path"},
	"oapi-codegen-naming-conflicts.yaml":    {generated: 9, leftOut: 2, why: "JSON media types of one body that declare different members", proposed: 8, exempt: 1, withheld: 2},
	"ogen-quoted-field-name.json":           {code: diag.NoOperations, why: "has one operation, a GET"},
	"open-payments-auth-server.yaml":        {generated: 3, proposed: 3},
	"openai-1.2.0-anchors.yaml":             {generated: 16, proposed: 15, exempt: 1},
	"openfinance-brasil-payments-4.0.0.yml": {generated: 4, proposed: 4},
	"paypal-payments-v2.json":               {generated: 4, proposed: 4},
	"paypal-payouts-v1.json":                {generated: 2, proposed: 2},
	"stripe-2020.json":                      {generated: 155, proposed: 155},
	"svix-server.json":                      {code: diag.PathUndeclared, why: "a PATCH does not declare its path parameter", proposed: 13, withheld: 1},
	"swagger-petstore-3.0.4.yaml":           {generated: 6, proposed: 6},
	"trigger-dev-v3.yaml":                   {generated: 28, proposed: 27, exempt: 1},
	"twilio-verify-v2.yaml":                 {generated: 25, proposed: 25},
	"xero-bankfeeds.yaml":                   {generated: 3, proposed: 3},
	"xero-files.yaml":                       {generated: 4, proposed: 4},
	"xero-webhooks.yaml":                    {code: diag.NoOperations, why: "has webhooks and no path"},
}
