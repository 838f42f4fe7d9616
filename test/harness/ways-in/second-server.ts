/** A server that is configured by flags where the first one has a file, with authorities of its own for clients and proxies. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseServerOptions } from '../../../src/config/server-options.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/logger.ts'
import { loadCredentials } from '../../../src/pki/data-folder.ts'
import { startServer } from '../../../src/server/server.ts'
import { ask } from './ask.ts'
import { adminToken, bearer, secretText } from './attack.ts'

export class SecondServer {
  readonly #server: Awaited<ReturnType<typeof startServer>>
  readonly port: number

  private constructor(server: SecondServer['server']) {
    this.#server = server
    this.port = Number(new URL(server.addresses[0] ?? '').port)
  }

  get server() {
    return this.#server
  }

  static async open(folder: string, flags: readonly string[]): Promise<SecondServer> {
    const data = join(folder, 'second')
    mkdirSync(data)
    const tokens = join(folder, 'second-tokens')
    writeFileSync(tokens, `${adminToken},admin,1,system:masters`)
    const options = parseServerOptions([
      '--store=memory',
      `--data-dir=${data}`,
      '--bind-address=127.0.0.1',
      '--authorization-mode=RBAC',
      `--token-auth-file=${tokens}`,
      ...flags,
    ])
    const listening = { ...options, serving: { ...options.serving, securePort: 0 } }
    const credentials = loadCredentials(listening, systemClock)
    const server = await startServer(listening, { logger: silentLogger(), credentials, clock: systemClock })
    await server.ready
    const second = new SecondServer(server)
    const body = { apiVersion: 'v1', metadata: { name: 's' }, stringData: { k: secretText } }
    const path = '/api/v1/namespaces/default/secrets'
    const { status } = await ask(second.port, { method: 'POST', path, headers: bearer(adminToken), body })
    if (status !== 201) throw new Error(`the secret of the second server is answered ${status}`)
    return second
  }

  async close(): Promise<void> {
    await this.#server.close()
  }
}
