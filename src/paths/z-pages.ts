/** `/statusz` and `/flagz`: pages for people, in the words of the reference. Behind their gates. */
import { formatDuration } from '../api/duration.ts'
import type { JsonObject } from '../api/json.ts'
import type { RequestContext } from '../api/request-context.ts'
import { formatRelease } from '../config/emulated-version.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { versionInfo } from '../config/version-info.ts'
import type { AnswerSettings } from '../handlers/answer.ts'
import { answerPage, type StructuredPage } from '../handlers/structured-pages.ts'
import type { Clock } from '../lib/clock.ts'
import type { PathHandler } from './paths.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
const notForMachines =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'

export function zPages(
  options: ServerOptions,
  clock: Clock,
  settings: AnswerSettings,
): ReadonlyMap<string, PathHandler> {
  const started = clock.now()
  const { enabled } = options.featureGates
  const isStructured = enabled('release:structuredPages')
  const rules = { settings, hasBeta: enabled('release:betaPages') }
  const isUnnamed = enabled('release:statusPaths')
  const paths = listedPaths(options)
  const pages: readonly StructuredPage[] = [
    {
      name: 'statusz',
      kind: 'Statusz',
      component: isUnnamed ? 'apiserver' : 'kube-apiserver',
      text() {
        return statusText(options, { started, now: clock.now(), component: this.component, paths })
      },
      fields: () => ({ ...statusFields(options, { started, now: clock.now() }), paths: [...paths] }),
    },
    {
      name: 'flagz',
      kind: 'Flagz',
      component: rules.hasBeta ? 'apiserver' : 'kube-apiserver',
      text() {
        return isStructured ? flagsPage(options, this.component) : flagsText(options)
      },
      fields: () => ({ flags: Object.fromEntries(flagPairs(options)) }),
    },
  ]
  const handle = (page: StructuredPage): PathHandler =>
    isStructured ? (context) => answerPage(context, page, rules) : (context) => answer(context, () => page.text())
  return new Map(pages.filter((page) => isOn(options, page)).map((page) => [`/${page.name}`, handle(page)]))
}

const isOn = ({ featureGates }: ServerOptions, { kind }: Pick<StructuredPage, 'kind'>): boolean =>
  featureGates.enabled(`Component${kind}`)

/** What the status lists: the folders of paths that help to find what is wrong. */
function listedPaths(options: ServerOptions): readonly string[] {
  if (!options.featureGates.enabled('release:statusPaths')) return []
  const flags = isOn(options, { kind: 'Flagz' }) ? ['/flagz'] : []
  return [...flags, '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version']
}

function answer(context: RequestContext, text: () => string): void {
  const { exchange } = context
  if (acceptsPlainText(context.header('accept'))) exchange.respond(200, plain, text())
  else exchange.respond(406, plain, 'media type not acceptable, must be: text/plain\n')
}

function acceptsPlainText(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true
  return accept.split(',').some((clause) => {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim().toLowerCase())
    if (type !== 'text/plain' && type !== 'text/*' && type !== '*/*') return false
    return parameters.every((parameter) => parameter.startsWith('q=') || parameter === 'charset=utf-8')
  })
}

interface Status {
  readonly started: number
  readonly now: number
  readonly component: string
  readonly paths: readonly string[]
}

const upSeconds = ({ started, now }: Pick<Status, 'started' | 'now'>): number => Math.floor((now - started) / 1000)

function statusFields(options: ServerOptions, times: Pick<Status, 'started' | 'now'>): JsonObject {
  const { goVersion = '', gitVersion = '' } = versionInfo(options)
  return {
    startTime: new Date(times.started).toISOString().replace(/\.\d+Z$/, 'Z'),
    uptimeSeconds: upSeconds(times),
    goVersion,
    binaryVersion: gitVersion.replace(/^v/, ''),
    emulationVersion: formatRelease(options.version.emulation),
  }
}

function statusText(options: ServerOptions, status: Status): string {
  const { goVersion, binaryVersion, emulationVersion } = statusFields(options, status)
  const up = upSeconds(status)
  const two = (value: number): string => String(value).padStart(2, '0')
  const paths = status.paths.length === 0 ? '' : `Paths: ${status.paths.join(' ')}\n`
  return `
${status.component} statusz
${notForMachines}

Started: ${unixDate(status.started)}
Up: ${Math.floor(up / 3600)} hr ${two(Math.floor(up / 60) % 60)} min ${two(up % 60)} sec
Go version: ${goVersion}
Binary version: ${binaryVersion}
Emulation version: ${emulationVersion}
${paths}`
}

/** `Wed Oct 16 21:03:43 UTC 2024`, with a day of one digit set to the right. */
function unixDate(ms: number): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /)
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}

/** Every flag of the release, with its default where it was not given. */
function flagPairs({ flags }: ServerOptions): [string, string][] {
  const pairs = flags.definitions.map(({ name, type, defaultText }): [string, string] => {
    const isList = !single.has(type)
    if (!flags.isSet(name)) return [name, isList && !defaultText.startsWith('[') ? `[${defaultText}]` : defaultText]
    if (type === 'bool') return [name, String(flags.bool(name))]
    if (type === 'duration') return [name, formatDuration(BigInt(Math.round(flags.number(name) * 1e6)))]
    if (type === 'int' || type === 'float') return [name, String(flags.number(name))]
    return [name, isList ? `[${flags.list(name).join(',')}]` : flags.string(name)]
  })
  return pairs.sort(([a], [b]) => (a < b ? -1 : 1))
}

function flagsText(options: ServerOptions): string {
  const lines = flagPairs(options).map(([name, value]) => `${name}=${value}`)
  return `
kube-apiserver flags
${notForMachines}

${lines.join('\n')}
`
}

function flagsPage(options: ServerOptions, component: string): string {
  const lines = flagPairs(options).map(([name, value]) => `${name}: ${value}`)
  return `
${component} flagz
${notForMachines}
${lines.join('\n')}
`
}

const single: ReadonlySet<string> = new Set(['string', 'bool', 'int', 'float', 'duration', 'ip'])
