/** All functions that templates may call: Go's own, those of sprig, and what stages bring along. */
import type { JsonValue } from '../../../api/json.ts'
import type { FunctionFacts, FunctionTable } from './function-facts.ts'
import { goFunctions } from './go-functions.ts'
import { dataFunctions } from './sprig-data.ts'
import { dateFunctions } from './sprig-dates.ts'
import { textFunctions } from './sprig-text.ts'
import { TemplateError } from './template-error.ts'
import type { TemplateFunction, TemplateFunctions } from './template-execute.ts'

/** Those of sprig that would disclose facts of this machine, or take long. */
const refused: ReadonlySet<string> = new Set([
  'env',
  'expandenv',
  'getHostByName',
  'genPrivateKey',
  'genCA',
  'genSelfSignedCert',
  'genSignedCert',
  'derivePassword',
  'bcrypt',
  'htpasswd',
  'call',
])

export function templateFunctions(
  facts: FunctionFacts,
  own: Readonly<Record<string, TemplateFunction>>,
): TemplateFunctions {
  const dates = dateFunctions(facts)
  const chance = chanceFunctions(facts)
  return (name) => {
    if (refused.has(name)) throw new TemplateError(`the function ${name} is not offered`)
    if (Object.hasOwn(own, name)) return own[name]
    return (
      goFunctions.get(name) ?? textFunctions.get(name) ?? dataFunctions.get(name) ?? dates.get(name) ?? chance.get(name)
    )
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const digits = '0123456789'
const maxRandomLength = 10_000

function chanceFunctions({ random, uuid }: FunctionFacts): FunctionTable {
  const text =
    (chars: string): TemplateFunction =>
    ([length = 0]) =>
      Array.from(
        { length: Math.min(Number(length), maxRandomLength) },
        () => chars[Math.floor(random() * chars.length)],
      ).join('')
  return new Map<string, TemplateFunction>([
    ['uuidv4', () => uuid()],
    ['randAlpha', text(letters)],
    ['randNumeric', text(digits)],
    ['randAlphaNum', text(letters + digits)],
    [
      'randInt',
      ([from = 0, to = 0]: readonly JsonValue[]) => Number(from) + Math.floor(random() * (Number(to) - Number(from))),
    ],
  ])
}
