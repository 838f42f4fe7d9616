/**
 * Namespaces: they begin as Active with the finalizer `kubernetes`, are Terminating from their first delete on, and go
 * when the last of `spec.finalizers` is gone, which only the `finalize` endpoint can change.
 * Mirrors pkg/apis/core/validation: ValidateNamespace, ValidateNamespaceUpdate, ValidateNamespaceStatusUpdate,
 * ValidateNamespaceFinalizeUpdate.
 * Mirrors pkg/registry/core/namespace: namespaceStrategy, namespaceStatusStrategy, namespaceFinalizeStrategy.
 * Mirrors pkg/registry/core/namespace/storage: REST.
 */
import { type FieldError, invalid, ofNamedText } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkLabelName, checkQualifiedName } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { NamespaceSpec, NamespaceStatus } from '../../../../catalog/types/core-v1.ts'
import type { DeleteOptions } from '../../../../registry/delete-options.ts'
import { foregroundFinalizer, orphanFinalizer } from '../../../../registry/object-meta.ts'
import type { Strategy } from '../../../../registry/strategy.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { keepField, statusOnly } from '../../../plain-rules.ts'

type Namespace = KubeObject & { spec: NamespaceSpec; status: NamespaceStatus }

const ownFinalizer = 'kubernetes'
const nameLabel = 'kubernetes.io/metadata.name'
const finalizersPath = FieldPath.of('spec').child('finalizers')

export const namespaceRules = (): KindRules<Namespace> => ({
  strategy,
  returnsDeleted: 'undocumented',
  parts: {
    status: statusOnly<Namespace>({ ...shared, validateUpdate: validatePhase }),
    finalize: {
      ...shared,
      prepareForUpdate(draft, old) {
        keepField(draft, old, 'status')
        labelWithName(draft)
      },
      validateUpdate: ({ spec }) =>
        finalizersOf(spec).flatMap((name, i) => validateFinalizer(name, finalizersPath.index(i))),
    },
  },
  fields: {
    'status.phase': ({ status }) => (status as NamespaceStatus | undefined)?.phase ?? '',
    name: ({ metadata }) => metadata.name ?? '',
  },
})

const finalizersOf = (spec: NamespaceSpec | undefined): readonly string[] => spec?.finalizers ?? []

const shared = {
  validateMetadata: (metadata) => metadata.validate({ validateName: checkLabelName }),
  isHeld: ({ spec }: Namespace) => finalizersOf(spec).length > 0,
} satisfies Partial<Strategy<Namespace>>

const strategy: Strategy<Namespace> = {
  ...shared,
  validateMetadataUpdate: (metadata) => [...shared.validateMetadata(metadata), ...metadata.validateUpdate()],
  prepareForCreate(draft) {
    draft.status = { phase: 'Active' }
    const finalizers = finalizersOf(draft.spec)
    if (!finalizers.includes(ownFinalizer)) draft.spec = { ...draft.spec, finalizers: [...finalizers, ownFinalizer] }
    labelWithName(draft)
  },
  validate: validateFinalizers,
  prepareForUpdate(draft, old) {
    keepField(draft, old, 'spec')
    keepField(draft, old, 'status')
    labelWithName(draft)
  },
  validateUpdate: validateFinalizers,
  terminate(draft) {
    draft.status = { ...draft.status, phase: 'Terminating' }
  },
  finalizersAtTermination,
}

/**
 * Unlike other kinds, whose dependents go in the background unless the policy says otherwise: `orphanDependents: false` waits
 * for them. Mirrors pkg/registry/core/namespace/storage: shouldHaveOrphanFinalizer, shouldHaveDeleteDependentsFinalizer.
 */
function finalizersAtTermination(present: readonly string[], options: DeleteOptions): readonly string[] {
  const { orphanDependents, propagationPolicy } = options
  const isWanted = (name: string, policy: string, isOrphan: boolean): boolean => {
    if (orphanDependents !== undefined) return orphanDependents === isOrphan
    return propagationPolicy === undefined ? present.includes(name) : propagationPolicy === policy
  }
  const wanted = [
    ...(isWanted(orphanFinalizer, 'Orphan', true) ? [orphanFinalizer] : []),
    ...(isWanted(foregroundFinalizer, 'Foreground', false) ? [foregroundFinalizer] : []),
  ]
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  const isSame = others.length + wanted.length === present.length && wanted.every((name) => present.includes(name))
  return isSame ? present : [...others, ...wanted]
}

/** A generated name is not known yet when defaults are filled in. A wrong one is found wrong as a name alone. */
function labelWithName({ metadata }: Namespace): void {
  const name = metadata.name ?? ''
  if (metadata.labels?.[nameLabel] === name || checkLabelName(name, false).length > 0) return
  const labels = Object.entries({ ...metadata.labels, [nameLabel]: name })
  metadata.labels = Object.fromEntries(labels.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function validateFinalizers({ spec }: Namespace): FieldError[] {
  return finalizersOf(spec).flatMap((name) => validateFinalizer(name, finalizersPath))
}

const standardFinalizers: ReadonlySet<string> = new Set([ownFinalizer, 'orphan', 'foregroundDeletion'])

function validateFinalizer(name: string, at: FieldPath): FieldError[] {
  const errors = checkQualifiedName(name).map((message) => invalid(at, name, message))
  if (!name.includes('/') && !standardFinalizers.has(name)) {
    errors.push(invalid(at, name, 'name is neither a standard finalizer name nor is it fully qualified'))
  }
  return errors
}

function validatePhase({ metadata, status }: Namespace): FieldError[] {
  const phase = status?.phase ?? ''
  const isTerminating = metadata.deletionTimestamp != null
  if (phase === (isTerminating ? 'Terminating' : 'Active')) return []
  const why = isTerminating
    ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
    : "may only be 'Active' if `deletionTimestamp` is empty"
  return [ofNamedText(invalid(FieldPath.of('status').child('Phase'), phase, why))]
}
