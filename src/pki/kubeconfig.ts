/** A kubeconfig that is complete in itself: the server's address, the CA to trust and a client certificate. */
import type { CertificatePair } from './certificates.ts'

export interface KubeconfigOptions {
  readonly server: string
  readonly caPem: string
  readonly client: CertificatePair
}

export function writeKubeconfig({ server, caPem, client }: KubeconfigOptions): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  return `apiVersion: v1
kind: Config
clusters:
- name: pilothouse
  cluster:
    server: ${server}
    certificate-authority-data: ${base64(caPem)}
users:
- name: admin
  user:
    client-certificate-data: ${base64(client.certPem)}
    client-key-data: ${base64(client.keyPem)}
contexts:
- name: pilothouse
  context:
    cluster: pilothouse
    user: admin
current-context: pilothouse
`
}

/** Where a listener on all addresses is reached from this machine: at the loopback one. */
export const localHost = (bindAddress: string): string =>
  bindAddress === '0.0.0.0' ? '127.0.0.1' : bindAddress === '::' ? '::1' : bindAddress

/** The address to reach a listener by from this machine. */
export function localServerUrl(bindAddress: string, port: number): string {
  const host = localHost(bindAddress)
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
}
