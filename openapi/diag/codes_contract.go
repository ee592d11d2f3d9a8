package diag

// contractCodes are the findings about contracts: IDG3xx.
var contractCodes = []Info{}
