/** `pilothouse lint`: which API versions of objects in files go or are gone, when, and what takes their place. */
import { formatGroupVersion } from '../api/group-version.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { changesSince } from '../catalog/older/changes.ts'
import { defaultRelease, isIntroduced, lifecycleOf, minorOf } from '../catalog/releases.ts'
import type { CatalogResource } from '../catalog/resources.ts'
import { ConfigError } from '../config/config-error.ts'
import { convertObject, presentVersion, resourceOfKind } from '../resources/convert-object.ts'
import { conversionSettings } from './convert.ts'
import { type FoundObject, findObjects, readFileArguments, shownName } from './object-files.ts'
import { releaseArgument } from './release-argument.ts'
import type { Tool } from './tool.ts'

const usage = `Which API versions of objects in files are deprecated or removed, in which release, and what changes.

Usage:
  pilothouse lint -f FILE|DIR|- [--release 1.N] [--strict] [-o text|json]

  -f, --filename NAME  a file, a folder (its .json, .yaml and .yml files) or - for the standard input; may be repeated
  -R, --recursive      folders of folders, too
  --release 1.N        the release that the objects are meant for (default 1.${defaultRelease})
  --strict             what is only deprecated counts as well
  -o, --output FORMAT  text (default) or json

Exit codes: 0 nothing that counts, 1 a mistake or a file that cannot be read, 2 something that the release does not serve
(or, with --strict, that it thinks of as deprecated).
`

