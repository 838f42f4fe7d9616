/**
 * port-forward as a kubelet serves it over SPDY: two streams for each connection, one for its bytes and one for what goes wrong.
 * Mirrors k8s.io/kubelet/pkg/cri/streaming/portforward: httpStreamHandler.
 */
import { SpdyServerConnection, type SpdyServerStream } from '../../../outbound/spdy/spdy-server.ts'
import type { Pod } from '../../objects.ts'
import type { PodScripts } from '../script/pod-scripts.ts'
import { refuse, switchToSpdy, type Upgrading } from './command-connections.ts'
import { portAnswer } from './port-answers.ts'

const protocol = 'portforward.k8s.io'

export interface ForwardFacts {
  readonly pod: Pod
  readonly scripts: PodScripts
  readonly query: URLSearchParams
}

interface Pair {
  error?: SpdyServerStream
  data?: SpdyServerStream
}

export function forwardPorts({ request, socket, head }: Upgrading, facts: ForwardFacts): void {
  if (String(request.headers.upgrade ?? '').toLowerCase() === 'websocket') {
    refuse(socket, 400, 'simulated kubelets forward ports over SPDY, which the API server tunnels through WebSockets')
    return
  }
  const offered = String(request.headers['x-stream-protocol-version'] ?? '').split(/,\s*/)
  if (!offered.includes(protocol)) {
    refuse(socket, 403, `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}]`)
    return
  }
  switchToSpdy(socket, protocol)
  const pairs = new Map<string, Pair>()
  new SpdyServerConnection(socket, head, {
    stream(stream) {
      const id = stream.headers['requestid'] ?? stream.headers['port'] ?? ''
      const pair = pairs.get(id) ?? {}
      pairs.set(id, pair)
      if (stream.headers['streamtype'] === 'error') pair.error = stream
      else pair.data = stream
      if (pair.error === undefined || pair.data === undefined) return
      pairs.delete(id)
      connectPort(pair.data, pair.error, facts)
    },
    close() {},
  })
}

function connectPort(data: SpdyServerStream, error: SpdyServerStream, { pod, scripts }: ForwardFacts): void {
  const port = Number(data.headers['port'] ?? 0)
  const answer = portAnswer(scripts, pod, port)
  if (answer === undefined) {
    const { namespace = '', name = '', uid = '' } = pod.metadata
    const why = `error forwarding port ${port} to pod ${uid}, uid : failed to connect to localhost:${port} inside simulated pod ${namespace}/${name}: connect: connection refused`
    error.write(Buffer.from(why))
    error.end()
    data.end()
    return
  }
  error.onEnd(() => {})
  data.onData((chunk) => {
    data.write(Buffer.from(answer(chunk.toString('latin1'))))
    data.end()
    error.end()
  })
  data.onEnd(() => {
    data.end()
    error.end()
  })
}
