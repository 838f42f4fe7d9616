/**
 * The configuration of Pod Security: what holds where a namespace says nothing, and who is exempt.
 * Mirrors k8s.io/pod-security-admission/admission/api: ToPolicy.
 * Mirrors k8s.io/pod-security-admission/admission/api/validation: ValidatePodSecurityConfiguration.
 */
import { duplicate, type FieldError, invalid } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../api/json.ts'
import { checkDns1123Label, checkDns1123Subdomain } from '../../api/names.ts'
import {
  type LevelVersion,
  type PodSecurityMode,
  type PodSecurityPolicy,
  parseLevel,
  parsePolicyVersion,
} from './policy.ts'

export interface Settings {
  readonly defaults: PodSecurityPolicy
  readonly exemptions: Readonly<Record<'usernames' | 'namespaces' | 'runtimeClasses', ReadonlySet<string>>>
}

/** Throws an Error when it is not usable. */
export function readSettings(configuration: JsonValue | undefined): Settings {
  const config = isJsonObject(configuration) ? configuration : {}
  const given = isJsonObject(config['defaults']) ? config['defaults'] : {}
  const problems: string[] = []
  const [enforce, audit, warn] = modes.map((mode) => modeOf(given, mode, problems))
  if (enforce === undefined || audit === undefined || warn === undefined) {
    throw new Error(`PodSecurity configuration error: ${aggregate(problems)}`)
  }
  const listed = isJsonObject(config['exemptions']) ? config['exemptions'] : {}
  const exempt = (field: Exemption): readonly string[] =>
    Array.isArray(listed[field]) ? listed[field].map(String) : []
  const wrong = exemptions.flatMap((field) => exemptionProblems(field, exempt(field)))
  if (wrong.length > 0)
    throw new Error(`PodSecurity invalid: ${aggregate(wrong.map(({ field, message }) => `${field}: ${message}`))}`)
  return {
    defaults: { enforce, audit, warn },
    exemptions: {
      usernames: new Set(exempt('usernames')),
      namespaces: new Set(exempt('namespaces')),
      runtimeClasses: new Set(exempt('runtimeClasses')),
    },
  }
}

const modes = ['enforce', 'audit', 'warn'] as const
const exemptions = ['namespaces', 'runtimeClasses', 'usernames'] as const
type Exemption = (typeof exemptions)[number]

/** Go's aggregate: several errors in brackets, each once. */
function aggregate(texts: readonly string[]): string {
  const [first = '', ...more] = [...new Set(texts)]
  return more.length === 0 ? first : `[${[first, ...more].join(', ')}]`
}

/** Undefined when it is not usable, with the reason among the problems. An empty text is the same as none. */
function modeOf(defaults: JsonObject, mode: PodSecurityMode, problems: string[]): LevelVersion | undefined {
  const text = (key: string, fallback: string): string => String(defaults[key] ?? '') || fallback
  const level = parseLevel(text(mode, 'privileged'))
  const version = parsePolicyVersion(text(`${mode}-version`, 'latest'))
  if (level === undefined) problems.push(`${mode}: must be one of privileged, baseline, restricted`)
  if (version === undefined) problems.push(`${mode}-version: must be "latest" or "v1.x"`)
  return level === undefined || version === undefined ? undefined : { level, minor: version.minor }
}

const exemptionRules: Readonly<Record<Exemption, (name: string) => readonly string[]>> = {
  namespaces: checkDns1123Label,
  runtimeClasses: checkDns1123Subdomain,
  usernames: (name) => (name === '' ? ['username must not be empty'] : []),
}

function exemptionProblems(field: Exemption, names: readonly string[]): FieldError[] {
  const at = FieldPath.of('exemptions').child(field)
  const seen = new Set<string>()
  return names.flatMap((name, i) => {
    const messages = exemptionRules[field](name)
    if (messages.length > 0) return [invalid(at.index(i), name, messages.join(', '))]
    if (seen.has(name)) return [duplicate(at.index(i), name)]
    seen.add(name)
    return []
  })
}
