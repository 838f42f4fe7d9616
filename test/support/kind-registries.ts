/** The built-in kinds over a store in memory: their verbs and rules, without admission, access control or the wire. */
import type { FieldError } from '../../src/api/field-error.ts'
import { parseGroupVersion } from '../../src/api/group-version.ts'
import type { JsonObject } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'
import { errorsAtRelease } from '../../src/api/release-wordings.ts'
import { ApiError, type StatusBody } from '../../src/api/status-error.ts'
import { formatTime, instantOfMillis } from '../../src/api/time.ts'
import type { UserInfo } from '../../src/api/user.ts'
import { Reflector } from '../../src/cache/reflector.ts'
import type { CatalogResource } from '../../src/catalog/resources.ts'
import { parseFeatureGates, resolveFeatureGates } from '../../src/config/feature-gates.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { applyMergePatch } from '../../src/patch/merge-patch.ts'
import { create } from '../../src/registry/create.ts'
import { manageUpdatedFields } from '../../src/registry/managed-fields.ts'
import { Registries } from '../../src/registry/registries.ts'
import type { ServedResource } from '../../src/registry/served-resource.ts'
import type { Strategy } from '../../src/registry/strategy.ts'
import { update } from '../../src/registry/update.ts'
import type { WriteRequest } from '../../src/registry/write-request.ts'
import type { AccessServices } from '../../src/resources/actions/access-services.ts'
import { builtInDefinitions } from '../../src/resources/definitions.ts'
import { deviceSelectorCheck, expressionChecker } from '../../src/resources/expression-checks.ts'
import { extensionRules } from '../../src/resources/extension-rules.ts'
import type { KindServices } from '../../src/resources/kind-rules.ts'
import { decodeValue } from '../../src/schema/canonicalize.ts'
import { openMemoryStore } from '../../src/store/memory.ts'

const user: UserInfo = { name: 'admin', groups: ['system:masters', 'system:authenticated'], extra: new Map() }

export interface Outcome {
  /** Absent: the write was taken. */
  readonly refused?: StatusBody
  readonly warnings: readonly string[]
}

export interface KindTarget {
  /** `apps/v1`. */
  readonly apiVersion: string
  /** `deployments`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
  readonly dryRun: boolean
}

export interface KindRegistries {
  /** Undefined where the body cannot be read as the kind. */
  create(target: KindTarget, body: JsonObject): Promise<Outcome | undefined>
  /** A merge patch of the object itself, or through a subresource that is a part of it. */
  change(target: KindTarget, subresource: string, patch: JsonObject): Promise<Outcome | undefined>
  /** What the rules find in an object as it is, without its defaults and what is done to it before: no request leaves one like that. */
  check(target: Pick<KindTarget, 'apiVersion' | 'resource'>, object: JsonObject, against?: Against): Promise<string[]>
  close(): void
}

/** What the object is checked as an update of, and where that is written. */
export interface Against {
  readonly old?: JsonObject
  readonly subresource?: string
}

export interface KindOptions {
  /** The minor number of the release. */
  readonly release: number
  /** As `--feature-gates` has them. */
  readonly gates: string
  /** Those of services. */
  readonly ranges: readonly string[]
  readonly isServed: (resource: CatalogResource) => boolean
}

