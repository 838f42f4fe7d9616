/**
 * DNS rebinding: names that lead elsewhere at every lookup, to a machine that may be proxied to and to this one in turns. A server that looks a
 * name up for a check and once more for the connection is led to the trap.
 */
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { type Attack, adminToken, bearer } from './attack.ts'
import { hookHost } from './outgoing.ts'

const core = '/api/v1/namespaces/default'
const suffix = '.rebinding.example'
/** The machines that names lead to, one after the other; some lead to two at once. */
const turns: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'away-first': [[hookHost], ['127.0.0.1']],
  'home-first': [['127.0.0.1'], [hookHost]],
  'link-local': [[hookHost], ['169.254.169.254'], ['127.0.0.1']],
  both: [[hookHost, '127.0.0.1']],
  'by-six': [[hookHost], ['::1'], ['::ffff:127.0.0.1'], ['127.0.0.1']],
}
/** Every name comes to each of its turns, and behind it. */
const attempts = 8

/** The resolver of this process, as the owner of the zone answers it. */
export class RebindingResolver {
  readonly #original = dns.lookup
  readonly #asked = new Map<string, number>()

  constructor() {
    const lookup = (host: string, options: dns.LookupOptions, callback: (...answer: unknown[]) => void): void => {
      const all = turns[host.replace(suffix, '')]
      if (!host.endsWith(suffix) || all === undefined) {
        ;(this.#original as (...given: unknown[]) => void)(host, options, callback)
        return
      }
      const turn = this.#asked.get(host) ?? 0
      this.#asked.set(host, turn + 1)
      const found = (all[turn % all.length] ?? []).map((address) => ({
        address,
        family: address.includes(':') ? 6 : 4,
      }))
      if (options.all === true) process.nextTick(callback, null, found)
      else process.nextTick(callback, null, found[0]?.address, found[0]?.family)
    }
    dns.lookup = lookup as unknown as typeof dns.lookup
    syncBuiltinESMExports()
  }

  /** Names that were never asked for: an attack by them has shown nothing. */
  get unasked(): string[] {
    return Object.keys(turns).filter((name) => !this.#asked.has(`${name}${suffix}`))
  }

  close(): void {
    dns.lookup = this.#original
    syncBuiltinESMExports()
  }
}

export const rebindingObjects = (trapPort: number) =>
  Object.keys(turns).flatMap((name) => [
    {
      path: `${core}/services`,
      method: 'POST',
      body: {
        metadata: { name },
        spec: { type: 'ExternalName', externalName: `${name}${suffix}`, ports: [{ name: 'p', port: trapPort }] },
      },
    },
    { path: '/api/v1/nodes', method: 'POST', body: { metadata: { name } } },
    {
      path: `/api/v1/nodes/${name}/status`,
      method: 'PATCH',
      body: { status: { addresses: [{ type: 'Hostname', address: `${name}${suffix}` }] } },
    },
  ])

export const rebindingAttacks = (trapPort: number): Attack[] =>
  Object.keys(turns).flatMap((name) =>
    [
      ['the service', `${core}/services/${name}:${trapPort}/proxy/`],
      ['the service', `${core}/services/https:${name}:${trapPort}/proxy/`],
      ['the node', `/api/v1/nodes/${name}:${trapPort}/proxy/`],
      ['the node', `/api/v1/nodes/http:${name}:${trapPort}/proxy/`],
    ].flatMap(([what, path = '']) =>
      Array.from({ length: attempts }, () => ({
        name: `a proxy to ${what} that is rebound, ${name}`,
        path,
        headers: bearer(adminToken),
        refusals: [400, 403, 404, 500, 502, 503],
      })),
    ),
  )
