/** CustomResourceDefinitions as a kind: how they are prepared, checked and deleted. */

import { limitErrorsOf } from '../../api/error-limit.ts'
import type { JsonObject } from '../../api/json.ts'
import { checkSubdomainName, type NameCheck } from '../../api/names.ts'
import type { KubeObject } from '../../api/object.ts'
import { hasChange } from '../../api/release-changes.ts'
import { formatTime, instantOfMillis } from '../../api/time.ts'
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionVersion,
} from '../../catalog/types/apiextensions-v1.ts'
import type { ExpressionScope } from '../../cel/environment.ts'
import { inTurns } from '../../lib/in-turns.ts'
import type { StoredShape } from '../../registry/resource-definition.ts'
import type { Strategy, WriteContext } from '../../registry/strategy.ts'
import { withTypedDefaults } from '../custom/default-metadata.ts'
import { cleanupFinalizer, type Definition } from './definition.ts'
import { formatWarnings } from './format-warnings.ts'
import { fromStoredDefinition, toStoredDefinition } from './stored-definition.ts'
import { validateAcceptedNames, validateDefinition, validateDefinitionUpdate } from './validate-definition.ts'

export interface DefinitionRules {
  readonly strategy: Strategy<Definition>
  readonly parts: { readonly status: Strategy<Definition> }
  readonly stored: StoredShape
}

export const definitionRules = ({ scope }: { readonly scope: ExpressionScope }): DefinitionRules => ({
  strategy: strategyAt(scope),
  parts: { status },
  stored: { toStored: toStoredDefinition, fromStored: fromStoredDefinition },
})

/** It asks for less: schemas need no structure, and unknown fields may be kept. */
const olderVersion = 'apiextensions.k8s.io/v1beta1'

const strategyAt = (scope: ExpressionScope): Strategy<Definition> => ({
  validateMetadata: (metadata, definition) =>
    metadata.validate({ validateName: nameCheck(definition), anyFinalizer: true }),
  validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
  generation: 'spec',

  prepareForCreate(draft) {
    draft.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null }
    addStoredVersion(draft)
    dropEmptyWebhook(draft)
    typeDefaults(draft)
  },
  validateInTurns: (definition, old, { apiVersion }) =>
    inTurns(
      limitErrorsOf(
        old === undefined
          ? validateDefinition(definition, { before: apiVersion === olderVersion ? definition : undefined, scope })
          : validateDefinitionUpdate(definition, old, {
              before: apiVersion === olderVersion ? definition : old,
              scope,
            }),
      ),
    ),

  ...(hasChange(scope.release, 'formatWarnings')
    ? {
        warningsOnCreate: ({ spec }: Definition) => formatWarnings({ spec }, scope.release),
        warningsOnUpdate: ({ spec }: Definition, old: Definition) =>
          formatWarnings({ spec, old: old.spec }, scope.release),
      }
    : {}),

  prepareForUpdate(draft, old) {
    draft.status = { ...old.status }
    addStoredVersion(draft)
    dropEmptyWebhook(draft)
    typeDefaults(draft)
  },

  terminate(draft, { now }) {
    const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon'
    setCondition(draft, { type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', message }, now)
    const { finalizers = [] } = draft.metadata
    if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer]
  },
})

const status: Strategy<Definition> = {
  validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
  prepareForUpdate(draft, old) {
    draft.spec = old.spec
  },
  validateUpdate: validateAcceptedNames,
}

const nameCheck =
  ({ spec }: Definition): NameCheck =>
  (name, prefix) => {
    const problems = checkSubdomainName(name, prefix)
    const isWanted = name === `${spec.names?.plural ?? ''}.${spec.group ?? ''}`
    return isWanted ? problems : [...problems, 'must be spec.names.plural+"."+spec.group']
  }

function addStoredVersion(draft: Definition): void {
  const storage = (draft.spec.versions ?? []).find((version) => version.storage)
  const stored = draft.status.storedVersions ?? []
  if (storage === undefined || stored.includes(storage.name)) return
  draft.status.storedVersions = [...stored, storage.name]
}

/** A webhook of which nothing is said is none. */
function dropEmptyWebhook(draft: Definition): void {
  const { webhook, ...conversion } = draft.spec.conversion ?? { strategy: '' }
  if (webhook === undefined || webhook.clientConfig !== undefined) return
  if ((webhook.conversionReviewVersions ?? []).length === 0) draft.spec = { ...draft.spec, conversion }
}

/** Metadata in defaults is typed, as that of every object. Schemas that are as they were have been looked through. */
function typeDefaults(draft: Definition): void {
  const { versions } = draft.spec
  const typed = versions?.map(typedVersion)
  if (typed?.some((version, i) => version !== versions?.[i])) draft.spec = { ...draft.spec, versions: typed }
}

function typedVersion(version: CustomResourceDefinitionVersion): CustomResourceDefinitionVersion {
  const root = version.schema?.openAPIV3Schema
  if (root === undefined) return version
  const typed = withTypedDefaults(root as JsonObject)
  return typed === root ? version : { ...version, schema: { ...version.schema, openAPIV3Schema: typed } }
}

export type DefinitionCondition = Pick<CustomResourceDefinitionCondition, 'type' | 'status' | 'reason' | 'message'>

/** A condition keeps the time of its last change of status. */
export function setCondition(draft: Definition, condition: DefinitionCondition, now: WriteContext['now']): void {
  const conditions = draft.status.conditions ?? []
  const old = conditions.find(({ type }) => type === condition.type)
  const time = formatTime(instantOfMillis(now))
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : time
  const { type, status, reason, message } = condition
  const next = { type, status, lastTransitionTime, reason, message } as CustomResourceDefinitionCondition
  draft.status = {
    ...draft.status,
    conditions: old === undefined ? [...conditions, next] : conditions.map((other) => (other === old ? next : other)),
  }
}

export const asDefinition = (object: KubeObject): Definition => object as Definition
