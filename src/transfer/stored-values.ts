/**
 * The values of a store seen without a server: which resource a key belongs to, and the same value as another kind of
 * store keeps it. Only built-in kinds differ between stores; custom resources are JSON everywhere.
 */

import type { GroupResource } from '../api/group-version.ts'
import { defaultRelease } from '../api/release-facts.ts'
import { formatTime, instantOfMillis } from '../api/time.ts'
import type { Clock } from '../lib/clock.ts'
import { objectCodec } from '../registry/object-codec.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { ObjectCodec } from '../registry/storage-contract.ts'
import { builtInDefinitions } from '../resources/definitions.ts'
import { expressionChecker } from '../resources/expression-checks.ts'
import { extensionRules } from '../resources/extension-rules.ts'
import type { KindServices } from '../resources/kind-rules.ts'
import { rangeDefinition } from '../resources/kinds/network/service/range-record.ts'

export type ValueLayout = 'reference' | 'json'

export interface StoredValues {
  /** What a key without the store's prefix belongs to: `/pods/default/web`. */
  resourceOf(key: string): GroupResource
  /** True for values that go by themselves. */
  expires(key: string): boolean
  /** Throws when the value cannot be read. */
  convert(key: string, value: Uint8Array): Promise<Uint8Array>
}

/** What encryption at rest puts in front of a value. */
const encryptedPrefix = Buffer.from('k8s:enc:')
export const isEncrypted = (value: Uint8Array): boolean =>
  encryptedPrefix.equals(value.subarray(0, encryptedPrefix.length))

const newline = 0x0a

export function storedValues(layout: ValueLayout, clock: Clock): StoredValues {
  const byPrefix = new Map<string, ResourceDefinition>()
  for (const definition of storedDefinitions(clock)) {
    const prefix = definition.storage.prefix.slice('/registry'.length)
    // Two groups may share their objects (events): the first stands for both.
    if (!byPrefix.has(prefix)) byPrefix.set(prefix, definition)
  }
  const codecs = new Map<ResourceDefinition, ObjectCodec>()
  const definitionOf = (key: string): ResourceDefinition | undefined => {
    const [first = '', second = ''] = key.slice(1).split('/', 2)
    return byPrefix.get(`/${first}/${second}`) ?? byPrefix.get(`/${first}`)
  }
  const codecOf = (definition: ResourceDefinition): ObjectCodec => {
    const codec = codecs.get(definition) ?? objectCodec(definition, { layout })
    codecs.set(definition, codec)
    return codec
  }
  return {
    resourceOf(key) {
      const definition = definitionOf(key)
      if (definition !== undefined) return definition
      const [first = '', second = ''] = key.slice(1).split('/', 2)
      return first.includes('.') && second !== '' ? { group: first, resource: second } : { group: '', resource: first }
    },
    expires: (key) => definitionOf(key)?.storage.ttlSeconds !== undefined,
    async convert(key, value) {
      const definition = definitionOf(key)
      if (definition === undefined) return customValue(value, layout)
      const codec = codecOf(definition)
      const object = await codec.fromStored(value, key)
      return codec.toStored(object, codec.encode(object), key)
    },
  }
}

/** JSON as it is, with the newline that the reference ends it with or without. Anything else is not touched. */
function customValue(value: Uint8Array, layout: ValueLayout): Uint8Array {
  if (value[0] !== 0x7b) return value
  const hasNewline = value.at(-1) === newline
  if (hasNewline === (layout === 'reference')) return value
  return hasNewline ? value.subarray(0, -1) : Buffer.concat([value, Buffer.of(newline)])
}

/** All kinds that may be stored, served or not. Their rules never run, so that there need be no server behind them. */
function storedDefinitions(clock: Clock): ResourceDefinition[] {
  const services: Partial<KindServices> = {
    clock,
    gate: () => true,
    release: defaultRelease,
    scope: { release: defaultRelease },
    expressions: (composed) => expressionChecker(composed, { release: defaultRelease }),
    serviceRanges: [],
  }
  const definitions = builtInDefinitions({
    services: services as KindServices,
    isServed: () => true,
    defaulting: { enabled: () => true, now: () => formatTime(instantOfMillis(clock.now())) },
    eventTtlSeconds: 1,
    moreRules: extensionRules,
  })
  return [...definitions.filter(({ virtualObjects }) => virtualObjects === undefined), rangeDefinition()]
}
