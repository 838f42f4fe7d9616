/** Which security a namespace asks for, read from its labels: a level and a version for each of three modes. */

import { type FieldError, invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { quote } from '../../api/golang/quote.ts'
import type { StringMap } from '../../api/object.ts'

export type Level = 'privileged' | 'baseline' | 'restricted'
export type PodSecurityMode = 'enforce' | 'audit' | 'warn'

const levels: readonly Level[] = ['privileged', 'baseline', 'restricted']

export interface LevelVersion {
  readonly level: Level
  /** The minor version; undefined is the latest. */
  readonly minor: number | undefined
}

export type PodSecurityPolicy = Readonly<Record<PodSecurityMode, LevelVersion>>

const modes: readonly PodSecurityMode[] = ['enforce', 'audit', 'warn']
export const labelPrefix = 'pod-security.kubernetes.io/'

export const privilegedPolicy: PodSecurityPolicy = {
  enforce: { level: 'privileged', minor: undefined },
  audit: { level: 'privileged', minor: undefined },
  warn: { level: 'privileged', minor: undefined },
}

export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b)

export const formatPolicy = ({ level, minor }: LevelVersion): string =>
  `${level}:${minor === undefined ? 'latest' : `v1.${minor}`}`

const levelsMessage = `must be one of ${levels.join(', ')}`
const versionMessage = 'must be "latest" or "v1.x"'

export function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text)
}

/** Undefined when the text is no version. */
export function parsePolicyVersion(text: string): { readonly minor: number | undefined } | undefined {
  if (text === 'latest') return { minor: undefined }
  const match = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text)
  const minor = Number(match?.[1])
  return minor < 2 ** 63 ? { minor } : undefined
}

/**
 * What cannot be read is reported; enforcing then falls back to the strictest level, the other modes to none. A
 * namespace that only says what it enforces warns of the same.
 */
export function policyOf(
  labels: StringMap | undefined,
  standard: PodSecurityPolicy,
): { readonly policy: PodSecurityPolicy; readonly errors: FieldError[] } {
  const errors: FieldError[] = []
  const read = (mode: PodSecurityMode): LevelVersion => {
    const [levelText, versionText] = [labels?.[labelPrefix + mode], labels?.[`${labelPrefix}${mode}-version`]]
    const level = levelText === undefined ? standard[mode].level : parseLevel(levelText)
    if (level === undefined) errors.push(invalid(at(mode), levelText, levelsMessage))
    const version = versionText === undefined ? standard[mode] : parsePolicyVersion(versionText)
    if (version === undefined) errors.push(invalid(at(`${mode}-version`), versionText, versionMessage))
    return { level: level ?? (mode === 'enforce' ? 'restricted' : 'privileged'), minor: version?.minor }
  }
  const [enforce, audit, warn] = modes.map(read) as [LevelVersion, LevelVersion, LevelVersion]
  return { policy: { enforce, audit, warn: impliedWarning(labels, enforce, warn) }, errors }
}

const at = (label: string): FieldPath =>
  FieldPath.of('metadata')
    .child('labels')
    .key(labelPrefix + label)

function impliedWarning(labels: StringMap | undefined, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const enforced = labels?.[`${labelPrefix}enforce`]
  if (enforced === undefined || parseLevel(enforced) === undefined) return warn
  if (labels?.[`${labelPrefix}warn`] !== undefined || compareLevels(enforce.level, warn.level) <= 0) return warn
  const minor = labels?.[`${labelPrefix}warn-version`] === undefined ? enforce.minor : warn.minor
  return { level: enforce.level, minor }
}

const isSame = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && (a.level === 'privileged' || a.minor === b.minor)

/** The warning about labels of an exempt namespace; undefined when the labels ask for nothing of their own. */
export function exemptionWarning(
  namespace: string,
  policy: PodSecurityPolicy,
  { labels, standard }: { readonly labels: StringMap | undefined; readonly standard: PodSecurityPolicy },
): string | undefined {
  if (modes.every((mode) => policy[mode].level === 'privileged')) return undefined
  if (modes.every((mode) => isSame(policy[mode], standard[mode]))) return undefined
  const asked = modes
    .filter((mode) => policy[mode].level !== 'privileged')
    .filter((mode) => [mode, `${mode}-version`].some((label) => labels?.[labelPrefix + label] !== undefined))
    .map((mode) => `${mode}=${formatPolicy(policy[mode])}`)
  return `namespace ${quote(namespace)} is exempt from Pod Security, and the policy (${asked.join(', ')}) will be ignored`
}
