/** `pilothouse import`: what one may read of a cluster, into a store or a snapshot, to be tried and broken here. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { ConfigError } from '../../config/config-error.ts'
import { parseServerOptions } from '../../config/server-options.ts'
import { systemClock } from '../../lib/clock.ts'
import { silentLogger } from '../../lib/logger.ts'
import { CallError } from '../../outbound/call.ts'
import { readKubeconfig, type WebhookConnection } from '../../outbound/kubeconfig.ts'
import { temporaryCredentials } from '../../pki/data-folder.ts'
import type { ServerLayers } from '../../server/test-seams.ts'
import { storeFolder } from '../store-address.ts'
import { formatBytes, readArguments, reportingStoreErrors, type Tool, type ToolOutput } from '../tool.ts'
import { ImportReader, ReadFailure } from './cluster-reader.ts'
import { type ImportCounts, importObjects } from './import-objects.ts'

const usage = `Reads the objects of a cluster into the store of a server, or into a snapshot. Nothing is written to the cluster.

Usage:
  pilothouse import [--kubeconfig FILE] [--context NAME] [--namespaces A,B] (--data-dir DIR | --snapshot FILE)

  --kubeconfig FILE     how to reach the cluster (default $KUBECONFIG, or ~/.kube/config)
  --context NAME        another context than the current one
  --namespaces A,B      only these namespaces, besides what is of the whole cluster
  --data-dir DIR        the data folder to make; start pilothouse on it afterwards
  --snapshot FILE       a snapshot to write instead, for pilothouse snapshot restore
  --with-secret-values  the values of secrets as well; without it only their keys come along
  --force               a data folder that holds a store already, or a snapshot that is there

Objects keep their uids, so that owners are found; references to owners that did not come along are left out. Custom resource
definitions come with their objects and conversions. What you may not read is named and skipped, and so are events and leases.
`

const options = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  namespaces: { type: 'string' },
  'data-dir': { type: 'string' },
  snapshot: { type: 'string' },
  'with-secret-values': { type: 'boolean' },
  force: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Given = ReturnType<typeof readArguments<typeof options>>['values']

export const importCluster: Tool = async (args, output) => {
  const { values, positionals } = readArguments(args, options)
  if (values.help === true) {
    output.print(usage)
    return 0
  }
  if (positionals.length > 0)
    throw new ConfigError(`import does not take the argument ${JSON.stringify(positionals[0])}`)
  const { 'data-dir': dataDir, snapshot, force } = values
  if ((dataDir === undefined) === (snapshot === undefined)) {
    throw new ConfigError('import needs either --data-dir or --snapshot; see pilothouse import --help')
  }
  const target = dataDir === undefined ? snapshot : path.join(storeFolder(dataDir), 'data.mdb')
  if (target !== undefined && force !== true && existsSync(target)) {
    throw new ConfigError(`${target} is there already; choose another name, or use --force`)
  }
  const isNew = target !== undefined && !existsSync(target)
  const connection = connectionOf(values)
  const temporary = dataDir === undefined ? mkdtempSync(path.join(tmpdir(), 'pilothouse-import-')) : undefined
  try {
    const folder = dataDir ?? temporary ?? ''
    const counts = await reportingStoreErrors(() => importInto(folder, connection, { values, output }))
    printCounts(counts, output)
    if (snapshot !== undefined) await save(folder, snapshot, output)
    else output.print(`Imported ${counts.objects} objects into ${folder}: pilothouse --data-dir ${folder}\n`)
  } catch (error) {
    // Half an import is none, and would be in the way of the next.
    if (dataDir !== undefined && isNew) rmSync(storeFolder(dataDir), { recursive: true, force: true })
    throw error
  } finally {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true })
  }
  return 0
}

function connectionOf({ kubeconfig, context }: Given): WebhookConnection {
  const file = kubeconfig ?? process.env['KUBECONFIG'] ?? path.join(homedir(), '.kube', 'config')
  try {
    return readKubeconfig(file, context)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

interface Importing {
  readonly values: Given
  readonly output: ToolOutput
}

/** An in-process server without a listener provides the registries of all kinds; its controllers stay off. */
async function importInto(
  folder: string,
  connection: WebhookConnection,
  { values, output }: Importing,
): Promise<ImportCounts> {
  const flags = [
    '--store=lmdb',
    `--data-dir=${folder}`,
    '--bind-address=127.0.0.1',
    '--controllers=-*',
    '--anonymous-auth=false',
  ]
  const parsed = parseServerOptions(flags)
  const serverOptions = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
  const { startServer } = await import('../../server/server.ts')
  let layers: ServerLayers | undefined
  const server = await startServer(serverOptions, {
    logger: silentLogger(),
    credentials: temporaryCredentials(serverOptions, systemClock),
    clock: systemClock,
    embedding: {
      plugins: [],
      authenticators: [],
      authorizers: [],
      isBackground: false,
      started(opened) {
        layers = opened
      },
    },
  })
  const reader = new ImportReader(connection)
  try {
    await server.ready
    if (layers === undefined) throw new Error('the server has not started')
    const { namespaces } = values
    return await importObjects(reader, layers.resources.registries, {
      namespaces: namespaces === undefined ? undefined : new Set(namespaces.split(',')),
      withSecretValues: values['with-secret-values'] === true,
      note: output.note,
    })
  } catch (error) {
    throw isUnreachable(error) ? new ConfigError(`cannot read ${connection.url}: ${(error as Error).message}`) : error
  } finally {
    reader.close()
    await server.close()
  }
}

const isUnreachable = (error: unknown): boolean => error instanceof ReadFailure || error instanceof CallError

function printCounts({ skipped, unlinked }: ImportCounts, output: ToolOutput): void {
  for (const [resource, why] of skipped) output.note(`skipped ${resource}: ${why}\n`)
  if (unlinked > 0)
    output.note(`${unlinked} objects have owners that did not come along: those references are left out\n`)
}

async function save(folder: string, file: string, output: ToolOutput): Promise<void> {
  const { saveSnapshot } = await import('../../store/lmdb/snapshot.ts')
  const { keys, bytes } = await saveSnapshot(storeFolder(folder), file, systemClock.now())
  output.print(`Imported ${keys} keys into ${file} (${formatBytes(bytes)}): pilothouse snapshot restore ${file}\n`)
}
