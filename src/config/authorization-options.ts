/** Who decides what a user may do. */
import { pushAll } from '../lib/push-all.ts'
import { throwConfigErrors } from './config-error.ts'
import type { FlagValues } from './flags.ts'

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'Webhook' | 'RBAC' | 'Node'

export interface AuthorizationOptions {
  readonly configFile: string | undefined
  readonly modes: readonly AuthorizationMode[]
  readonly policyFile: string | undefined
  readonly webhookConfigFile: string | undefined
  readonly webhookVersion: string
  readonly webhookAuthorizedTtl: number
  readonly webhookUnauthorizedTtl: number
}

const authorizationModes = new Set<string>(['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'])

export function authorizationOptions(flags: FlagValues): AuthorizationOptions {
  const modes = flags.list('authorization-mode')
  throwConfigErrors(authorizationErrors(flags, modes))
  return {
    configFile: flags.optional('authorization-config'),
    modes: modes as readonly AuthorizationMode[],
    policyFile: flags.optional('authorization-policy-file'),
    webhookConfigFile: flags.optional('authorization-webhook-config-file'),
    webhookVersion: flags.string('authorization-webhook-version'),
    webhookAuthorizedTtl: flags.number('authorization-webhook-cache-authorized-ttl'),
    webhookUnauthorizedTtl: flags.number('authorization-webhook-cache-unauthorized-ttl'),
  }
}

function authorizationErrors(flags: FlagValues, modes: readonly string[]): string[] {
  const legacy = ['authorization-mode', 'authorization-policy-file', 'authorization-webhook-config-file']
  if (flags.isSet('authorization-config')) {
    return legacy.some((name) => flags.isSet(name))
      ? [
          '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
        ]
      : []
  }
  const errors = modes
    .filter((mode) => !authorizationModes.has(mode))
    .map((mode) => `authorization-mode ${JSON.stringify(mode)} is not a valid mode`)
  if (new Set(modes).size !== modes.length) {
    errors.push(`authorization-mode ${JSON.stringify(modes)} has mode specified more than once`)
  }
  pushAll(errors, modeFileErrors(flags, modes))
  return errors
}

function modeFileErrors(flags: FlagValues, modes: readonly string[]): string[] {
  const errors: string[] = []
  const policy = flags.string('authorization-policy-file') !== ''
  const webhook = flags.string('authorization-webhook-config-file') !== ''
  if (modes.includes('ABAC') && !policy) errors.push("authorization-mode ABAC's authorization policy file not passed")
  if (!modes.includes('ABAC') && policy) errors.push('cannot specify --authorization-policy-file without mode ABAC')
  if (modes.includes('Webhook') && !webhook)
    errors.push("authorization-mode Webhook's authorization config file not passed")
  if (!modes.includes('Webhook') && webhook) {
    errors.push('cannot specify --authorization-webhook-config-file without mode Webhook')
  }
  return errors
}
