package fingerprint

import (
	"fmt"
	"strings"
)

// Body makes a payment with so many items. Its members stand in the order in which a client would write them, which is not the
// canonical one; about a quarter of it is ignored.
func Body(items int) []byte {
	var b strings.Builder
	b.WriteString(`{"order_id":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","amount":{"value":"10.00","currency":"EUR"},"method":"Card"`)
	if items > 0 {
		b.WriteString(`,"customer":{"id":"cus_0381","email":"ada@example.com"},"capture_at":"2026-11-30T09:00:00+01:00","items":[`)
		for i := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"sku":"SKU-%06d","qty":%d,"price":{"value":%d.%02d,"currency":"EUR"},`+
				`"desc":"Article number %d, the blue one","tags":["summer","blue","b%d"]}`, i, i%9+1, i%400+1, i%100, i, i%7)
		}
		b.WriteString(`],"metadata":{"channel":"web","campaign":"autumn-2026","agent":"Größe 9"}`)
		fmt.Fprintf(&b, `,"trace":{"id":"4bf92f3577b34da6a3ce929d0e0e4736","hops":["%s"]}`, strings.Repeat(`edge-1","`, 2*items+2))
	}
	b.WriteString(`,"sent_at":1796112000,"note":"left at the door"}`)
	return []byte(b.String())
}

// LongString makes a payment that is dominated by one string of so many bytes.
func LongString(size int) []byte {
	line := "The quick brown fox jumps over the lazy dog, and again. "
	text := strings.Repeat(line, size/len(line)+1)[:size]
	return []byte(`{"order_id":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","text":"` + text +
		`","amount":{"value":"10.00","currency":"EUR"},"method":"card"}`)
}
