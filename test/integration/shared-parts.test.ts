/**
 * A new object may share its parts with other objects of its kind, so nothing on its way in changes one in place: the
 * objects here come with their parts frozen. Those of the table are made in earnest, with all plugins that change what
 * they admit; the others have every field that their type has, and meet every hook of their kind with every gate on and
 * off, until they are refused.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../src/api/json.ts'
import type { KubeObject } from '../../src/api/object.ts'
import { ApiError } from '../../src/api/status-error.ts'
import { noOpinion } from '../../src/auth/authenticator.ts'
import { entryKey } from '../../src/cache/snapshot.ts'
import { parseServerOptions } from '../../src/config/server-options.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/logger.ts'
import { temporaryCredentials } from '../../src/pki/data-folder.ts'
import { fromHub } from '../../src/registry/convert.ts'
import { create } from '../../src/registry/create.ts'
import type { Registries } from '../../src/registry/registries.ts'
import type { Registry } from '../../src/registry/registry.ts'
import type { ResourceVersion } from '../../src/registry/resource-definition.ts'
import type { Strategy } from '../../src/registry/strategy.ts'
import { replace } from '../../src/registry/update.ts'
import type { WriteRequest } from '../../src/registry/write-request.ts'
import type { Schema } from '../../src/schema/schema.ts'
import type { RunningServer } from '../../src/server/running-server.ts'
import { startServer } from '../../src/server/server.ts'
import type { ServerLayers, TestSeams } from '../../src/server/test-seams.ts'
import { openMemoryStore } from '../../src/store/memory.ts'
import { until } from '../support/until.ts'
import { exampleNamespace, exampleObjects, patchedPod } from './support/example-objects.ts'

/** Those without which some kinds are not served. */
const gates = [
  'ClusterTrustBundle',
  'CoordinatedLeaderElection',
  'DRADeviceTaints',
  'DynamicResourceAllocation',
  'MutatingAdmissionPolicy',
  'StorageVersionAPI',
  'StorageVersionMigrator',
]

const flags = [
  '--store=memory',
  '--bind-address=127.0.0.1',
  '--runtime-config=api/all=true',
  `--feature-gates=${gates.map((name) => `${name}=true`).join()}`,
  '--enable-admission-plugins=AlwaysPullImages,ExtendedResourceToleration,PodNodeSelector,PodTolerationRestriction',
]

let server: RunningServer
let registries: Registries
let rootCertificate: string

beforeAll(async () => {
  const parsed = parseServerOptions(flags)
  const options = { ...parsed, serving: { ...parsed.serving, securePort: 0 } }
  const credentials = temporaryCredentials(options, systemClock)
  rootCertificate = credentials.servingCaPem
  const seams: TestSeams = {
    openStore: () => openMemoryStore({ clock: systemClock }),
    exchange: (exchange) => exchange,
    began: () => {},
    filter: (context, next) => next(context),
    tokens: { authenticateToken: () => noOpinion },
    beforeWebhook: async () => {},
    denied: () => {},
    started: ({ resources }: ServerLayers) => {
      registries = resources.registries
    },
  }
  server = await startServer(options, { logger: silentLogger(), credentials, clock: systemClock, seams })
  await server.ready
})

afterAll(() => server.close())

/** The registry that serves a kind, when it does. */
function served({ apiVersion, kind }: JsonObject): { registry: Registry; version: ResourceVersion } | undefined {
  for (const registry of registries.all()) {
    const version = registry.definition.versions.find((each) => each.apiVersion === apiVersion && each.kind === kind)
    if (version !== undefined) return { registry, version }
  }
  return undefined
}

/** As a request has its body: canonical, with its defaults, and here with all frozen that it may share. */
function bodyOf(object: JsonObject, { definition }: Registry, version: ResourceVersion): KubeObject {
  const read = definition.model.writes.ownDraft(version, object as KubeObject, undefined)
  const body = (version.withDefaults?.(read) ?? read) as KubeObject
  for (const [key, member] of Object.entries(body)) {
    const isOwn = key === 'metadata' || version.schema.fields.get(key)?.schema.kind === 'object'
    if (!isOwn) freeze(member)
    else if (typeof member === 'object' && member !== null) for (const part of Object.values(member)) freeze(part)
  }
  return body
}

function freeze(value: JsonValue | undefined): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  for (const part of Object.values(value)) freeze(part)
  Object.freeze(value)
}

const requestOf = (version: ResourceVersion, { metadata }: KubeObject, dryRun: boolean): WriteRequest => ({
  version,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  subresource: '',
  user: { name: 'admin', groups: ['system:masters'], extra: new Map() },
  dryRun,
  fieldManager: 'test',
  options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
  warn: () => {},
  annotate: () => {},
})

it('makes an object of every kind', { timeout: 300_000 }, async () => {
  const made = new Set<string>()
  const refused: string[] = []
  for (const example of exampleObjects(rootCertificate)) {
    const { registry, version } = await until(`${example['kind']} to be served`, () => served(example))
    const body = bodyOf(example, registry, version)
    await create(registry, body, requestOf(version, body, false)).catch((error: unknown) => {
      refused.push(`${version.apiVersion} ${version.kind} ${body.metadata.name}: ${(error as Error).stack}`)
    })
    made.add(nameOf(registry))
  }
  expect(refused).toEqual([])
  expect(
    registriesWithCreate()
      .map(nameOf)
      .filter((name) => !made.has(name)),
  ).toEqual([])
})

