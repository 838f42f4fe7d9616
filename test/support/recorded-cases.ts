/**
 * What the reference said to objects, updates and statuses that are wrong, most of them in many ways at once, to the letter
 * (facts/cases/validation*.json).
 */
import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/api/json.ts'

export type RecordedCause = readonly [reason: string, field: string, message: string]

/** The answer to a create, or to the merge patch `change` of what a create made and the patches `before` have changed. */
export interface RecordedCase {
  /** The resource and its version: `apps/v1/deployments`. */
  readonly of: string
  /** A merge patch of the base of its kind. */
  readonly merge: JsonObject
  readonly before?: readonly (readonly [subresource: string, patch: JsonObject])[]
  readonly sub?: string
  readonly change?: JsonObject
  readonly code: number
  readonly message?: string
  readonly causes?: readonly RecordedCause[]
  readonly warnings?: readonly string[]
}

export interface RecordedCases {
  /** The feature gates of the server that answered. */
  readonly gates: string
  /** The ranges of its service addresses. */
  readonly ranges: readonly string[]
  /** Valid objects. */
  readonly bases: Readonly<Record<string, JsonObject>>
  readonly cases: readonly RecordedCase[]
}

const singleStack = ['10.0.0.0/24']

/** Of each server that was asked. */
export const recordedCases = (): RecordedCases[] => ['validation.json', 'validation-gated.json'].map(readCases)

function readCases(name: string): RecordedCases {
  const file = new URL(`../../facts/cases/${name}`, import.meta.url)
  const spelledOut = readFileSync(file, 'utf8').replaceAll(/\{x\*(\d+)\}/g, (_, count) => 'x'.repeat(Number(count)))
  return { ranges: singleStack, ...(JSON.parse(spelledOut) as Omit<RecordedCases, 'ranges'>) }
}

/** What is another one every time; cmp.Diff chooses between two kinds of spaces. */
export const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{17}/g, 'UID')
    .replaceAll(/0x[0-9a-f]{8,}/g, 'POINTER')
    .replaceAll('\u00a0', ' ')
    .replace(/"10\.0\.0\.\d+"(?=: expected an IPv6)|"fd00::[0-9a-f]+"(?=: expected an IPv4)/, '"ADDRESS"')
