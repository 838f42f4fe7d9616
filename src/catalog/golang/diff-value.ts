/** One value by itself, with its type where that is shown. Mirrors go-cmp: FormatValue. */
import { readQuantity } from '../../api/golang/quantity.ts'
import { quote } from '../../api/golang/quote.ts'
import { goTime } from '../../api/golang/time.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { Quantity } from '../../api/quantity.ts'
import { type GoMap, type GoStruct, type GoType, isNil, scalarOf } from '../internal-types.ts'
import { type Options, valueLimit } from './diff-options.ts'
import { formatString, stringText } from './diff-string.ts'
import { addEllipsis, nil, type TextList, type TextNode, type TextRecord, wrap } from './diff-text.ts'
import { type DiffSlot, diffEntryOf, fieldOf, isZeroValue } from './diff-tree.ts'
import { selectorText } from './selector-text.ts'

export const diffItemsOf = ({ json }: DiffSlot): readonly JsonValue[] => (Array.isArray(json) ? json : [])

/** The value with its type in front of it, where it shows that. */
export function withTypeName({ kind, name }: GoType, text: TextNode, { typing, mode }: Options): TextNode {
  if (typing === 'never') return text
  if (typing === 'composite') {
    const isComposite = ['struct', 'slice', 'map', 'quantity', 'time'].includes(kind)
    if (!isComposite || text === nil || mode === 'both') return text
  }
  const isWrapped =
    typeof text === 'object' && 'prefix' in text && /^[({]/.test(text.prefix) && /[)}]$/.test(text.suffix)
  const shown = kind === 'pointer' ? `(${name})` : name
  return wrap(shown, isWrapped ? text : wrap('(', text, ')'))
}

export const valueOrNothing = (type: GoType, slot: DiffSlot | undefined, options: Options): TextNode =>
  slot === undefined ? '' : value(type, slot, options)

function value(type: GoType, slot: DiffSlot, options: Options): TextNode {
  const { json } = slot
  if (!options.isPlain) {
    const own = ownText(type, slot)
    if (own !== undefined) return stringText('s', own, options)
  }
  switch (type.kind) {
    case 'pointer':
      return isNil(json) ? withTypeName(type, nil, options) : wrap('&', value(type.to, slot, options))
    case 'struct':
      return withTypeName(type, wrap('{', structFields(type, slot, options), '}'), options)
    case 'slice':
      if (isNil(json)) return withTypeName(type, nil, options)
      return withTypeName(type, wrap('{', items(type.items, diffItemsOf(slot), options), '}'), options)
    case 'map':
      if (!isJsonObject(json)) return withTypeName(type, nil, options)
      return withTypeName(type, wrap('{', entries(type, json, options), '}'), options)
    case 'quantity':
      return withTypeName(type, quantity(String(scalarOf(type, json)), slot, options), options)
    case 'string':
      return withTypeName(type, stringText('', String(scalarOf(type, json)), options), options)
    default:
      return withTypeName(type, String(scalarOf(type, json)), options)
  }
}

/** The text that a type has of itself; pointers have it in more cases than values. */
function ownText(type: GoType, { json, written }: DiffSlot): string | undefined {
  if (hasOwnText(type)) return String(scalarOf(type, json))
  if (type.name === 'time.Time' || type.name === 'v1.Time')
    return isNil(json) ? zeroTime : goTime(String(json), written)
  if (type.kind !== 'pointer' || isNil(json)) return undefined
  switch (type.to.name) {
    case 'resource.Quantity':
    case 'intstr.IntOrString':
      return String(json)
    case 'v1.Time':
      return goTime(String(json), written)
    case 'v1.LabelSelector':
      return selectorText(json as JsonObject)
    default:
      return undefined
  }
}

/** A named text whose text it is. */
const hasOwnText = ({ name }: GoType): boolean => name === 'core.ResourceName'

const zeroTime = '0001-01-01 00:00:00 +0000 UTC'

function structFields({ fields }: GoStruct, slot: DiffSlot, options: Options): TextList {
  const inner: Options = { ...options, typing: 'composite', level: options.level - 1 }
  const present = fields
    .map((field) => ({ field, member: fieldOf(field, slot) }))
    .filter(({ field, member }) => !isZeroValue(field.type, member.json))
  return limited(present, options, ({ field, member }) => ({
    key: field.name,
    value: value(field.type, member, inner),
  }))
}

const items = (type: GoType, list: readonly JsonValue[], options: Options): TextList =>
  limited(list, options, (item) => ({
    value: value(type, { json: item }, { ...options, typing: 'never', level: options.level - 1 }),
  }))

export const mapKey = ({ keys }: GoMap, key: string): string => (hasOwnText(keys) ? 's' : '') + formatString(key)

const entries = (type: GoMap, map: JsonObject, options: Options): TextList =>
  limited(Object.keys(map).sort(), options, (key) => ({
    key: mapKey(type, key),
    value: valueOrNothing(type.values, diffEntryOf(map, key), {
      ...options,
      typing: 'never',
      level: options.level - 1,
    }),
  }))

function limited<T>(values: readonly T[], { level }: Options, show: (value: T) => TextRecord): TextList {
  const list = values.slice(0, valueLimit(level)).map(show)
  if (values.length > list.length) addEllipsis(list)
  return list
}

const amountType: GoType = { kind: 'struct', name: 'resource.int64Amount', fields: [] }

const decimalText = (canonical: string, isAmount: boolean | undefined): string =>
  Quantity.parse(canonical).toFixed(isAmount ? 3 : undefined)

/** Structs inside, of which only the parts that are not zero are shown. */
function quantity(canonical: string, { written = canonical, isAmount }: DiffSlot, options: Options): TextNode {
  const { value: digits, scale, isExact, isCanonical, format } = readQuantity(written)
  const inner: Options = { ...options, typing: 'composite', level: options.level - 1 }
  const amount: TextRecord[] = []
  if (digits !== 0n) amount.push({ key: 'value', value: String(digits) })
  if (scale !== 0) amount.push({ key: 'scale', value: String(scale) })
  const list: TextRecord[] = []
  if (amount.length > 0) {
    const shown = limited(amount, inner, (record) => record)
    list.push({ key: 'i', value: withTypeName(amountType, wrap('{', shown, '}'), inner) })
  }
  if (!isExact) list.push({ key: 'd', value: `s${quote(decimalText(canonical, isAmount))}` })
  if (isCanonical) list.push({ key: 's', value: stringText('', canonical, inner) })
  if (format !== '') list.push({ key: 'Format', value: stringText('', format, inner) })
  return wrap(
    '{',
    limited(list, options, (record) => record),
    '}',
  )
}
