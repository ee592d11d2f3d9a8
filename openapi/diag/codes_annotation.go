package diag

// annotationCodes are the findings about annotations and overlays: IDG2xx.
var annotationCodes = []Info{}
