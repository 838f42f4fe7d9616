/**
 * Bootstrap tokens: Secrets of kube-system that nodes join a cluster with. The ConfigMap `cluster-info` is signed with each
 * of them, and they are deleted when their time is over.
 * Mirrors pkg/controller/bootstrap: Signer, TokenCleaner.
 * Mirrors k8s.io/cluster-bootstrap/token/jws: ComputeDetachedSignature.
 */
import { createHmac } from 'node:crypto'
import type { SimulatedController } from '../../framework/controller.ts'
import { keyOf, reconciler, splitKey } from '../../framework/reconciler.ts'
import type { ConfigMap, Secret } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'

const tokenType = 'bootstrap.kubernetes.io/token'
const signaturePrefix = 'jws-kubeconfig-'
const namespace = 'kube-system'
const info = { namespace: 'kube-public', name: 'cluster-info' }

const read = ({ data }: Secret, key: string): string => Buffer.from(data?.[key] ?? '', 'base64').toString('utf8')

/** Milliseconds that a token is still good for: none when it has expired, undefined when it never does. */
export function remainingMs(secret: Secret, now: number): number | undefined {
  const text = read(secret, 'expiration')
  if (text === '') return undefined
  const end = Date.parse(text)
  return Number.isNaN(end) ? 0 : Math.max(end - now, 0)
}

export interface BootstrapToken {
  readonly id: string
  readonly secret: string
}

/** Undefined where the Secret is none to sign with. */
export function signingToken(secret: Secret, now: number): BootstrapToken | undefined {
  const [, name] = /^bootstrap-token-([a-z0-9]{6})$/.exec(secret.metadata.name ?? '') ?? []
  const token = { id: read(secret, 'token-id'), secret: read(secret, 'token-secret') }
  if (secret.type !== tokenType || name === undefined || token.id !== name || token.secret === '') return undefined
  if (remainingMs(secret, now) === 0 || read(secret, 'usage-bootstrap-signing') !== 'true') return undefined
  return token
}

export function detachedSignature(content: string, { id, secret }: BootstrapToken): string {
  const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid: id })).toString('base64url')
  const payload = Buffer.from(content).toString('base64url')
  const signature = createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')
  return `${header}..${signature}`
}

/** The data of `cluster-info` with a signature for each token and no others. */
export function signedData(
  data: Readonly<Record<string, string>>,
  tokens: readonly BootstrapToken[],
): Record<string, string> | undefined {
  const content = data['kubeconfig']
  if (content === undefined) return undefined
  const others = Object.entries(data).filter(([key]) => !key.startsWith(signaturePrefix))
  const signatures = tokens.map((token) => [`${signaturePrefix}${token.id}`, detachedSignature(content, token)])
  return Object.fromEntries([...others, ...signatures])
}

export const bootstrapSignerController: SimulatedController = {
  name: 'bootstrap-signer-controller',
  start(context) {
    const secrets = context.informer<Secret>('', 'secrets')
    const configMaps = context.informer<ConfigMap>('', 'configmaps')
    const writer = context.writer('bootstrap-signer')
    const queue = reconciler(context, {
      name: 'bootstrap_signer_queue',
      async reconcile() {
        if (configMaps.get(info.namespace, info.name) === undefined) return
        const now = context.clock.now()
        const tokens = secrets.list(namespace).flatMap((secret) => signingToken(secret, now) ?? [])
        await writer.update<ConfigMap>('', 'configmaps', info, (current) => {
          const data = signedData(current.data ?? {}, tokens)
          return data === undefined ? undefined : { ...current, data }
        })
      },
    })
    const subscriptions = [
      secrets.subscribe(({ object }) => {
        if (object.type === tokenType && object.metadata.namespace === namespace) queue.add(info.name)
      }),
      configMaps.subscribe((change) => {
        if (change.namespace === info.namespace && change.name === info.name) queue.add(info.name)
      }),
    ]
    return runningController(subscriptions, [queue])
  },
}

export const tokenCleanerController: SimulatedController = {
  name: 'token-cleaner-controller',
  start(context) {
    const secrets = context.informer<Secret>('', 'secrets')
    const writer = context.writer('token-cleaner')
    const queue = reconciler(context, {
      name: 'token_cleaner',
      async reconcile(key) {
        const target = splitKey(key)
        const secret = secrets.get(target.namespace, target.name)
        const left = secret === undefined ? undefined : remainingMs(secret, context.clock.now())
        if (left === undefined) return undefined
        if (left > 0) return { requeueAfter: left }
        await writer.delete('', 'secrets', target, { preconditions: { uid: secret?.metadata.uid ?? '' } })
        return undefined
      },
    })
    const subscription = secrets.subscribe(({ type, object }) => {
      const isToken = object.type === tokenType && object.metadata.namespace === namespace
      if (isToken && type !== 'DELETED') queue.add(keyOf(object))
    })
    return runningController([subscription], [queue])
  },
}
