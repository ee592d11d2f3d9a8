package diag

// generateCodes are the findings about generation, generated files and the lock: IDG4xx.
var generateCodes = []Info{}
