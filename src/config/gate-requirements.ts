/**
 * Flags and gates that need another gate.
 * Mirrors pkg/controlplane/apiserver/options: validateUnknownVersionInteroperabilityProxyFlags, validateNodeSelectorAuthorizationFeature.
 */
import type { FeatureGates } from './feature-gates.ts'
import type { FlagValues } from './flags.ts'

const peerFlags = ['peer-ca-file', 'peer-advertise-ip', 'peer-advertise-port']

export function unmetGateRequirements(flags: FlagValues, gates: FeatureGates): readonly string[] {
  const peers = gates.enabled('UnknownVersionInteroperabilityProxy')
    ? []
    : peerFlags
        .filter((name) => flags.string(name) !== '')
        .map((name) => `--${name} requires UnknownVersionInteroperabilityProxy feature to be turned on`)
  const lacksSelectors = gates.enabled('AuthorizeNodeWithSelectors') && !gates.enabled('AuthorizeWithSelectors')
  return lacksSelectors
    ? [...peers, 'AuthorizeNodeWithSelectors feature requires AuthorizeWithSelectors feature to be enabled']
    : peers
}
