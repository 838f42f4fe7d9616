/** `pilothouse snapshot save|restore|inspect`: the embedded store as one file. */
import { existsSync, statSync } from 'node:fs'
import { formatGroupResource } from '../api/group-version.ts'
import { ConfigError } from '../config/config-error.ts'
import { systemClock } from '../lib/clock.ts'
import { restoreSnapshot, saveSnapshot } from '../store/lmdb/snapshot.ts'
import { checkSnapshot, readSnapshot, type SnapshotHeader } from '../store/lmdb/snapshot-file.ts'
import { storeFolder } from './store-address.ts'
import { formatBytes, readArguments, reportingStoreErrors, type Tool, type ToolOutput } from './tool.ts'

const usage = `The embedded store as one file, with a checksum.

Usage:
  pilothouse snapshot save FILE [--data-dir DIR] [--force]
  pilothouse snapshot restore FILE [--data-dir DIR] [--force] [--bump-revision N]
  pilothouse snapshot inspect FILE [-o json] [--etcd-prefix PREFIX]

  --data-dir DIR        the data folder of the server (default pilothouse-data)
  --force               replace the file that is there, or what the folder to restore into holds
  --bump-revision N     raise the revision, so that clients that saw later ones read everything anew
  --etcd-prefix PREFIX  what every key begins with (default /registry)
  -o, --output FORMAT   text or json

A snapshot can be taken while a server runs on the folder; a restore needs it to be stopped.
`

const options = {
  'data-dir': { type: 'string' },
  force: { type: 'boolean' },
  'bump-revision': { type: 'string' },
  'etcd-prefix': { type: 'string' },
  output: { type: 'string', short: 'o' },
  help: { type: 'boolean', short: 'h' },
} as const

type Given = ReturnType<typeof readArguments<typeof options>>['values']

export const snapshot: Tool = async (args, output) => {
  const { values, positionals } = readArguments(args, options)
  if (values.help === true || positionals.length === 0) {
    output.print(usage)
    return values.help === true ? 0 : 1
  }
  const [action = '', file, ...more] = positionals
  const run = actions[action]
  if (run === undefined) throw new ConfigError(`unknown action ${JSON.stringify(action)}: use save, restore or inspect`)
  if (file === undefined || more.length > 0) throw new ConfigError(`"snapshot ${action}" takes one file`)
  await reportingStoreErrors(() => run(file, values, output))
  return 0
}

const actions: Readonly<Record<string, (file: string, given: Given, output: ToolOutput) => Promise<void>>> = {
  async save(file, given, output) {
    if (given.force !== true && existsSync(file)) {
      throw new ConfigError(`${file} is there already; choose another name, or use --force to replace it`)
    }
    const { keys, revision, bytes } = await saveSnapshot(folderOf(given), file, systemClock.now())
    output.print(`Saved ${keys} keys at revision ${revision} to ${file} (${formatBytes(bytes)})\n`)
  },

  async restore(file, given, output) {
    const folder = folderOf(given)
    const bumpRevision = Number(given['bump-revision'] ?? 0)
    if (!Number.isSafeInteger(bumpRevision) || bumpRevision < 0) {
      throw new ConfigError(`--bump-revision must be a whole number, not ${JSON.stringify(given['bump-revision'])}`)
    }
    const replace = given.force === true
    const unique = systemClock.uuid()
    const restored = await restoreSnapshot({ path: file, folder, replace, bumpRevision, unique }).catch(
      (error: Error) => {
        if (!error.message.endsWith('is not empty')) throw error
        throw new ConfigError(`${error.message}; use --force to replace what is there`)
      },
    )
    output.print(`Restored ${restored.keys} keys to ${folder}, which is at revision ${restored.revision}\n`)
  },

  async inspect(file, given, output) {
    const format = given.output ?? 'text'
    if (format !== 'text' && format !== 'json') throw new ConfigError(`--output must be text or json, not ${format}`)
    const report = await inspect(file, given['etcd-prefix'] ?? '/registry')
    output.print(format === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(file, report))
  },
}

const folderOf = (given: Given): string => storeFolder(given['data-dir'] ?? 'pilothouse-data')

interface Report extends SnapshotHeader {
  readonly bytes: number
  readonly resources: readonly { readonly resource: string; readonly keys: number; readonly bytes: number }[]
}

async function inspect(file: string, prefix: string): Promise<Report> {
  const header = await checkSnapshot(file)
  const { storedValues } = await import('../transfer/stored-values.ts')
  const values = storedValues('json', systemClock)
  const found = new Map<string, { keys: number; bytes: number }>()
  for await (const { change, value } of readSnapshot(file)) {
    const isObject = change.key.startsWith(`${prefix}/`)
    const resource = isObject ? formatGroupResource(values.resourceOf(change.key.slice(prefix.length))) : '(other keys)'
    const sum = found.get(resource) ?? { keys: 0, bytes: 0 }
    sum.keys++
    sum.bytes += value.length
    found.set(resource, sum)
  }
  const resources = [...found].map(([resource, sum]) => ({ resource, ...sum })).sort((a, b) => b.bytes - a.bytes)
  return { ...header, bytes: statSync(file).size, resources }
}

function reportText(file: string, { revision, keys, savedAt, bytes, resources }: Report): string {
  const width = Math.max(8, ...resources.map(({ resource }) => resource.length))
  const lines = resources.map(
    (each) =>
      `${each.resource.padEnd(width)}  ${String(each.keys).padStart(8)}  ${formatBytes(each.bytes).padStart(10)}\n`,
  )
  const title = `${file}: ${keys} keys at revision ${revision}, saved ${new Date(savedAt).toISOString()}, ${formatBytes(bytes)}`
  return `${title}\n\n${'RESOURCE'.padEnd(width)}  ${'KEYS'.padStart(8)}  ${'SIZE'.padStart(10)}\n${lines.join('')}`
}
