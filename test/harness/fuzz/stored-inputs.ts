/** Stored bytes: what is in the store is damaged behind the server's back, and then read, listed, changed and deleted. */
import type { Random } from '../random.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { FuzzInput, InputSource } from './input.ts'
import type { Target } from './target.ts'
import { toldOf } from './verdict.ts'

const prefix = '/registry/'

/** Where the objects are that are damaged, and by which path each is reached. */
const places = [
  { key: 'configmaps/default/', path: '/api/v1/namespaces/default/configmaps/', body: { data: { a: 'b' } } },
  { key: 'secrets/default/', path: '/api/v1/namespaces/default/secrets/', body: { stringData: { a: 'b' } } },
  {
    key: 'services/specs/default/',
    path: '/api/v1/namespaces/default/services/',
    body: { spec: { ports: [{ port: 80 }] } },
  },
  {
    key: 'pods/default/',
    path: '/api/v1/namespaces/default/pods/',
    body: { spec: { containers: [{ name: 'a', image: 'a' }] } },
  },
  {
    key: 'deployments/default/',
    path: '/apis/apps/v1/namespaces/default/deployments/',
    body: {
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } },
      },
    },
  },
  { key: 'leases/default/', path: '/apis/coordination.k8s.io/v1/namespaces/default/leases/', body: { spec: {} } },
]

export function storedInputs(random: Random, target: Target): InputSource {
  let made = 0
  return {
    next(): FuzzInput {
      const place = random.pick(places)
      const own = random.fork()
      const name = `stored-${made++}`
      let bytes: Buffer = Buffer.alloc(0)
      return {
        family: 'stored',
        show: () => `${place.key}${name} = ${JSON.stringify(bytes.toString('latin1'))}`,
        run: async () => {
          bytes = await damage(target, { ...place, name }, own)
          return visit(target, `${place.path}${name}`)
        },
      }
    },
  }
}

interface Place {
  readonly key: string
  readonly path: string
  readonly body: object
  readonly name: string
}

const json = { accept: 'application/json', 'content-type': 'application/json' }

async function damage({ send, store }: Target, { key, path, body, name }: Place, random: Random): Promise<Buffer> {
  const answer = await send({
    method: 'POST',
    path: path.slice(0, -1),
    headers: json,
    body: Buffer.from(JSON.stringify({ metadata: { name }, ...body })),
  })
  const found = await store.get(`${prefix}${key}${name}`)
  if (found.status !== 'ok' || found.entry === undefined) {
    throw new Error(`nothing is stored at ${key}${name}: ${toldOf(answer.status, answer.body)}`)
  }
  const value = mutatedBytes(random, Buffer.from(found.entry.value))
  await store.write({ type: 'replace', key: `${prefix}${key}${name}`, value, expectedRevision: found.entry.revision })
  return value
}

async function visit({ send, store }: Target, path: string): Promise<string> {
  const collection = path.slice(0, path.lastIndexOf('/'))
  const told: string[] = []
  const requests: [string, string, object?][] = [
    ['GET', path],
    ['GET', collection],
    ['PATCH', path, { metadata: { labels: { a: 'b' } } }],
    ['GET', `${collection}?watch=1&resourceVersion=0`],
    ['DELETE', path],
  ]
  for (const [method, url, body] of requests) {
    const headers = body === undefined ? json : { ...json, 'content-type': 'application/merge-patch+json' }
    const answer = await send({
      method,
      path: url,
      headers,
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    })
    told.push(toldOf(answer.status, answer.body))
  }
  await removeLeft(store, path)
  return told.join('\n')
}

/** What cannot be read cannot be deleted by its path either, and would be in every later list. */
async function removeLeft(store: Target['store'], path: string): Promise<void> {
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (const { key } of places) {
    const found = await store.get(`${prefix}${key}${name}`)
    if (found.status === 'ok' && found.entry !== undefined) {
      await store.write({ type: 'delete', key: `${prefix}${key}${name}`, expectedRevision: found.entry.revision })
    }
  }
}
