package openapi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// brokenAnnotations are the files in golden/broken that show one finding about annotations or overlays each:
// openapi.yaml or openapi.json, overlay.yaml where there is one, and want.txt, the findings in the short format.
func brokenAnnotations(t *testing.T) (files []string) {
	t.Helper()
	for _, pattern := range []string{"annotation_*.txtar", "overlay_*.txtar"} {
		found, err := filepath.Glob(filepath.Join("..", "golden", "broken", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	return files
}

func loadBrokenAnnotation(t *testing.T, archive *txtar.Archive) (ds diag.List) {
	t.Helper()
	from, document, opts := memory{}, "", Options{}
	for _, f := range archive.Files {
		switch {
		case strings.HasPrefix(f.Name, "openapi."):
			document = f.Name
		case strings.HasPrefix(f.Name, "overlay."):
			opts.Overlays = append(opts.Overlays, f.Name)
		}
		from[f.Name] = string(f.Data)
	}
	_, ds, err := load(from, document, opts)
	require.NoError(t, err)
	return ds
}

func TestBrokenAnnotationsAndOverlays(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update does not run under CI: golden files are changed by people")
	}
	for _, file := range brokenAnnotations(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			got := short(loadBrokenAnnotation(t, archive))
			want := &archive.Files[len(archive.Files)-1]
			require.Equal(t, "want.txt", want.Name)
			if *update {
				want.Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, string(want.Data), got)
		})
	}
}

// Each code of IDG2xx has one case, and each case shows one code.
func TestBrokenAnnotationsAndCodesAreOneToOne(t *testing.T) {
	shownBy := map[diag.Code]string{}
	for _, file := range brokenAnnotations(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		ds := loadBrokenAnnotation(t, archive)
		found := ds.All()
		require.NotEmpty(t, found, file)
		code := found[0].Code
		for _, d := range found {
			assert.Equal(t, code, d.Code, "%s shows one code: %s", file, d)
		}
		assert.Empty(t, shownBy[code], "%s has two cases", code)
		shownBy[code] = file
	}
	for _, info := range diag.Codes() {
		if strings.HasPrefix(string(info.Code), "IDG2") {
			assert.NotEmpty(t, shownBy[info.Code], "%s has no case in golden/broken", info.Code)
		}
	}
}

// What `explain` shows as bad gives the finding it explains, and what it shows as good gives none.
func TestExplanationsOfAnnotationCodesAreTrue(t *testing.T) {
	for _, info := range diag.Codes() {
		if !strings.HasPrefix(string(info.Code), "IDG2") {
			continue
		}
		bad := explained(t, info.Bad)
		codes := make([]diag.Code, 0, len(bad))
		for _, d := range bad {
			codes = append(codes, d.Code)
		}
		assert.Equal(t, []diag.Code{info.Code}, codes, "bad of %s: %v", info.Code, bad)
		assert.Empty(t, explained(t, info.Good), "good of %s", info.Code)
	}
}

// explained loads a snippet in the surroundings that it leaves out.
func explained(t *testing.T, snippet string) []diag.Diagnostic {
	t.Helper()
	const info = "info: {title: Payments, version: \"1\"}\n"
	const item = "paths:\n  /payments:\n    post:\n"
	const rest = "      responses: {\"201\": {description: Created}}\n"
	const plain = "openapi: 3.0.3\n" + info + item + "      summary: Pay\n" + rest + "webhooks: {}\n"
	indented := func(by, text string) string { return by + strings.ReplaceAll(text, "\n", "\n"+by) + "\n" }
	document, overlay := plain, ""
	word, _, _ := strings.Cut(snippet, ":")
	switch word {
	case "x-idempotency":
		document = "openapi: 3.0.3\n" + info + item + indented("      ", snippet) + rest
	case "paths":
		document = "openapi: 3.0.3\n" + info + snippet + "\n"
		if strings.Contains(snippet, "post:") {
			document += rest
			break
		}
		document += "    post: {x-idempotency: required, responses: {\"201\": {description: Created}}}\n"
	case "overlay":
		overlay = snippet + "\n" + info + "actions: [{target: $.paths, update: {}}]\n"
	case "actions":
		overlay = "overlay: 1.0.0\n" + info + snippet + "\n"
	case "target":
		overlay = overlayHead + "- " + snippet + "\n  update: {}\n"
	case "- target":
		overlay = overlayHead + snippet + "\n"
	case "fields", "ignored":
		document = "openapi: 3.0.3\n" + info + item + "      x-idempotency:\n        fingerprint:\n" + indented("          ", snippet) + rest
	default:
		document = "openapi: 3.0.3\n" + info + item + "      x-idempotency:\n" + indented("        ", snippet) + rest
	}
	from, opts := memory{"openapi.yaml": document}, Options{}
	if overlay != "" {
		from["overlay.yaml"], opts.Overlays = overlay, []string{"overlay.yaml"}
	}
	_, ds, err := load(from, "openapi.yaml", opts)
	require.NoError(t, err)
	return ds.All()
}
