/**
 * The records of living servers in a shared store, as the reference keeps them: an Endpoints object with one address
 * under `/registry/masterleases/<address>`, which the store removes when it is not renewed. The two can share an etcd, and
 * so they are encrypted like everything else where everything is.
 */
import type { GroupResource } from '../../api/group-version.ts'
import { parseIp } from '../../api/ip.ts'
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import { schemaForKind } from '../../catalog/catalog.ts'
import { decodeEnvelope, decodeMessage, encodeProtobuf, hasProtobufPrefix } from '../../codec/protobuf.ts'
import type { ValueTransformer } from '../../registry/object-codec.ts'
import type { ObjectSchema } from '../../schema/schema.ts'
import type { Entry, Store } from '../../store/store.ts'
import type { ServerRecords } from './endpoint-reconciler.ts'

const ttlSeconds = 15
const attempts = 5
const kind = { group: '', version: 'v1', kind: 'Endpoints' }

/** What the reference encrypts them as. */
export const serverRecordResource: GroupResource = { group: '', resource: 'apiServerIPInfo' }

export function serverRecords(store: Store, prefix: string, transformer?: ValueTransformer): ServerRecords {
  const folder = `${prefix}/masterleases/`
  const schema = schemaForKind(kind)
  if (schema === undefined) throw new Error('the catalogue has no Endpoints')
  const current = async (address: string): Promise<Entry | undefined> => {
    const found = await store.get(folder + address)
    return found.status === 'ok' ? found.entry : undefined
  }
  const generation = async (entry: Entry | undefined): Promise<number> => {
    if (entry === undefined) return 0
    try {
      const { value } = transformer === undefined ? entry : await transformer.open(entry.value, entry.key)
      return generationOf(Buffer.from(value), schema)
    } catch {
      // It is about to be replaced, whatever it is.
      return 0
    }
  }
  return {
    async renew(address) {
      let entry = await current(address)
      for (let attempt = 0; attempt < attempts; attempt++) {
        const key = folder + address
        const plain = encodeProtobuf(record(address, (await generation(entry)) + 1), schema)
        const value = transformer === undefined ? plain : await transformer.seal(plain, key)
        const result = await store.write(
          entry === undefined
            ? { type: 'create', key, value, ttlSeconds }
            : { type: 'replace', key, value, ttlSeconds, expectedRevision: entry.revision },
        )
        if (result.ok) return
        entry = result.current
      }
      throw new Error(`the record of ${address} keeps changing: has another server the same address?`)
    },
    async list() {
      const found = await store.range(folder)
      if (found.status !== 'ok') throw new Error('the records of servers cannot be read')
      return found.items.map(({ key }) => key.slice(folder.length)).filter((address) => parseIp(address) !== undefined)
    },
    async remove(address) {
      const entry = await current(address)
      if (entry !== undefined) {
        await store.write({ type: 'delete', key: entry.key, expectedRevision: entry.revision })
      }
    },
  }
}

/** The generation counts the renewals: a record that did not change would not be written by the reference. */
function record(ip: string, generation: number): JsonObject {
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { generation, creationTimestamp: null },
    subsets: [{ addresses: [{ ip }] }],
  }
}

function generationOf(value: Buffer, schema: ObjectSchema): number {
  if (!hasProtobufPrefix(value)) return 0
  const { raw, apiVersion, kind: name } = decodeEnvelope(value)
  const { metadata } = decodeMessage(raw, schema, { apiVersion, kind: name })
  return isJsonObject(metadata) ? Number(metadata['generation'] ?? 0) : 0
}
