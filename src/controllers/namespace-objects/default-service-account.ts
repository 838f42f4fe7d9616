/**
 * The service account `default` of every namespace, which pods have that name none.
 * Mirrors pkg/controller/serviceaccount: ServiceAccountsController.
 */
import type { NamespaceObject } from './namespace-objects.ts'

export const defaultServiceAccount: NamespaceObject = {
  queue: 'serviceaccount',
  account: 'service-account-controller',
  resource: 'serviceaccounts',
  name: 'default',
  create: (namespace) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } }),
}
