/** Checks of addresses and ranges in fields that are older than the strict rules for them. */
import { invalid } from '../../../api/field-error.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import {
  isLinkLocalMulticastIp,
  isLinkLocalUnicastIp,
  isLoopbackIp,
  isUnspecifiedIp,
  parseIp,
} from '../../../api/ip.ts'
import { checkLegacyCidr, checkLegacyIp } from '../../../api/ip-validation.ts'
import { checkDns1123Subdomain } from '../../../api/names.ts'
import { addMessages, type Errors } from '../../checks/checks.ts'

export interface LegacyRules {
  /** The gate StrictIPCIDRValidation. */
  readonly strict: boolean
  /** What the old object holds stays good. */
  readonly known?: ReadonlySet<string> | undefined
}

export function checkOldIp(errors: Errors, value: string, at: FieldPath, { strict, known }: LegacyRules): boolean {
  if (known?.has(value) === true) return true
  const messages = checkLegacyIp(value, strict)
  addMessages(errors, at, value, messages)
  return messages.length === 0
}

export function checkOldCidr(errors: Errors, value: string, at: FieldPath, { strict, known }: LegacyRules): void {
  if (known?.has(value) !== true) addMessages(errors, at, value, checkLegacyCidr(value, strict))
}

/** An address that traffic can be sent to. */
export function checkEndpointIp(errors: Errors, value: string, at: FieldPath): void {
  const ip = parseIp(value)
  const refuse = (why: string): void => {
    errors.push(invalid(at, value, why))
  }
  if (ip === undefined) {
    refuse('must be a valid IP address')
    return
  }
  if (isUnspecifiedIp(ip)) refuse(`may not be unspecified (${value})`)
  if (isLoopbackIp(ip)) refuse('may not be in the loopback range (127.0.0.0/8, ::1/128)')
  if (isLinkLocalUnicastIp(ip)) refuse('may not be in the link-local range (169.254.0.0/16, fe80::/10)')
  if (isLinkLocalMulticastIp(ip)) refuse('may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)')
}

export const noIpMessage = 'must be a DNS name, not an IP address'

/** The host name of a load balancer. */
export function checkIngressHostname(errors: Errors, hostname: string, at: FieldPath): void {
  addMessages(errors, at, hostname, checkDns1123Subdomain(hostname))
  if (parseIp(hostname) !== undefined) errors.push(invalid(at, hostname, noIpMessage))
}
