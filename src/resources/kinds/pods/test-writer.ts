/** For tests: what the rules of a kind make of a body, without a server around them. */
import type { FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { KubeObject } from '../../../api/object.ts'
import { schemaForKind } from '../../../catalog/catalog.ts'
import { defaultObject } from '../../../catalog/defaults/defaults.ts'
import { findResource } from '../../../catalog/resources.ts'
import { systemClock } from '../../../lib/clock.ts'
import { MetadataChecks } from '../../../registry/metadata-checks.ts'
import type { Strategy, WriteContext } from '../../../registry/strategy.ts'
import { decodeValue } from '../../../schema/canonicalize.ts'
import { conversionFor } from '../../conversions.ts'
import type { KindRules, KindServices } from '../../kind-rules.ts'
import { rulesFor } from '../../kinds.ts'

const now = Date.parse('2024-05-06T07:08:09Z')

export interface Writer {
  readonly rules: KindRules
  /** Decoded, defaulted, completed, and in the version that the rules are for. Undefined when the body is not of the kind. */
  read(body: JsonObject): KubeObject | undefined
  create(body: JsonObject): { object: KubeObject; errors: FieldError[]; warnings: string[] }
  update(
    body: JsonObject,
    old: KubeObject,
    part?: string,
  ): { object: KubeObject; errors: FieldError[]; warnings: string[] }
}

/** `apps/v1`, `deployments`. */
export function writerOf(apiVersion: string, resource: string, gate: WriteContext['gate']): Writer {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion]
  const found = findResource({ group, version }, resource)
  const schema = found === undefined ? undefined : schemaForKind(found)
  const makeRules = rulesFor(group, resource)
  if (found === undefined || schema === undefined || makeRules === undefined) throw new Error(`no rules of ${resource}`)
  const services = { clock: { ...systemClock, now: () => now }, gate, allowPrivileged: false }
  const rules = makeRules(services as unknown as KindServices)
  let received: string[] = []
  const warn = (text: string) => void received.push(text)
  const context: WriteContext = { user: undefined, namespace: 'ns', dryRun: false, now, gate, warn }
  const read = (body: JsonObject): KubeObject | undefined => {
    const decoded = decodeValue({ ...body, apiVersion, kind: found.kind }, schema)
    if (decoded.error !== undefined) return undefined
    const defaulting = { enabled: gate, now: () => '2024-05-06T07:08:09Z' }
    const defaulted = defaultObject(decoded.object, schema, defaulting) as KubeObject
    const whole = conversionFor({ group, version, resource })?.toHub(defaulted) ?? defaulted
    return (rules.decoded?.(whole) ?? whole) as KubeObject
  }
  const { strategy } = rules
  return {
    rules,
    read,
    create(body) {
      const object = read(body)
      if (object === undefined) throw new Error('the body cannot be read')
      object.metadata.namespace = 'ns'
      object.metadata.uid = '00000000-0000-4000-8000-000000000000'
      if (strategy.generation !== undefined) object.metadata.generation = 1
      received = []
      strategy.prepareForCreate?.(object, context)
      const checks = new MetadataChecks({ metadata: object.metadata, namespaced: true })
      const metadata = strategy.validateMetadata?.(checks, object) ?? checks.validate()
      const own = inOneTurn(() => strategy.validateInTurns?.(object, undefined, context))
      const errors = [...metadata, ...(own ?? strategy.validate?.(object, context) ?? [])]
      return { object, errors, warnings: [...received, ...(strategy.warningsOnCreate?.(object, context) ?? [])] }
    },
    update(body, old, part) {
      const object = read(body)
      if (object === undefined) throw new Error('the body cannot be read')
      const used: Strategy = (part === undefined ? strategy : rules.parts?.[part]) as Strategy
      used.prepareForUpdate?.(object, old, context)
      const own = inOneTurn(() => used.validateInTurns?.(object, old, context))
      const errors = own ?? used.validateUpdate?.(object, old, context) ?? []
      return { object, errors, warnings: used.warningsOnUpdate?.(object, old, context) ?? [] }
    },
  }
}

/** Rules take several turns where they are long, or the machine is busy: then they are asked again. */
function inOneTurn<T>(find: () => T | Promise<T>): T {
  for (let tries = 0; tries < 100; tries++) {
    const found = find()
    if (!(found instanceof Promise)) return found
  }
  throw new Error('the rules take too long for a test')
}
