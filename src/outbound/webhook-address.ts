/**
 * Where a webhook that an object describes is called: by its URL, or as a service of the cluster. Mirrors
 * apiserver/pkg/util/webhook: ClientManager.
 */
import { clientGoPath, parseGoUrl } from '../api/golang/url.ts'
import type { Destination } from './transport.ts'

/** Where a service is reached. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export interface ServiceName {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Throws when the service does not exist or leads nowhere. */
export type ResolveService = (service: ServiceName) => Promise<ServiceAddress>

export interface WebhookLocation {
  readonly url?: string | undefined
  readonly service?:
    | {
        readonly namespace: string
        readonly name: string
        readonly path?: string | undefined
        readonly port?: number | undefined
      }
    | null
    | undefined
}

export interface WebhookAddress {
  /** Host and port as messages and credentials name them. */
  readonly authority: string
  /** The same, always with the port. */
  readonly hostPort: string
  readonly url: string
  readonly isService: boolean
  /** Rejects with why a service cannot be reached. */
  open(): Promise<Destination>
}

const defaultPort = 443

/** `query`: of every call. Throws an Error for what is no address. */
export function webhookAddress(
  { url, service }: WebhookLocation,
  query: string,
  resolve: ResolveService,
): WebhookAddress {
  const search = query === '' ? '' : `?${query}`
  if (service !== undefined && service !== null) {
    const { name, namespace, port = defaultPort } = service
    const serverName = `${name}.${namespace}.svc`
    const authority = `${serverName}:${port}`
    // The path of a service is no URL: a percent sign stands for itself.
    const path = `${clientGoPath((service.path ?? '').replaceAll('%', '%25'))}${search}`
    const open = async (): Promise<Destination> => {
      const address = await resolve({ name, namespace, port })
      return { scheme: 'https', ...address, path, authority, serverName }
    }
    return { authority, hostPort: authority, url: `https://${authority}${path}`, isService: true, open }
  }
  if (url === undefined || url === '') throw new Error('webhook configuration must have either service or URL')
  const parsed = parseGoUrl(url)
  if (parsed === undefined) throw new Error(`Unparsable URL: parse ${JSON.stringify(url)}`)
  const { scheme, host, port, authority } = parsed
  const path = `${clientGoPath(parsed.path)}${search}`
  const destination: Destination = { scheme, host, port, path, authority }
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:${port}`
  return {
    authority,
    hostPort: withPort,
    url: `${scheme}://${authority}${path}`,
    isService: false,
    open: () => Promise.resolve(destination),
  }
}
