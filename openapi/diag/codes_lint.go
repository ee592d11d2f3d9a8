package diag

// AcceptanceUnused is an acceptance that matches no finding.
const AcceptanceUnused Code = "IDG590"

// lintCodes are what a reviewer would say of documents that can be generated: IDG5xx. All of them are warnings.
var lintCodes = []Info{
	{
		Code: AcceptanceUnused, Severity: Warning,
		Title: "an accepted finding does not exist",
		Explanation: "idemgen.yaml accepts findings that are right as they are, each with a reason. This one matches nothing in the documents that the file lists: " +
			"what it was about was mended, renamed or moved to another line. Left standing it would accept whatever comes to its place next.",
		Bad:  "accept:\n  - {code: IDG323, at: removedOperation, reason: why}",
		Good: "accept: []",
	},
}
