/** Where an answer is another than the recorded one, as lines for people. */
import type { JsonValue } from '../api/json.ts'
import type { RecordedAnswer } from './answers.ts'

const maxDifferences = 100
const contains = '<contains> '

/** In a recorded answer `<any>` matches everything, and `<contains> TEXT` every string that holds TEXT. */
export function differences(expected: RecordedAnswer, actual: RecordedAnswer): readonly string[] {
  const found: string[] = []
  compare(expected as JsonValue, actual as JsonValue, { at: '', found })
  return found
}

function compare(
  expected: JsonValue | undefined,
  actual: JsonValue | undefined,
  { at, found }: { readonly at: string; readonly found: string[] },
): void {
  if (found.length >= maxDifferences || matches(expected, actual)) return
  if (!isContainer(expected) || !isContainer(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    found.push(`${at === '' ? '.' : at}: expected ${show(expected)}, got ${show(actual)}`)
    return
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const where = Array.isArray(expected) ? `${at}[${key}]` : `${at}.${key}`
    compare(expected[key], actual[key], { at: where, found })
  }
}

function matches(expected: JsonValue | undefined, actual: JsonValue | undefined): boolean {
  if (expected === actual || expected === '<any>') return true
  if (typeof expected !== 'string' || typeof actual !== 'string' || !expected.startsWith(contains)) return false
  return actual.includes(expected.slice(contains.length))
}

const isContainer = (value: JsonValue | undefined): value is Record<string, JsonValue> =>
  typeof value === 'object' && value !== null

function show(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 240 ? `${text.slice(0, 240)}…` : text
}
