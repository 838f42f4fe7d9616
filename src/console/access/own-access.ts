/** Questions about access, of the server that the console is a part of. */
import type { Registries } from '../../registry/registries.ts'
import type { ConsoleServices } from '../services.ts'
import type { AccessEndpointServices, Completeness } from './access-endpoints.ts'
import type { RoleSources } from './grants.ts'

const group = 'rbac.authorization.k8s.io'

export const ownRoles =
  (registries: Registries): RoleSources =>
  async (resource) =>
    registries.get(group, resource) === undefined ? undefined : registries.source(group, resource)

export const ownAccess = ({ authorizer, options }: ConsoleServices): AccessEndpointServices => ({
  authorizer,
  completeness: () => completeness(options),
})

/** What authorizers besides RBAC say cannot be listed. */
function completeness({ authorization: { modes, configFile } }: ConsoleServices['options']): Completeness {
  const others = modes.filter((mode) => mode !== 'RBAC')
  const notes = ['members of system:masters may do everything']
  if (configFile !== undefined) notes.push('the authorization configuration may name other authorizers')
  for (const mode of others) notes.push(`the authorizer ${mode} decides, too, and cannot be listed`)
  return { complete: others.length === 0 && configFile === undefined, notes }
}
