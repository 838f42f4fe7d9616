/** What may be wrong with the issuer of tokens in an AuthenticationConfiguration. */

import { X509Certificate } from 'node:crypto'
import type { JwtIssuer } from '../../api/authentication-configuration.ts'
import { duplicate, type FieldError, invalid, required } from '../../api/field-error.ts'
import type { FieldPath } from '../../api/field-path.ts'
import { pushAll } from '../../lib/push-all.ts'
import { trimTrailing } from '../../lib/trim-trailing.ts'

/** Where later releases can send what goes to an issuer. */
const egressTypes = ['controlplane', 'cluster']

export function validateIssuer(issuer: JwtIssuer, at: FieldPath): FieldError[] {
  const { url, discoveryURL } = issuer
  const errors: FieldError[] = []
  if (url === '') errors.push(required(at.child('url'), 'URL is required'))
  else pushAll(errors, validateUrl(url, at.child('url')))
  if (discoveryURL !== '') {
    if (url !== '' && trimSlashes(url) === trimSlashes(discoveryURL)) {
      errors.push(invalid(at.child('discoveryURL'), discoveryURL, 'discoveryURL must be different from URL'))
    }
    pushAll(errors, validateUrl(discoveryURL, at.child('discoveryURL')))
  }
  pushAll(errors, validateAudiences(issuer, at))
  if (issuer.certificateAuthority !== '' && !holdsCertificate(issuer.certificateAuthority)) {
    const why = 'data does not contain any valid RSA or ECDSA certificates'
    errors.push(invalid(at.child('certificateAuthority'), '<omitted>', why))
  }
  return errors
}

/** Mirrors apiserver/pkg/apis/apiserver/validation: validateEgressSelector. */
export function validateEgress(
  { egressSelectorType: type = '' }: JwtIssuer,
  at: FieldPath,
  gate: (name: string) => boolean,
): FieldError[] {
  if (type === '') return []
  const errors: FieldError[] = []
  const unsupported = (feature: string): string =>
    `egress selector is not supported when ${feature} feature gate is disabled`
  for (const feature of [
    'StructuredAuthenticationConfiguration',
    'StructuredAuthenticationConfigurationEgressSelector',
  ]) {
    if (!gate(feature)) errors.push(invalid(at, type, unsupported(feature)))
  }
  if (!egressTypes.includes(type)) {
    errors.push(invalid(at, type, 'egress selector must be either controlplane or cluster'))
  }
  return errors
}

const trimSlashes = (text: string): string => trimTrailing(text, '/')

function holdsCertificate(pem: string): boolean {
  const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/.exec(pem)?.[0]
  if (block === undefined) return false
  try {
    return new X509Certificate(block).raw.length > 0
  } catch {
    return false
  }
}

/** Without the place in the list, as the reference says it. */
export function disallowed(url: string, issuers: readonly string[]): FieldError[] {
  if (!issuers.includes(url)) return []
  return [
    invalid('issuer.url', url, `URL must not overlap with disallowed issuers: [${[...issuers].sort().join(' ')}]`),
  ]
}

function validateUrl(text: string, at: FieldPath): FieldError[] {
  if (!/^[!-~\u0080-\uffff]+$/.test(text))
    return [invalid(at, text, `parse ${JSON.stringify(text)}: invalid character in URL`)]
  const errors: FieldError[] = []
  const [, scheme = ''] = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text) ?? []
  if (scheme.toLowerCase() !== 'https') errors.push(invalid(at, text, 'URL scheme must be https'))
  const [beforeFragment = '', fragment = ''] = text.split(/#(.*)/s)
  const [beforeQuery = '', query = ''] = beforeFragment.split(/\?(.*)/s)
  const authority = /^[^/]*\/\/([^/]*)/.exec(beforeQuery)?.[1] ?? ''
  if (authority.includes('@')) errors.push(invalid(at, text, 'URL must not contain a username or password'))
  if (query !== '') errors.push(invalid(at, text, 'URL must not contain a query'))
  if (fragment !== '') errors.push(invalid(at, text, 'URL must not contain a fragment'))
  return errors
}

function validateAudiences({ audiences, audienceMatchPolicy }: JwtIssuer, parent: FieldPath): FieldError[] {
  const at = parent.child('audiences')
  if (audiences.length === 0) return [required(at, `at least one ${at} is required`)]
  const errors: FieldError[] = []
  const seen = new Set<string>()
  audiences.forEach((audience, i) => {
    if (audience === '') errors.push(required(at.index(i), "audience can't be empty"))
    if (seen.has(audience)) errors.push(duplicate(at.index(i), audience))
    seen.add(audience)
  })
  const policy = parent.child('audienceMatchPolicy')
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny') {
    const why = 'audienceMatchPolicy must be MatchAny for multiple audiences'
    errors.push(invalid(policy, audienceMatchPolicy, why))
  }
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny') {
    const why = 'audienceMatchPolicy must be empty or MatchAny for single audience'
    errors.push(invalid(policy, audienceMatchPolicy, why))
  }
  return errors
}
