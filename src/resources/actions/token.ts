/**
 * `serviceaccounts/token`: a new token for the account, answered and never stored.
 * Mirrors pkg/registry/core/serviceaccount/storage: TokenREST.
 * Mirrors pkg/apis/authentication/validation: ValidateTokenRequest.
 */
import type { JsonObject } from '../../api/json.ts'
import { typesAt } from '../../catalog/catalog.ts'
import { defaultObject } from '../../catalog/defaults/defaults.ts'
import type { ActionSubresource } from '../../registry/subresource.ts'
import type { KindServices } from '../kind-rules.ts'

const kind = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }
const credentialAnnotation = 'authentication.kubernetes.io/issued-credential-id'
const mismatchAnnotation = 'authentication.k8s.io/token-request-uid-mismatch'

export function tokenAction({ access, gate, release }: KindServices): ActionSubresource {
  const schema = typesAt(release).schemaForKind(kind)
  if (schema === undefined) throw new Error('the catalogue has no type for token requests')
  return {
    type: 'action',
    kind,
    schema,
    keepsSystemFields: gate('release:tokenRequestUid'),
    withDefaults: (object: JsonObject) => defaultObject(object, schema, { enabled: gate, now: () => '' }),
    async create({ namespace, name, body, admit, warn, annotate }) {
      const { object, warnings, credentialId, uidMismatch } = await access.issueToken(body, {
        namespace,
        name,
        admit,
        uids: uidsOf(gate),
      })
      for (const warning of warnings) warn(warning)
      annotate(credentialAnnotation, credentialId)
      if (uidMismatch !== undefined) annotate(mismatchAnnotation, uidMismatch)
      return { code: 201, body: object }
    },
  }
}

function uidsOf(gate: KindServices['gate']): 'shown' | 'checked' | undefined {
  if (!gate('release:tokenRequestUid')) return undefined
  return gate('TokenRequestServiceAccountUIDValidation') ? 'checked' : 'shown'
}
