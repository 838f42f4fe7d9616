/** Puts the authenticators and authorizers together that the options ask for. */
import { readFileSync } from 'node:fs'
import { anonymousAuthenticator } from '../auth/authentication/anonymous.ts'
import { BearerTokenAuthenticator } from '../auth/authentication/bearer-token.ts'
import { CertificateVerifier, ClientCertificateAuthenticator } from '../auth/authentication/client-certificate.ts'
import { StaticTokens } from '../auth/authentication/static-tokens.ts'
import { unionOfRequests, unionOfTokens } from '../auth/authentication/union.ts'
import type { Authenticator, TokenAuthenticator } from '../auth/authenticator.ts'
import { alwaysAllow, alwaysDeny } from '../auth/authorization/always.ts'
import { AuthorizerChain, privilegedGroup } from '../auth/authorization/chain.ts'
import type { Authorizer } from '../auth/authorizer.ts'
import { RbacAuthorizer } from '../auth/rbac/rbac-authorizer.ts'
import { RbacIndex } from '../auth/rbac/rbac-index.ts'
import { ConfigError } from '../config/config-error.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { Clock } from '../lib/clock.ts'
import type { Credentials } from './data-folder.ts'
import type { Registries } from './registries.ts'

export function makeAuthenticator(
  { authentication }: ServerOptions,
  credentials: Credentials,
  clock: Clock,
): Authenticator {
  const tokens: TokenAuthenticator[] = []
  if (authentication.tokenFile !== undefined) tokens.push(staticTokens(authentication.tokenFile))
  const authorities = [credentials.ca.certPem]
  if (authentication.clientCaFile !== undefined) authorities.push(readFileSync(authentication.clientCaFile, 'utf8'))
  return unionOfRequests({
    credentials: [
      new ClientCertificateAuthenticator(new CertificateVerifier(authorities.join('\n'), clock)),
      new BearerTokenAuthenticator(unionOfTokens(tokens)),
    ],
    ...(authentication.anonymous ? { anonymous: anonymousAuthenticator({ enabled: true, paths: [] }) } : {}),
  })
}

function staticTokens(file: string): StaticTokens {
  try {
    return new StaticTokens(readFileSync(file, 'utf8'), file)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

const rbacGroup = 'rbac.authorization.k8s.io'

export async function makeAuthorizer({ authorization }: ServerOptions, registries: Registries): Promise<Authorizer> {
  const authorizers: Authorizer[] = [privilegedGroup]
  for (const mode of authorization.modes) {
    switch (mode) {
      case 'AlwaysAllow':
        authorizers.push(alwaysAllow)
        break
      case 'AlwaysDeny':
        authorizers.push(alwaysDeny)
        break
      case 'RBAC':
        authorizers.push(new RbacAuthorizer(await rbacIndex(registries)))
        break
      default:
        throw new ConfigError(`authorization mode ${mode} is not supported yet`)
    }
  }
  return new AuthorizerChain(authorizers)
}

async function rbacIndex(registries: Registries): Promise<RbacIndex> {
  const [roles, roleBindings, clusterRoles, clusterRoleBindings] = await Promise.all([
    registries.source(rbacGroup, 'roles'),
    registries.source(rbacGroup, 'rolebindings'),
    registries.source(rbacGroup, 'clusterroles'),
    registries.source(rbacGroup, 'clusterrolebindings'),
  ])
  return new RbacIndex({ roles, roleBindings, clusterRoles, clusterRoleBindings })
}
