/** Who writes the objects that belong to other objects: the server itself. */
import type { Actor } from '../../../registry/own-writes.ts'

export const itself: Actor = {
  user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'], extra: new Map() },
  fieldManager: 'kube-apiserver',
}
