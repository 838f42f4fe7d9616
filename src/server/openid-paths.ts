/** What others need to check the tokens of our service accounts, made when it is first asked for. */
import { type DiscoveryDocuments, discoveryDocuments } from '../auth/service-account/discovery-documents.ts'
import type { ServerOptions } from '../config/server-options.ts'
import { verificationKey } from './authenticators.ts'
import type { Credentials } from './data-folder.ts'
import type { Route } from './paths.ts'

export function openIdRoutes(options: ServerOptions, credentials: Credentials): ReadonlyMap<string, Route> {
  const { issuers, jwksUri } = options.authentication.serviceAccounts
  const { advertiseAddress, bindAddress, securePort } = options.serving
  const host = options.flags.optional('external-hostname') ?? advertiseAddress ?? bindAddress
  let made: Promise<DiscoveryDocuments | undefined> | undefined
  const documents = async (): Promise<DiscoveryDocuments | undefined> => {
    const keys = (await credentials.serviceAccountKeys.verificationKeys()).flatMap(verificationKey)
    return discoveryDocuments(issuers[0] ?? '', jwksUri ?? `https://${host}:${securePort}/openid/v1/jwks`, keys)
  }
  const serve = (part: keyof DiscoveryDocuments, contentType: string): Route => ({
    produces: [contentType],
    async answer({ exchange }) {
      made ??= documents()
      const found = await made
      if (found === undefined)
        exchange.respond(404, { 'content-type': 'text/plain; charset=utf-8' }, '404 page not found\n')
      else exchange.respond(200, { 'content-type': contentType, 'cache-control': 'public, max-age=3600' }, found[part])
    },
  })
  return new Map([
    ['/.well-known/openid-configuration', serve('configuration', 'application/json')],
    ['/openid/v1/jwks', serve('keys', 'application/jwk-set+json')],
  ])
}
