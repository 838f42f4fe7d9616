/** The health of the control plane's components: the store, and the scheduler and controller manager if they run on this machine. */
import { reasonOf } from '../lib/fault.ts'
import { callOutbound } from '../outbound/call.ts'
import { Transport } from '../outbound/transport.ts'
import type { ComponentHealth } from '../resources/kind-rules.ts'
import type { Store } from '../store/store.ts'

const timeoutMs = 2000
const maxAnswerBytes = 4096

export async function componentHealth(store: Store): Promise<ComponentHealth[]> {
  return Promise.all([probe('scheduler', 10_259), probe('controller-manager', 10_257), storeHealth(store)])
}

async function storeHealth(store: Store): Promise<ComponentHealth> {
  try {
    await store.health(AbortSignal.timeout(timeoutMs))
    return { name: 'etcd-0', healthy: true, message: 'ok', error: '' }
  } catch (error) {
    return { name: 'etcd-0', healthy: false, message: '', error: reasonOf(error) }
  }
}

/** Their certificates are their own: there is nothing to check them by, and nothing secret is said. */
async function probe(name: string, port: number): Promise<ComponentHealth> {
  const transport = new Transport({ tls: { insecure: true }, keepAlive: false })
  const destination = { scheme: 'https', host: '127.0.0.1', port, path: '/healthz' } as const
  try {
    const facts = { method: 'GET', headers: {}, timeoutMs, timeoutOf: 'client', maxBytes: maxAnswerBytes } as const
    const { status, body } = await callOutbound(transport, destination, facts)
    return { name, healthy: status === 200, message: body.toString('utf8'), error: '' }
  } catch (error) {
    return { name, healthy: false, message: reasonOf(error), error: '' }
  } finally {
    transport.close()
  }
}
