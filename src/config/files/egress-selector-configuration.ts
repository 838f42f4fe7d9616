/** EgressSelectorConfiguration: over which proxy the server reaches nodes, the control plane and etcd. */
import { existsSync } from 'node:fs'
import { duplicate, type FieldError, invalid, notSupported, required } from '../../api/field-error.ts'
import { FieldPath } from '../../api/field-path.ts'
import { hasChange } from '../../api/release-changes.ts'
import { type ConfigurationDecoder, listDecoder, optional, stringDecoder, struct } from './decoder.ts'
import { decoding, throwFieldErrors } from './field-problems.ts'
import { decodeDocument } from './versioned-document.ts'

export interface EgressSelectorConfiguration {
  readonly egressSelections: readonly EgressSelection[]
}

export interface EgressSelection {
  /** `controlplane`, `etcd` or `cluster`. */
  readonly name: string
  readonly connection: EgressConnection
}

export interface EgressConnection {
  /** `Direct`, `HTTPConnect` or `GRPC`. */
  readonly proxyProtocol: string
  readonly transport: EgressTransport | undefined
}

export interface EgressTransport {
  readonly tcp: { readonly url: string; readonly tlsConfig: EgressTls | undefined } | undefined
  readonly uds: { readonly udsName: string } | undefined
}

/** Paths of files. */
export interface EgressTls {
  readonly caBundle: string
  readonly clientKey: string
  readonly clientCert: string
  /** What the certificate of the proxy must be for; absent and empty: its host. Only later releases read it. */
  readonly tlsServerName?: string
}

const tlsFields = { caBundle: stringDecoder, clientKey: stringDecoder, clientCert: stringDecoder }

const decoderOf = (tls: ConfigurationDecoder<EgressTls>): ConfigurationDecoder<EgressSelectorConfiguration> =>
  struct('v1beta1.EgressSelectorConfiguration', {
    egressSelections: listDecoder(
      struct('v1beta1.EgressSelection', {
        name: stringDecoder,
        connection: struct('v1beta1.Connection', {
          proxyProtocol: stringDecoder,
          transport: optional(
            struct('v1beta1.Transport', {
              tcp: optional(
                struct('v1beta1.TCPTransport', {
                  url: stringDecoder,
                  tlsConfig: optional(tls),
                }),
              ),
              uds: optional(struct('v1beta1.UDSTransport', { udsName: stringDecoder })),
            }),
          ),
        }),
      }),
    ),
  })

const kind = {
  kind: 'EgressSelectorConfiguration',
  apiVersions: ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'],
  decoder: decoderOf(struct('v1beta1.TLSConfig', tlsFields)),
}
const laterKind = {
  ...kind,
  decoder: decoderOf(struct('v1beta1.TLSConfig', { ...tlsFields, tlsServerName: stringDecoder })),
}

/** Throws a ConfigFileError. The deprecated name `master` becomes `controlplane`. */
export function readEgressSelectorConfiguration(
  text: string,
  file: string,
  release: number,
): EgressSelectorConfiguration {
  const present = hasChange(release, 'egressServerName') ? laterKind : kind
  const decoded = decoding(file, 'failed to read egress selector config: ', () => decodeDocument(text, present))
  const config = {
    egressSelections: decoded.egressSelections.map((selection) => ({
      ...selection,
      name: selection.name.toLowerCase() === 'master' ? 'controlplane' : selection.name.toLowerCase(),
    })),
  }
  throwFieldErrors(file, validate(config), { prefix: 'failed to validate egress selector configuration: ', release })
  return config
}

const at = FieldPath.of('service', 'connection')
const protocols = ['Direct', 'HTTPConnect', 'GRPC']

function validate({ egressSelections }: EgressSelectorConfiguration): FieldError[] {
  const seen = new Set<string>()
  return [
    ...egressSelections.flatMap(({ connection }) => validateConnection(connection)),
    ...egressSelections.flatMap(({ name }, i): FieldError[] => {
      if (seen.has(name)) return [duplicate(at.index(i), name)]
      seen.add(name)
      const known = ['cluster', 'controlplane', 'etcd']
      return known.includes(name) ? [] : [notSupported(at, name, known)]
    }),
  ]
}

function validateConnection({ proxyProtocol, transport }: EgressConnection): FieldError[] {
  switch (proxyProtocol) {
    case 'Direct':
      if (transport === undefined) return []
      return [invalid(at.child('transport'), 'direct', 'Transport config should be absent for direct connect')]
    case 'HTTPConnect':
      return validateHttpConnect(transport)
    case 'GRPC':
      if (transport === undefined) return [required(at.child('transport'), 'transport must be set for GRPC')]
      if (transport.uds === undefined) return [required(at.child('uds'), 'UDS must be set with GRPC')]
      return validateSocket(transport.uds)
    default:
      return [notSupported(at.child('protocol'), proxyProtocol, protocols)]
  }
}

function validateHttpConnect(transport: EgressTransport | undefined): FieldError[] {
  if (transport === undefined) return [required(at.child('transport'), 'transport must be set for HTTPConnect')]
  const { tcp, uds } = transport
  if (tcp && uds) return [invalid(at.child('tcp'), tcp.url, 'TCP and UDS cannot both be set')]
  if (tcp) return validateTcp(tcp)
  return uds ? validateSocket(uds) : [required(at.child('tcp'), 'One of TCP or UDS must be set')]
}

function validateSocket({ udsName }: { readonly udsName: string }): FieldError[] {
  return udsName === '' ? [invalid(at.child('udsName'), 'nil', 'UDSName should be present for UDS connections')] : []
}

function validateTcp({ url, tlsConfig }: NonNullable<EgressTransport['tcp']>): FieldError[] {
  if (url.startsWith('https://')) return validateTls(tlsConfig)
  if (!url.startsWith('http://')) {
    return [invalid(at.child('url'), url, 'supported connection protocols are http:// and https://')]
  }
  if (tlsConfig === undefined) return []
  return [invalid(at.child('tlsConfig'), 'nil', 'TLSConfig config should not be present when using HTTP')]
}

function validateTls(tls: EgressTls | undefined): FieldError[] {
  if (tls === undefined) return [required(at.child('tlsConfig'), 'TLSConfig must be present when using HTTPS')]
  const { caBundle, clientCert, clientKey } = tls
  const field = (name: string) => at.child('tlsConfig', name)
  const errors: FieldError[] = []
  if (caBundle !== '' && !existsSync(caBundle)) {
    errors.push(invalid(field('caBundle'), caBundle, 'TLS config ca bundle does not exist'))
  }
  if (clientCert === '') errors.push(invalid(field('clientCert'), 'nil', 'Using TLS requires clientCert'))
  else if (!existsSync(clientCert))
    errors.push(invalid(field('clientCert'), clientCert, 'TLS client cert does not exist'))
  // The reference says it twice.
  if (clientKey === '') errors.push(invalid(field('clientKey'), 'nil', 'Using TLS requires requires clientKey'))
  else if (!existsSync(clientKey)) errors.push(invalid(field('clientKey'), clientKey, 'TLS client key does not exist'))
  return errors
}
