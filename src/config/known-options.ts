/** Options that a program gives as an object. One that is misspelt would be one that is not given: it is refused. */
import { nearestNames } from './nearest-names.ts'

/** Every name of an interface, which the compiler holds complete. */
export type NamesOf<T> = Readonly<Record<keyof Required<T> & string, true>>

export function refuseUnknownOptions<T extends object>(where: string, given: T, known: NamesOf<T>): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${where} takes an object of options`)
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(known, name)) throw new TypeError(unknownName(`option of ${where}`, name, Object.keys(known)))
  }
}

export function refuseUnknownChoice(where: string, given: string | undefined, known: readonly string[]): void {
  if (given !== undefined && !known.includes(given)) throw new TypeError(unknownName(where, given, known))
}

function unknownName(what: string, given: string, known: readonly string[]): string {
  const near = nearestNames(given, known)
  const hint = near.length === 0 ? `use ${known.join(', ')}` : `did you mean ${near.join(' or ')}?`
  return `there is no ${what} ${JSON.stringify(given)}: ${hint}`
}
