/**
 * Objects without what is left to chance: uids, times, versions, addresses, which of several nodes was taken, and the ends of
 * generated names, of which the form is kept. Lists that a cluster orders by such values are put in one order.
 */
import { X509Certificate } from 'node:crypto'
import { isList, isMap, type Json, type JsonMap, mapStrings, ordered } from '../differential/json.ts'
import { maskValue } from '../differential/normalise.ts'

/** Generated names end in five letters without vowels, and without digits that look like them. */
const suffix = /-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g
const rules: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [suffix, '-?????'],
  // A CronJob names its jobs by the minute.
  [/-\d{8}(?![0-9a-z])/g, '-MINUTE'],
  [/\bnode-\d+\b/g, 'NODE'],
  [/\bzone-[a-z]\b/g, 'ZONE'],
  [/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g, 'CERTIFICATE'],
  // A token, and the same as data of a Secret.
  [/ZXlK[\w+/=]{100,}/g, 'TOKEN'],
  [/\b172\.30\.\d+\.\d+\b/g, 'NODEIP'],
  [/\b10\.\d+\.\d+\.\d+\b/g, 'IP'],
  [/\b(?:containerd|simulated):\/\/[0-9a-f]+/g, 'CONTAINER'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000 UTC)/g, 'NOW'],
  [/NOW\.fraction/g, 'NOW'],
]

export const maskedText = (text: string): string =>
  certificateText(text) ?? rules.reduce((masked, [form, replacement]) => masked.replace(form, replacement), text)

/** A certificate as data, by what it says; its lifetime is told in hours, as it begins at a moment of its own. */
function certificateText(text: string): string | undefined {
  if (!text.startsWith(encodedCertificate)) return undefined
  const { subject, issuer, keyUsage, ca, validFrom, validTo } = new X509Certificate(Buffer.from(text, 'base64'))
  const hours = Math.round((Date.parse(validTo) - Date.parse(validFrom)) / 3_600_000)
  return JSON.stringify({ subject, issuer, keyUsage, ca, hours })
}

/** `-----BEGIN CERTIFICATE-----` */
const encodedCertificate = 'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t'

/** How often they were written is no part of what they are. */
const countedWrites: ReadonlySet<string> = new Set(['discovery.k8s.io/v1/endpointslices', 'v1/endpoints'])

/** Members whose order follows from uids, addresses or times: of two conditions the one that came to hold first is the first. */
const unordered: ReadonlySet<string> = new Set([
  'conditions',
  'endpoints',
  'addresses',
  'notReadyAddresses',
  'managedFields',
  'ownerReferences',
  'volumesAttached',
  'reservedFor',
])

export function maskedObject(resource: string, object: JsonMap): JsonMap {
  const masked = ordered(mapStrings(sortedLists(maskValue(object)), maskedText))
  // Names changed after the first time: what follows from them is put in order again.
  const sorted = sortedLists(masked) as JsonMap
  if (!countedWrites.has(resource) || !isMap(sorted['metadata'])) return sorted
  const { generation: _, ...metadata } = sorted['metadata']
  return { ...sorted, metadata }
}

function sortedLists(value: Json, key = ''): Json {
  if (isList(value)) {
    const items = value.map((item) => sortedLists(item))
    if (!unordered.has(key)) return items
    return items
      .map((item) => JSON.stringify(ordered(item)))
      .sort()
      .map((text) => JSON.parse(text) as Json)
  }
  if (!isMap(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, sortedLists(item, name)]))
}

export const maskedAnswers = (answers: readonly Json[]): readonly Json[] =>
  answers.map((answer) => mapStrings(maskValue(answer), maskedText))
