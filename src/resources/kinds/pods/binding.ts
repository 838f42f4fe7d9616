/** Binding a pod to a node: through the pod's own subresource, and through the older `bindings`. */
import { notSupported, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { setKey } from '../../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../../api/object.ts'
import { aggregate, badRequest, conflict, notFound, unknownError } from '../../../api/status-error.ts'
import type { CacheEntry } from '../../../cache/cache-entry.ts'
import { entryKey } from '../../../cache/snapshot.ts'
import { typeSchema } from '../../../catalog/catalog.ts'
import type { Binding } from '../../../catalog/types/core-v1.ts'
import type { Registry } from '../../../registry/registry.ts'
import type { ActionRequest, ActionSubresource } from '../../../registry/subresource.ts'
import type { KindServices } from '../../kind-rules.ts'
import type { Errors } from './checks.ts'
import { withCondition } from './pod-conditions.ts'
import type { PodObject } from './pod-strategy.ts'
import { success } from './success.ts'

/** Lost races before giving up. */
const maxAttempts = 100

/** The action of `pods/binding`, and of `bindings`, where the body alone names the pod. */
export function bindingAction(services: KindServices): ActionSubresource {
  return {
    type: 'action',
    kind: { group: '', version: 'v1', kind: 'Binding' },
    schema: typeSchema('core.v1.Binding'),
    async create(request) {
      const binding = request.body as Binding & KubeObject
      const name = binding.metadata.name ?? ''
      if (request.name !== '' && request.name !== name) {
        throw badRequest('name in URL does not match name in Binding object')
      }
      const errors = validateBinding(binding)
      if (errors.length > 0) throw unknownError(aggregate(errors))
      await assign(services, binding, { ...request, name })
      return success(201)
    },
  }
}

function validateBinding({ target }: Binding): Errors {
  const at = FieldPath.of('target')
  const { kind = '', name = '' } = target ?? {}
  const errors: Errors = []
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(at.child('kind'), kind, ['Node', '<empty>']))
  if (name === '') errors.push(required(at.child('name')))
  return errors
}

async function assign(services: KindServices, binding: Binding & KubeObject, request: ActionRequest): Promise<void> {
  const registry = services.registry('', 'pods')
  const { storage, definition } = registry
  let current = (await storage.cache()).get(entryKey(request.namespace, request.name))
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (current === undefined) throw notFound(definition, request.name)
    checkPreconditions(registry, binding.metadata, current)
    const draft = bound(current.object() as PodObject, binding, services)
    if (request.dryRun) return
    const outcome = await storage.replace(current, draft)
    if ('written' in outcome) return
    current = outcome.lostTo
  }
  throw conflict(definition, request.name, 'the object has been modified; please try again')
}

function checkPreconditions({ definition, storage }: Registry, given: ObjectMeta, current: CacheEntry): void {
  const { metadata } = current.object()
  const facts = [
    ['UID', given.uid ?? '', metadata.uid ?? ''],
    ['ResourceVersion', given.resourceVersion ?? '', String(current.revision)],
  ] as const
  for (const [what, wanted, own] of facts) {
    if (wanted === '' || wanted === own) continue
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${own}`
    throw conflict(definition, current.name, storage.invalidObjectMessage(current.key, why))
  }
}

/** The pod on its node, with the annotations of the binding. */
function bound(pod: PodObject, { metadata, target }: Binding, services: KindServices): PodObject {
  const { name = '' } = pod.metadata
  const refuse = (why: string): Error => conflict({ group: '', resource: 'pods/binding' }, name, why)
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  }
  if ((pod.spec.nodeName ?? '') !== '') {
    throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`)
  }
  if ((pod.spec.schedulingGates?.length ?? 0) > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`)
  const conditions = withCondition(
    pod.status.conditions,
    { type: 'PodScheduled', status: 'True' },
    services.clock.now(),
  )
  const labels = services.gate('PodTopologyLabelsAdmission') ? metadata.labels : undefined
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      ...merged('annotations', pod.metadata.annotations, metadata.annotations),
      ...merged('labels', pod.metadata.labels, labels),
    },
    spec: { ...pod.spec, nodeName: target.name ?? '' },
    status: { ...pod.status, conditions },
  }
}

type Texts = Record<string, string> | undefined

function merged(
  name: 'annotations' | 'labels',
  own: Texts,
  added: Texts,
): Partial<Record<typeof name, Texts & object>> {
  if (added === undefined) return {}
  const all: Record<string, string> = { ...own }
  for (const [key, value] of Object.entries(added)) setKey(all, key, value)
  return { [name]: all }
}
