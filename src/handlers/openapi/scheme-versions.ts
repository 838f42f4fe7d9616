/**
 * Every group version that the reference knows, served or not. Types that all of them share say to be of each:
 * DeleteOptions and WatchEvent.
 */
import type { GroupVersion } from '../../api/group-version.ts'

const versionsByGroup: Readonly<Record<string, string>> = {
  '': 'v1',
  'admission.k8s.io': 'v1 v1beta1',
  'admissionregistration.k8s.io': 'v1 v1alpha1 v1beta1',
  'apiextensions.k8s.io': 'v1 v1beta1',
  'apiregistration.k8s.io': 'v1 v1beta1',
  apps: 'v1 v1beta1 v1beta2',
  'authentication.k8s.io': 'v1 v1alpha1 v1beta1',
  'authorization.k8s.io': 'v1 v1beta1',
  autoscaling: 'v1 v2 v2beta1 v2beta2',
  batch: 'v1 v1beta1',
  'certificates.k8s.io': 'v1 v1alpha1 v1beta1',
  'coordination.k8s.io': 'v1 v1alpha2 v1beta1',
  'discovery.k8s.io': 'v1 v1beta1',
  'events.k8s.io': 'v1 v1beta1',
  extensions: 'v1beta1',
  'flowcontrol.apiserver.k8s.io': 'v1 v1beta1 v1beta2 v1beta3',
  'imagepolicy.k8s.io': 'v1alpha1',
  'internal.apiserver.k8s.io': 'v1alpha1',
  'networking.k8s.io': 'v1 v1alpha1 v1beta1',
  'node.k8s.io': 'v1 v1alpha1 v1beta1',
  policy: 'v1 v1beta1',
  'rbac.authorization.k8s.io': 'v1 v1alpha1 v1beta1',
  'resource.k8s.io': 'v1alpha3 v1beta1 v1beta2',
  'scheduling.k8s.io': 'v1 v1alpha1 v1beta1',
  'storage.k8s.io': 'v1 v1alpha1 v1beta1',
  'storagemigration.k8s.io': 'v1alpha1',
}

export const schemeVersions: readonly GroupVersion[] = Object.entries(versionsByGroup).flatMap(([group, versions]) =>
  versions.split(' ').map((version) => ({ group, version })),
)

const serverOnly: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
])

/** Those that clients know: what documents of custom resources are made with. */
export const clientSchemeVersions = schemeVersions.filter(({ group }) => !serverOnly.has(group))
