/**
 * Links of HTML pages that come through a proxy, rewritten while the page passes: start tags are written anew with the links
 * changed, everything else stays as it came. A tag that is too long to be one ends the rewriting, and the rest passes as it is.
 * Text has one character a byte, so that no character is cut in two.
 * Mirrors apimachinery/pkg/util/proxy: rewriteHTML.
 */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
}

/** Elements whose content is text up to their end tag. */
const rawText = new Set(['iframe', 'noembed', 'noframes', 'plaintext', 'script', 'style', 'textarea', 'title', 'xmp'])

const longestTag = 64 << 10

export class HtmlLinks {
  readonly #rewrite: (link: string) => string
  #held = ''
  /** The element whose raw text is being passed. */
  #raw = ''
  #isOver = false

  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite
  }

  /** What can be passed on by now. */
  push(chunk: Buffer): Buffer {
    return Buffer.from(this.#take(chunk.toString('latin1'), false), 'latin1')
  }

  /** The rest. A tag that never ended is left out, as Go leaves it out. */
  end(): Buffer {
    return Buffer.from(this.#take('', true), 'latin1')
  }

  #take(chunk: string, isLast: boolean): string {
    const text = this.#held + chunk
    this.#held = ''
    if (this.#isOver) return text
    let out = ''
    let at = 0
    while (at < text.length) {
      const step = this.#raw === '' ? this.#next(text, at, isLast) : this.#rawTo(text, at, isLast)
      if (step === undefined) break
      out += step.out
      at = step.end
    }
    this.#held = text.slice(at)
    if (this.#held.length <= longestTag) return out
    this.#isOver = true
    const rest = this.#held
    this.#held = ''
    return out + rest
  }

  /** The next token from here; undefined while it is not whole. */
  #next(text: string, at: number, isLast: boolean): { out: string; end: number } | undefined {
    const open = text.indexOf('<', at)
    if (open < 0) return { out: text.slice(at), end: text.length }
    if (open > at) return { out: text.slice(at, open), end: open }
    const follows = text[at + 1]
    if (follows === undefined) return isLast ? { out: '<', end: at + 1 } : undefined
    if (/[a-zA-Z]/.test(follows)) return this.#startTag(text, at)
    if (follows === '/' || follows === '!' || follows === '?') return copyMarkup(text, at, isLast)
    return { out: '<', end: at + 1 }
  }

  #startTag(text: string, at: number): { out: string; end: number } | undefined {
    const tag = parseTag(text, at + 1)
    if (tag === undefined) return undefined
    const links = Object.hasOwn(linkAttributes, tag.name) ? linkAttributes[tag.name] : undefined
    const attributes = tag.attributes.map(([name, value]) => {
      const changed = links?.includes(name) ? bytesOf(this.#rewrite(textOf(value))) : value
      return ` ${name}="${escapeHtml(changed)}"`
    })
    if (rawText.has(tag.name) && !tag.isClosed) this.#raw = tag.name
    return { out: `<${tag.name}${attributes.join('')}${tag.isClosed ? '/' : ''}>`, end: tag.end }
  }

  #rawTo(text: string, at: number, isLast: boolean): { out: string; end: number } | undefined {
    const end = rawEnd(text, at, this.#raw)
    if (end >= 0) {
      this.#raw = ''
      return { out: text.slice(at, end), end }
    }
    if (isLast) return { out: text.slice(at), end: text.length }
    // The beginning of the end tag may still come.
    const safe = Math.max(at, text.length - this.#raw.length - 2)
    return safe === at ? undefined : { out: text.slice(at, safe), end: safe }
  }
}

function rawEnd(text: string, at: number, name: string): number {
  if (name === 'plaintext') return -1
  for (let open = text.indexOf('</', at); open >= 0; open = text.indexOf('</', open + 2)) {
    const after = open + 2 + name.length
    if (text.slice(open + 2, after).toLowerCase() === name && /[\s/>]/.test(text[after] ?? '')) return open
  }
  return -1
}

/** Comments, declarations and end tags stay as they are. */
function copyMarkup(text: string, at: number, isLast: boolean): { out: string; end: number } | undefined {
  const isTag = text[at + 1] === '/' && /[a-zA-Z]/.test(text[at + 2] ?? '')
  const closing = text.startsWith('<!--', at) ? '-->' : '>'
  const end = isTag
    ? (parseTag(text, at + 2)?.end ?? -1)
    : ends(text.indexOf(closing, at + (closing === '>' ? 2 : 4)), closing)
  if (end >= 0) return { out: text.slice(at, end), end }
  return isLast && !isTag ? { out: text.slice(at), end: text.length } : undefined
}

const ends = (found: number, closing: string): number => (found < 0 ? -1 : found + closing.length)

interface Tag {
  readonly name: string
  readonly attributes: readonly (readonly [string, string])[]
  readonly isClosed: boolean
  readonly end: number
}

const namePattern = /[^\s/>]*/y
const spacePattern = /[\s/]*/y
const keyPattern = /=?[^\s/=>]*/y
const equalsPattern = /\s*=\s*/y
const barePattern = /[^\s>]*/y

/** From its name on; undefined while the text ends before it does. */
function parseTag(text: string, from: number): Tag | undefined {
  let at = from
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const name = take(namePattern).toLowerCase()
  const attributes: [string, string][] = []
  for (;;) {
    take(spacePattern)
    if (at >= text.length) return undefined
    if (text[at] === '>') break
    const key = take(keyPattern).toLowerCase()
    const value = take(equalsPattern) === '' ? '' : attributeValue()
    if (value === undefined) return undefined
    if (key !== '') attributes.push([key, unescapeHtml(value.replace(/\r\n?/g, '\n'))])
  }
  return { name, attributes, isClosed: text[at - 1] === '/', end: at + 1 }

  function attributeValue(): string | undefined {
    const quoted = text[at]
    if (quoted !== '"' && quoted !== "'") return take(barePattern)
    const close = text.indexOf(quoted, at + 1)
    if (close < 0) return undefined
    const value = text.slice(at + 1, close)
    at = close + 1
    return value
  }
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Of references by name only the common ones; others stay, and say the same as before. */
const unescapeHtml = (text: string): string =>
  text.replace(/&(?:#(\d{1,7});?|#[xX]([0-9a-fA-F]{1,6});?|([a-z]+);)/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? bytesOf(named[name] as string) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code === 0 || code > 0x10ffff ? bytesOf('\ufffd') : bytesOf(String.fromCodePoint(code))
  })

const textOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

const bytesOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  '\r': '&#13;',
}

/** What `unescapeHtml` left is not escaped once more. */
const escapeHtml = (text: string): string =>
  text.replace(/&(?:[a-z]+;)?|['<>"\r]/g, (found) =>
    found.length > 1 && !isNamed(found) ? found : (escapes[found[0] as string] as string) + found.slice(1),
  )

const isNamed = (reference: string): boolean => Object.hasOwn(named, reference.slice(1, -1))
