// Start-ups of the reference with configuration files (facts/cases/start-ups.json), as far as reading and validating them
// decides.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { servedMinor } from '../../api/release.ts'
import { readAdmissionConfiguration } from './admission-configuration.ts'
import { readAuditPolicy } from './audit-policy.ts'
import { readAuthenticationConfiguration } from './authentication-configuration.ts'
import { readAuthorizationConfiguration } from './authorization-configuration.ts'
import { readEgressSelectorConfiguration } from './egress-selector-configuration.ts'
import { readEncryptionConfiguration } from './encryption-configuration.ts'
import { readTracingConfiguration } from './tracing-configuration.ts'

interface Case {
  readonly id: string
  readonly flags?: readonly string[]
  readonly files?: Readonly<Record<string, unknown>>
  readonly outcome: string
  readonly error?: string
}

const recorded = join(import.meta.dirname, '../../../facts/cases/start-ups.json')
const all: Case[] = JSON.parse(readFileSync(recorded, 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'config-cases-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const certificate = readFileSync(join(import.meta.dirname, 'testdata/certificate.pem'), 'utf8')
const fill = (text: string): string =>
  text
    .replaceAll('<dir>', folder)
    .replaceAll('<issuer-ca>', JSON.stringify(certificate).slice(1, -1))
    .replaceAll(/<issuer:(\w+)>/g, 'https://issuer.test/$1')
    .replaceAll('<webhook>', 'https://webhook.test')

/** Expressions are judged elsewhere; here they are what their first look says. */
const checks = {
  checkExpression: (expression: string) => ({
    usesEmail: /claims\.email\b/.test(expression),
    usesEmailVerified: expression.includes('email_verified'),
  }),
  checkCondition: () => undefined,
  release: servedMinor,
  gate: () => true,
}
const plugins = new Set(['PodSecurity'])

const readers: Readonly<Record<string, (text: string, file: string, test: Case) => unknown>> = {
  'authn.yaml': (text, file, { flags = [] }) =>
    readAuthenticationConfiguration(text, file, {
      ...checks,
      disallowedIssuers: ['https://kubernetes.default.svc'],
      anonymousFlagSet: flags.some((flag) => flag.startsWith('--anonymous-auth')),
    }),
  'authz.yaml': (text, file) => readAuthorizationConfiguration(text, file, checks),
  'enc.yaml': (text, file) => readEncryptionConfiguration(text, file, { reload: false, kmsV1: false }),
  'egress.yaml': (text, file) => readEgressSelectorConfiguration(text, file, servedMinor),
  'tracing.yaml': (text, file) => readTracingConfiguration(text, file, servedMinor),
  'admission.yaml': (text, file) => readAdmissionConfiguration(text, file, plugins),
  'policy.yaml': (text, file) => readAuditPolicy(text, file, 33),
}

/** Refused for what flags, plugins or expressions say, which is not for the file alone to know. */
const elsewhere = new Set([
  'authn-oidc-flags',
  'authn-rule-not-bool',
  'authn-rule-does-not-compile',
  'authn-gate-off',
  'authz-with-mode-flag',
  'authz-condition-not-bool',
  'authz-condition-does-not-compile',
  'admission-plugin-config-bad',
])

const cases = all.filter(
  ({ id, files }) => !elsewhere.has(id) && Object.keys(files ?? {}).some((name) => readers[name]),
)
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

describe('recorded configuration files', () => {
  it.each(cases.map((test) => [test.id, test] as const))('%s', (_, test) => {
    for (const [name, content] of Object.entries(test.files ?? {})) {
      writeFileSync(join(folder, name), fill(typeof content === 'string' ? content : JSON.stringify(content)))
    }
    const run = () => {
      for (const name of Object.keys(test.files ?? {})) {
        const file = join(folder, name)
        readers[name]?.(readFileSync(file, 'utf8'), file, test)
      }
    }
    if (test.outcome === 'accepted') return run()
    const pattern = fill(test.error ?? '')
      .split('<…>')
      .map(escaped)
      .join('[^]*')
    expect(run).toThrow(new RegExp(`^${pattern}$`))
  })
})
