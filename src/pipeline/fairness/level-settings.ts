/** A PriorityLevelConfiguration as the server goes by it. */
import { isJsonObject, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Queuing } from './queue-set-options.ts'

export interface LevelSettings {
  readonly name: string
  /** Empty for a mandatory one that has no object yet. */
  readonly uid: string
  readonly exempt: boolean
  readonly shares: number
  readonly lendablePercent: number
  /** Undefined: as much as there is. */
  readonly borrowingPercent: number | undefined
  /** Undefined: what does not fit is refused at once. */
  readonly queuing: Queuing | undefined
}

/** Undefined for one that contradicts itself: it counts as absent. */
export function readLevel({ metadata, spec }: KubeObject): LevelSettings | undefined {
  const name = metadata.name ?? ''
  const uid = metadata.uid ?? ''
  if (!isJsonObject(spec)) return undefined
  const { type, limited, exempt } = spec
  // Only the mandatory level is exempt: one that could become so while requests wait is more than anybody needs.
  if ((type === 'Exempt') !== (name === 'exempt')) return undefined
  if (type === 'Exempt') {
    if (limited !== undefined || !isJsonObject(exempt)) return undefined
    return { name, uid, exempt: true, ...shares(exempt, 0), borrowingPercent: undefined, queuing: undefined }
  }
  if (type !== 'Limited' || !isJsonObject(limited) || exempt !== undefined) return undefined
  const response = limited['limitResponse']
  if (!isJsonObject(response)) return undefined
  const { queuing } = response
  if ((response['type'] === 'Queue') !== isJsonObject(queuing)) return undefined
  const borrowing = limited['borrowingLimitPercent']
  return {
    name,
    uid,
    exempt: false,
    ...shares(limited, 30),
    borrowingPercent: borrowing === undefined || borrowing === null ? undefined : Number(borrowing),
    queuing: isJsonObject(queuing) ? readQueuing(queuing) : undefined,
  }
}

function shares(fields: JsonObject, byDefault: number): { shares: number; lendablePercent: number } {
  return {
    shares: Number(fields['nominalConcurrencyShares'] ?? byDefault),
    lendablePercent: Number(fields['lendablePercent'] ?? 0),
  }
}

const readQueuing = (fields: JsonObject): Queuing => ({
  queues: Number(fields['queues'] ?? 64),
  handSize: Number(fields['handSize'] ?? 8),
  queueLengthLimit: Number(fields['queueLengthLimit'] ?? 50),
})