const nameOf = ({ definition: { resource, group } }: Registry): string =>
  group === '' ? resource : `${resource}.${group}`

const registriesWithCreate = (): Registry[] =>
  [...registries.all()].filter(({ definition }) => definition.verbs.has('create'))

/** The strategies of the resource itself and of the parts that can be written alone. */
function strategiesOf({ definition: { strategy, subresources } }: Registry): Strategy[] {
  const parts = [...subresources.values()].flatMap((part) => (part.type === 'part' ? [part.strategy] : []))
  return [strategy, ...parts]
}

it.each([
  ['on', true],
  ['off', false],
])(
  'replaces objects, which share what they have in common with those that they replace, with every gate %s',
  async (_, isOn) => {
    const failures: string[] = []
    let replaced = 0
    for (const example of exampleObjects(rootCertificate)) {
      const { registry, version } = served(example) ?? {}
      if (registry === undefined || version === undefined || !registry.definition.verbs.has('update')) continue
      const { namespace = '', name = '' } = (example as KubeObject).metadata
      const current = (await registry.storage.cache()).get(entryKey(namespace, name))?.object()
      if (current === undefined) continue
      freeze(current)
      const body = (): KubeObject => ({
        ...structuredClone(fromHub(version, current)),
        metadata: { ...structuredClone(current.metadata), annotations: { replaced: 'yes' } },
      })
      for (const strategy of strategiesOf(registry)) {
        try {
          await replace({ ...registry, gate: () => isOn }, strategy, body, requestOf(version, current, true), () => {})
          replaced++
        } catch (error) {
          if (!(error instanceof ApiError))
            failures.push(`${version.apiVersion} ${version.kind}: ${(error as Error).stack}`)
        }
      }
    }
    expect(failures).toEqual([])
    expect(replaced).toBeGreaterThan(50)
  },
)

it('lets a policy change an object', async () => {
  const example = patchedPod()
  const { registry, version } = await until('pods to be served', () => served(example))
  await until('the policy to take force', async () => {
    const body = bodyOf(example, registry, version)
    const { metadata } = (await create(registry, body, requestOf(version, body, true))).object()
    return metadata.labels?.['policy'] === 'applied' && metadata.annotations?.['policy'] === 'patched'
  })
})

/** A value that has all that its type allows, but its own type only once along the way. */
function whole(schema: Schema, flag: boolean, above: readonly Schema[] = []): JsonValue | undefined {
  if (above.includes(schema)) return undefined
  const within = [...above, schema]
  switch (schema.kind) {
    case 'object': {
      const members = [...schema.fields.values()].map(
        (field) => [field.name, whole(field.schema, flag, within)] as const,
      )
      return Object.fromEntries(members.filter(([, member]) => member !== undefined)) as JsonObject
    }
    case 'map': {
      const value = whole(schema.values, flag, within)
      return value === undefined ? {} : { x: value, y: value }
    }
    case 'list': {
      const item = whole(schema.items, flag, within)
      return item === undefined ? [] : [item, item]
    }
    case 'any':
      return { x: [{ y: 1 }] }
    case 'string':
      return 'x'
    case 'boolean':
      return flag
    case 'integer':
    case 'number':
    case 'int-or-string':
      return 1
    case 'quantity':
      return '1'
    case 'time':
      return '2024-01-01T00:00:00Z'
    case 'micro-time':
      return '2024-01-01T00:00:00.000000Z'
    case 'duration':
      return '1s'
    case 'bytes':
      return 'aGk='
  }
}

const nothing: Registry['admission'] = { mutate: () => undefined, validate: () => {} }

/** What went wrong with the server, if anything did: to be refused is none of that. */
async function failureOf(registry: Registry, version: ResourceVersion, flag: boolean): Promise<string | undefined> {
  const { apiVersion, kind } = version
  const filled = whole(version.schema, flag) as JsonObject
  // Neither can be in what a client sends.
  const { managedFields: _, deletionTimestamp: __, ...metadata } = filled['metadata'] as JsonObject
  const place = registry.definition.namespaced ? { namespace: exampleNamespace } : {}
  const body = bodyOf({ ...filled, apiVersion, kind, metadata: { ...metadata, ...place } }, registry, version)
  try {
    await create(registry, body, requestOf(version, body, true))
  } catch (error) {
    if (!(error instanceof ApiError)) return `${apiVersion} ${kind}: ${(error as Error).stack}`
  }
  return undefined
}

it.each([
  ['on', true],
  ['off', false],
])('leaves the parts of whole objects of every kind alone, with every gate %s', async (_, isOn) => {
  const failures: (string | undefined)[] = []
  for (const registry of registriesWithCreate()) {
    for (const version of registry.definition.versions) {
      for (const flag of [true, false]) {
        for (const admission of [registry.admission, nothing]) {
          failures.push(await failureOf({ ...registry, admission, gate: () => isOn }, version, flag))
        }
      }
    }
  }
  expect(failures.filter((failure) => failure !== undefined)).toEqual([])
})
