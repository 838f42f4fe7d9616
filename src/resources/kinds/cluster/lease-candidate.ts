/** Candidates for a lease: which one they stand for, and by which versions they are chosen. */
import { type FieldError, invalid, required } from '../../../api/field-error.ts'
import { FieldPath } from '../../../api/field-path.ts'
import { checkConfigMapKey } from '../../../api/names.ts'
import type { KubeObject } from '../../../api/object.ts'
import { semanticVersion } from '../../../api/semantic-version.ts'
import type { LeaseCandidateSpec } from '../../../catalog/types/coordination-v1alpha2.ts'
import type { KindRules } from '../../kind-rules.ts'
import { immutableMessage } from '../pods/checks.ts'
import { validateStrategy } from './lease.ts'

type Candidate = KubeObject & { spec: LeaseCandidateSpec }

const at = FieldPath.of('spec')

export const leaseCandidateRules = (): KindRules<Candidate> => ({
  strategy: {
    validateName: (name) => checkConfigMapKey(name),
    anyFinalizer: true,
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
  if (binaryVersion !== '' && emulationVersion !== '' && compare(binary, emulated) < 0) {
    const why = 'must be greater than or equal to `emulationVersion`'
    errors.push(invalid(at.child('binaryVersion'), binaryVersion, why))
  }
  if (strategy === '') return [...errors, required(at.child('strategy'))]
  if (strategy === 'OldestEmulationVersion' && compare(emulated, noVersion) === 0) {
    const why = "must be specified when `strategy` is 'OldestEmulationVersion'"
    errors.push(required(at.child('emulationVersion'), why))
  }
  return [...errors, ...validateStrategy(strategy)]
}

interface Version {
  readonly numbers: readonly bigint[]
  readonly pre: readonly string[]
}

/** What is no version counts as this one. */
const noVersion: Version = { numbers: [0n, 0n, 0n], pre: [] }

function readVersion(errors: FieldError[], text: string, where: FieldPath): Version {
  if (text === '') return noVersion
  const [, major = '', minor = '', patch = '', before = ''] = semanticVersion.exec(text) ?? []
  const numbers = [major, minor, patch]
  const pre = before === '' ? [] : before.split('.')
  if (major === '' || ![...numbers, ...pre.filter(isNumber)].every(fits)) {
    errors.push(invalid(where, text, 'must be a valid semantic version'))
    return noVersion
  }
  return { numbers: numbers.map(BigInt), pre }
}

const isNumber = (part: string): boolean => /^\d+$/.test(part)
const fits = (digits: string): boolean => digits.length <= 20 && BigInt(digits) < 2n ** 64n

/** What comes before a release is less than it; of two such, the parts are compared. */
function compare(a: Version, b: Version): number {
  for (const [i, part] of a.numbers.entries()) {
    const other = b.numbers[i] ?? 0n
    if (part !== other) return part < other ? -1 : 1
  }
  if (a.pre.length === 0 || b.pre.length === 0) return Math.sign(b.pre.length - a.pre.length)
  for (const [i, part] of a.pre.entries()) {
    const other = b.pre[i]
    if (other === undefined) return 1
    if (part !== other) return comparePart(part, other)
  }
  return a.pre.length < b.pre.length ? -1 : 0
}

function comparePart(a: string, b: string): number {
  const [aIsNumber, bIsNumber] = [isNumber(a), isNumber(b)]
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1
  return (aIsNumber ? BigInt(a) < BigInt(b) : a < b) ? -1 : 1
}
