/** The tags in names of images, which may begin with a registry: `host:5000/path/name:tag@digest`. */

const word = '[a-z0-9]+'
const component = `${word}(?:(?:[._]|__|-+)${word})*`
const path = `${component}(?:/${component})*`
const label = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const registry = `(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const digest = '(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})'
const named = new RegExp(`^(?:${registry}/)?(${path})(?::(\\w[\\w.-]{0,127}))?(@${digest})?$`)

const maxPathLength = 255
const standardRegistry = 'docker.io'
const onlyDigest = /^[a-f0-9]{64}$/

/** An image with neither tag nor digest is the latest. Undefined when the name cannot be read, or has a digest alone. */
export function imageTag(image: string): string | undefined {
  if (onlyDigest.test(image)) return undefined
  const match = named.exec(fullName(image))
  if (match === null || (match[1]?.length ?? 0) > maxPathLength) return undefined
  return match[2] ?? (match[3] === undefined ? 'latest' : undefined)
}

/** Names without a registry are of one that everybody knows, and those of one word are of its own images. */
function fullName(image: string): string {
  const slash = image.indexOf('/')
  if (slash < 0) return `${standardRegistry}/library/${image}`
  const first = image.slice(0, slash)
  if (first === 'index.docker.io') return `${standardRegistry}${image.slice(slash)}`
  return first === 'localhost' || /[.:A-Z]/.test(first) ? image : `${standardRegistry}/${image}`
}
