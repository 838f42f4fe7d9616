/** A server in this process and a real kubectl that talks to it, each call a process of its own. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseServerOptions } from '../../../src/config/server-options.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/logger.ts'
import { temporaryCredentials } from '../../../src/pki/data-folder.ts'
import { writeKubeconfig } from '../../../src/pki/kubeconfig.ts'
import { startServer } from '../../../src/server/server.ts'

const run = promisify(execFile)
const { kubectlBinary } = (await import('../../../scripts/components.mjs' as string)) as {
  kubectlBinary(): string | undefined
}

const found = kubectlBinary()
if (found === undefined) throw new Error('there is no kubectl: `node scripts/components.mjs kubectl` gets one')
export const kubectl: string = found

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface KubectlServer {
  /** Its configuration, its home and whatever `file` writes are here. */
  readonly folder: string
  readonly url: string
  /** Runs a command, whatever comes of it. */
  call(...args: string[]): Promise<CommandResult>
  /** Runs a command that must succeed; gives what it printed. */
  ok(...args: string[]): Promise<string>
  /** As `call`, with something to read, and more of an environment. */
  write(
    input: string,
    more: { readonly env: Readonly<Record<string, string>> },
    ...args: string[]
  ): Promise<CommandResult>
  /** Writes an object to a file for `-f`. */
  file(name: string, object: unknown): string
  close(): Promise<void>
}

export async function startKubectlServer(
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<KubectlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-kubectl-'))
  const dataDir = join(folder, 'data')
  const own = ['--store', 'memory', '--data-dir', dataDir, '--bind-address', '127.0.0.1']
  const parsed = parseServerOptions([...own, ...flags])
  const options = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
  const credentials = temporaryCredentials(options, systemClock)
  const server = await startServer(options, { logger: silentLogger(), credentials, clock: systemClock })
  await server.ready
  const [address = ''] = server.addresses
  const kubeconfig = join(folder, 'config')
  writeFileSync(
    kubeconfig,
    writeKubeconfig({ server: address, caPem: credentials.servingCaPem, client: credentials.admin }),
  )
  const write: KubectlServer['write'] = async (input, more, ...args) => {
    const all = { PATH: process.env['PATH'] ?? '', HOME: folder, KUBECONFIG: kubeconfig, ...env, ...more.env }
    const running = run(kubectl, args, { env: all, cwd: folder, maxBuffer: 64 << 20 })
    running.child.stdin?.end(input)
    try {
      return { code: 0, ...(await running) }
    } catch (error) {
      const { code, stdout = '', stderr = '' } = error as { code?: number | string; stdout?: string; stderr?: string }
      return { code: typeof code === 'number' ? code : 1, stdout, stderr: stderr === '' ? String(error) : stderr }
    }
  }
  const call = (...args: string[]): Promise<CommandResult> => write('', { env: {} }, ...args)
  return {
    folder,
    url: address,
    call,
    write,
    async ok(...args) {
      const { code, stdout, stderr } = await call(...args)
      if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}${stdout}`)
      return stdout
    },
    file(name, object) {
      const path = join(folder, name)
      writeFileSync(path, JSON.stringify(object))
      return path
    },
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
