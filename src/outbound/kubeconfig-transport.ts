/** The transport to the server of a kubeconfig: its trust, its client certificate, and its proxy, if it names one. */
import { connectDial } from './connect-dial.ts'
import type { Dial } from './dial.ts'
import type { WebhookConnection } from './kubeconfig.ts'
import { Transport } from './transport.ts'

/** `dial`: the way that is taken where the kubeconfig names none. */
export function kubeconfigTransport(connection: WebhookConnection, dial?: Dial): Transport {
  const { certificateAuthority: ca, clientCertificate: cert, clientKey: key, serverName } = connection
  return new Transport({
    tls: { ca, cert, key, serverName, insecure: connection.insecureSkipTlsVerify },
    dial: connection.proxyUrl === undefined ? dial : connectDial({ url: connection.proxyUrl }),
  })
}
