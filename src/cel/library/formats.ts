/** Named formats: `format.dns1123Label().validate(text)` says what is wrong with a text. */
import {
  checkDns1035Name,
  checkLabelName,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomainName,
} from '../../api/names.ts'
import type { FunctionDeclaration } from '../functions.ts'
import { declareFunction } from '../functions.ts'
import { parseDate } from '../time.ts'
import { listType, optionalType, STRING, structType } from '../types.ts'
import type { Opaque, Value } from '../values.ts'
import { ArrayList, errorOr, Optional } from '../values.ts'
import type { Library } from './library.ts'
import { checkRequestUri } from './urls.ts'

const FORMAT = structType('kubernetes.NamedFormat')

type Check = (text: string) => readonly string[]

class FormatValue implements Opaque {
  readonly kind = 'opaque'
  readonly type = FORMAT
  readonly name: string
  readonly check: Check
  /** What validating costs depends on it. */
  readonly patternSize: number

  constructor(name: string, check: Check, patternSize: number) {
    this.name = name
    this.check = check
    this.patternSize = patternSize
  }

  equals(other: Value): Value {
    return other instanceof FormatValue ? this.name === other.name : errorOr(other)
  }
}

const orMessage =
  (isValid: (text: string) => boolean, message: string): Check =>
  (text) =>
    isValid(text) ? [] : [message]

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const TIME_OF_DAY = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/
/** The lengths of the reference's patterns. */
const UUID_SIZE = 70
const BASE64_SIZE = 84
const TIME_SIZE = 71
const URI_SIZE = 1103

const isDate = (text: string): boolean => parseDate(text) !== undefined

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t')
  if (date === undefined || time === undefined || !isDate(date)) return false
  const match = TIME_OF_DAY.exec(time)
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59'
}

const uri: Check = (text) => {
  const wrong = checkRequestUri(text)
  return wrong === undefined ? [] : [wrong]
}

const formats: ReadonlyMap<string, FormatValue> = new Map(
  (
    [
      ['dns1123Label', 'DNS1123Label', (text: string) => checkLabelName(text), 30],
      ['dns1123Subdomain', 'DNS1123Subdomain', (text: string) => checkSubdomainName(text), 60],
      ['dns1035Label', 'DNS1035Label', (text: string) => checkDns1035Name(text), 30],
      ['qualifiedName', 'QualifiedName', checkQualifiedName, 60],
      ['dns1123LabelPrefix', 'DNS1123LabelPrefix', (text: string) => checkLabelName(text, true), 30],
      ['dns1123SubdomainPrefix', 'DNS1123SubdomainPrefix', (text: string) => checkSubdomainName(text, true), 60],
      ['dns1035LabelPrefix', 'DNS1035LabelPrefix', (text: string) => checkDns1035Name(text, true), 30],
      ['labelValue', 'LabelValue', checkLabelValue, 40],
      ['uri', 'URI', uri, URI_SIZE],
      ['uuid', 'uuid', orMessage((text) => UUID.test(text), 'does not match the UUID format'), UUID_SIZE],
      ['byte', 'byte', orMessage((text) => BASE64.test(text), 'invalid base64'), BASE64_SIZE],
      ['date', 'date', orMessage(isDate, 'invalid date'), TIME_SIZE],
      ['datetime', 'datetime', orMessage(isDateTime, 'invalid datetime'), TIME_SIZE],
    ] as const
  ).map(([id, name, check, size]) => [id, new FormatValue(name, check, size)]),
)

function validate(format: Value, text: Value): Value {
  const messages = (format as FormatValue).check(text as string)
  return messages.length === 0 ? Optional.none : new Optional(new ArrayList([...messages]))
}

const constants: readonly FunctionDeclaration[] = Array.from(formats, ([id, format]) =>
  declareFunction(`format.${id}`, { overloads: [[`format.${id}`, [], FORMAT, () => format]] }),
)

export const formatsLibrary: Library = {
  functions: [
    ...constants,
    declareFunction('format.named', {
      overloads: [
        [
          'format-named',
          [STRING],
          optionalType(FORMAT),
          (a) => {
            const found = formats.get(a as string)
            return found ? new Optional(found) : Optional.none
          },
        ],
      ],
    }),
    declareFunction('validate', {
      members: [['format-validate', [FORMAT, STRING], optionalType(listType(STRING)), validate]],
    }),
  ],
}
