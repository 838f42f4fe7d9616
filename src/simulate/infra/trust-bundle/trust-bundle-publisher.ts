/**
 * Publishes what clients verify the server with as a ClusterTrustBundle, where such objects are served.
 * Mirrors pkg/controller/certificates/clustertrustbundlepublisher: ClusterTrustBundlePublisher.
 */
import { createHash } from 'node:crypto'
import type { SimulatedController } from '../../framework/controller.ts'
import { reconciler } from '../../framework/reconciler.ts'
import type { ClusterTrustBundle } from '../../objects.ts'
import { runningController } from '../common/running-controller.ts'

const group = 'certificates.k8s.io'
const resource = 'clustertrustbundles'
const signerName = 'kubernetes.io/kube-apiserver-serving'

/** A name for each content: an old bundle and a new one may stand side by side. */
export function bundleName(trustBundle: string): string {
  const hash = createHash('sha256').update(trustBundle).digest('hex').slice(0, 24)
  return `${signerName.replaceAll('/', ':')}:${hash}`
}

export const trustBundlePublisher: SimulatedController = {
  name: 'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  start(context) {
    const registry = context.resources.get(group, resource)
    const bundles = context.informer<ClusterTrustBundle>(group, resource)
    const writer = context.writer('kube-apiserver-serving-clustertrustbundle-publisher')
    const trustBundle = context.services.rootCaPem
    const name = bundleName(trustBundle)
    const own = () => bundles.list().filter(({ spec }) => spec?.signerName === signerName)
    const queue = reconciler(context, {
      name: 'ctb_publisher_by_signer_name',
      async reconcile() {
        if (registry === undefined) return
        const spec = { signerName, trustBundle }
        const { apiVersion } = registry.definition.hub
        const wanted: ClusterTrustBundle = { apiVersion, kind: 'ClusterTrustBundle', metadata: { name }, spec }
        if (bundles.get('', name) === undefined) await writer.create(group, resource, wanted)
        else
          await writer.update<ClusterTrustBundle>(group, resource, { namespace: '', name }, (current) => ({
            ...current,
            spec,
          }))
        for (const { metadata } of own()) {
          if (metadata.name !== name) await writer.delete(group, resource, { namespace: '', name: metadata.name ?? '' })
        }
      },
    })
    queue.add(signerName)
    const subscription = bundles.subscribe(({ object }) => {
      if (object.spec?.signerName === signerName) queue.add(signerName)
    })
    return runningController([subscription], [queue])
  },
}
