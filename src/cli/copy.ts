/** `pilothouse copy`: all objects from one store to another, in the layout of the target. */

import { ConfigError } from '../config/config-error.ts'
import { parseGoDuration } from '../config/go-values.ts'
import type { Encryption } from '../encryption/encryption.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { systemClock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'
import type { CopyProgress, CopyResult } from '../transfer/copy-store.ts'
import { openAddress, parseStoreAddress, type StoreAddress } from './store-address.ts'
import { readArguments, reportingStoreErrors, type Tool, type ToolOutput } from './tool.ts'

const usage = `Copies all objects from one store to another, and compares them afterwards.

Usage:
  pilothouse copy --from STORE --to STORE [flags]

  STORE is etcd://host:port[,host:port…][/prefix], etcds://… for TLS, or lmdb://folder (the data folder of a server).

  --overwrite           write to a target that is not empty: it gets what the source has, and nothing else
  --event-ttl DURATION  how long events live in the target (default 1h0m0s)
  --etcd-cafile FILE    the CA that etcd's certificate is checked against
  --etcd-certfile FILE  the certificate to show to etcd
  --etcd-keyfile FILE   the key of --etcd-certfile
  --from-encryption-provider-config FILE
                        how the source encrypts: its values are decrypted. Without it they are copied as they are
  --to-encryption-provider-config FILE
                        how the target encrypts: values are encrypted for it

The two may be the same file. The flags for etcd's certificates are for the source and the target, where both are etcd.
A copy that was cut goes on where it stopped when the same command is given again. Stop the servers of the target before.
`

const options = {
  from: { type: 'string' },
  to: { type: 'string' },
  overwrite: { type: 'boolean' },
  'event-ttl': { type: 'string' },
  'etcd-cafile': { type: 'string' },
  'etcd-certfile': { type: 'string' },
  'etcd-keyfile': { type: 'string' },
  'from-encryption-provider-config': { type: 'string' },
  'to-encryption-provider-config': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

export const copy: Tool = async (args, output) => {
  const { values, positionals } = readArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  const { from, to } = values
  if (from === undefined || to === undefined)
    throw new ConfigError('copy needs --from and --to; see pilothouse copy --help')
  if (positionals.length > 0) throw new ConfigError(`copy does not take the argument ${JSON.stringify(positionals[0])}`)
  if (from === to) throw new ConfigError('--from and --to name the same store')
  const ttl = parseGoDuration(values['event-ttl'] ?? '1h')
  if (ttl < 1000) throw new ConfigError('--event-ttl must be a duration of a second or more')
  await reportingStoreErrors(() => run({ from, to, values, eventTtlSeconds: Math.floor(ttl / 1000) }, output))
  return 0
}

interface Asked {
  readonly from: string
  readonly to: string
  readonly values: ReturnType<typeof readArguments<typeof options>>['values']
  readonly eventTtlSeconds: number
}

async function run({ from, to, values, eventTtlSeconds }: Asked, output: ToolOutput): Promise<void> {
  const files = { ca: values['etcd-cafile'], cert: values['etcd-certfile'], key: values['etcd-keyfile'] }
  const addresses = [parseStoreAddress(from), parseStoreAddress(to)] as const
  const { copyStore } = await import('../transfer/copy-store.ts')
  const { encryptionOf } = await import('../encryption/make-encryption.ts')
  const cut = new AbortController()
  const onSignal = (): void => cut.abort(new ConfigError('cut; give the same command again to go on'))
  const opened: (() => Awaitable<void>)[] = []
  const encryptionIn = async (file: string | undefined): Promise<Encryption | undefined> => {
    if (file === undefined) return undefined
    const encryption = await encryptionOf(file, systemClock)
    opened.push(() => encryption.close())
    return encryption
  }
  const store = async (address: StoreAddress, mustExist: boolean): Promise<Store> => {
    const open = await openAddress(address, files, mustExist)
    opened.push(() => open.close())
    return open
  }
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    const keys = [
      await encryptionIn(values['from-encryption-provider-config']),
      await encryptionIn(values['to-encryption-provider-config']),
    ] as const
    const progress = new ProgressLine(output)
    const result = await copyStore({
      from: { store: await store(addresses[0], true), prefix: addresses[0].prefix, name: from, encryption: keys[0] },
      to: { store: await store(addresses[1], false), prefix: addresses[1].prefix, name: to, encryption: keys[1] },
      clock: systemClock,
      overwrite: values.overwrite === true,
      eventTtlSeconds,
      signal: cut.signal,
      onProgress: (now) => progress.show(now),
    })
    progress.end()
    printResult(result, output)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    for (const close of opened.reverse()) await close()
  }
}

function printResult(result: CopyResult, output: ToolOutput): void {
  const kept = result.unchanged > 0 ? `, ${result.unchanged} were there already` : ''
  const removed = result.removed > 0 ? `, ${result.removed} removed` : ''
  output.print(`Copied ${result.written} of ${result.keys} keys${kept}${removed}; all compared, SHA-256 ${result.digest}
The target is at revision ${result.targetRevision}: its objects have new resource versions, so clients must list anew.
`)
  if (result.opened > 0) output.note(`${result.opened} values were decrypted on the way.\n`)
  if (result.encrypted > 0) {
    output.note(
      `${result.encrypted} values are encrypted and were copied as they are: the target needs the same encryption configuration and prefix.\n`,
    )
  }
}

const barWidth = 30
const lineEveryMs = 2000

/** A bar on a terminal; elsewhere a line now and then. */
class ProgressLine {
  readonly #output: ToolOutput
  #shownAt = 0
  #phase = ''
  #drawn = false

  constructor(output: ToolOutput) {
    this.#output = output
  }

  show({ phase, done, total }: CopyProgress): void {
    const isEnd = done >= total
    if (this.#output.isTerminal) {
      const part = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(part * barWidth)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)}`
      this.#output.note(`\r\u001b[K${phase} ${bar} ${done}/${total}`)
      this.#drawn = true
      return
    }
    const now = systemClock.now()
    if (!isEnd && phase === this.#phase && now - this.#shownAt < lineEveryMs) return
    this.#phase = phase
    this.#shownAt = now
    this.#output.note(`${phase} ${done} of ${total}\n`)
  }

  end(): void {
    if (this.#drawn) this.#output.note('\n')
  }
}
