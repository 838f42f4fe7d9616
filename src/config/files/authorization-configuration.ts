/** AuthorizationConfiguration: authorizers in order, webhooks with their connection and conditions. */

import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { formatDuration, type Nanoseconds } from '../../api/duration.ts'
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { checkDns1123Label } from '../../api/names.ts'
import { hasChange } from '../../api/release-changes.ts'
import { pushAll } from '../../lib/push-all.ts'
import {
  booleanDecoder,
  type ConfigurationDecoder,
  duration,
  listDecoder,
  optional,
  stringDecoder,
  struct,
} from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { ConfigFileError, decodeDocument } from './versioned-document.ts'

export type AuthorizerType = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Webhook'

export interface AuthorizationConfiguration {
  readonly authorizers: readonly AuthorizerConfig[]
}

export interface AuthorizerConfig {
  readonly type: string
  readonly name: string
  readonly webhook: WebhookAuthorizerConfig | undefined
}

export interface WebhookAuthorizerConfig {
  readonly authorizedTTL: Nanoseconds
  readonly unauthorizedTTL: Nanoseconds
  /** Whether verdicts are cached; absent: they are. Only later releases read these. */
  readonly cacheAuthorizedRequests?: boolean
  readonly cacheUnauthorizedRequests?: boolean
  readonly timeout: Nanoseconds
  readonly subjectAccessReviewVersion: string
  readonly matchConditionSubjectAccessReviewVersion: string
  readonly failurePolicy: string
  readonly connectionInfo: { readonly type: string; readonly kubeConfigFile: string | undefined }
  readonly matchConditions: readonly { readonly expression: string }[]
}

export interface AuthorizationChecks {
  /** What is wrong with a match condition, if anything is. */
  readonly checkCondition: (expression: string) => string | undefined
  /** The minor number of the release that is served. */
  readonly release: number
}

const second = 1_000_000_000n
/** Zero is the same as absent. */
const withDefault = (value: Nanoseconds): ConfigurationDecoder<Nanoseconds> => ({
  ...duration,
  absent: value,
  decode: (given, place) => duration.decode(given, place) || value,
})

const decoderOf = (
  later: Readonly<Record<string, ConfigurationDecoder<boolean>>>,
): ConfigurationDecoder<AuthorizationConfiguration> =>
  struct('v1.AuthorizationConfiguration', {
    authorizers: listDecoder(
      struct('v1.AuthorizerConfiguration', {
        type: stringDecoder,
        name: stringDecoder,
        webhook: optional(
          struct('v1.WebhookConfiguration', {
            authorizedTTL: withDefault(300n * second),
            unauthorizedTTL: withDefault(30n * second),
            ...later,
            timeout: duration,
            subjectAccessReviewVersion: stringDecoder,
            matchConditionSubjectAccessReviewVersion: stringDecoder,
            failurePolicy: stringDecoder,
            connectionInfo: struct('v1.WebhookConnectionInfo', {
              type: stringDecoder,
              kubeConfigFile: optional(stringDecoder),
            }),
            matchConditions: listDecoder(struct('v1.WebhookMatchCondition', { expression: stringDecoder })),
          }),
        ),
      }),
    ),
  })

const kind = {
  kind: 'AuthorizationConfiguration',
  apiVersions: [
    'apiserver.config.k8s.io/v1',
    'apiserver.config.k8s.io/v1beta1',
    'apiserver.config.k8s.io/v1alpha1',
    'apiserver.k8s.io/v1beta1',
  ],
  decoder: decoderOf({}),
}

const onByDefault = { ...booleanDecoder, absent: true }
const laterKind = {
  ...kind,
  decoder: decoderOf({ cacheAuthorizedRequests: onByDefault, cacheUnauthorizedRequests: onByDefault }),
}

const types: readonly AuthorizerType[] = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook']
const maxConditions = 64

/** Throws a ConfigFileError. */
export function readAuthorizationConfiguration(
  text: string,
  file: string,
  checks: AuthorizationChecks,
): AuthorizationConfiguration {
  const config = decoding(file, 'failed to load AuthorizationConfiguration from file: ', () =>
    decodeDocument(text, hasChange(checks.release, 'laterConfigurations') ? laterKind : kind),
  )
  throwFieldErrors(file, validate(config, checks), { release: checks.release })
  for (const { type, name } of config.authorizers) {
    if (type === 'Webhook' || name === type.toLowerCase()) continue
    throw new ConfigFileError(file, `expected name ${type.toLowerCase()} for authorizer ${type} instead of ${name}`)
  }
  return config
}