const options = {
  release: { type: 'string' },
  strict: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

/** `early`: the release does not have it yet. `unknown`: not built in. */
export type LintState = 'ok' | 'deprecated' | 'removed' | 'early' | 'unknown'

export interface LintFinding {
  readonly file: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly state: LintState
  /** Releases such as `1.22`. */
  readonly introduced?: string
  readonly deprecated?: string
  readonly removed?: string
  /** The version to use instead, with the release that brought it. */
  readonly replacement?: { readonly apiVersion: string; readonly since?: string }
  /** What is different there, in words. */
  readonly changes?: readonly string[]
  /** Fields of the object that the replacement does not have under this name. */
  readonly fields?: readonly string[]
  /** Why it cannot be converted. */
  readonly problem?: string
}

export const lint: Tool = async (args, output) => {
  const { files, recursive, values } = readFileArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (files.length === 0) throw new ConfigError('must specify -f: which files to look at')
  const format = String(values.output ?? 'text')
  if (format !== 'text' && format !== 'json') throw new ConfigError(`--output must be text or json, not ${format}`)
  const release = releaseArgument(values.release)
  const findings = [...findObjects(files, recursive)].map((each) => lintObject(each, release))
  const counts: ReadonlySet<LintState> = new Set(
    values.strict === true ? ['removed', 'early', 'deprecated'] : ['removed', 'early'],
  )
  output.print(
    format === 'json'
      ? `${JSON.stringify({ release: `1.${release}`, findings }, undefined, 2)}\n`
      : text(findings, release),
  )
  return findings.some(({ state }) => counts.has(state)) ? 2 : 0
}

/** What there is to say about one object, for the release of that minor number. */
export function lintObject(found: FoundObject, release: number): LintFinding {
  const { file, apiVersion, kind } = found
  const about = { file, apiVersion, kind, name: shownName(found) }
  const resource = resourceOfKind(apiVersion, kind, release)
  if (resource === undefined) return { ...about, state: 'unknown' }
  const state = stateAt(resource, release)
  const { introduced, deprecated, removed } = lifecycleOf(resource, release)
  const life = {
    ...(introduced === undefined ? {} : { introduced }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(removed === undefined ? {} : { removed }),
  }
  return {
    ...about,
    state,
    ...life,
    ...(state === 'ok' || state === 'early' ? {} : whatChanges(found, resource, release)),
  }
}

function stateAt(resource: CatalogResource, release: number): LintState {
  const { deprecated, removed } = lifecycleOf(resource, release)
  if ((minorOf(removed) ?? Number.POSITIVE_INFINITY) <= release) return 'removed'
  if (!isIntroduced(resource, release)) return 'early'
  return (minorOf(deprecated) ?? Number.POSITIVE_INFINITY) <= release ? 'deprecated' : 'ok'
}

function whatChanges(found: FoundObject, resource: CatalogResource, release: number): Partial<LintFinding> {
  const changes = changesSince(found.apiVersion, found.kind)
  const present = presentVersion(resource, release)
  const words = changes.length === 0 ? {} : { changes }
  if (present === undefined || formatGroupVersion(present) === found.apiVersion) return words
  const { introduced } = lifecycleOf(present, release)
  const replacement = {
    apiVersion: formatGroupVersion(present),
    ...(introduced === undefined ? {} : { since: introduced }),
  }
  const result = convertObject(found.object as KubeObject, resource, present, conversionSettings(release))
  if (result.problem !== undefined) return { replacement, ...words, problem: result.problem }
  const fields = [...lostFields(found.object, result.object, '')]
  return { replacement, ...words, ...(fields.length === 0 ? {} : { fields }) }
}

/** The fields of one object that another one does not have: the topmost of them. */
function* lostFields(object: JsonObject, other: JsonObject, at: string): Generator<string> {
  for (const [key, value] of Object.entries(object)) {
    const path = at === '' ? key : `${at}.${key}`
    if (value === undefined || value === null || isNothing(value)) continue
    const there = other[key]
    if (there === undefined) yield path
    else if (isJsonObject(value) && isJsonObject(there)) yield* lostFields(value, there, path)
    else if (Array.isArray(value) && Array.isArray(there)) yield* lostInItems(value, there, path)
  }
}

function* lostInItems(items: readonly JsonValue[], others: readonly JsonValue[], at: string): Generator<string> {
  for (const [i, item] of items.entries()) {
    const other = others[i]
    if (isJsonObject(item) && isJsonObject(other)) yield* lostFields(item, other, `${at}[${i}]`)
  }
}

const isNothing = (value: JsonValue): boolean =>
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

function text(findings: readonly LintFinding[], release: number): string {
  const lines = findings
    .filter(({ state }) => state !== 'ok' && state !== 'unknown')
    .map((each) => paragraph(each, release))
  const count = (state: LintState): number => findings.filter((each) => each.state === state).length
  const unknown = count('unknown')
  const summary = `${findings.length} objects for v1.${release}: ${count('removed')} removed, ${count('deprecated')} deprecated, ${count('early')} too early, ${count('ok')} fine${unknown === 0 ? '' : `, ${unknown} not built in`}\n`
  return lines.join('') + summary
}

/** What became of the version of an object, in words; empty when there is nothing to say. */
export function describeState(finding: LintFinding, release: number): string {
  const { apiVersion, state, introduced, deprecated, removed, replacement } = finding
  const since = replacement?.since === undefined ? '' : ` (since v${replacement.since})`
  const instead = replacement === undefined ? '' : `; use ${replacement.apiVersion}${since}`
  return {
    removed: `${apiVersion} was removed in v${removed}${instead}`,
    deprecated: `${apiVersion} is deprecated since v${deprecated}${removed === undefined ? '' : ` and goes in v${removed}`}${instead}`,
    early: `${apiVersion} came with v${introduced}, after v1.${release}`,
    ok: '',
    unknown: '',
  }[state]
}

function paragraph(finding: LintFinding, release: number): string {
  const { file, kind, name } = finding
  const more = [
    ...(finding.changes ?? []),
    ...(finding.fields === undefined ? [] : [`fields that are not there any more: ${finding.fields.join(', ')}`]),
    ...(finding.problem === undefined ? [] : [`cannot be converted: ${finding.problem}`]),
  ]
  const life = describeState(finding, release)
  return `${file}: ${kind} ${name}: ${life}\n${more.map((line) => `    - ${line}\n`).join('')}`
}
