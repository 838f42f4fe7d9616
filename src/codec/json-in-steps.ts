/** As `encodeJson` and `encodePrettyJson`, of values that take more than one turn. */
import type { JsonObject, JsonValue } from '../api/json.ts'
import { compareTexts, isIndex, keysOf } from '../api/key-lists.ts'
import { knownText } from '../api/known-text.ts'
import {
  isHeavy,
  materialize,
  materializeAll,
  pickKeys,
  slicesOf,
  slicesOfKeys,
  sortInSteps,
} from '../api/large-values.ts'
import type { Steps } from '../lib/in-turns.ts'
import { sortKeys } from '../schema/json-shape.ts'
import { encodeJson, encodePrettyJson } from './json.ts'

/** With `sorted` the keys are sorted at every level, as those of custom objects are. */
export function* encodeJsonInSteps(value: JsonValue, sorted = false): Steps<string> {
  if (typeof value === 'object' && value !== null) yield* materializeAll(value)
  return yield* write(value, {
    light: (part) => encodeJson(sorted ? sortKeys(part) : part),
    isCompact: !sorted,
    sorted,
    separator: ',',
    colon: ':',
    around: ['', ''],
  })
}

/** `margin` is what stands before each line but the first. */
export function* encodePrettyJsonInSteps(value: JsonValue, margin = ''): Steps<string> {
  if (isHeavy(value)) yield* materializeAll(value)
  return yield* writePretty(value, margin)
}

function* writePretty(value: JsonValue, margin: string): Steps<string> {
  const inner = `${margin}  `
  return yield* write(value, {
    light: (part) => {
      const text = encodePrettyJson(part)
      return margin === '' ? text : text.replaceAll('\n', `\n${margin}`)
    },
    heavy: (part) => writePretty(part, inner),
    isCompact: false,
    sorted: false,
    separator: `,\n${inner}`,
    colon: ': ',
    around: [`\n${inner}`, `\n${margin}`],
  })
}

interface Layout {
  light(value: JsonValue): string
  /** Absent where it is laid out as what is around it. */
  readonly heavy?: (value: JsonValue) => Steps<string>
  /** As the texts that are known already. */
  readonly isCompact: boolean
  readonly sorted: boolean
  readonly separator: string
  readonly colon: string
  /** What stands after the opening bracket and before the closing one. */
  readonly around: readonly [string, string]
}

function* write(value: JsonValue, layout: Layout): Steps<string> {
  yield
  if (typeof value === 'object' && value !== null) {
    const known = layout.isCompact ? knownText(value) : undefined
    if (known !== undefined) return known
    if (!Array.isArray(value)) yield* materialize(value)
  }
  if (!isHeavy(value)) return layout.light(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const [before, after] = layout.around
  const parts = Array.isArray(value) ? writeItems(value, layout) : writeMembers(value, layout)
  let text = ''
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) break
    if (part.value === undefined) yield
    else if (part.value !== '') text += text === '' ? part.value : layout.separator + part.value
  }
  return text === '' ? `${open}${close}` : `${open}${before}${text}${after}${close}`
}

/** Texts of some items each; undefined between two of them. */
function* writeItems(items: readonly JsonValue[], layout: Layout): Generator<string | undefined> {
  for (const { from, to, isHeavy: isAlone } of slicesOf(items)) {
    yield undefined
    if (isAlone) yield yield* heavyText(items[from] as JsonValue, layout)
    else yield inside(layout.light(items.slice(from, to)), layout)
  }
}

function* writeMembers(map: JsonObject, layout: Layout): Generator<string | undefined> {
  const given = keysOf(map)
  // An object has these first, whatever is wanted: so that all pieces agree, there is but one.
  if (layout.sorted && given.some(isIndex)) {
    yield inside(layout.light(map), layout)
    return
  }
  const keys = layout.sorted ? yield* sortInSteps([...given], compareTexts) : given
  for (const { from, to, isHeavy: isAlone } of slicesOfKeys(map, keys)) {
    yield undefined
    const names = keys.slice(from, to)
    if (!isAlone) yield inside(layout.light(pickKeys(map, names)), layout)
    else {
      const [name = ''] = names
      yield `${encodeJson(name)}${layout.colon}${yield* heavyText(map[name] as JsonValue, layout)}`
    }
  }
}

const heavyText = (value: JsonValue, layout: Layout): Steps<string> => layout.heavy?.(value) ?? write(value, layout)

/** What stands between the brackets of a container. */
function inside(text: string, { around: [before, after] }: Layout): string {
  const inner = text.slice(1, -1)
  return inner === '' ? '' : inner.slice(before.length, inner.length - after.length)
}
