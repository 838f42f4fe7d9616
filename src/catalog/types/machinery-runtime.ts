// Made by scripts/catalog.mjs. Do not edit.
export type TypeMeta = {
  apiVersion?: string
  kind?: string
}

export type Unknown = {
  typeMeta?: TypeMeta
  raw?: string
  contentEncoding?: string
  contentType?: string
}
