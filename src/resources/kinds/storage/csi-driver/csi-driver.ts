/**
 * CSI drivers: how they attach and which lives their volumes have is fixed; the generation begins with the first change.
 * Mirrors pkg/apis/storage/validation: ValidateCSIDriver, ValidateCSIDriverUpdate.
 * Mirrors pkg/registry/storage/csidriver: csiDriverStrategy.
 */

import { duplicate, type FieldError, invalid, notSupported, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { equalSemantic } from '../../../../api/json.ts'
import type { KubeObject } from '../../../../api/object.ts'
import { eachItem } from '../../../../api/rules-in-steps.ts'
import { goStructs, invalidAs, podSyntaxText } from '../../../../catalog/golang/pod-syntax.ts'
import type { CSIDriverSpec, TokenRequest } from '../../../../catalog/types/storage-v1.ts'
import { nextGeneration } from '../../../../registry/object-meta.ts'
import type { WriteContext } from '../../../../registry/strategy.ts'
import { checkOneOf, type Errors, immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'

type CsiDriver = KubeObject & { spec: CSIDriverSpec }

const spec = FieldPath.of('spec')
const groupPolicies = ['File', 'None', 'ReadWriteOnceWithFSType']
const lifecycleModes = ['Persistent', 'Ephemeral']
const minTokenSeconds = 600
const maxTokenSeconds = 2 ** 32
const minUpdateSeconds = 10

export const csiDriverRules = (): KindRules<CsiDriver> => ({
  strategy: {
    prepareForCreate: (draft, context) => dropDisabled(draft, undefined, context),
    prepareForUpdate(draft, old, context) {
      dropDisabled(draft, old, context)
      if (!equalSemantic(draft.spec, old.spec)) draft.metadata.generation = nextGeneration(old.metadata)
    },
    warningsOnCreate: tokenWarnings,
    warningsOnUpdate: (object, old, context) =>
      equalSemantic(object.spec.tokenRequests, old.spec.tokenRequests) ? [] : tokenWarnings(object, context),
    validate,
    validateUpdate: (object, old, context) => [...validate(object, context), ...validateChange(object.spec, old.spec)],
  },
  returnsDeleted: true,
})

function dropDisabled(draft: CsiDriver, old: CsiDriver | undefined, { gate }: WriteContext): void {
  const { seLinuxMount, nodeAllocatableUpdatePeriodSeconds: period, ...rest } = draft.spec
  const keepsMount = gate('SELinuxMountReadWriteOncePod') || old?.spec.seLinuxMount !== undefined
  const keepsPeriod =
    gate('MutableCSINodeAllocatableCount') || old?.spec.nodeAllocatableUpdatePeriodSeconds !== undefined
  draft.spec = {
    ...rest,
    ...(keepsMount && seLinuxMount !== undefined ? { seLinuxMount } : {}),
    ...(keepsPeriod && period !== undefined ? { nodeAllocatableUpdatePeriodSeconds: period } : {}),
  }
}

/** Where a driver gets the tokens of service accounts; releases after the default one have it. */
type TokenPlacement = CSIDriverSpec & { readonly serviceAccountTokenInSecrets?: boolean }

const tokensInAttributes =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

function tokenWarnings({ spec: driver }: CsiDriver, { gate }: WriteContext): string[] {
  const { serviceAccountTokenInSecrets: inSecrets, tokenRequests = [] } = driver as TokenPlacement
  return gate('CSIServiceAccountTokenSecrets') && tokenRequests.length > 0 && inSecrets === undefined
    ? [tokensInAttributes]
    : []
}

function validate({ spec: driver }: CsiDriver, { gate }: WriteContext): FieldError[] {
  const errors: Errors = []
  const { fsGroupPolicy, volumeLifecycleModes = [], nodeAllocatableUpdatePeriodSeconds: period } = driver
  if (driver.attachRequired === undefined) errors.push(required(spec.child('attachedRequired')))
  if (driver.podInfoOnMount === undefined) errors.push(required(spec.child('podInfoOnMount')))
  if (driver.storageCapacity === undefined) errors.push(required(spec.child('storageCapacity')))
  if (fsGroupPolicy !== undefined) checkOneOf(errors, fsGroupPolicy, groupPolicies, spec, 'fsGroupPolicy')
  validateTokens(errors, driver.tokenRequests ?? [])
  for (const mode of volumeLifecycleModes) {
    if (!lifecycleModes.includes(mode)) {
      errors.push(notSupported(spec.child('volumeLifecycleModes'), mode, lifecycleModes))
    }
  }
  if (driver.seLinuxMount === undefined && gate('SELinuxMountReadWriteOncePod')) {
    errors.push(required(spec.child('seLinuxMount')))
  }
  const { serviceAccountTokenInSecrets: inSecrets } = driver as TokenPlacement
  if (inSecrets !== undefined && (driver.tokenRequests ?? []).length === 0) {
    const why = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified'
    errors.push(invalid(spec.child('serviceAccountTokenInSecrets'), inSecrets, why))
  }
  if (period !== undefined && Number(period) < minUpdateSeconds) {
    const at = spec.child('nodeAllocatableUpdatePeriodSeconds')
    errors.push(invalid(at, period, 'must be greater than or equal to 10 seconds'))
  }
  return errors
}

function validateTokens(errors: Errors, requests: readonly TokenRequest[]): void {
  const audiences = new Set<string>()
  eachItem(errors, requests, (errors, { audience = '', expirationSeconds: seconds }, i) => {
    const at = spec.child('tokenRequests').index(i)
    if (audiences.has(audience)) {
      errors.push(duplicate(at.child('audience'), audience))
      return
    }
    audiences.add(audience)
    if (seconds === undefined) return
    const refuse = (why: string): void => {
      errors.push(invalid(at.child('expirationSeconds'), seconds, why))
    }
    if (Number(seconds) < minTokenSeconds) refuse('may not specify a duration less than 10 minutes')
    if (Number(seconds) > maxTokenSeconds) refuse('may not specify a duration larger than 2^32 seconds')
  })
}

function validateChange(driver: CSIDriverSpec, old: CSIDriverSpec): FieldError[] {
  const errors: FieldError[] = []
  if (driver.attachRequired !== old.attachRequired) {
    errors.push(invalid(spec.child('attachedRequired'), driver.attachRequired, immutableMessage))
  }
  const modes = driver.volumeLifecycleModes
  if (!equalSemantic(modes, old.volumeLifecycleModes)) {
    const shown = goStructs('storage.VolumeLifecycleMode', modes, podSyntaxText)
    errors.push(invalidAs(spec.child('volumeLifecycleModes'), () => shown, immutableMessage))
  }
  return errors
}
