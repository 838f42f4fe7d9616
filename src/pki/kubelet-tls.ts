/** What the server proves itself to kubelets with, and whom it believes there. */

import type { KubeletOptions } from '../config/connection-options.ts'
import { readGivenFile } from '../lib/given-file.ts'
import type { TlsTrust } from '../outbound/trust.ts'

/** Without an authority for them, whatever certificate a kubelet shows is taken. */
export function kubeletTls({ caFile, certFile, keyFile }: KubeletOptions): TlsTrust {
  const read = (file: string | undefined): string | undefined => (file === undefined ? undefined : readGivenFile(file))
  const ca = read(caFile)
  const cert = read(certFile)
  const key = read(keyFile)
  return { ca, cert, key, insecure: ca === undefined }
}
