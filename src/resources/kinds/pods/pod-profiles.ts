/**
 * AppArmor profiles were annotations before they were fields. A new pod gets both from either, so that old and new
 * kubelets confine it alike; later releases make no annotations of fields any more.
 * Mirrors pkg/registry/core/pod: applyAppArmorVersionSkew.
 */
import { FieldPath } from '../../../api/field-path.ts'
import { equalJson } from '../../../api/json.ts'
import type { AppArmorProfile, Container, Pod } from '../../../catalog/types/core-v1.ts'
import type { Errors } from '../../checks/checks.ts'
import { appArmorPrefix, namesProfiles } from './pod-annotations.ts'
import { allContainers, withContainers } from './pod-options.ts'
import { validateAppArmor } from './security-context.ts'

/** Changes the pod, but none of its parts in place; returns what to warn about. */
export function syncAppArmor(pod: Pod, fieldsOnly: boolean): string[] {
  if (pod.spec.os?.name === 'windows') return []
  const { annotations } = pod.metadata
  const ofPod = pod.spec.securityContext?.appArmorProfile
  const warnings: string[] = []
  if (ofPod === undefined && !namesProfiles(annotations) && !hasOwnProfile(pod)) return warnings
  const added: Record<string, string> = {}
  pod.spec = withContainers(pod.spec, (container) => {
    const key = `${appArmorPrefix}${container.name}`
    const own = container.securityContext?.appArmorProfile
    const annotation = annotations?.[key]
    if (annotation === undefined) {
      const text = fieldsOnly ? undefined : annotationOf(own ?? ofPod)
      if (text !== undefined) added[key] = text
      return container
    }
    if (own !== undefined) return container
    const profile = profileOf(annotation)
    if (profile !== undefined && ofPod !== undefined && equalJson(profile, ofPod)) return container
    // It says what no field says, or what no field could.
    const at = FieldPath.of('metadata', 'annotations').key(key)
    warnings.push(`${at}: deprecated since v1.30; use the "appArmorProfile" field instead`)
    return profile === undefined ? container : withProfile(container, profile)
  })
  if (Object.keys(added).length > 0) pod.metadata.annotations = { ...annotations, ...added }
  return warnings
}

const withProfile = (container: Container, appArmorProfile: AppArmorProfile): Container => ({
  ...container,
  securityContext: { ...container.securityContext, appArmorProfile },
})

const hasOwnProfile = ({ spec }: Pod): boolean => {
  for (const container of allContainers(spec)) {
    if (container.securityContext?.appArmorProfile !== undefined) return true
  }
  return false
}

function annotationOf(profile: AppArmorProfile | undefined): string | undefined {
  switch (profile?.type) {
    case 'Unconfined':
      return 'unconfined'
    case 'RuntimeDefault':
      return 'runtime/default'
    case 'Localhost':
      return profile.localhostProfile === undefined ? undefined : `localhost/${profile.localhostProfile}`
    default:
      return undefined
  }
}

function profileOf(annotation: string): AppArmorProfile | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' }
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' }
  const path = annotation.startsWith('localhost/') ? annotation.slice('localhost/'.length) : ''
  if (path === '') return undefined
  const profile = { type: 'Localhost', localhostProfile: path }
  const errors: Errors = []
  validateAppArmor(errors, profile, FieldPath.root)
  return errors.length === 0 ? profile : undefined
}

/** Whether an annotation says what a field does. */
export const namesProfile = (annotation: string, profile: AppArmorProfile): boolean =>
  equalJson(profileOf(annotation) ?? {}, profile)