function validate({ authorizers }: AuthorizationConfiguration, checks: AuthorizationChecks): FieldError[] {
  const root = FieldPath.of('authorizers')
  if (authorizers.length === 0) return [required(root, 'at least one authorization mode must be defined')]
  const seenTypes = new Set<string>()
  const seenNames = new Set<string>()
  return authorizers.flatMap(({ type, name, webhook }, i): FieldError[] => {
    const at = root.index(i)
    if (type === '') return [required(at.child('type'))]
    if (!types.some((known) => known === type)) return [notSupported(at.child('type'), type, types)]
    if (seenTypes.has(type) && type !== 'Webhook') return [duplicate(at.child('type'), type)]
    seenTypes.add(type)
    const errors = validateName(name, seenNames, at.child('name'))
    seenNames.add(name)
    if (type === 'Webhook' && !webhook) return [...errors, required(at.child('webhook'), 'required when type=Webhook')]
    if (type !== 'Webhook' && webhook) {
      return [...errors, invalid(at.child('webhook'), 'non-null', 'may only be specified when type=Webhook')]
    }
    return webhook ? [...errors, ...validateWebhook(webhook, at, checks)] : errors
  })
}

function validateName(name: string, seen: ReadonlySet<string>, at: FieldPath): FieldError[] {
  if (name === '') return [required(at)]
  if (seen.has(name)) return [duplicate(at, name)]
  const messages = checkDns1123Label(name)
  return messages.length === 0 ? [] : [invalid(at, name, `authorizer name is invalid: ${messages.join(', ')}`)]
}

/** The fields of the webhook are named without `webhook`, as the reference names them. */
function validateWebhook(webhook: WebhookAuthorizerConfig, at: FieldPath, checks: AuthorizationChecks): FieldError[] {
  const { timeout, authorizedTTL, unauthorizedTTL, failurePolicy, matchConditions } = webhook
  const errors: FieldError[] = []
  if (timeout === 0n) errors.push(required(at.child('timeout')))
  else if (timeout > 30n * second || timeout < 0n) {
    errors.push(invalid(at.child('timeout'), formatDuration(timeout), 'must be > 0s and <= 30s'))
  }
  pushAll(errors, validateTtl(authorizedTTL, at.child('authorizedTTL')))
  pushAll(errors, validateTtl(unauthorizedTTL, at.child('unauthorizedTTL')))
  const version = webhook.subjectAccessReviewVersion
  pushAll(errors, oneOf(version, ['v1', 'v1beta1'], at.child('subjectAccessReviewVersion'), true))
  const conditionVersion = webhook.matchConditionSubjectAccessReviewVersion
  const conditionVersionAt = at.child('matchConditionSubjectAccessReviewVersion')
  if (conditionVersion === '' && matchConditions.length > 0) {
    errors.push(required(conditionVersionAt, 'required if match conditions are specified'))
  } else pushAll(errors, oneOf(conditionVersion, ['v1'], conditionVersionAt, false))
  pushAll(errors, oneOf(failurePolicy, ['NoOpinion', 'Deny'], at.child('failurePolicy'), true))
  pushAll(errors, validateConnection(webhook.connectionInfo, at.child('connectionInfo')))
  return [...errors, ...validateConditions(matchConditions, at.child('matchConditions'), checks)]
}

function validateTtl(ttl: Nanoseconds, at: FieldPath): FieldError[] {
  if (ttl === 0n) return [required(at)]
  return ttl < 0n ? [invalid(at, formatDuration(ttl), 'must be > 0s')] : []
}

function oneOf(value: string, allowed: readonly string[], at: FieldPath, wanted: boolean): FieldError[] {
  if (value === '') return wanted ? [required(at)] : []
  return allowed.includes(value) ? [] : [notSupported(at, value, allowed)]
}

function validateConnection(
  { type, kubeConfigFile }: WebhookAuthorizerConfig['connectionInfo'],
  at: FieldPath,
): FieldError[] {
  const fileAt = at.child('kubeConfigFile')
  switch (type) {
    case '':
      return [required(at.child('type'))]
    case 'InClusterConfig':
      if (kubeConfigFile === undefined) return []
      return [invalid(fileAt, kubeConfigFile, 'can only be set when type=KubeConfigFile')]
    case 'KubeConfigFile':
    case 'KubeConfig':
      return validateKubeconfigFile(kubeConfigFile ?? '', fileAt)
    default:
      return [notSupported(at.child('type'), type, ['InClusterConfig', 'KubeConfigFile'])]
  }
}

function validateKubeconfigFile(file: string, at: FieldPath): FieldError[] {
  if (file === '') return [required(at)]
  if (!isAbsolute(file)) return [invalid(at, file, 'must be an absolute path')]
  try {
    return statSync(file).isFile() ? [] : [invalid(at, file, 'must be a regular file')]
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    const why = code === 'ENOENT' ? `stat ${file}: no such file or directory` : String(error)
    return [invalid(at, file, `error loading file: ${why}`)]
  }
}

function validateConditions(
  conditions: WebhookAuthorizerConfig['matchConditions'],
  parent: FieldPath,
  checks: AuthorizationChecks,
): FieldError[] {
  if (conditions.length > maxConditions) return [tooMany(parent, conditions.length, maxConditions)]
  const seen = new Set<string>()
  return conditions.flatMap(({ expression }, i): FieldError[] => {
    const at = parent.index(i).child('expression')
    if (expression.trim() === '') return [required(at)]
    if (seen.has(expression)) return [duplicate(at, expression)]
    seen.add(expression)
    const wrong = checks.checkCondition(expression)
    return wrong === undefined ? [] : [invalid(at, expression, wrong)]
  })
}
