package canon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/canon"
)

func fingerprintEvery(s *canon.Scanner, r *canon.Request, value func(*canon.Scanner)) (canon.Digest, error) {
	s.Start(r)
	if s.OpenBody(&everyBody) != canon.NoBody {
		value(s)
	}
	return s.Finish("every", "5d0c1f7a92b4e863")
}

func TestNoAllocationsForAnyBody(t *testing.T) {
	upload := multipartOf(text("note", "a\n"), text("count", "1"), file("file", "a", "\x00"), file("file", "b", "\x01"), text(`labels[\"]`, "x"),
		"Content-Disposition: form-data; name=meta\nContent-Type: application/json\n\n{\"b\\n\":1,\"a\":[]}", text("items", `{"sku":"s","tags":["b","a"]}`))
	union := `{"of":[{"of":[{"number":"1","type":"card"}],"\u0061":"` + strings.Repeat("x", 100) + `","type":"\"l\""}],"type":"\"l\""}`
	tests := []struct {
		name, contentType, body string
		value                   func(*canon.Scanner)
	}{
		{"form", formType, paymentForm, scanPayment},
		{"a large form", formType, paymentForm + strings.Repeat("&sentAt[x]=a+b", 5000), scanPayment},
		{"multipart", multipartType, upload, scanUpload},
		{"text", "text/plain", "a\"b", leaf(canon.Exact)},
		{"octets", "image/png", "\x00", contentDigest},
		{"unions", "application/json", union, scanSourceOnce},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			r := &canon.Request{Body: []byte(tt.body), ContentType: tt.contentType}
			once := func() {
				if _, err := fingerprintEvery(s, r, tt.value); err != nil {
					t.Fatal(err)
				}
			}
			once()
			assert.Zero(t, testing.AllocsPerRun(100, once))
		})
	}
}

// scanSourceOnce is scanSource without closures.
func scanSourceOnce(s *canon.Scanner) {
	var spans [2]canon.Span
	label := string(s.Discriminator("type"))
	if label != "card" && label != `"l"` {
		s.NoBranch()
		return
	}
	shape := &listShape
	if label == "card" {
		shape = &cardShape
	}
	s.Branch(label)
	o := s.Object(shape, spans[:])
	for s.Next(&o) {
		switch string(s.Name()) {
		case "of", "number":
			s.Member(&o, 0)
			if label == "card" {
				s.Exact(0)
				continue
			}
			a := s.Array(canon.List, -1)
			for s.Element(&a) {
				scanSourceOnce(s)
			}
		case "type":
			s.Member(&o, 1)
			s.Exact(1)
		default:
			s.Unknown(&o)
		}
	}
	s.EndBranch()
}

