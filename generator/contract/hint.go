package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
)

// annotated is the name under which the operation's annotation stands, so that a hint can replace all of it.
func (o *operation) annotated() string {
	if entry := o.src.Annotation.Entry; entry != "" {
		return yamlText(entry, blockText)
	}
	return o.extension
}

// memberHint gives the annotation a member. Where the member is written already the hint replaces it; a short form has no room for
// one, and the hint is the long form that means the same.
func (o *operation) memberHint(written bool, member string) string {
	if written || !o.shortForm() {
		return member
	}
	k, required := o.src.Annotation.Key.Value, o.src.Annotation.Mode.Value == openapi.ModeRequired
	if required == orDefault(k.Required, true) {
		return fmt.Sprintf("%s: {%s}", o.annotated(), member)
	}
	return fmt.Sprintf("%s: {%s, key: %s}", o.annotated(), member, keyLongForm(k, required))
}

// shortForm reports whether the operation's annotation is a word, so that it has no members.
func (o *operation) shortForm() bool {
	mode := o.src.Annotation.Mode.Value
	return mode == openapi.ModeRequired || mode == openapi.ModeOptional
}

// keyLongForm writes the key as it was inherited, with its own word about whether it has to be there.
func keyLongForm(k openapi.Key, required bool) string {
	var members []string
	if k.From.Set {
		members = append(members, "from: "+yamlText(k.From.Value.String(), flowText))
	}
	members = append(members, "required: "+strconv.FormatBool(required))
	if k.MinLength.Set || k.MaxLength.Set {
		members = append(members, fmt.Sprintf("length: [%d, %d]", orDefault(k.MinLength, defaultKeyMin), orDefault(k.MaxLength, defaultKeyMax)))
	}
	if k.Format.Set {
		members = append(members, "format: "+k.Format.Value)
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// ignoredHint puts a path into ignored, whatever the fingerprint has so far.
func (o *operation) ignoredHint(text string) string {
	fp := o.src.Annotation.Fingerprint
	list := "ignored: [" + yamlText(text, flowText) + "]"
	switch {
	case len(fp.Value.Ignored) > 0:
		return "- " + yamlText(text, blockText) + "   # in ignored"
	case !fp.Set || fp.Value.Mode == openapi.FingerprintAll && !fp.Value.Unknown.Set:
		return "fingerprint: {" + list + "}"
	}
	return list
}
