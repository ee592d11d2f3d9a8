package generator

import (
	"regexp"
	"strings"
)

// command is what brings the files of a document up to date: generate with the options that this run was given, so that it can be
// pasted into a shell and does the same. What a configuration says it will say again.
func (o Options) command(document string) string {
	words := []string{"idemgen", "generate"}
	if strings.HasPrefix(document, "-") {
		document = "./" + document // else a flag
	}
	words = append(words, slash(document))
	for _, overlay := range o.Overlays {
		words = append(words, "--overlay", slash(overlay))
	}
	if o.extension() != (Options{}).extension() {
		words = append(words, "--extension", o.Extension)
	}
	if o.Webhooks {
		words = append(words, "--webhooks")
	}
	if o.SkipUnsupported {
		words = append(words, "--skip-unsupported")
	}
	for _, f := range []struct{ name, value string }{{"--config", slash(o.Config)}, {"--base", o.Base}, {"--lock", slash(o.Lock)}, {"--package", o.Package}, {"--out", slash(o.Out)}, {"--server", slash(o.Server)}, {"--bind", slash(o.Bind)}} {
		if f.value != "" {
			words = append(words, f.name, f.value)
		}
	}
	return shellWords(words...)
}

// plainWord is what every shell takes for itself.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-]+$`)

// shellWords writes words for a POSIX shell.
func shellWords(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if !plainWord.MatchString(word) {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
