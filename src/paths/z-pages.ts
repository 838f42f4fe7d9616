/** `/statusz` and `/flagz`: pages for people, in the words of the reference. Behind their gates. */
import { formatDuration } from '../api/duration.ts'
import type { RequestContext } from '../api/request-context.ts'
import { formatRelease } from '../config/emulated-version.ts'
import { flagDefinitions } from '../config/flags.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { versionInfo } from '../config/version-info.ts'
import type { Clock } from '../lib/clock.ts'
import type { PathHandler } from './paths.ts'

const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
const notForMachines =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'

export function zPages(options: ServerOptions, clock: Clock): ReadonlyMap<string, PathHandler> {
  const started = clock.now()
  const paths = new Map<string, PathHandler>()
  if (options.featureGates.enabled('ComponentStatusz')) {
    paths.set('/statusz', (context) => answer(context, () => statusText(options, started, clock.now())))
  }
  if (options.featureGates.enabled('ComponentFlagz')) {
    paths.set('/flagz', (context) => answer(context, () => flagsText(options)))
  }
  return paths
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

function statusText(options: ServerOptions, started: number, now: number): string {
  const { version } = options
  const { goVersion = '', gitVersion = '' } = versionInfo(options)
  const up = Math.floor((now - started) / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  return `
kube-apiserver statusz
${notForMachines}

Started: ${unixDate(started)}
Up: ${Math.floor(up / 3600)} hr ${two(Math.floor(up / 60) % 60)} min ${two(up % 60)} sec
Go version: ${goVersion}
Binary version: ${gitVersion.replace(/^v/, '')}
Emulation version: ${formatRelease(version.emulation)}
`
}

/** `Wed Oct 16 21:03:43 UTC 2024`, with a day of one digit set to the right. */
function unixDate(ms: number): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /)
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`
}

/** Every flag, with its default where it was not given. */
function flagsText({ flags }: ServerOptions): string {
  const lines = [...flagDefinitions().values()].map(({ name, type, defaultText }) => {
    const isList = !single.has(type)
    if (!flags.isSet(name))
      return `${name}=${isList && !defaultText.startsWith('[') ? `[${defaultText}]` : defaultText}`
    if (type === 'bool') return `${name}=${flags.bool(name)}`
    if (type === 'duration') return `${name}=${formatDuration(BigInt(Math.round(flags.number(name) * 1e6)))}`
    if (type === 'int' || type === 'float') return `${name}=${flags.number(name)}`
    return isList ? `${name}=[${flags.list(name).join(',')}]` : `${name}=${flags.string(name)}`
  })
  return `
kube-apiserver flags
${notForMachines}

${lines.sort().join('\n')}
`
}

const single: ReadonlySet<string> = new Set(['string', 'bool', 'int', 'float', 'duration', 'ip'])
