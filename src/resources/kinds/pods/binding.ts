/**
 * Binding a pod to a node: through the pod's own subresource, and through the older `bindings`.
 * Mirrors pkg/apis/core/validation: ValidatePodBinding.
 * Mirrors pkg/registry/core/pod/storage: BindingREST, LegacyBindingREST.
 */
import { notSupported, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { setKey } from '../../../api/json.ts'
import type { KubeObject, ObjectMeta } from '../../../api/object.ts'
import { checkKeyName } from '../../../api/object-key.ts'
import { aggregate, badRequest, conflict, unknownError } from '../../../api/status-error.ts'
import { typesAt } from '../../../catalog/catalog.ts'
import type { PodObject } from '../../../catalog/pod-object.ts'
import type { Binding } from '../../../catalog/types/core-v1.ts'
import type { Registry } from '../../../registry/registry.ts'
import type { Strategy } from '../../../registry/strategy.ts'
import type { ActionRequest, ActionSubresource } from '../../../registry/subresource.ts'
import { update } from '../../../registry/update.ts'
import type { Errors } from '../../checks/checks.ts'
import type { KindServices } from '../../kind-rules.ts'
import { successStatus, withoutAdmission, writeRequestOf } from './pod-action.ts'
import { withNewPodCondition } from './pod-conditions.ts'

/** The action of `pods/binding`, and of `bindings`, where the body alone names the pod. */
export function bindingAction(services: KindServices): ActionSubresource {
  return {
    type: 'action',
    kind: { group: '', version: 'v1', kind: 'Binding' },
    schema: typesAt(services.release).typeSchema('core.v1.Binding'),
    keepsSystemFields: true,
    async create(request) {
      const binding = request.body as Binding & KubeObject
      const name = binding.metadata.name ?? ''
      if (request.name !== '' && request.name !== name) {
        throw badRequest('name in URL does not match name in Binding object')
      }
      const errors = validateBinding(binding)
      if (errors.length > 0) throw unknownError(aggregate(errors))
      await request.admit(binding)
      // The older `bindings` may name what no path could.
      checkKeyName(name)
      await assign(services, binding, { ...request, name })
      return successStatus(201)
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

/** The scheduler's own change: neither admitted nor owned like what users write. */
const plain: Strategy = {}

async function assign(services: KindServices, binding: Binding & KubeObject, request: ActionRequest): Promise<void> {
  const registry = services.registry('', 'pods')
  const apply = (current: KubeObject): KubeObject => {
    checkPreconditions(registry, binding.metadata, current)
    return bound(current as PodObject, binding, services)
  }
  await update(withoutAdmission(registry), { strategy: plain, apply }, writeRequestOf(registry, request, ''))
}

/** Of a pod that is there: one that is not is missing, whatever the binding wants of it. */
function checkPreconditions({ definition, storage }: Registry, given: ObjectMeta, { metadata }: KubeObject): void {
  const { name = '', namespace = '' } = metadata
  for (const [field, shown] of preconditions) {
    const [wanted = '', own = ''] = [given[field], metadata[field]]
    if (wanted === '' || wanted === own) continue
    const why = `Precondition failed: ${shown} in precondition: ${wanted}, ${shown} in object meta: ${own}`
    throw conflict(definition, name, storage.invalidObjectMessage(`${namespace}/${name}`, why))
  }
}

const preconditions = [
  ['uid', 'UID'],
  ['resourceVersion', 'ResourceVersion'],
] as const

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
  const conditions = withNewPodCondition(
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
    status: { ...withoutHint(pod.status, services), conditions },
  }
}

/** Where the pod was expected to go says nothing once it is there. */
function withoutHint(status: PodObject['status'], { gate }: KindServices): PodObject['status'] {
  if (!gate('ClearingNominatedNodeNameAfterBinding')) return status
  const { nominatedNodeName: _, ...others } = status
  return others
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
