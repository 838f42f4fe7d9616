/** What the server proves itself to kubelets with, and whom it believes there. */
import { readFileSync } from 'node:fs'
import type { ServerOptions } from '../config/server-options.ts'

export interface KubeletTls {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

export function kubeletTls({ flags }: ServerOptions): KubeletTls {
  const read = (flag: string): string | undefined => {
    const file = flags.optional(flag)
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  }
  const ca = read('kubelet-certificate-authority')
  const cert = read('kubelet-client-certificate')
  const key = read('kubelet-client-key')
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) }
}
