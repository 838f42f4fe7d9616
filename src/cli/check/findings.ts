/** What a check says about objects: problems, where they are, and how a server's answers become some. */
import type { JsonObject } from '../../api/json.ts'

export type Severity = 'error' | 'warning'

export interface CheckProblem {
  readonly severity: Severity
  /** What kind of problem: the server's own reason where it gave one, such as `FieldValueInvalid`. */
  readonly rule: string
  /** `spec.containers[0].image`. */
  readonly field?: string
  readonly message: string
  /** Within the document, from 1; otherwise the line of the field counts. */
  readonly documentLine?: number
}

export interface CheckFinding extends Omit<CheckProblem, 'documentLine'> {
  /** In the file, from 1. */
  readonly line: number
}

/** An object of a file, and all that was found. A document that cannot be read counts as one without a kind. */
export interface CheckedObject {
  readonly file: string
  /** Which document of the file, from 1. */
  readonly document: number
  readonly line: number
  readonly apiVersion: string
  readonly kind: string
  /** `namespace/name` or `name`. */
  readonly name: string
  readonly findings: readonly CheckFinding[]
}

const error = (rule: string, message: string, field?: string): CheckProblem => ({
  severity: 'error',
  rule,
  message,
  ...(field === undefined || field === '' || field === '<nil>' ? {} : { field }),
})

const ofPolicy = /(Validating|Mutating)AdmissionPolicy '/

export const isStrictDecoding = (status: JsonObject): boolean =>
  String(status['message'] ?? '').includes('strict decoding error: ')

/** The problems that an answer reports. */
export function problemsOf(status: JsonObject): CheckProblem[] {
  const message = String(status['message'] ?? '')
  const reason = String(status['reason'] ?? 'Error')
  const [, strict] = /strict decoding error: (.*)$/s.exec(message) ?? []
  if (strict !== undefined) return strictProblems(strict)
  const { causes } = (status['details'] ?? {}) as { causes?: { reason?: string; message?: string; field?: string }[] }
  if (causes === undefined || causes.length === 0) {
    const field = / into Go struct field \w+\.(\S+) of type /.exec(message)?.[1]
    return [error(ofPolicy.test(message) ? policyRule(message) : reason, message, field)]
  }
  return causes.map((cause) => {
    const text = cause.message ?? message
    return error(ofPolicy.test(text) ? policyRule(text) : (cause.reason ?? reason), text, cause.field)
  })
}

const policyRule = (text: string): string => `${ofPolicy.exec(text)?.[1]}AdmissionPolicy`

const strictParts =
  /(unknown|duplicate) field "((?:[^"\\]|\\.)*)"|line (\d+): key ("(?:[^"\\]|\\.)*") already set in map/g

function strictProblems(text: string): CheckProblem[] {
  const found = [...text.matchAll(strictParts)].map(([, what, field, line, key]): CheckProblem => {
    if (line !== undefined)
      return { ...error('DuplicateField', `key ${key} already set in map`), documentLine: Number(line) }
    return error(what === 'unknown' ? 'UnknownField' : 'DuplicateField', `${what} field`, field)
  })
  return found.length === 0 ? [error('StrictDecoding', text)] : found
}

/** What a policy said who denied an object. */
export const problemOfDenial = (message: string): CheckProblem => error(policyRule(message), message)

export function problemOfWarning(message: string): CheckProblem {
  const rule = ofPolicy.test(message)
    ? policyRule(message)
    : message.startsWith('would violate PodSecurity')
      ? 'PodSecurity'
      : / is deprecated| deprecated since|deprecated in v/.test(message)
        ? 'Deprecated'
        : 'Warning'
  return { severity: 'warning', rule, message }
}

/** `yaml: line 3: …` has the line in it. */
export function problemOfSyntax(message: string): CheckProblem {
  const [prefix = '', line] = /^yaml: (?:unmarshal errors:\s*)?line (\d+): /.exec(message) ?? []
  return {
    ...error('Syntax', message.slice(prefix.length)),
    ...(line === undefined ? {} : { documentLine: Number(line) }),
  }
}
