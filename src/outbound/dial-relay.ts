/**
 * A unix socket in a private folder whose connections all go through a dial to one address: for clients that can only
 * be given an address.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { Dial } from './dial.ts'

export interface DialRelay {
  readonly socketPath: string
  close(): void
}

export function openDialRelay(dial: Dial, host: string, port: number): Promise<DialRelay> {
  const folder = mkdtempSync(join(tmpdir(), 'pilothouse-dial-'))
  const socketPath = join(folder, 'socket')
  const open = new Set<Socket>()
  const server = createServer((client) => {
    open.add(client)
    client.on('close', () => open.delete(client))
    client.on('error', () => client.destroy())
    dial(host, port).then(
      (upstream) => pipeline(client, upstream, client, () => {}),
      () => client.destroy(),
    )
  })
  const close = (): void => {
    server.close()
    for (const client of open) client.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(socketPath, () => {
      server.unref()
      resolve({ socketPath, close })
    })
  })
}
