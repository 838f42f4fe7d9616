// Made by scripts/catalog.mjs. Do not edit.
export const machineryVersion = `@Info
major	string	re	D""
minor	string	re	D""
emulationMajor	string
emulationMinor	string
minCompatibilityMajor	string
minCompatibilityMinor	string
gitVersion	string	re	D""
gitCommit	string	re	D""
gitTreeState	string	re	D""
buildDate	string	re	D""
goVersion	string	re	D""
compiler	string	re	D""
platform	string	re	D""
`