// formBombs are forms and multipart bodies of about n bytes that are meant to cost more than they weigh.
var formBombs = map[string]func(n int) (contentType, body string){
	"many names":      func(n int) (string, string) { return formOf(n/9, func(i int) string { return reversed(i) + "=" }) },
	"many bare names": func(n int) (string, string) { return formType, strings.Repeat("a&", n/2) },
	"only separators": func(n int) (string, string) { return formType, strings.Repeat("&", n) },
	"only equals":     func(n int) (string, string) { return formType, strings.Repeat("=", n) },
	"indexes from the end": func(n int) (string, string) {
		return formOf(n/12, func(i int) string { return fmt.Sprintf("a[%d]=", n/12-1-i) })
	},
	"two levels of names": func(n int) (string, string) {
		return formOf(n/17, func(i int) string { return reversed(i) + "[" + reversed(i) + "]=" })
	},
	"deep": func(n int) (string, string) {
		return formOf(n/390, func(i int) string { return reversed(i) + strings.Repeat("[a]", 127) + "=" })
	},
	"deep, one way": func(n int) (string, string) {
		return formOf(n/390, func(i int) string { return "a" + strings.Repeat("[a]", 126) + "[" + reversed(i) + "]=" })
	},
	"much too deep":     func(n int) (string, string) { return formType, "a" + strings.Repeat("[a]", n/3) },
	"opening brackets":  func(n int) (string, string) { return formType, "a" + strings.Repeat("[", n) },
	"pairs of brackets": func(n int) (string, string) { return formType, "a" + strings.Repeat("[]", n/2) },
	"names with long beginning": func(n int) (string, string) {
		return formOf(n/1000, func(i int) string { return strings.Repeat("x", 1000) + reversed(i) })
	},
	"one long name":      func(n int) (string, string) { return formType, strings.Repeat("%41", n/3) },
	"NUL in a name":      func(n int) (string, string) { return formType, strings.Repeat("%00", n/3) },
	"control characters": func(n int) (string, string) { return formType, "a=" + strings.Repeat("%01", n/3) },
	"refused at the end": func(n int) (string, string) { return formType, strings.Repeat("a=1&", n/4) + "b=%" },
	"half boundaries": func(n int) (string, string) {
		return multipartType, multipartOf(file("file", "", strings.Repeat("\r\n-", n/3)))
	},
	"long boundaries, almost": func(n int) (string, string) {
		boundary := strings.Repeat("-", 70)
		body := strings.ReplaceAll(multipartOf(file("file", "", strings.Repeat("\r\n"+strings.Repeat("-", 71), n/73))), "--b", "--"+boundary)
		return "multipart/form-data; boundary=" + boundary, body
	},
	"a long header": func(n int) (string, string) {
		return multipartType, multipartOf(strings.Repeat("X: y\n", n/6) + text("note", ""))
	},
	"many parameters": func(n int) (string, string) {
		return multipartType, multipartOf(`Content-Disposition: form-data` + strings.Repeat("; a=b", n/5) + "\n\n")
	},
	"a long name in a part": func(n int) (string, string) {
		return multipartType, multipartOf(text("note"+strings.Repeat(`\\`, n/2), ""))
	},
	"JSON in parts": func(n int) (string, string) {
		parts := make([]string, 100)
		for i := range parts {
			parts[i] = text("items", `{"sku":"`+strings.Repeat("x", n/100)+`"}`)
		}
		return multipartType, multipartOf(parts...)
	},
}

func formOf(pieces int, piece func(int) string) (contentType, body string) {
	all := make([]string, pieces)
	for i := range all {
		all[i] = piece(i)
	}
	return formType, strings.Join(all, "&")
}

// Thirty-two times the body may cost about thirty-two times the time, as in TestBombsAreLinear.
func TestFormBombsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, bomb := range formBombs {
		t.Run(name, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			cost := func(n int) func() time.Duration {
				contentType, body := bomb(n)
				r := &canon.Request{Body: []byte(body), ContentType: contentType}
				return func() time.Duration {
					return spent(func() { _, _ = fingerprintEvery(s, r, leaf(canon.Generic)) })
				}
			}
			small, large := cost(10_000), cost(320_000)
			bestSmall, bestLarge := time.Hour, time.Hour
			for round := range 60 {
				bestSmall, bestLarge = min(bestSmall, small()), min(bestLarge, large())
				if round >= 5 && bestLarge < 100*bestSmall {
					return
				}
			}
			t.Errorf("thirty-two times the body costs %.1f times the time", float64(bestLarge)/float64(bestSmall))
		})
	}
}

func BenchmarkForm(b *testing.B) {
	s := canon.Acquire()
	defer s.Release()
	for _, kind := range []struct{ name, contentType, body string }{{"form", formType, paymentForm}, {"JSON", "application/json", paymentFormAsJSON}} {
		b.Run(kind.name, func(b *testing.B) {
			r := &canon.Request{Body: []byte(kind.body), ContentType: kind.contentType}
			b.SetBytes(int64(len(kind.body)))
			for b.Loop() {
				_, _ = fingerprintEvery(s, r, scanPayment)
			}
		})
	}
}
