/**
 * The ConfigMap `kube-root-ca.crt` of every namespace: what pods verify the server with. Data that are altered are put
 * right.
 * Mirrors pkg/controller/certificates/rootcacertpublisher: Publisher.
 */
import { equalJson } from '../../api/json.ts'
import type { NamespaceObject } from './namespace-objects.ts'

const name = 'kube-root-ca.crt'
const annotation = 'kubernetes.io/description'
const description =
  'CA bundle that verifies the API server at its addresses within the cluster, such as kubernetes.default.svc. It is meant for nothing else.'

export function rootCa(pem: string): NamespaceObject {
  const data = { 'ca.crt': pem }
  const annotations = { [annotation]: description }
  return {
    queue: 'root_ca_cert_publisher',
    account: 'root-ca-cert-publisher',
    resource: 'configmaps',
    name,
    create: (namespace) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, annotations },
      data,
    }),
    repair(current) {
      const isRight = equalJson(current['data'], data) && (current.metadata.annotations?.[annotation] ?? '') !== ''
      if (isRight) return undefined
      const metadata = { ...current.metadata, annotations: { ...current.metadata.annotations, ...annotations } }
      return { ...current, metadata, data }
    },
  }
}
