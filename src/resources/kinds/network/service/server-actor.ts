/** The actor of objects that the server writes on behalf of others: addresses, endpoints. */
import { serverUser } from '../../../../api/user.ts'
import type { Actor } from '../../../../registry/own-writes.ts'

export const serverActor: Actor = {
  user: serverUser,
  fieldManager: 'kube-apiserver',
}
