/**
 * Plugins about ingresses and services.
 * Mirrors plugin/pkg/admission/network/defaultingressclass: classDefaulterPlugin.
 * Mirrors plugin/pkg/admission/network/denyserviceexternalips: externalIPsDenierPlugin.
 */

import type { KubeObject } from '../../api/object.ts'
import type { Ingress as NetworkingIngress } from '../../catalog/types/networking-v1.ts'
import { whenReady } from '../../lib/awaitable.ts'
import type { Cluster } from '../cluster.ts'
import { newestDefault } from '../default-class.ts'
import { denied } from '../denied.ts'
import { type AdmissionPlugin, handling } from '../plugin.ts'

type Ingress = KubeObject & Pick<NetworkingIngress, 'spec'>

const group = 'networking.k8s.io'
const defaultAnnotations = ['ingressclass.kubernetes.io/is-default-class']

export function defaultIngressClass(cluster: Cluster): AdmissionPlugin {
  const classes = cluster.view(group, 'ingressclasses')
  return {
    name: 'DefaultIngressClass',
    handles: handling(['CREATE'], group, 'ingresses'),
    mutate({ object }) {
      const ingress = object as Ingress
      if (ingress.spec?.ingressClassName !== undefined) return undefined
      if (ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined) return undefined
      return whenReady(classes.list(), (list) => {
        const name = newestDefault(list, defaultAnnotations)?.metadata.name
        return name === undefined ? undefined : { ...ingress, spec: { ...ingress.spec, ingressClassName: name } }
      })
    },
  }
}

const externalIps = (service: KubeObject | undefined): readonly string[] =>
  (service?.['spec'] as { externalIPs?: string[] } | undefined)?.externalIPs ?? []

/** External IPs allow traffic hijacking: existing ones may stay, new ones are refused. */
export const denyServiceExternalIps: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: handling(['CREATE', 'UPDATE'], '', 'services'),
  validate(request) {
    const known = new Set(externalIps(request.oldObject))
    if (externalIps(request.object).every((address) => known.has(address))) return
    throw denied(request, 'Use of external IPs is denied by admission control')
  },
}
