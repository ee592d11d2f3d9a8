package generator

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// elsewhere are codes whose good snippet is no part of one document: it needs another file, or is a command.
var elsewhere = []diag.Code{
	diag.RefRemote, diag.RefAbsolute, diag.RefFileMissing, diag.RefOnOperation, diag.LockLost, diag.OutputClash, diag.ForeignGo, diag.ReleaseUnseen,
	diag.ProposalExists, diag.NotInPlace,
	diag.ConfigMember, diag.ConfigType, diag.ConfigValue, diag.ConfigMissing, diag.ConfigTwice, diag.ConfigFixed, diag.AcceptanceUnused,
	diag.ServerMissing, diag.ServerBroken, diag.ServerUnknown, diag.ServerRefused, diag.ServerSeveral, diag.ServerUnreachable,
}

// What explain shows as good is good to the end: it loads, and a contract is built of it. Nobody is sent from one error to the next.
func TestGoodSnippetsLoadAndBuild(t *testing.T) {
	seen := 0
	for _, info := range diag.Codes() {
		if info.Good == "" || slices.Contains(elsewhere, info.Code) {
			continue
		}
		seen++
		t.Run(string(info.Code), func(t *testing.T) {
			t.Chdir(t.TempDir())
			document, overlay := around(info.Good)
			require.NoError(t, os.WriteFile("openapi.yaml", []byte(document), 0o600))
			var opts openapi.Options
			if overlay != "" {
				require.NoError(t, os.WriteFile("overlay.yaml", []byte(overlay), 0o600))
				opts.Overlays = []string{"overlay.yaml"}
			}
			doc, found, err := openapi.Load("openapi.yaml", opts)
			require.NoError(t, err)
			if doc != nil {
				_, built := contract.Build(doc, contract.Options{Base: "openapi"})
				found.Append(built)
			}
			for _, d := range found.All() {
				assert.False(t, d.Severity == diag.Error || d.Code == info.Code, "%s\n%s\n%s", d, document, overlay)
			}
		})
	}
	assert.Greater(t, seen, 60)
}

// parts of a document that a snippet leaves out.
type parts struct {
	version, path, operation, annotation, schema, components, paths string
}

func (p parts) String() string {
	text := "openapi: " + p.version + "\ninfo: {title: Payments, version: \"1\"}\nwebhooks: {}\nx-idempotency: {scope: [tenant]}\n"
	if p.components != "" {
		text += "components:\n  schemas:\n" + indent(4, p.components)
	}
	if p.paths != "" {
		return text + p.paths + "\n"
	}
	text += "paths:\n  " + p.path + ":\n    post:\n" + indent(6, p.operation)
	if p.annotation != "" {
		text += "      x-idempotency:\n" + indent(8, p.annotation)
	}
	if !strings.Contains(p.operation, "requestBody") {
		text += "      requestBody:\n        required: true\n        content:\n          application/json:\n            schema:\n" + indent(14, p.schema)
	}
	if strings.Contains(p.operation, "responses:\n") {
		return text
	}
	return text + "      responses: {\"201\": {description: Created}}\n"
}

func indent(by int, text string) string {
	if text == "" {
		return ""
	}
	margin := strings.Repeat(" ", by)
	return margin + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+margin) + "\n"
}

// around puts a snippet into a document, and into an overlay where it is one's.
func around(snippet string) (document, overlay string) {
	const head, info = "overlay: 1.0.0\n", "info: {title: Overlay, version: \"1\"}\n"
	p := parts{version: "3.1.0", path: "/payments", schema: declared(snippet)}
	if strings.Contains(snippet, "path.accountId") {
		p.path, p.operation = "/{accountId}", "parameters: [{name: accountId, in: path, required: true, schema: {type: string}}]"
	}
	word, _, _ := strings.Cut(snippet, ":")
	switch word {
	case "openapi":
		if strings.Contains(snippet, "paths") {
			return snippet + "\n", ""
		}
		p.version, p.annotation = strings.TrimPrefix(snippet, "openapi: "), "retention: 24h"
	case "paths":
		p.paths = snippet + "\n      responses: {\"201\": {description: Created}}"
	case "post":
		p.operation = strings.ReplaceAll(strings.TrimPrefix(snippet, "post:\n  "), "\n  ", "\n")
		p.operation = strings.Replace(p.operation, "requestBody: {}", "requestBody: {content: {application/json: {schema: {type: object}}}}", 1)
	case "summary", "x-idempotency":
		p.operation = snippet
	case "responses":
		p.operation, p.annotation = snippet, "retention: 24h"
	case "parameters":
		p.path, p.operation, p.annotation = "/payments/{paymentId}", snippet, "retention: 24h"
	case "- {name":
		p.operation, p.annotation = "parameters:\n"+indent(2, snippet), "retention: 24h"
	case "properties", "allOf", "maxLength", "type", "default", "$ref":
		p.schema, p.annotation = "properties:\n  part:\n"+indent(4, snippet), "retention: 24h"
		p.components = "Payment: {type: object}"
	case "A", "Money":
		p.components, p.schema, p.annotation = snippet, "$ref: '#/components/schemas/"+word+"'", "retention: 24h"
	case "overlay":
		overlay = snippet + "\n" + info + "actions: [{target: $.paths, update: {}}]\n"
	case "actions":
		overlay = head + info + snippet + "\n"
	case "target":
		overlay = head + info + "actions:\n- " + snippet + "\n  update: {}\n"
	case "- target":
		overlay = head + info + "actions:\n" + snippet + "\n"
	case "fields", "ignored":
		p.annotation = "fingerprint:\n" + indent(2, snippet)
	default:
		if strings.HasPrefix(snippet, "/") {
			p.path, p.annotation = snippet, "retention: 24h"
			p.operation = "parameters:\n" + parametersOf(snippet)
			break
		}
		p.annotation = snippet
	}
	return p.String(), overlay
}

var (
	bodyPath = regexp.MustCompile(`body\.(\w+)(\[\]\.(\w+))?`)
	variable = regexp.MustCompile(`\{(\w+)\}`)
)

// declared is a closed body with what the snippet names, so that everything in it is decided upon.
func declared(snippet string) string {
	schema := "type: object\nadditionalProperties: false\nproperties:\n  note2: {type: string, readOnly: true}\n"
	for _, m := range bodyPath.FindAllStringSubmatch(snippet, -1) {
		name, of := m[1], "{type: string}"
		if m[3] != "" {
			of = "{type: array, items: {type: object, additionalProperties: false, properties: {" + m[3] + ": {type: string}}}}"
		}
		schema += "  " + name + ": " + of + "\n"
	}
	return schema
}

func parametersOf(path string) string {
	list := "  []\n"
	for i, m := range variable.FindAllStringSubmatch(path, -1) {
		if i == 0 {
			list = ""
		}
		list += "  - {name: " + m[1] + ", in: path, required: true, schema: {type: string}}\n"
	}
	return list
}
