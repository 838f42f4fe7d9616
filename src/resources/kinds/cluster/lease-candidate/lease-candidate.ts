/**
 * Candidates for a lease: which one they stand for, and by which versions they are chosen.
 * Mirrors pkg/apis/coordination/validation: ValidateLeaseCandidate, ValidateLeaseCandidateUpdate.
 * Mirrors pkg/registry/coordination/leasecandidate: LeaseCandidateStrategy.
 */
import { type FieldError, invalid, required } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkConfigMapKey } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import {
  compareSemanticVersions,
  parseSemanticVersion,
  type SemanticVersion,
} from '../../../../api/semantic-version.ts'
import type { LeaseCandidateSpec } from '../../../../catalog/types/coordination-v1alpha2.ts'
import { immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { validateStrategy } from '../lease/lease.ts'

type Candidate = KubeObject & { spec: LeaseCandidateSpec }

const at = FieldPath.of('spec')

export const leaseCandidateRules = (): KindRules<Candidate> => ({
  strategy: {
    validateMetadata: (metadata) =>
      metadata.validate({ validateName: (name) => checkConfigMapKey(name), anyFinalizer: true }),
    validateMetadataUpdate: (metadata) => metadata.validateUpdate({ anyFinalizer: true }),
    validate: ({ spec }) => validate(spec),
    validateUpdate: ({ spec }, old) => [
      ...validate(spec),
      ...(spec.leaseName === old.spec.leaseName
        ? []
        : [invalid(at.child('leaseName'), spec.leaseName, immutableMessage)]),
    ],
  },
})

function validate({
  leaseName,
  binaryVersion,
  emulationVersion = '',
  strategy = '',
}: LeaseCandidateSpec): FieldError[] {
  const errors: FieldError[] = leaseName === '' ? [required(at.child('leaseName'))] : []
  const emulated = readVersion(errors, emulationVersion, at.child('emulationVersion'))
  if (binaryVersion === '') errors.push(required(at.child('binaryVersion')))
  const binary = readVersion(errors, binaryVersion, at.child('binaryVersion'))
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary, emulated) < 0) {
    const why = 'must be greater than or equal to `emulationVersion`'
    errors.push(invalid(at.child('binaryVersion'), binaryVersion, why))
  }
  if (strategy === '') return [...errors, required(at.child('strategy'))]
  if (strategy === 'OldestEmulationVersion' && compareSemanticVersions(emulated, noVersion) === 0) {
    const why = "must be specified when `strategy` is 'OldestEmulationVersion'"
    errors.push(required(at.child('emulationVersion'), why))
  }
  return [...errors, ...validateStrategy(strategy)]
}

/** What is no version counts as this one. */
const noVersion: SemanticVersion = { numbers: [0n, 0n, 0n], pre: [] }

function readVersion(errors: FieldError[], text: string, where: FieldPath): SemanticVersion {
  if (text === '') return noVersion
  const version = parseSemanticVersion(text)
  if (version === undefined) errors.push(invalid(where, text, 'must be a valid semantic version'))
  return version ?? noVersion
}
