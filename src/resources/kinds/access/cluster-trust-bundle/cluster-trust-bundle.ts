/**
 * ClusterTrustBundle: authorities to trust, of one signer or of none. The signer is in the name.
 * Mirrors pkg/apis/certificates/validation: ValidateClusterTrustBundle, ValidateClusterTrustBundleUpdate.
 * Mirrors pkg/registry/certificates/clustertrustbundle: strategy.
 */
import { type FieldError, invalid, tooLong } from '../../../../api/field-error.ts'
import { FieldPath } from '../../../../api/field-path.ts'
import { checkSubdomainName, type Messages } from '../../../../api/names.ts'
import type { KubeObject } from '../../../../api/object.ts'
import type { ClusterTrustBundleSpec } from '../../../../catalog/types/certificates-v1beta1.ts'
import { pemBlocks } from '../../../../lib/pem.ts'
import { immutableMessage } from '../../../checks/checks.ts'
import type { KindRules } from '../../../kind-rules.ts'
import { validateSignerName } from '../../pods/signer-name.ts'
import { certificateAuthority } from '../certificate-signing-request/certificate-request.ts'

type Bundle = KubeObject & { spec: ClusterTrustBundleSpec }

const specPath = FieldPath.of('spec')
const maxBundleBytes = 1024 * 1024

/** The name is checked with the signer, which only the whole object knows. */
const anyName = { validateName: (): [] => [] }

function validateName({ metadata, spec }: Bundle): FieldError[] {
  const errors: FieldError[] = []
  for (const [field, prefix] of [
    ['generateName', true],
    ['name', false],
  ] as const) {
    const name = metadata[field] ?? ''
    if (name === '') continue
    for (const message of checkName(name, spec.signerName ?? '', prefix)) {
      errors.push(invalid(`metadata.${field}`, name, message))
    }
  }
  return errors
}

function checkName(name: string, signer: string, prefix: boolean): Messages {
  if (signer === '') {
    return name.includes(':')
      ? ['ClusterTrustBundle without signer name must not have ":" in its name']
      : checkSubdomainName(name, prefix)
  }
  const wanted = `${signer.replaceAll('/', ':')}:`
  return name.startsWith(wanted)
    ? checkSubdomainName(name.slice(wanted.length), prefix)
    : [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${wanted}`]
}

function validateBundle(bundle: Bundle): FieldError[] {
  const { signerName = '', trustBundle } = bundle.spec
  return [...validateSpec(bundle, signerName), ...validateAnchors(trustBundle, specPath.child('trustBundle'))]
}

function validateSpec(bundle: Bundle, signerName: string): FieldError[] {
  const errors = validateName(bundle)
  if (signerName !== '') validateSignerName(errors, signerName, specPath.child('signerName'))
  return errors
}

function validateAnchors(pem: string, at: FieldPath): FieldError[] {
  if (Buffer.byteLength(pem) > maxBundleBytes) return [tooLong(at, maxBundleBytes)]
  const say = (why: string): FieldError => invalid(at, '<value omitted>', why)
  const blocks = pemBlocks(pem)
  const errors = blocks.flatMap(({ type, hasHeaders, bytes }, i): FieldError[] => {
    if (type !== 'CERTIFICATE') return [say(`entry ${i} has bad block type: ${type}`)]
    if (hasHeaders) return [say(`entry ${i} has PEM block headers`)]
    const authority = certificateAuthority(bytes)
    if (authority === undefined) return [say(`entry ${i} does not parse as X.509`)]
    return authority ? [] : [say(`entry ${i} does not have the CA bit set`)]
  })
  if (errors.length > 0) return errors
  if (blocks.length === 0) return [say('at least one trust anchor must be provided')]
  const places = new Map<string, number[]>()
  blocks.forEach(({ bytes }, i) => {
    const key = bytes.toString('base64')
    places.set(key, [...(places.get(key) ?? []), i])
  })
  return [...places.values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => say(`duplicate trust anchor (indices [${indices.join(' ')}])`))
}

export function clusterTrustBundleRules(): KindRules<Bundle> {
  return {
    strategy: {
      validateMetadata: (metadata) => metadata.validate(anyName),
      validateMetadataUpdate: (metadata) => [...metadata.validate(anyName), ...metadata.validateUpdate()],
      validate: validateBundle,
      validateUpdate(bundle, old) {
        const { signerName = '', trustBundle } = bundle.spec
        const same = trustBundle === old.spec.trustBundle
        const moved = signerName !== (old.spec.signerName ?? '')
        return [
          ...(same ? validateSpec(bundle, signerName) : validateBundle(bundle)),
          ...(moved ? [invalid(specPath.child('signerName'), signerName, immutableMessage)] : []),
        ]
      },
    },
    fields: { 'spec.signerName': (bundle) => (bundle as Bundle).spec.signerName ?? '' },
  }
}
