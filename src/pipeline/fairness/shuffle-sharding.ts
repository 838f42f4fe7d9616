/**
 * Shuffle sharding: every flow has its own small hand of queues out of the deck, so that a flood in one flow fills its
 * own hand and hardly ever the whole hand of another. The same flow always gets the same hand.
 */

import { createHash } from 'node:crypto'
import { pushAll } from '../../lib/push-all.ts'

/** Different queues of `deckSize`, `handSize` of them, in the order in which they were dealt. */
export function dealHand(flow: string, deckSize: number, handSize: number): readonly number[] {
  let entropy = createHash('sha256').update(flow).digest().readBigUInt64LE()
  const deck = Array.from({ length: deckSize }, (_, card) => card)
  const hand: number[] = []
  for (let dealt = 0; dealt < Math.min(handSize, deckSize); dealt++) {
    const left = BigInt(deck.length)
    pushAll(hand, deck.splice(Number(entropy % left), 1))
    entropy /= left
  }
  return hand
}
