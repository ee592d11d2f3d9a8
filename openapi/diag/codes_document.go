package diag

// documentCodes are the findings about documents and their references: IDG1xx.
var documentCodes = []Info{}
