package generator

import "github.com/idemgen/idemgen/openapi/diag"

// expected says for each public document what becomes of it when all of its POST and PATCH operations are annotated.
var expected = map[string]expectation{
	"adyen-checkout-v72.yaml":               {generated: 24},
	"aws-amplifyuibuilder.json":             {generated: 9},
	"azure-widget-manager-3.0.yaml":         {generated: 5},
	"coinbase-cdp.yaml":                     {generated: 73},
	"datapulse-memberships.yaml":            {generated: 3},
	"datapulse-vouchers.yaml":               {generated: 3},
	"dwolla-multi/specs/spec.yml":           {generated: 31},
	"formance-ledger.yaml":                  {generated: 22},
	"k8s-batch-v1.json":                     {generated: 6},
	"lithic.yml":                            {generated: 100},
	"moov-ach.yaml":                         {generated: 9},
	"museum.yaml":                           {generated: 3},
	"oai-callback-3.0.yaml":                 {generated: 1},
	"oai-link-3.0.yaml":                     {generated: 1},
	"oai-petstore-3.0.yaml":                 {generated: 1},
	"oai-uber-swagger-2.0.yaml":             {code: diag.Swagger2, why: "Swagger 2.0"},
	"oai-webhook-3.1.yaml":                  {code: diag.NoOperations, why: "has webhooks and no path"},
	"oapi-codegen-naming-conflicts.yaml":    {generated: 9, leftOut: 2, why: "JSON media types of one body that declare different members"},
	"ogen-quoted-field-name.json":           {code: diag.NoOperations, why: "has one operation, a GET"},
	"open-payments-auth-server.yaml":        {generated: 3},
	"openai-1.2.0-anchors.yaml":             {generated: 16},
	"openfinance-brasil-payments-4.0.0.yml": {generated: 4},
	"paypal-payments-v2.json":               {generated: 4},
	"paypal-payouts-v1.json":                {generated: 2},
	"stripe-2020.json":                      {generated: 155},
	"svix-server.json":                      {code: diag.PathUndeclared, why: "a PATCH does not declare its path parameter"},
	"swagger-petstore-3.0.4.yaml":           {generated: 6},
	"trigger-dev-v3.yaml":                   {generated: 28},
	"twilio-verify-v2.yaml":                 {generated: 25},
	"xero-bankfeeds.yaml":                   {generated: 3},
	"xero-files.yaml":                       {generated: 4},
	"xero-webhooks.yaml":                    {code: diag.NoOperations, why: "has webhooks and no path"},
}
