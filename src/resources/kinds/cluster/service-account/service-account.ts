/**
 * Service accounts: of the secrets that they list only the names are kept.
 * Mirrors pkg/apis/core/validation: ValidateServiceAccount, ValidateServiceAccountUpdate.
 * Mirrors pkg/registry/core/serviceaccount: strategy.
 */
import type { KubeObject } from '../../../../api/object.ts'
import type { ObjectReference } from '../../../../catalog/types/core-v1.ts'
import { tokenAction } from '../../../actions/token.ts'
import type { KindRules, KindServices } from '../../../kind-rules.ts'

type ServiceAccount = KubeObject & { secrets?: ObjectReference[] }

const mountableSecrets = 'kubernetes.io/enforce-mountable-secrets'

export const serviceAccountRules = (services: KindServices): KindRules<ServiceAccount> => ({
  strategy: {
    validateMetadataUpdate: (metadata) => [...metadata.validateUpdate(), ...metadata.validate()],
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    warningsOnCreate: (object) => mountableSecretsWarning(object, undefined),
    warningsOnUpdate: mountableSecretsWarning,
  },
  actions: { token: tokenAction(services) },
  returnsDeleted: true,
})

function keepSecretNames(draft: ServiceAccount): void {
  if (draft.secrets === undefined) return
  draft.secrets = draft.secrets.map(({ name }) => (name === undefined ? {} : { name }))
}

/** A warning when the annotation comes, not on every write of an account that has it. */
function mountableSecretsWarning({ metadata }: ServiceAccount, old: ServiceAccount | undefined): string[] {
  if (metadata.annotations?.[mountableSecrets] === undefined) return []
  if (old?.metadata.annotations?.[mountableSecrets] !== undefined) return []
  const why = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets'
  return [`metadata.annotations[${mountableSecrets}]: ${why}`]
}
