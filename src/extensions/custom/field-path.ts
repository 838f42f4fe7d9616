/** A path such as `.spec.name` or `.map['a.b']` followed through something with fields. */

export type FoundPath<T> =
  | {
      readonly found: T
      readonly names: readonly string[]
      /** As messages write it: `spec.name`, `map[a.b]`. */
      readonly text: string
    }
  | { readonly problem: string }

/** One step down: by the name of a field, or by the key of a map. */
export type PathStep<T> = (from: T, name: string) => { readonly to: T; readonly isField: boolean } | undefined

export function followPath<T>(path: string, root: T, step: PathStep<T>, { brackets = true } = {}): FoundPath<T> {
  const tokens = tokenize(path)
  let found = root
  let text = ''
  const names: string[] = []
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++] as string
    if (token !== '.' && token !== '[') return { problem: `expected [ or . but got: ${token}` }
    if (token === '[' && !brackets) return { problem: 'array notation is not allowed' }
    const raw = tokens[i++]
    if (raw === undefined) return { problem: 'unexpected end of JSON path' }
    const name = token === '[' ? unquote(raw) : { name: raw }
    if ('problem' in name) return name
    const inner = step(found, name.name)
    if (inner === undefined) return { problem: 'does not refer to a valid field' }
    found = inner.to
    names.push(name.name)
    text += inner.isField ? `${text === '' ? '' : '.'}${name.name}` : `[${name.name}]`
    if (token === '.') continue
    const close = tokens[i++]
    if (close === undefined) return { problem: 'unexpected end of JSON path' }
    if (close !== ']') return { problem: `expected ] but got ${close}` }
  }
  return { found, names, text }
}

/** Delimiters, quoted texts, and what lies between. */
function tokenize(path: string): string[] {
  return path.match(/'(?:[\s\S]*?[^\\])??'|'[\s\S]*|[.[\]]|[^.[\]'][^.[\]]*/g) ?? []
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
}

function unquote(token: string): { readonly name: string } | { readonly problem: string } {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    return { problem: `expected single quoted string but got ${token}` }
  }
  let bad = ''
  const name = token.slice(1, -1).replace(/\\(.)/gs, (whole, char: string) => {
    const plain = escapes[char]
    if (plain === undefined) bad = whole
    return plain ?? ''
  })
  return bad === '' ? { name } : { problem: `invalid string literal: invalid escape char ${bad}` }
}
