/** What the server proves itself to kubelets with, and whom it believes there. */
import { readFileSync } from 'node:fs'
import type { ServerOptions } from '../config/server-options.ts'
import type { TlsTrust } from '../outbound/trust.ts'

/** Without an authority for them, whatever certificate a kubelet shows is taken. */
export function kubeletTls({ flags }: ServerOptions): TlsTrust {
  const read = (flag: string): string | undefined => {
    const file = flags.optional(flag)
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  }
  const ca = read('kubelet-certificate-authority')
  const cert = read('kubelet-client-certificate')
  const key = read('kubelet-client-key')
  return { ca, cert, key, insecure: ca === undefined }
}
