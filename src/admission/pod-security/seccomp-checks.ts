/** The checks of seccomp profiles: by annotations before v1.19, by fields since. */

import { quote } from '../../api/golang/quote.ts'
import type { JsonObject } from '../../api/json.ts'
import { containersOf } from '../pod.ts'
import {
  badSetters,
  type Check,
  containersText,
  namesWhere,
  nestedObject,
  plural,
  quoted,
  sortedNames,
} from './check.ts'

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod'
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/'
const isAllowedSeccomp = (value: string): boolean =>
  value === 'runtime/default' || value === 'docker/default' || value.startsWith('localhost/')

export const seccompAnnotations: Check = (pod) => {
  const keys = [seccompPod, ...[...containersOf(pod.spec)].map(({ container }) => seccompContainer + container.name)]
  const bad = keys.flatMap((key) => {
    const value = pod.metadata.annotations?.[key]
    return value === undefined || isAllowedSeccomp(value) ? [] : [`${key}=${quote(value)}`]
  })
  if (bad.length === 0) return undefined
  const list = sortedNames(bad)
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${plural('annotation', 'annotations', list.length)} ${list.join(', ')}`,
  }
}

const seccompType = (context: JsonObject | undefined): string | undefined => {
  const profile = nestedObject(context?.['seccompProfile'])
  return profile === undefined ? undefined : String(profile['type'] ?? '')
}
const isGoodSeccomp = (type: string | undefined): boolean => type === 'Localhost' || type === 'RuntimeDefault'

export const seccompBaseline: Check = (pod) => {
  const values = new Set<string>()
  const setters = badSetters(pod, (context) => {
    const type = seccompType(context)
    if (type === undefined || isGoodSeccomp(type)) return false
    values.add(type)
    return true
  })
  if (setters === undefined) return undefined
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(sortedNames(values))}`,
  }
}

export const seccompRestricted: Check = (pod) => {
  const explicit = seccompBaseline(pod)
  if (explicit !== undefined) return explicit
  if (isGoodSeccomp(seccompType(pod.spec.securityContext))) return undefined
  const names = namesWhere(pod, ({ securityContext }) => seccompType(securityContext) === undefined)
  if (names.length === 0) return undefined
  return {
    reason: 'seccompProfile',
    detail: `pod or ${containersText(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  }
}
