/** Names of fields as expressions write them: what is no identifier is escaped, `a-b` as `a__dash__b`. */
const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

export const isReserved = (name: string): boolean => RESERVED.has(name)

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}
const UNESCAPES: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** Undefined for a name that expressions cannot write. */
export function escapeName(name: string): string | undefined {
  if (name === '' || !/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined
  if (RESERVED.has(name)) return `__${name}__`
  return name.replace(/__|[./-]/g, (match) => ESCAPES[match]!)
}

/** Undefined for what no name escapes to. */
export function unescapeName(escaped: string): string | undefined {
  let valid = true
  const name = escaped.replace(/__[^_]+__/g, (match) => {
    const inner = match.slice(2, -2)
    if (Object.hasOwn(UNESCAPES, inner)) return UNESCAPES[inner]!
    if (!RESERVED.has(inner) || match.length !== escaped.length) valid = false
    return inner
  })
  return valid ? name : undefined
}