export async function openKindRegistries({ release, gates, ranges, isServed }: KindOptions): Promise<KindRegistries> {
  const store = openMemoryStore({ clock: systemClock })
  const reflector = new Reflector({ store, clock: systemClock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
  const gate = resolveFeatureGates(parseFeatureGates([gates]), { major: 1, minor: release }).enabled
  const registries = new Registries({
    backend: () => ({ store, reflector }),
    clock: systemClock,
    prefix: '/registry',
    codec: () => ({ layout: 'reference' }),
    admission: { mutate: () => undefined, validate: () => undefined },
    gate,
  })
  const services = {
    clock: systemClock,
    gate,
    release,
    scope: { release },
    registry: (group, resource) => registries.need(group, resource),
    objects: (group, resource) => registries.source(group, resource),
    storage: (definition) => registries.storage(definition),
    serviceRanges: ranges,
    nodePortRange: { first: 30_000, last: 32_767 },
    allowPrivileged: true,
    expressions: (composed) => expressionChecker(composed, { release }),
    deviceSelector: deviceSelectorCheck({ release }),
    declaredRules: { mismatch: () => {}, failure: () => {} },
    access: { refusal: async () => undefined, allows: async () => true } as Partial<AccessServices> as AccessServices,
  } as Partial<KindServices> as KindServices
  const definitions = builtInDefinitions({
    services,
    isServed,
    release,
    defaulting: { enabled: gate, now: () => formatTime(instantOfMillis(systemClock.now())) },
    eventTtlSeconds: 3600,
    moreRules: extensionRules,
  })
  for (const definition of definitions) registries.add(definition)

  const served = ({ apiVersion, resource }: Pick<KindTarget, 'apiVersion' | 'resource'>): ServedResource => {
    const { group, version } = parseGroupVersion(apiVersion) ?? { group: '', version: apiVersion }
    const found = registries.find(group, version, resource)
    if (found === undefined) throw new Error(`${resource} of ${apiVersion} are not served`)
    return found
  }
  return {
    async create(target, body) {
      const { registry, version } = served(target)
      const object = read(version, body)
      if (object === undefined) return undefined
      return outcome((warn) => create(registry, object, requestOf(target, { version, warn, kind: 'CreateOptions' })))
    },
    async change(target, subresource, patch) {
      const { registry, version } = served(target)
      const strategy = strategyOf(registry.definition, subresource)
      let isReadable = true
      const told = await outcome((warn) => {
        const request = requestOf(target, { version, warn, subresource, kind: 'PatchOptions' })
        const apply = (current: KubeObject): KubeObject => {
          const next = read(version, applyMergePatch(current, patch) as JsonObject)
          isReadable = next !== undefined
          return next === undefined ? current : manageUpdatedFields(registry, current, next, request)
        }
        return update(registry, { strategy, apply }, request)
      })
      return isReadable ? told : undefined
    },
    async check(target, object, { old, subresource = '' } = {}) {
      const { registry, version } = served(target)
      const strategy = strategyOf(registry.definition, subresource)
      const { apiVersion } = version
      const context = { user, namespace: 'ns', dryRun: false, apiVersion, now: systemClock.now(), gate }
      const [given, before] = [object, old] as unknown as [KubeObject, KubeObject | undefined]
      const rules = (): FieldError[] =>
        (before === undefined
          ? strategy.validate?.(given, context)
          : strategy.validateUpdate?.(given, before, context)) ?? []
      const found = (await strategy.validateInTurns?.(given, before, context)) ?? rules()
      return errorsAtRelease(found, release).map(({ field, message }) => `${field}: ${message}`)
    },
    close: () => reflector.close(),
  }
}

function read(version: ServedResource['version'], body: JsonObject): KubeObject | undefined {
  const { apiVersion, kind, schema } = version
  const decoded = decodeValue({ ...body, apiVersion, kind }, schema)
  if (decoded.error !== undefined) return undefined
  const object = decoded.object as KubeObject
  object.metadata ??= {}
  return (version.withDefaults?.(object) ?? object) as KubeObject
}

function strategyOf(definition: ServedResource['registry']['definition'], subresource: string): Strategy {
  if (subresource === '') return definition.strategy
  const part = definition.subresources.get(subresource)
  if (part?.type !== 'part') throw new Error(`${definition.resource} have no part ${subresource}`)
  return part.strategy
}

type Told = Pick<WriteRequest, 'version' | 'warn'> & { readonly subresource?: string; readonly kind: string }

function requestOf(
  { namespace, name, dryRun }: KindTarget,
  { version, warn, subresource = '', kind }: Told,
): WriteRequest {
  return {
    ...{ version, namespace, name, subresource, user, dryRun, warn },
    fieldManager: 'test',
    options: { kind, apiVersion: 'meta.k8s.io/v1' },
    annotate: () => {},
  }
}

async function outcome(write: (warn: (text: string) => void) => Promise<unknown>): Promise<Outcome> {
  const warnings: string[] = []
  try {
    await write((text) => void warnings.push(text))
    return { warnings }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: error.status, warnings }
  }
}
