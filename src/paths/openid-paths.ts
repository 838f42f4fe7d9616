/** What others need to check the tokens of our service accounts, made when it is first asked for and when keys change. */
import { type DiscoveryDocuments, discoveryDocuments } from '../auth/service-account/discovery-documents.ts'
import type { ServerOptions } from '../config/server-options.ts'
import type { TokenAuthority } from '../pki/token-authority.ts'
import type { Route } from './paths.ts'

interface Made {
  readonly version: number
  readonly documents: DiscoveryDocuments | undefined
}

export function openIdRoutes(options: ServerOptions, authority: TokenAuthority): ReadonlyMap<string, Route> {
  const { issuers, jwksUri } = options.authentication.serviceAccounts
  const { advertiseAddress, bindAddress, externalHostname, securePort } = options.serving
  const host = externalHostname ?? advertiseAddress ?? bindAddress
  const address = jwksUri ?? `https://${host}:${securePort}/openid/v1/jwks`
  let made: Made | undefined
  const current = async () => {
    const keys = await authority.keys()
    if (made?.version !== keys.version) {
      const { version } = keys
      const shown = (await keys.find(undefined)).filter(({ hidden }) => hidden !== true)
      made = { version, documents: discoveryDocuments(issuers[0] ?? '', address, shown) }
    }
    return { documents: made.documents, maxAge: keys.maxAgeSeconds }
  }
  const serve = (part: keyof DiscoveryDocuments, contentType: string): Route => ({
    produces: [contentType],
    async answer({ exchange }) {
      const { documents, maxAge } = await current()
      if (documents === undefined) {
        exchange.respond(404, { 'content-type': 'text/plain; charset=utf-8' }, '404 page not found\n')
        return
      }
      const headers = { 'content-type': contentType, 'cache-control': `public, max-age=${maxAge}` }
      exchange.respond(200, headers, documents[part])
    },
  })
  return new Map([
    ['/.well-known/openid-configuration', serve('configuration', 'application/json')],
    ['/openid/v1/jwks', serve('keys', 'application/jwk-set+json')],
  ])
}
