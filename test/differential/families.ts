/** Which cases a run makes, and how often. */
import { authorization, connect, identity } from './access-cases.ts'
import { chain, expressions, policy, webhook } from './admission-cases.ts'
import { aggregation, unavailable } from './aggregation-cases.ts'
import type { CaseGenerator } from './building.ts'
import {
  apply,
  create,
  mistyped,
  patch,
  read,
  remove,
  removeCollection,
  roundTrip,
  subresource,
  update,
} from './cases.ts'
import { definition, schema } from './definition-cases.ts'
import { documents, headersAndQueries, malformed, paths } from './request-cases.ts'
import { applySequence, limits, namespaceLife, paging } from './sequence-cases.ts'
import { texts } from './text-cases.ts'
import { watch } from './watch-cases.ts'

export interface Family {
  readonly name: string
  readonly weight: number
  readonly generate: CaseGenerator
  /** A resource that `--kinds` selects, nothing, or servers that send audit events. */
  readonly needs: 'resource' | 'nothing' | 'audit'
}

const ofResources: readonly Omit<Family, 'needs'>[] = [
  { name: 'create', weight: 20, generate: create },
  { name: 'mistyped', weight: 4, generate: mistyped },
  { name: 'texts', weight: 4, generate: texts },
  { name: 'update', weight: 20, generate: update },
  { name: 'subresource', weight: 14, generate: subresource },
  { name: 'patch', weight: 16, generate: patch },
  { name: 'apply', weight: 12, generate: apply },
  { name: 'applies', weight: 8, generate: applySequence },
  { name: 'delete', weight: 6, generate: remove },
  { name: 'deletecollection', weight: 3, generate: removeCollection },
  { name: 'read', weight: 10, generate: read },
  { name: 'paging', weight: 4, generate: paging },
  { name: 'roundtrip', weight: 4, generate: roundTrip },
  { name: 'watch', weight: 6, generate: watch },
  { name: 'malformed', weight: 6, generate: malformed },
  { name: 'headers', weight: 6, generate: headersAndQueries },
  { name: 'authorization', weight: 4, generate: authorization },
  { name: 'chain', weight: 2, generate: chain },
]

const ofServers: readonly Omit<Family, 'needs'>[] = [
  { name: 'paths', weight: 2, generate: paths },
  { name: 'documents', weight: 1, generate: documents },
  { name: 'definition', weight: 20, generate: definition },
  { name: 'schema', weight: 12, generate: schema },
  { name: 'expressions', weight: 8, generate: expressions },
  { name: 'policy', weight: 10, generate: policy },
  { name: 'webhook', weight: 10, generate: webhook },
  { name: 'aggregation', weight: 3, generate: aggregation },
  { name: 'unavailable', weight: 1, generate: unavailable },
  { name: 'namespace', weight: 5, generate: namespaceLife },
  { name: 'limits', weight: 4, generate: limits },
  { name: 'identity', weight: 3, generate: identity },
  { name: 'connect', weight: 3, generate: connect },
]

const plain: readonly Family[] = [
  ...ofResources.map((family) => ({ ...family, needs: 'resource' as const })),
  ...ofServers.map((family) => ({ ...family, needs: 'nothing' as const })),
]

const weighted = plain.flatMap((family) => Array.from({ length: family.weight }, () => family))

/** A case of any other family, of which both servers' audit events are compared, too. */
const audit: CaseGenerator = (source) => {
  const made = source.random.pick(weighted).generate(source)
  return made === undefined ? undefined : { ...made, family: 'audit', audited: true }
}

export const families: readonly Family[] = [...plain, { name: 'audit', weight: 20, generate: audit, needs: 'audit' }]
