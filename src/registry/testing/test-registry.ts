/** A registry of config maps, or of another kind, over a store of a test, without a server. */

import type { Admission } from '../../api/admission.ts'
import { Reflector } from '../../cache/reflector.ts'
import type { Awaitable } from '../../lib/awaitable.ts'
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
  /** In place of config maps. */
  readonly resource?: string
  readonly clock?: Clock
  readonly admission?: Admission
  /** In place of hooks of the kind's own strategy. */
  readonly strategy?: Partial<Strategy>
  readonly definition?: Partial<ResourceDefinition>
}

const gate = (): boolean => false
const admitsAll: Admission = { mutate: () => undefined, validate: () => undefined }

interface DefinitionChoice {
  readonly resource?: string
  readonly versions?: readonly string[]
  readonly clock?: Clock
}

/** The definitions of a built-in resource, of config maps unless another is named: one for each group that has it. */
export function testDefinitions(
  builtInDefinitions: TestRegistryOptions['builtInDefinitions'],
  { resource = 'configmaps', versions = ['v1'], clock = systemClock }: DefinitionChoice = {},
): readonly ResourceDefinition[] {
  const all = builtInDefinitions({
    services: { clock, gate },
    isServed: (known: { readonly resource: string; readonly version: string }) =>
      known.resource === resource && versions.includes(known.version),
    defaulting: { enabled: gate, now: () => '2024-01-01T00:00:00Z' },
    eventTtlSeconds: 3600,
  } as never)
  return all.filter((each) => each.resource === resource)
}

export function testDefinition(
  builtInDefinitions: TestRegistryOptions['builtInDefinitions'],
  choice: DefinitionChoice = {},
): ResourceDefinition {
  const [definition] = testDefinitions(builtInDefinitions, choice)
  if (definition === undefined) throw new Error(`there are no ${choice.resource}`)
  return definition
}

/** The reflector is the caller's to close. */
export async function openTestRegistry(
  options: TestRegistryOptions,
): Promise<{ readonly registry: Registry; readonly registries: Registries; readonly reflector: Reflector }> {
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
  const { resource = 'configmaps' } = options
  const definition = testDefinition(builtInDefinitions, { clock, resource })
  const strategy = { ...definition.strategy, ...options.strategy }
  const registry = registries.add({ ...definition, ...options.definition, strategy })
  return { registry, registries, reflector }
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

/** A custom type with two versions, `customResource` being that of `extensions`. */
export const testCustomDefinition = (customResource: (options: never) => ResourceDefinition): ResourceDefinition =>
  customResource({
    group: 'example.com',
    names: { plural: 'things', kind: 'Thing', singular: 'thing' },
    namespaced: true,
    preserveUnknown: false,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
      { name: 'v2', served: true, storage: false },
    ],
    schemaOf: () => ({
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: { size: { type: 'integer' }, names: { type: 'array', items: { type: 'string' } } },
        },
        status: { type: 'object', properties: { size: { type: 'integer' } } },
      },
    }),
    ratcheting: true,
    isTerminating: () => false,
  } as never)

/** What a call gives, or the code and message that it is refused with. */
export function outcomeOf<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    return refusalOf(error)
  }
}

/** The same of one that may take several turns. */
export async function settledOutcomeOf<T>(run: () => Awaitable<T>): Promise<T | string> {
  try {
    return await run()
  } catch (error) {
    return refusalOf(error)
  }
}

const refusalOf = (error: unknown): string =>
  `${(error as { code?: number }).code ?? 'Error'} ${(error as Error).message}`
