// Made by scripts/catalog.mjs. Do not edit.
export const machineryRuntime = `@TypeMeta
apiVersion	string	#1
kind	string	#2
@Unknown
typeMeta	.TypeMeta	#1
raw	string:byte	#2
contentEncoding	string	#3
contentType	string	#4
`
