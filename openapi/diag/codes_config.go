package diag

// Findings about idemgen.yaml.
const (
	ConfigMember  Code = "IDG431"
	ConfigType    Code = "IDG432"
	ConfigValue   Code = "IDG433"
	ConfigMissing Code = "IDG434"
	ConfigTwice   Code = "IDG435"
	ConfigFixed   Code = "IDG436"
)

// configCodes are the findings about the configuration file.
var configCodes = []Info{
	{
		Code: ConfigMember, Severity: Error,
		Title: "idemgen.yaml has an unknown member",
		Explanation: "Each object of the file has a fixed set of members. A misspelt one would silently leave a default in force, so it is an error; " +
			"the hint is the nearest member that exists. `idemgen schema config` prints all of them for editors.",
		Bad:  "documents:\n  - {path: payments.yaml, overlay: [idempotency.yaml]}",
		Good: "documents:\n  - {path: payments.yaml, overlays: [idempotency.yaml]}",
	},
	{
		Code: ConfigType, Severity: Error,
		Title:       "a value in idemgen.yaml has the wrong type",
		Explanation: "A list, an object, a text or a boolean stands where one of the others is meant. Nothing is converted.",
		Bad:         "documents: payments.yaml",
		Good:        "documents: [payments.yaml]",
	},
	{
		Code: ConfigValue, Severity: Error,
		Title: "a value in idemgen.yaml cannot be used",
		Explanation: "A word is none of those that the member knows, a code does not exist, an extension's name does not begin with x-, or a path is absolute. " +
			"Paths are relative to the folder of idemgen.yaml and have forward slashes, so that they hold on every machine.",
		Bad:  "lint: {IDG323: fatal}",
		Good: "lint: {IDG323: error}",
	},
	{
		Code: ConfigMissing, Severity: Error,
		Title: "an entry of idemgen.yaml lacks a member",
		Explanation: "A document needs its path. An accepted finding needs its code, where it is, and a reason: in a year somebody will ask why, and the reason " +
			"is what a reviewer of the entry judges.",
		Bad:  "accept:\n  - {code: IDG323, at: createQuote}",
		Good: "accept:\n  - {code: IDG323, at: createQuote, reason: quotes are void after an hour}",
	},
	{
		Code: ConfigTwice, Severity: Error,
		Title:       "idemgen.yaml names one thing twice",
		Explanation: "A document is listed twice, or a finding is accepted twice at one place. The settings of two entries cannot both hold.",
		Bad:         "documents: [payments.yaml, ./payments.yaml]",
		Good:        "documents: [payments.yaml]",
	},
	{
		Code: ConfigFixed, Severity: Error,
		Title: "an error cannot be made lighter",
		Explanation: "Levels and acceptances are for warnings. An error says that something cannot be generated, or would not do what it says: it is mended, not switched off. " +
			"What was mended deliberately in another way has a word of its own, exempt for an operation, generate --accept for a change that forgets records.",
		Bad:  "lint: {IDG301: warning}",
		Good: "lint: {IDG323: off}",
	},
}
