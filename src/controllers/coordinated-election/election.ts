/**
 * Who should hold a Lease that several candidates stand for: pure decisions over the Lease, its candidates and the time.
 * No state is kept in between: a candidate is pinged by its `pingTime` and answers by a `renewTime` that is not before.
 *
 * Mirrors pkg/controlplane/controller/leaderelection.
 */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../api/semantic-version.ts'
import { formatMicroTime, instantOfMillis } from '../../api/time.ts'
import type { LeaseSpec } from '../../catalog/types/coordination-v1.ts'
import type { LeaseCandidateSpec } from '../../catalog/types/coordination-v1beta1.ts'

export type ElectionStep =
  /** Nothing to do but to look again after a while. */
  | { readonly action: 'wait' }
  /** There are no candidates. */
  | { readonly action: 'none' }
  | { readonly action: 'ping'; readonly candidates: readonly KubeObject[] }
  | { readonly action: 'elect'; readonly elected: Elected }

export interface Elected {
  readonly strategy: string
  /** Absent: another controller decides by that strategy. */
  readonly holder: string | undefined
}

/** How long candidates have to answer a ping. */
const electionMs = 5000
/** Candidates that have not renewed for this long are no longer any. */
const candidateMs = 30 * 60 * 1000
const leaseSeconds = 5
/** The one strategy that is decided here. */
const oldestEmulationVersion = 'OldestEmulationVersion'
const zero: SemanticVersion = { numbers: [0n, 0n, 0n], pre: [] }

const candidateOf = (object: KubeObject): Partial<LeaseCandidateSpec> => (object['spec'] ?? {}) as JsonObject
const leaseOf = (object: KubeObject | undefined): LeaseSpec => (object?.['spec'] ?? {}) as JsonObject

export const leaseNameOf = (candidate: KubeObject): string => candidateOf(candidate).leaseName ?? ''

/** Whether it was pinged and has not answered: what comes of that is under way already. */
export function isPinged(candidate: KubeObject): boolean {
  const { pingTime, renewTime } = candidateOf(candidate)
  return pingTime != null && (renewTime ?? '') < pingTime
}

export function isCandidateExpired(candidate: KubeObject, now: number): boolean {
  const { renewTime } = candidateOf(candidate)
  return renewTime == null || Date.parse(renewTime) + candidateMs < now
}

function isLeaseExpired({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now
}

/** `all`: the candidates for the Lease, expired ones included. */
export function electionStep(lease: KubeObject | undefined, all: readonly KubeObject[], now: number): ElectionStep {
  const candidates = all.filter((candidate) => !isCandidateExpired(candidate, now))
  if (candidates.length === 0) return { action: 'none' }
  if (!isElectionNeeded(lease, candidates, now)) return { action: 'wait' }
  const isWithin = (time: string | null | undefined): boolean => time != null && Date.parse(time) + electionMs > now
  const unanswered = candidates.filter(isPinged)
  const silent = candidates.filter((candidate) => {
    const { renewTime } = candidateOf(candidate)
    return !isWithin(renewTime) && !isPinged(candidate)
  })
  if (silent.length > 0) return { action: 'ping', candidates: silent }
  if (unanswered.some((candidate) => isWithin(candidateOf(candidate).pingTime))) return { action: 'wait' }
  const present = candidates.filter((candidate) => isWithin(candidateOf(candidate).renewTime))
  const strategy = bestStrategy(present)
  if (strategy === undefined) return { action: 'wait' }
  if (strategy !== oldestEmulationVersion) return { action: 'elect', elected: { strategy, holder: undefined } }
  const holder = bestCandidate(present)?.metadata.name
  return holder === undefined ? { action: 'wait' } : { action: 'elect', elected: { strategy, holder } }
}

function isElectionNeeded(lease: KubeObject | undefined, candidates: readonly KubeObject[], now: number): boolean {
  const spec = leaseOf(lease)
  if (lease === undefined || isLeaseExpired(spec, now) || (spec.holderIdentity ?? '') === '') return true
  // All candidates show that they are there before they would expire.
  const isDue = candidates.some((each) => Date.parse(candidateOf(each).renewTime ?? '') + candidateMs / 2 < now)
  if (isDue) return true
  if (bestStrategy(candidates) !== oldestEmulationVersion) return false
  const best = bestCandidate(candidates)
  return best !== undefined && best.metadata.name !== spec.holderIdentity
}

const versionOf = (text: string | undefined): SemanticVersion => parseSemanticVersion(text ?? '') ?? zero
const binaryOf = (candidate: KubeObject): SemanticVersion => versionOf(candidateOf(candidate).binaryVersion)

/** That of the newest binary; undefined when binaries of one version disagree. */
function bestStrategy(candidates: readonly KubeObject[]): string | undefined {
  const [first, ...others] = candidates
  if (first === undefined) return undefined
  let best = first
  for (const candidate of others) {
    const order = compareSemanticVersions(binaryOf(best), binaryOf(candidate))
    if (order < 0) best = candidate
    else if (order === 0 && candidateOf(candidate).strategy !== candidateOf(best).strategy) return undefined
  }
  return candidateOf(best).strategy
}

/** The oldest emulated version, then the oldest binary, then the one that was there first. */
function bestCandidate(candidates: readonly KubeObject[]): KubeObject | undefined {
  let best: KubeObject | undefined
  for (const candidate of candidates) {
    const { emulationVersion = '', binaryVersion = '' } = candidateOf(candidate)
    const isValid = [emulationVersion, binaryVersion].every((text) => parseSemanticVersion(text) !== undefined)
    if (isValid && (best === undefined || comparePreference(best, candidate) > 0)) best = candidate
  }
  return best
}

function comparePreference(a: KubeObject, b: KubeObject): number {
  const emulated = compareSemanticVersions(
    versionOf(candidateOf(a).emulationVersion),
    versionOf(candidateOf(b).emulationVersion),
  )
  if (emulated !== 0) return emulated
  const binary = compareSemanticVersions(binaryOf(a), binaryOf(b))
  if (binary !== 0) return binary
  return (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '') ? 1 : -1
}

const microTime = (now: number): string => formatMicroTime(instantOfMillis(now))

export function pinged(candidate: KubeObject, now: number): KubeObject {
  return { ...candidate, spec: { ...(candidate['spec'] as JsonObject), pingTime: microTime(now) } }
}

export function newLeaseSpec({ strategy, holder }: Elected, now: number): JsonObject {
  return {
    ...(holder === undefined ? {} : { holderIdentity: holder }),
    strategy,
    leaseDurationSeconds: leaseSeconds,
    renewTime: microTime(now),
  }
}

/**
 * The Lease after the election; undefined leaves it. A holder that still renews is asked to step down, by the name of
 * the one that is preferred; a Lease without a holder, or that has run out, is given over.
 */
export function electedLease(lease: KubeObject, elected: Elected, now: number): KubeObject | undefined {
  const spec = leaseOf(lease)
  const { strategy, holder } = elected
  const current = spec.holderIdentity ?? ''
  const isFree = current === '' || isLeaseExpired(spec, now)
  const { preferredHolder, acquireTime: _, ...rest } = spec
  if (holder !== undefined && isFree && current !== holder) {
    return { ...lease, spec: { ...rest, ...newLeaseSpec(elected, now) } }
  }
  const preferred = holder === undefined || current === holder ? preferredHolder : holder
  if (spec.strategy === strategy && preferred === preferredHolder) return undefined
  return { ...lease, spec: { ...spec, strategy, ...(preferred === undefined ? {} : { preferredHolder: preferred }) } }
}
