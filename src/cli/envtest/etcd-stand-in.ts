/**
 * What envtest takes for etcd: it shows its flags, answers `/health` and ends at a signal. Nothing is kept in it: `/version` has the
 * kube-apiserver of the same folder so, which then keeps objects in its memory.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { ConfigError } from '../../config/config-error.ts'
import type { ToolOutput } from '../tool.ts'

export const standInVersion = 'pilothouse-stand-in'

const help = `Stands in for etcd where envtest starts one. Nothing is kept in it.

  --listen-client-urls       where it answers (default http://localhost:2379)
  --advertise-client-urls    no effect
  --listen-peer-urls         no effect
  --data-dir                 no effect
  --unsafe-no-fsync          no effect
`

const answers: Readonly<Record<string, object>> = {
  '/health': { health: 'true' },
  '/version': { etcdserver: standInVersion, etcdcluster: standInVersion },
}

export async function etcdStandIn(args: readonly string[], output: ToolOutput): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    output.print(help)
    return 0
  }
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  const { hostname, port } = listenUrl(args)
  server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
  await once(server, 'listening')
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  server.closeAllConnections()
  server.close()
  return 0
}

function listenUrl(args: readonly string[]): URL {
  const flag = '--listen-client-urls'
  const at = args.findIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  const given = at < 0 ? 'http://localhost:2379' : args[at] === flag ? args[at + 1] : args[at]?.slice(flag.length + 1)
  const [first = ''] = (given ?? '').split(',')
  const url = URL.canParse(first) ? new URL(first) : undefined
  if (url?.protocol !== 'http:')
    throw new ConfigError(`${flag} must be an address such as http://127.0.0.1:2379, not ${given}`)
  return url
}
