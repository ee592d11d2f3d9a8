// Package agreement holds the generated fingerprint functions of golden/pipeline against the text of FINGERPRINT section 1 and against
// canon's reference interpreter, which works from the contract as data and shares no code with them.
package agreement
