/** JSON texts of large immutable values that were written before, for every encoding that embeds them. */
import { SideTable } from '../lib/memo.ts'

const texts = new SideTable<object, string>()

/** The text as `encodeJson` gives it, if it was kept. */
export const knownText = (value: object): string | undefined => texts.get(value)

export const keepText = (value: object, text: string): void => texts.set(value, text)
