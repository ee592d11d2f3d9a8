// Package names knows what names in API documents usually mean: which member is an amount of money, which one a secret, which follows the
// request and not what it asks for.
//
// # Usage
//
//	n := names.New("cardNumber")
//	n.Secret() // true
//
// # Guarantees
//
// Case and what stands between words never count: cardNumber, card_number and Card-Number are one name. Whoever proposes and whoever reviews
// ask here, so that no proposal is criticised by the next verb.
//
// # Not included
//
// Types, places and descriptions: a name alone is a guess, and the rules that ask know more.
package names
