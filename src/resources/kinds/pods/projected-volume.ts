/**
 * Projected volumes: several sources in one directory.
 * Mirrors pkg/apis/core/validation: validateProjectionSources.
 */

import { forbidden, invalid, required } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { RenderedValue } from '../../../api/golang/literal.ts'
import { validateLabelSelector } from '../../../api/label-selector-validation.ts'
import { checkDns1123Subdomain, type Messages } from '../../../api/names.ts'
import { eachItem } from '../../../api/rules-in-steps.ts'
import { goSelector, goStruct, invalidAs, podSyntaxPointer, podSyntaxText } from '../../../catalog/golang/pod-syntax.ts'
import type {
  ClusterTrustBundleProjection,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../../catalog/types/core-v1.ts'
import { pushAll } from '../../../lib/push-all.ts'
import { checkFileMode, checkLocalPath, type Errors, isUnset, requireText } from '../../checks/checks.ts'
import { validateDownwardFile } from './downward-api.ts'
import { podCertificateOf, validatePodCertificate } from './pod-certificate-source.ts'
import { validateSignerName } from './signer-name.ts'
import { validateKeyToPath } from './volume-sources.ts'

interface Projection {
  readonly errors: Errors
  /** Where the volume is: several rules report there. */
  readonly at: FieldPath
  readonly paths: Set<string>
  readonly anyTokenPath: boolean
}

export function validateProjected(
  errors: Errors,
  source: ProjectedVolumeSource,
  at: FieldPath,
  { anyTokenPath }: { readonly anyTokenPath: boolean },
): void {
  checkFileMode(errors, source.defaultMode, at, 'defaultMode')
  const projection = { at, paths: new Set<string>(), anyTokenPath }
  eachItem(errors, source.sources ?? [], (errors, part, i) => {
    validatePart({ ...projection, errors }, part, at.child('sources').index(i))
  })
}

function validatePart(projection: Projection, part: VolumeProjection, at: FieldPath): void {
  const { errors } = projection
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = part
  if (secret !== undefined) validateKeys(projection, secret, at.child('secret'))
  if (configMap !== undefined) validateKeys(projection, configMap, at.child('configMap'))
  if (downwardAPI !== undefined) {
    for (const file of downwardAPI.items ?? []) {
      validateDownwardFile(errors, file, at.child('downwardAPI'))
      if (!isUnset(file.path)) addPath(projection, file.path, file.path)
    }
  }
  if (serviceAccountToken !== undefined) {
    validateToken(projection, serviceAccountToken, at.child('serviceAccountToken'))
  }
  if (clusterTrustBundle !== undefined) {
    validateTrustBundle(projection, clusterTrustBundle, at.child('clusterTrustBundle'))
  }
  const podCertificate = podCertificateOf(part)
  if (podCertificate !== undefined) {
    validatePodCertificate(errors, podCertificate, at.child('podCertificate'), (path) =>
      addPath(projection, path, path),
    )
  }
  const given = [secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate]
  if (given.filter((each) => each !== undefined).length > 1) {
    errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  }
}

function addPath({ errors, at, paths }: Projection, path: string, shown: string): void {
  if (paths.has(path)) errors.push(invalid(at, shown, 'conflicting duplicate paths'))
  else paths.add(path)
}

function validateKeys(
  projection: Projection,
  { name = '', items = [] }: { readonly name?: string; readonly items?: readonly KeyToPath[] },
  at: FieldPath,
): void {
  if (name === '') projection.errors.push(required(at.child('name')))
  items.forEach((item, i) => {
    validateKeyToPath(projection.errors, item, at.child('items').index(i))
    if (!isUnset(item.path)) addPath(projection, item.path, name)
  })
}

function validateToken(
  { errors, at: volumeAt, anyTokenPath }: Projection,
  { expirationSeconds = 0, path }: ServiceAccountTokenProjection,
  at: FieldPath,
): void {
  const seconds = Number(expirationSeconds)
  if (seconds < 600) {
    errors.push(invalid(at.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > 2 ** 32) {
    const why = 'may not specify a duration larger than 2^32 seconds'
    errors.push(invalid(at.child('expirationSeconds'), seconds, why))
  }
  if (isUnset(path)) errors.push(required(volumeAt.child('path')))
  else if (!anyTokenPath) checkLocalPath(errors, path, volumeAt.child('path'))
}

function validateTrustBundle(projection: Projection, bundle: ClusterTrustBundleProjection, at: FieldPath): void {
  const { errors } = projection
  const { name, signerName, labelSelector, path } = bundle
  if (name !== undefined && signerName !== undefined) {
    errors.push(invalidAs(at, () => printTrustBundle(bundle), 'only one of name and signerName may be used'))
  } else if (name !== undefined) {
    if (name === '') errors.push(required(at.child('name'), 'must be a valid object name'))
    for (const message of checkTrustBundleName(name)) {
      errors.push(invalid(at.child('name'), name, `not a valid clustertrustbundlename: ${message}`))
    }
    if (labelSelector !== undefined) {
      const why = 'labelSelector must be unset if name is specified'
      errors.push(invalidAs(at.child('labelSelector'), () => goSelector(labelSelector), why))
    }
  } else if (signerName !== undefined) {
    if (signerName === '') errors.push(required(at.child('signerName'), 'must be a valid signer name'))
    validateSignerName(errors, signerName, at.child('signerName'))
    pushAll(errors, validateLabelSelector(labelSelector, at.child('labelSelector')))
  } else errors.push(required(at, 'either name or signerName must be specified'))
  requireText(errors, path, at, 'path')
  checkLocalPath(errors, path, at.child('path'))
  addPath(projection, path, path)
}

const printTrustBundle = (bundle: ClusterTrustBundleProjection): RenderedValue =>
  goStruct('core.ClusterTrustBundleProjection', {
    Name: podSyntaxPointer('string', bundle.name),
    SignerName: podSyntaxPointer('string', bundle.signerName),
    LabelSelector: podSyntaxPointer('v1.LabelSelector', bundle.labelSelector),
    Optional: podSyntaxPointer('bool', bundle.optional),
    Path: podSyntaxText(bundle.path),
  })

/** `domain:path:name` for bundles of the signer `domain/path`, a plain name for the others. */
function checkTrustBundleName(name: string): Messages {
  const colon = name.lastIndexOf(':')
  if (colon < 0) return checkDns1123Subdomain(name)
  if (colon === 0) return ['ClusterTrustBundle without signer name must not have ":" in its name']
  const signer = name.slice(0, colon).replaceAll(':', '/')
  const prefix = `${signer.replaceAll('/', ':')}:`
  if (!name.startsWith(prefix)) {
    return [`ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`]
  }
  return checkDns1123Subdomain(name.slice(colon + 1))
}
