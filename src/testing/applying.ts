/** Makes objects what a manifest says, in an order in which each finds what it needs. */
import type { Registries } from '../registry/registries.ts'
import type { ApiObject, StoredObject } from './api/objects.ts'
import type { TestServer } from './api/server.ts'
import { turnOfLoop } from './controlled-clock.ts'
import { installOrder } from './manifest.ts'
import { lookUpResource, pathOf, resourceOf } from './resource-lookup.ts'
import { watchUntil } from './waiting.ts'

export interface ApplyTarget {
  readonly registries: Registries
  readonly call: TestServer['call']
}

const fieldManager = 'pilothouse-testing'
/** How long a definition may take to be served, in real time. */
const servedMs = 60_000

export async function applyObjects(target: ApplyTarget, objects: readonly ApiObject[]): Promise<StoredObject[]> {
  const { definitions, rest } = installOrder(objects)
  const applied: StoredObject[] = []
  for (const definition of definitions) applied.push(await applyOne(target, definition))
  for (const definition of definitions) await untilServed(target, definition)
  for (const object of rest) applied.push(await applyOne(target, object))
  return applied
}

async function applyOne({ registries, call }: ApplyTarget, object: ApiObject): Promise<StoredObject> {
  const found = resourceOf(registries, object)
  const { name, namespace = 'default' } = object.metadata ?? {}
  // Apply needs a name, and the kinds that are answers rather than objects can only be created.
  if (name === undefined || !found.registry.definition.verbs.has('patch')) {
    return call('POST', pathOf(found, namespace), object)
  }
  const query = `fieldManager=${fieldManager}&force=true`
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  return call('PATCH', `${pathOf(found, namespace, name)}?${query}`, object, { headers })
}

async function untilServed({ registries }: ApplyTarget, { metadata, spec }: ApiObject): Promise<void> {
  const definitions = lookUpResource(registries, 'customresourcedefinitions')
  await watchUntil(
    definitions,
    (present) => {
      const conditions: { type: string; status: string; message?: string }[] =
        present.get(`/${metadata?.name}`)?.['status']?.conditions ?? []
      const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
      if (refused !== undefined) throw new Error(`${metadata?.name} is not served: ${refused.message}`)
      return conditions.some(({ type, status }) => type === 'Established' && status === 'True') || undefined
    },
    { wanted: `established: ${metadata?.name}`, timeout: servedMs },
  )
  for (const end = Date.now() + servedMs; ; await turnOfLoop()) {
    if (registries.get(spec?.group ?? '', spec?.names?.plural ?? '') !== undefined) return
    if (Date.now() > end) throw new Error(`${metadata?.name} is established but not served`)
  }
}
