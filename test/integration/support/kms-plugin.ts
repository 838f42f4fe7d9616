/** Runs the KMS plugin of the tests as a process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface KmsPluginProcess {
  /** As a configuration names it. */
  readonly endpoint: string
  change(to: { readonly keyId?: string; readonly healthz?: string }): Promise<void>
  stop(): Promise<void>
}

/** `socket`: a path, or `@` and a name in the abstract name space. */
export async function startKmsPlugin(socket: string): Promise<KmsPluginProcess> {
  rmSync(socket, { force: true })
  const script = join(import.meta.dirname, 'kms-plugin.mjs')
  const child = spawn(process.execPath, [script, socket], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  return {
    endpoint: socket.startsWith('@') ? `unix:///${socket}` : `unix://${socket}`,
    async change(to) {
      const changed = once(lines, 'line')
      child.stdin.write(`${JSON.stringify(to)}\n`)
      await changed
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      rmSync(socket, { force: true })
    },
  }
}
