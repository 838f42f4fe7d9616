/** The actor of objects that the server writes on behalf of others: addresses, endpoints. */
import type { Actor } from '../../../registry/own-writes.ts'

export const serverActor: Actor = {
  user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'], extra: new Map() },
  fieldManager: 'kube-apiserver',
}
