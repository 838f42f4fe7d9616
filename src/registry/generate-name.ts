/**
 * Random name suffixes, from an alphabet without vowels and look-alikes, so that no name is a word.
 * Mirrors k8s.io/apiserver/pkg/storage/names: simpleNameGenerator.
 */
import type { Clock } from '../lib/clock.ts'

const alphabet = 'bcdfghjklmnpqrstvwxz2456789'
const suffixLength = 5
const maxBaseLength = 63 - suffixLength

export function generateName(base: string, clock: Clock): string {
  // Without digits: the names of a CronJob's jobs end in the time.
  const stream = `name ${base.replaceAll(/\d+/g, '')}`
  return base.slice(0, maxBaseLength) + randomSuffix(clock, suffixLength, stream)
}

export function randomSuffix(clock: Clock, length: number, stream?: string): string {
  let suffix = ''
  for (let i = 0; i < length; i++) suffix += alphabet[Math.floor(clock.random(stream) * alphabet.length)]
  return suffix
}
