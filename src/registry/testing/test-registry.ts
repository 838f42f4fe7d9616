/** A registry of config maps over a store of a test, without a server. */
import type { Admission } from '../../api/admission.ts'
import { Reflector } from '../../cache/reflector.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import type { Store } from '../../store/store.ts'
import { Registries } from '../registries.ts'
import type { Registry } from '../registry.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import type { Strategy } from '../strategy.ts'
import type { WriteRequest } from '../write-request.ts'

export interface TestRegistryOptions {
  readonly store: Store
  /** Of `resources`, which this folder does not import. */
  readonly builtInDefinitions: (options: never) => readonly ResourceDefinition[]
  readonly clock?: Clock
  readonly admission?: Admission
  /** In place of hooks of the kind's own strategy. */
  readonly strategy?: Partial<Strategy>
  readonly definition?: Partial<ResourceDefinition>
}

const gate = (): boolean => false
const admitsAll: Admission = { mutate: () => undefined, validate: () => undefined }

/** The reflector is the caller's to close. */
export async function openTestRegistry(
  options: TestRegistryOptions,
): Promise<{ readonly registry: Registry; readonly reflector: Reflector }> {
  const { store, builtInDefinitions, clock = systemClock, admission = admitsAll } = options
  const reflector = new Reflector({ store, clock, prefix: '/registry/', onLost: () => {} })
  await reflector.start()
  const registries = new Registries({
    backend: () => ({ store, reflector }),
    clock,
    prefix: '/registry',
    codec: () => ({ layout: 'json' }),
    admission,
    gate,
  } as ConstructorParameters<typeof Registries>[0])
  const [definition] = builtInDefinitions({
    services: { clock, gate },
    isServed: ({ resource, version }: { resource: string; version: string }) =>
      resource === 'configmaps' && version === 'v1',
    defaulting: { enabled: gate, now: () => '2024-01-01T00:00:00Z' },
    eventTtlSeconds: 3600,
  } as never)
  if (definition === undefined) throw new Error('there are no configmaps')
  const strategy = { ...definition.strategy, ...options.strategy }
  return { registry: registries.add({ ...definition, ...options.definition, strategy }), reflector }
}

export const testRequest = ({ definition }: Registry, given: Partial<WriteRequest> = {}): WriteRequest => ({
  version: definition.hub,
  namespace: 'ns',
  name: 'a',
  subresource: '',
  user: { name: 'u', groups: [], extra: new Map() },
  dryRun: false,
  fieldManager: 'm',
  options: {},
  warn: () => {},
  annotate: () => {},
  ...given,
})
